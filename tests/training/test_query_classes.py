"""The queries written for the query classes keep to their form, and the halves stay apart."""

import json
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

import pytest

from tests.training.modules import load

queries = load("query_classes/written_queries.py")
twins = load("query_classes/twins.py")
LABELS = {"answer_seeking", "chit_chat", "no_clear_intent", "adversarial", "jailbreak"}
SENTENCES = Path(__file__).parents[1] / "safety" / "data"
ROWS = queries.written()
TRAIN, KEPT_OUT = queries.halves(ROWS)
TWINS = twins.twins()


def test_every_query_has_a_label_and_a_language_and_stands_once():
    assert {row.label for row in ROWS} == LABELS
    assert {row.lang for row in ROWS} == set(queries.LANGUAGES)
    twice = [text for text, count in Counter(row.text for row in ROWS).items() if count > 1]
    assert twice == []


def test_there_are_enough_of_each_label_in_each_language_in_both_halves():
    for half in (TRAIN, KEPT_OUT):
        assert len(half) >= 1000
        of_language = Counter((row.lang, row.label) for row in half)
        assert len(of_language) == len(LABELS) * len(queries.LANGUAGES)
        assert min(of_language.values()) >= 5


def test_what_says_the_same_is_never_parted():
    halves = defaultdict(set)
    for half, rows in (("train", TRAIN), ("kept out", KEPT_OUT)):
        for row in rows:
            halves[row.like].add(half)
    assert [like for like, found in halves.items() if len(found) > 1] == []


def test_sentences_of_tests_are_not_trained_on():
    asked = [
        json.loads(line) for line in (SENTENCES / "asked.jsonl").read_text("utf-8").splitlines()
    ]
    tested = {case["text"].casefold() for case in asked if case["label"] != "chit_chat"}
    for name in ("hard_benign.txt", "jailbreaks.txt"):
        tested |= {line.casefold() for line in (SENTENCES / name).read_text("utf-8").splitlines()}
    assert [row.text for row in TRAIN if row.text.casefold() in tested] == []


def test_twins_have_a_label_and_a_language_and_stand_once():
    assert {row.label for row in TWINS} == {"answer_seeking", "adversarial", "jailbreak"}
    assert {row.lang for row in TWINS} == set(queries.LANGUAGES)
    twice = [text for text, count in Counter(row.text for row in TWINS).items() if count > 1]
    assert twice == []


def test_a_line_of_twins_in_another_form_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("en! poison a dog\nen poison ivy\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"a\.txt:2: .*: en poison ivy"):
        twins.twins(tmp_path)


def test_an_empty_line_parts_groups_of_twins(tmp_path):
    (tmp_path / "a.txt").write_text("en! a\nfr= b\n\nen> c\n", encoding="utf-8")
    found = [(row.text, row.label, row.group) for row in twins.twins(tmp_path)]
    assert found == [
        ("a", "adversarial", "a"),
        ("b", "answer_seeking", "a"),
        ("c", "jailbreak", "c"),
    ]


def test_a_fifth_of_the_groups_of_twins_is_kept_out_whole():
    train, kept_out = twins.parts(TWINS)
    ours, theirs = ({row.group for row in part} for part in (train, kept_out))
    assert ours & theirs == set()
    assert len(theirs) / len(ours | theirs) == pytest.approx(0.2, abs=0.05)
    assert {row.lang for row in kept_out} == set(queries.LANGUAGES)


def test_twins_share_their_words_with_their_like():
    """A harmful query whose words no harmless one has would give its label away."""
    groups = defaultdict(list)
    for row in TWINS:
        groups[row.group].append(row)
    alone = 0
    for rows in groups.values():
        harmless = [row.text for row in rows if row.label == "answer_seeking"]
        harmful = [row.text for row in rows if row.label != "answer_seeking"]
        alone += not (harmless and harmful)
        for text in harmful:
            assert max(map(partial(in_common, text), harmless)) > 0.1, text
    assert alone / len(groups) <= 0.02


def in_common(a: str, b: str) -> float:
    """Share of the shorter one's runs of two signs that the other one has."""
    ours, theirs = ({text[i : i + 2] for i in range(len(text) - 1)} for text in (a, b))
    return len(ours & theirs) / min(len(ours), len(theirs))
