"""What a yes/no question states, and what passages say to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toulmin.answering.compose.yes_no import judge, on_asked_side, statement_of, within_bounds
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
    """Says of a statement and of its denial how far they are supported and contradicted."""

    def __init__(self, stated: tuple[float, float], denied: tuple[float, float] = (0.0, 0.0)):
        self.scores = {False: stated, True: denied}
        self.asked = []

    def check(self, answer, facts, spec, *, work):
        self.asked.append((answer, [fact.text for fact in facts]))
        support, contradiction = self.scores[" not " in answer]
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
        last = len(facts) - 1
        chunk = FactChunk(last, 0, len(facts[last].text), facts[last].text)
        return GroundingReport(support, (claim,), (chunk,))

    def check_each(self, statements, facts, spec, *, work):
        return [self.check(statement, facts, spec, work=work) for statement in statements]


PASSAGES = [Passage(text=" "), Passage(text="One."), Passage(text="Open on Varn.")]


@pytest.mark.parametrize(
    ("stated", "denied", "yes"),
    [
        ((0.9, 0.1), (0.1, 0.0), True),
        ((0.1, 0.9), (0.1, 0.0), False),
        ((0.1, 0.1), (0.9, 0.0), False),
        ((0.7, 0.7), (0.0, 0.0), None),
        ((0.0, 0.0), (0.0, 0.0), None),
        ((0.9, 0.1), (0.9, 0.0), None),
        ((0.9, 0.6), (0.1, 0.0), None),
        ((0.6, 0.9), (0.1, 0.0), None),
    ],
)
def test_yes_and_no_need_a_passage_that_says_so_and_not_the_opposite(stated, denied, yes):
    checker = Checker(stated, denied)
    verdict = judge("Is the Varn Bridge open?", "en", PASSAGES, checker)
    assert checker.asked == [
        ("The Varn Bridge is open.", ["One.", "Open on Varn."]),
        ("The Varn Bridge is not open.", ["One.", "Open on Varn."]),
    ]
    if yes is None:
        assert verdict is None
    else:
        assert (verdict.yes, verdict.passage, verdict.start, verdict.end) == (yes, 2, 0, 13)
        assert verdict.probability == 0.9


def test_yes_is_not_said_of_another_subject():
    text = "Jonas Petri leads it as CEO, and Maren Aldous chairs the board."
    checker = Checker((0.9, 0.0))
    assert judge("Is Maren Aldous the CEO?", "en", [Passage(text=text)], checker) is None
    verdict = judge("Is Jonas Petri the CEO?", "en", [Passage(text=text)], checker)
    assert verdict is not None
    assert verdict.yes


def test_no_is_said_of_what_is_set_apart():
    text = "Unlike the Kestrel 300, the Kestrel 500 can be set by Bluetooth."
    passages, sure = [Passage(text=text)], Checker((0.9, 0.0))
    verdicts = [
        judge(f"Can the Kestrel {number} be set by Bluetooth?", "en", passages, sure)
        for number in (300, 500)
    ]
    assert [verdict is not None and verdict.yes for verdict in verdicts] == [False, True]
    assert all(verdicts)


def test_within_thirty_days_says_nothing_of_what_is_after_them():
    text = "Return it within 30 days. After 30 days nothing is taken back."
    asked = "A kettle can be returned after 30 days."
    assert within_bounds(asked, text).split(".")[0].strip() == "After 30 days nothing is taken back"
    assert len(within_bounds(asked, text)) == len(text)
    assert within_bounds("It can be returned.", text) == text
    only = [Passage(text="Return it within 30 days.")]
    assert judge("Can I return it after 30 days?", "en", only, Checker((1.0, 0.0))) is None


def test_a_sentence_on_the_asked_side_of_a_bound_takes_the_place_of_the_other():
    both = [Passage(text="Return it within 30 days. After 30 days nothing is taken back.")]
    left = on_asked_side("Can I return it after 30 days?", both)
    assert left[0].text.split(".")[0].strip() == "After 30 days nothing is taken back"
    one = [Passage(text="Return it within 30 days.")]
    assert on_asked_side("Can I return it after 30 days?", one) == one


def test_without_passages_nothing_is_checked():
    checker = Checker((1.0, 0.0))
    assert judge("Is it open?", "en", PASSAGES[:1], checker) is None
    assert not checker.asked


def test_yes_is_not_said_of_what_has_nothing_of_the_question():
    checker = Checker((0.9, 0.1), (0.1, 0.0))
    passages = [Passage(text="Use it when two data centres hold the data.")]
    assert judge("Is the Varn Bridge open?", "en", passages, checker) is None


def test_the_sentence_that_says_it_is_found_in_its_stretch():
    text = "The Varn Bridge is old. The Varn Bridge is open. The Varn Bridge is grey."

    class Choosing(Checker):
        def check(self, answer, facts, spec, *, work):
            report = super().check(answer, facts, spec, work=work)
            if len(facts) == 1:
                return report
            return replace(report, cited_chunks=(FactChunk(1, 0, 24, facts[1].text),))

    checker = Choosing((0.9, 0.1), (0.1, 0.0))
    verdict = judge("Is the Varn Bridge open?", "en", [Passage(text=text)], checker)
    assert text[slice(*verdict.sentence)] == "The Varn Bridge is open."
