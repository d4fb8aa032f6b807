"""What a yes/no question states, and what passages say to it."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.yes_no import judge, statement_of
from toulmin.answering.passages import Passage
from toulmin.domain import FactChunk
from toulmin.grounding.report import CheckedClaim, GroundingReport

TEXT = "The Varn Bridge crosses the river. Marta Lindqvist built the lighthouse of Gull Rock."


@pytest.mark.parametrize(
    ("language", "query", "stated"),
    [
        ("en", "Is the Varn Bridge open?", "The Varn Bridge is open."),
        ("en", "Did Marta Lindqvist build it?", "Marta Lindqvist did build it."),
        ("en", "Isn't it closed?", "It is closed."),
        ("en", "Can't it open?", "It can open."),
        ("en", "Won't it open?", "It will open."),
        ("en", "Are there trains to Pellow?", "There are trains to Pellow."),
        ("en", "Was an unknown tower built in 1920?", "An unknown tower was built in 1920."),
        (
            "en",
            "Can the lighthouse of Gull Rock be visited?",
            "The lighthouse of Gull Rock can be visited.",
        ),
        ("en", "Is the old tower high?", "The old tower is high."),
        ("en", "Does a new tower have a roof?", "A new tower does have a roof."),
        ("en", "Is it?", ""),
        ("en", "Who opened it?", ""),
        ("es", "¿Es Madrid la capital de España?", "Madrid es la capital de España."),
        ("fr", "Est-ce que Paris est la capitale ?", "Paris est la capitale."),
        ("fr", "Paris est-elle la capitale ?", "Paris est la capitale."),
        ("de", "Ist Berlin die Hauptstadt?", "Berlin ist die Hauptstadt."),
        ("it", "È Roma la capitale?", "Roma è la capitale."),
        ("ja", "東京は首都ですか？", "東京は首都です。"),
        ("zh", "北京是首都吗？", "北京是首都。"),
        ("xx", "Is it open?", ""),
    ],
)
def test_the_statement_of_a_question(language, query, stated):
    assert statement_of(query, language, [TEXT]) == stated


class Checker:
    """Says of every text what it was made with; the second fact says so."""

    def __init__(self, support: float, contradiction: float):
        self.scores = support, contradiction
        self.asked = []

    def check(self, answer, facts, spec, *, should_stop):
        self.asked.append((answer, [fact.text for fact in facts]))
        support, contradiction = self.scores
        cited = support >= spec.citation_threshold
        against = contradiction >= spec.anti_citation_threshold
        claim = CheckedClaim(
            answer,
            0,
            len(answer),
            needs_check=True,
            score=support,
            contradiction_score=contradiction,
            citations=(0,) if cited else (),
            anti_citations=(0,) if against else (),
        )
        return GroundingReport(support, (claim,), (FactChunk(1, 2, 5, "abc"),))


PASSAGES = [Passage(text=" "), Passage(text="One."), Passage(text="Two.")]


@pytest.mark.parametrize(
    ("scores", "yes"),
    [((0.9, 0.1), True), ((0.1, 0.9), False), ((0.7, 0.7), None), ((0.0, 0.0), None)],
)
def test_yes_and_no_need_a_passage_that_says_so(scores, yes):
    checker = Checker(*scores)
    verdict = judge("Is the Varn Bridge open?", "en", PASSAGES, checker)
    assert checker.asked == [("The Varn Bridge is open.", ["One.", "Two."])]
    if yes is None:
        assert verdict is None
    else:
        assert (verdict.yes, verdict.passage, verdict.start, verdict.end) == (yes, 2, 2, 5)
        assert verdict.probability == 0.9


def test_without_passages_nothing_is_checked():
    checker = Checker(1.0, 0.0)
    assert judge("Is it open?", "en", PASSAGES[:1], checker) is None
    assert not checker.asked
