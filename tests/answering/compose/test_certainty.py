"""How certain an answer is: what counts, and in which languages."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.answering.compose.certainty import FEATURE_NAMES, Certainty
from toulmin.answering.compose.question_kind import asked_for
from toulmin.answering.passages import Passage
from toulmin.answering.reading.answerability import Answerability
from toulmin.answering.reading.reader import Reading, SpanAnswer

TOWER = Passage(text="The Varn Tower is 330 metres high.", relevance=0.6)
BRIDGE = Passage(text="The Varn Bridge is 40 metres high.", relevance=0.5)


def certainty(**weights):
    wanted = np.array([weights.get(name, 0.0) for name in FEATURE_NAMES])
    return Certainty(Answerability(wanted, 0.0))


def weighed(certainty, query, passages, *spans, answerable=0.5, held=()):
    """Weigh a reading in which passages with a word of `held` have log odds 2, others -2."""
    answers = [
        SpanAnswer(place, passages[place].text.index(text), 0, text, share)
        for place, text, share in spans
    ]
    odds = {
        place: 2.0 if any(word in passage.text for word in held) else -2.0
        for place, passage in enumerate(passages)
    }
    reading = Reading(tuple(answers), answerable, odds=odds)
    return certainty.weigh(query, asked_for(query), passages, reading)


QUESTION = "How high is the Varn Tower?"


def test_the_reader_says_of_the_passage_whether_it_answers():
    by_odds = certainty(odds=1.0)
    there = weighed(by_odds, QUESTION, [TOWER], (0, "330", 0.5), held=["330"])
    none = weighed(by_odds, QUESTION, [TOWER], (0, "330", 0.5))
    assert there.answerable == pytest.approx(0.8808, abs=1e-3)
    assert none.answerable == pytest.approx(0.1192, abs=1e-3)
    assert there.odds == {0: 2.0}


def test_a_passage_that_answers_wins_over_one_as_relevant_that_does_not():
    same = [
        Passage(text="The Varn Tower is about 300 metres high.", relevance=0.5),
        Passage(text="The Varn Tower is just 330 metres high.", relevance=0.5),
    ]
    spans = [(0, "300", 0.3), (1, "330", 0.3)]
    read = weighed(certainty(odds=1.0), QUESTION, same, *spans, held=["330"])
    assert read.answerable > 0.8


def test_where_nothing_that_could_answer_is_found_the_probability_is_zero():
    passages = [Passage(text="The Varn Tower is old.", relevance=0.5)]
    read = weighed(certainty(odds=1.0), QUESTION, passages, (0, "old", 0.5), held=["Tower"])
    assert read.answerable == 0.0


def test_a_question_in_another_language_is_left_to_the_reader():
    query = "Wie hoch ist der Turm?"
    passages = [Passage(text="Der Turm ist 330 Meter hoch.", relevance=0.5)]
    read = weighed(certainty(odds=1.0), query, passages, (0, "330", 0.5), answerable=0.7)
    assert read.answerable == 0.7


def test_a_known_relevance_counts_and_an_unknown_one_neither_way():
    def of(relevance):
        passage = Passage(text=TOWER.text, relevance=relevance)
        by_relevance = certainty(relevance=1.0)
        return weighed(by_relevance, QUESTION, [passage], (0, "330", 0.5)).answerable

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
    read = weighed(certainty(odds=1.0), query, passages, (0, "330", 0.5), held=["330"])
    odds = np.exp(2.0) / factor
    assert read.answerable == pytest.approx(odds / (1 + odds), abs=1e-3)
