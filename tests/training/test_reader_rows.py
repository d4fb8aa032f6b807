"""Questions with and without an answer in their text."""

import random

import pytest
import question_rows
from data.entities import Pools
from generated import from_claim, from_passage
from question_rows import Example, beside, sentence_spans, windowed
from sources import Passages
from unanswerable import (
    elsewhere,
    holds,
    passage_entity,
    question_entity,
    question_opposed,
    removed,
    replace_all,
    retrieved,
)

from tests.training.modules import load
from tests.training.passages import PASSAGES

build = load("reader/build.py")
QUESTIONS = [
    (0, "When did Anna Keller move to Vienna?", "1925"),
    (1, "Who designed the Harrow Bridge in Ohio?", "Thomas Moreau"),
    (2, "When was Veltan Foods founded by Maria Rossi?", "1962"),
    (3, "Where did the film by Carlos Rivera premiere first?", "Lisbon"),
    (4, "Who was defeated by Henry Walker in 1949?", "Frank Baker"),
    (7, "When did the Norland Railway reach Oslo?", "1902"),
    (9, "What is the largest library in Denver called?", "Carson Library"),
]


def example(at, question, answer):
    start = PASSAGES[at].index(answer)
    return Example(PASSAGES[at], question, [(start, start + len(answer))], "squad1_part")


EXAMPLES = [example(*item) for item in QUESTIONS]
KNOWN = Passages(EXAMPLES)
POOLS = Pools()
for passage in PASSAGES:
    POOLS.add(passage)


def drawn(make):
    """(example, row) of each example over ten seeds, where a row was made."""
    tries = ((e, make(e, random.Random(seed))) for seed in range(10) for e in EXAMPLES)
    found = [(e, row) for e, row in tries if row is not None]
    assert len(found) > 5
    return found


def answers(row):
    return [row.evidence[start:end] for start, end in row.answers]


@pytest.mark.parametrize("make", [elsewhere, retrieved, removed])
def test_a_passage_without_the_answer_does_not_hold_it(make):
    for e, row in drawn(lambda e, rng: make(e, KNOWN, rng)):
        assert (row.question, row.answers) == (e.question, [])
        assert not holds(e.answer(), row.evidence), row
        assert question_rows.usable(row)


def test_removed_keeps_the_rest_of_its_passage():
    for e, row in drawn(lambda e, rng: removed(e, KNOWN, rng)):
        own = {e.context[s:t] for s, t in sentence_spans(e.context)}
        assert any(sentence in row.evidence for sentence in own)


def test_an_edited_question_asks_for_something_else_of_the_same_passage():
    for e, row in drawn(lambda e, rng: question_entity(e, KNOWN, POOLS, rng)):
        assert row.question != e.question
        assert row.answers == []
        assert e.answer() in row.evidence
        assert row.evidence in e.context
    assert drawn(lambda e, rng: question_opposed(e, KNOWN, rng))


def test_an_entity_changed_on_both_sides_keeps_the_answer_in_its_place():
    both = drawn(lambda e, rng: passage_entity(e, POOLS, rng, consistent=True))
    for e, row in both:
        assert answers(row) == [e.answer()]
        assert row.question != e.question
        assert row.evidence not in e.context
    for e, row in drawn(lambda e, rng: passage_entity(e, POOLS, rng, consistent=False)):
        assert (row.question, row.answers) == (e.question, [])


def test_replace_all_moves_the_answers_behind_and_leaves_those_before():
    text = "In 1990 Ann met Bo. Ann left Bo in 1995."
    spans = [(3, 7), (34, 38)]
    edited, moved = replace_all(text, "Ann", "Catherine", [(3, 7), (35, 39)])
    assert edited == "In 1990 Catherine met Bo. Catherine left Bo in 1995."
    assert [edited[s:e] for s, e in moved] == ["1990", "1995"]
    assert replace_all(text, "1990", "1991", spans) == (text, None)
    assert replace_all(text, "An", "Catherine", spans) == (text, None)


def test_windows_and_other_passages_keep_the_answers_in_their_place():
    for seed in range(20):
        rng = random.Random(seed)
        for e in EXAMPLES:
            evidence, spans = windowed(e, rng)
            joined, moved = beside(evidence, spans, PASSAGES[5], rng)
            assert [evidence[s:t] for s, t in spans] == [e.answer()]
            assert [joined[s:t] for s, t in moved] == [e.answer()]


def test_the_builder_checks_every_offset_and_depends_on_the_seed_alone():
    rows = build.Builder(EXAMPLES, random.Random(3)).human(2)
    assert rows == build.Builder(EXAMPLES, random.Random(3)).human(2)
    asked = {e.question: e for e in EXAMPLES}
    answered = [row for row in rows if row.answers]
    assert len(answered) >= 2 * len(EXAMPLES)
    for row in answered:
        known = {e.answer() for e in EXAMPLES}
        assert set(answers(row)) <= known
        if row.kind == "squad1_part":
            assert answers(row) == [asked[row.question].answer()]
    assert sum(not row.answers for row in rows) > len(EXAMPLES)


def test_generated_questions_ask_for_words_of_their_passage():
    made = [e for n in range(10) for e in from_passage(PASSAGES[n], random.Random(n), 3)]
    assert len(made) > 8
    for e in made:
        assert e.answer() in e.context
        assert e.answer().lower() not in e.question.lower()
        assert e.question.endswith("?")


def test_questions_from_claims_are_answered_only_by_true_ones():
    premise = PASSAGES[0]
    true = {"claim": "Anna Keller moved to Vienna in 1925.", "premise": premise, "label": 1}
    false = {**true, "label": 0}
    found = set()
    for seed in range(30):
        row = from_claim({**true, "contradiction": False}, random.Random(seed))
        lost = from_claim({**false, "contradiction": True}, random.Random(seed))
        if row:
            assert row.kind == "claim_true"
            assert all(
                answer in true["claim"] and answer not in row.question for answer in answers(row)
            )
            found |= set(answers(row))
        if lost:
            assert (lost.kind, lost.answers) == ("claim_false", [])
    assert found
