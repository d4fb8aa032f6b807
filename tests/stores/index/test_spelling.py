"""Misspelt words of a query: the embedded index and the oracle."""

import numpy as np
import pytest

from tests.stores.index.oracle import OracleIndex, distance
from toulmin.stores.index.protocol import IndexedChunk, Put, Remove
from toulmin.stores.index.vocabulary import near, together, vocabulary_of

TEXTS = [
    "The search index finds documents, and documents find readers.",
    "Search engines index pages about München and Москва.",
    "Searching for a café in the harbour; three readers in 2024 at w1234x.",
    "東京 is Tokyo, also written Tōkyō.",
]


def chunk(key, text, title=""):
    return IndexedChunk(key, document=key // 10, text=text, title=title)


@pytest.fixture
def index(open_index):
    index = open_index()
    index.apply([Put(chunk(k, text, "Handbook")) for k, text in enumerate(TEXTS)], up_to=1)
    return index


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("serach idnex", "search index"),
        ("Serach the DOCUMENT indxe?", "search the DOCUMENT index?"),
        ("docmuemts", "documents"),  # two changes in over seven letters
        ("docmuemtz", ""),  # three
        ("raeedrs", ""),  # two in seven letters
        ("hndbook", "handbook"),  # from the title
        ("münhcen mosvka", "münchen mosvka"),
        ("Мосвка", "москва"),
        ("cafés haarbour", "cafés harbour"),  # 'cafés' is found: accents and endings are dropped
        ("serach_idnex", "search_index"),
        ("mu\u0308nhcen a\u0308b", "münchen äb"),  # what is composed is one letter
    ],
)
def test_words_put_right(index, typed, corrected):
    assert index.correct(typed) == corrected


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "search indexes, searched by readers; documents finding München",
        "teh",  # too short
        "w1235x 2025",  # with digits
        "東京 東東",
        "tōkyo tokyo",
        "completely unrelated vocabulary",
        "x" * 33,
        " ".join(["serach"] * 33),  # a passage
        " ".join(f"zerach{c}" for c in "abcdefghi"),  # another language
    ],
)
def test_left_alone(index, typed):
    assert index.correct(typed) == ""


def test_the_nearest_then_the_most_frequent_then_the_first(index):
    index.apply(
        [
            Put(chunk(20 + at, text))
            for at, text in enumerate(["horde harder", "bord", "bord", "cord", "cord", "ford"])
        ],
        up_to=2,
    )
    assert index.correct("xord") == "bord"
    assert index.correct("fordx") == "ford"
    index.apply([Put(chunk(26, "cord"))], up_to=3)
    assert index.correct("xord") == "cord"


def test_a_word_that_is_gone_is_not_proposed(index):
    index.apply([Put(chunk(30, "secretword")), Put(chunk(31, "harmless"))], up_to=2)
    assert index.correct("secretwrod") == "secretword"
    index.apply([Remove(30)], up_to=3)
    assert index.correct("secretwrod") == ""
    assert index.correct("harmlesss") == "harmless"


def test_as_the_oracle_on_words_of_the_language(open_index):
    rng, index, oracle = np.random.default_rng(1), open_index(), OracleIndex()
    stems = ["".join(rng.choice(list("bkmo"), size=n)) for n in (4, 5, 6, 7, 8, 9, 12) * 12]
    for step in range(1, 4):
        texts = [" ".join(rng.choice(stems, size=3)) for _ in range(20)]
        changes = [Put(chunk(int(rng.integers(40)), text)) for text in texts]
        index.apply(changes, up_to=step)
        oracle.apply(changes, up_to=step)
    corrected = 0
    for stem in stems:
        typed = stem[:2] + str(rng.choice(list("bkmo"))) + stem[3:] + " " + stem[1:]
        assert index.correct(typed) == oracle.correct(typed), typed
        corrected += index.correct(typed) != ""
        known = " ".join(w for _, at in oracle.chunks.values() for w in oracle.words.surfaces[at])
        assert index.correct(known[:200].rpartition(" ")[0]) == ""
    assert corrected > 20


def test_distances():
    rng = np.random.default_rng(2)
    words = {"".join(rng.choice(list("abcж"), size=int(rng.integers(3, 12)))) for _ in range(300)}
    halves = [sorted(words)[:200], sorted(words)[100:]]
    parts = [vocabulary_of([chunk(0, " ".join(half))]) for half in halves]
    for vocabularies in (parts, [together(parts)]):
        for word in sorted(words)[::10]:
            for most in (1, 2):
                found = {other: (d, n) for d, n, other in near(word, most, vocabularies)}
                expected = {
                    other: (distance(word, other), sum(other in half for half in halves))
                    for other in words
                    if distance(word, other) <= most
                }
                assert found == expected


def test_words_longer_than_32_letters_and_parts_of_codes_are_no_words():
    vocabulary = vocabulary_of([chunk(0, f"{'a' * 33} abc12def x_abcd été\u0301 Ωmega ok")])
    words = [
        row.tobytes().decode("utf-16-le")
        for length in range(33)
        for row in vocabulary.of_length(length)[1]
    ]
    assert words == ["été", "abcd", "ωmega"]
