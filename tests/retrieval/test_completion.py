"""Completion: what is suggested for a prefix, in which order and spelling."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.retrieval.completion import Completer, clean_phrase, fold


def completer(*titles):
    return Completer((str(i), title, ()) for i, title in enumerate(titles))


def test_beginnings_come_before_later_words_and_frequent_before_rare():
    found = completer(
        "The oil price", "Oil paint", "Olive oil", "Oil crisis", "Oil crisis", "Old oil", "Old oil"
    )
    assert found.suggest("oil") == (
        "Oil crisis",
        "Oil paint",
        "Old oil",
        "Olive oil",
        "The oil price",
    )
    assert found.suggest("oil", limit=3) == ("Oil crisis", "Oil paint", "Old oil")
    assert found.suggest("oil p") == ("Oil paint", "The oil price")
    assert found.suggest("il") == ()


def test_capitals_accents_and_spaces_do_not_matter():
    found = completer("Café Zürich", "CAFE  ZURICH", "Café Zürich")
    assert len(found) == 1
    for prefix in ("café", "CAFE\u0301 z", "  cafe   Zü", "zurich"):
        assert found.suggest(prefix) == ("Café Zürich",)


def test_a_space_ends_the_word():
    found = completer("New York", "Newton")
    assert found.suggest("new") == ("New York", "Newton")
    assert found.suggest("new ") == ("New York",)


def test_nothing_typed_suggests_nothing():
    found = completer("Oil")
    assert found.suggest("") == found.suggest("  ") == found.suggest("oil", limit=0) == ()
    assert Completer(()).suggest("a") == ()


def test_headings_count_once_for_a_document_without_their_numbers():
    found = Completer(
        [
            ("1", "Pumps", ["1. Safety", "2.1 Safety", "3) Valves:"]),
            ("2", "3.5 mm jack", ["Valves", "2024 report"]),
        ]
    )
    assert found.suggest("s") == ("Safety",)
    assert found.suggest("v") == ("Valves",)
    assert found.suggest("3.5") == ("3.5 mm jack",)
    assert found.suggest("2024") == ("2024 report",)
    # In two documents, one of which has it twice.
    more = Completer([("1", "", ["Vat", "vat"]), ("2", "", ["Valves"]), ("3", "", ["valves"])])
    assert more.suggest("va") == ("Valves", "Vat")


def test_japanese_words_begin_where_the_script_changes():
    found = completer("東京都の歴史", "ガイド東京")
    assert found.suggest("東京") == ("東京都の歴史", "ガイド東京")
    assert found.suggest("歴史") == ("東京都の歴史",)
    assert found.suggest("か") == ()
    assert completer("がくせい").suggest("か") == ()


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("  # Intro:\n", "Intro"),
        ("a b c d e f g h i j k l", "a b c d e f g h i j"),
        ("What is C++?", "What is C++?"),
        ("Foo (bar)", "Foo (bar)"),
        ("12 - 13", ""),
        ("", ""),
        ("x" * 150, "x" * 100),
        ("y" * 60 + " " + "z" * 60, "y" * 60),
    ],
)
def test_phrases_are_cleaned(text, phrase):
    assert clean_phrase(text) == phrase


@given(
    st.lists(st.text(st.sampled_from("aAbé \u0301ßﬁ東が1.") | st.characters(), max_size=12)),
    st.text(st.sampled_from("aAbé 東が1."), max_size=3),
)
def test_it_finds_what_a_plain_search_finds(titles, prefix):
    found = completer(*titles).suggest(prefix, limit=1000)
    key = fold(prefix).lstrip()
    phrases = {fold(p): p for p in map(clean_phrase, titles) if p}
    begin = {k for k in phrases if key.strip() and k.startswith(key)}
    words = {k for k in phrases if key.strip() and f" {key}" in k}
    suggested = [fold(phrase) for phrase in found]
    assert len(set(suggested)) == len(suggested)
    assert set(suggested[: len(begin)]) == begin
    assert words <= set(suggested) | {k for k in words if not key[0].isalnum()}
    assert set(suggested) <= {k for k in phrases if key in k}


@given(st.permutations(["Oil", "oil", "OIL", "Öil", "Olive", "Oil paint"]))
def test_the_order_of_documents_does_not_matter(titles):
    assert completer(*titles).suggest("o") == completer(*sorted(titles)).suggest("o")


def test_of_many_phrases_few_are_looked_at():
    rng = random.Random(1)
    words = ["".join(rng.choices("etaoinshr", k=rng.randint(2, 9))) for _ in range(3000)]
    began = time.thread_time()
    found = completer(*(" ".join(rng.choices(words, k=5)) for _ in range(20_000)))
    assert len(found) > 19_000
    made = time.thread_time()
    for prefix in ("e", "et", "t", "ho", "zz", words[0][:3]):
        for phrase in found.suggest(prefix):
            assert any(word.startswith(prefix) for word in phrase.split())
    assert time.thread_time() - made < made - began  # about a tenth of it
