"""How certain an answer is: which passages are judged, what counts, and in which languages."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.answering.compose.certainty import FEATURE_NAMES, JUDGED, Certainty
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.passages import Passage
from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.reading.reader import Reading, SpanAnswer

TOWER = Passage(text="The Varn Tower is 330 metres high.", relevance=0.6)
BRIDGE = Passage(text="The Varn Bridge is 40 metres high.", relevance=0.5)


class FakeJudge:
    """Says 2 of passages with one of the words, and -2 of others."""

    def __init__(self, *words):
        self.words = words
        self.read = []

    def odds(self, question, passages, *, should_stop=lambda: False):
        self.read += passages
        return [2.0 if any(word in text for word in self.words) else -2.0 for text in passages]


def certainty(judge, **weights):
    wanted = np.array([weights.get(name, 0.0) for name in FEATURE_NAMES])
    return Certainty(judge, Answerability(wanted, 0.0))


def weighed(certainty, query, passages, *spans, answerable=0.5):
    answers = [
        SpanAnswer(place, passages[place].text.index(text), 0, text, share)
        for place, text, share in spans
    ]
    reading = Reading(tuple(answers), answerable)
    return certainty.weigh(query, asked_for(query), passages, reading)


QUESTION = "How high is the Varn Tower?"


def test_the_judge_says_whether_there_is_an_answer():
    there = weighed(certainty(FakeJudge("330"), odds=1.0), QUESTION, [TOWER], (0, "330", 0.5))
    none = weighed(certainty(FakeJudge(), odds=1.0), QUESTION, [TOWER], (0, "330", 0.5))
    assert there.answerable == pytest.approx(0.8808, abs=1e-3)
    assert none.answerable == pytest.approx(0.1192, abs=1e-3)
    assert there.odds == {0: 2.0}


def test_only_the_passages_of_the_best_sentences_are_judged():
    judge = FakeJudge()
    passages = [TOWER, *(Passage(text=f"A mill of {n} metres.", relevance=0.1) for n in range(9))]
    weighed(certainty(judge), QUESTION, passages, (0, "330", 0.5))
    assert len(judge.read) == JUDGED
    assert judge.read[0] == TOWER.text


def test_passages_are_judged_below_their_headings():
    judge = FakeJudge()
    titled = Passage(text="It is 330 metres high.", title="The Varn Tower", relevance=0.6)
    weighed(certainty(judge), QUESTION, [titled], (0, "330", 0.5))
    assert judge.read == ["The Varn Tower\n\nIt is 330 metres high."]


def test_a_passage_that_answers_wins_over_one_as_relevant_that_does_not():
    same = [
        Passage(text="The Varn Tower is about 300 metres high.", relevance=0.5),
        Passage(text="The Varn Tower is just 330 metres high.", relevance=0.5),
    ]
    read = weighed(
        certainty(FakeJudge("330"), odds=1.0), QUESTION, same, (0, "300", 0.3), (1, "330", 0.3)
    )
    assert read.answerable > 0.8


def test_where_nothing_that_could_answer_is_found_the_probability_is_zero():
    passages = [Passage(text="The Varn Tower is old.", relevance=0.5)]
    read = weighed(certainty(FakeJudge("Tower"), odds=1.0), QUESTION, passages, (0, "old", 0.5))
    assert read.answerable == 0.0


def test_a_question_in_a_language_that_the_judge_does_not_read_is_left_to_the_span_model():
    judge = FakeJudge()
    query = "Wie hoch ist der Turm?"
    passages = [Passage(text="Der Turm ist 330 Meter hoch.", relevance=0.5)]
    read = weighed(certainty(judge, odds=1.0), query, passages, (0, "330", 0.5), answerable=0.7)
    assert (read.answerable, judge.read) == (0.7, [])


def test_a_known_relevance_counts_and_an_unknown_one_neither_way():
    def of(relevance):
        passage = Passage(text=TOWER.text, relevance=relevance)
        return weighed(
            certainty(FakeJudge("330"), relevance=1.0), QUESTION, [passage], (0, "330", 0.5)
        ).answerable

    assert of(0.9) == pytest.approx(0.9, abs=1e-3)
    assert of(0.1) == pytest.approx(0.1, abs=1e-3)
    assert of(None) == 0.5


@pytest.mark.parametrize(
    ("query", "factor"),
    [
        ("How high is the tower in Varn?", 1),
        ("How high is the tower in Pellow?", 3),
        ("How high is the tower of the VTX?", 9),
    ],
)
def test_a_name_that_no_passage_has_counts_against_an_answer(query, factor):
    passages = [Passage(text="The tower is 330 metres high.", title="Varn", relevance=0.5)]
    read = weighed(certainty(FakeJudge("330"), odds=1.0), query, passages, (0, "330", 0.5))
    odds = np.exp(2.0) / factor
    assert read.answerable == pytest.approx(odds / (1 + odds), abs=1e-3)
