"""The queries written for the query classes keep to their form, and the halves stay apart."""

import json
from collections import Counter, defaultdict
from pathlib import Path

from tests.training.modules import load

queries = load("query_classes/written_queries.py")
LABELS = {"answer_seeking", "chit_chat", "no_clear_intent", "adversarial", "jailbreak"}
SENTENCES = Path(__file__).parents[1] / "safety" / "data"
ROWS = queries.written()
TRAIN, KEPT_OUT = queries.halves(ROWS)


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
