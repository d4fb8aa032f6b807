"""Conflicts between facts, and the claims that rest on one side of them."""

import pytest

from toulmin import check_grounding
from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.conflicting.conflicts import find_conflicts, rests_on
from toulmin.grounding.support import PairScore
from toulmin.work import UNLIMITED

FACTS = [
    Fact("The Elbe Bridge opened in 1998. It is green."),
    Fact("The Elbe Bridge opened in 1973."),
]


def scored(support, contradiction):
    """Return what scores every claim so, and the claims that it was asked about."""
    asked: list[Claim] = []

    def score(claims, evidence):
        asked.extend(claims)
        return [
            [PairScore(item, support, contradiction, 1.0, None) for item in e] for e in evidence
        ]

    return score, asked


def conflicts(support, contradiction):
    score, asked = scored(support, contradiction)
    return find_conflicts(FACTS, score=score, work=UNLIMITED), asked


def test_a_conflict_is_what_the_check_bears_out():
    (conflict,), asked = conflicts(0.9, 0.9)
    assert [claim.text for claim in asked] == [
        "The Elbe Bridge opened in 1998.",
        "The Elbe Bridge opened in 1973.",
        "The Elbe Bridge opened in 1973.",
        "The Elbe Bridge opened in 1998.",
    ]
    assert conflict.kind == "date"
    assert [(side.text, side.start, side.end) for side in (conflict.one, conflict.other)] == [
        ("1998", 26, 30),
        ("1973", 26, 30),
    ]
    assert conflict.one.sentence == FactChunk(0, 0, 31, "The Elbe Bridge opened in 1998.")


@pytest.mark.parametrize(("support", "contradiction"), [(0.9, 0.6), (0.7, 0.9)])
def test_what_the_check_does_not_bear_out_is_none(support, contradiction):
    found, asked = conflicts(support, contradiction)
    assert found == ()
    assert asked


@pytest.mark.parametrize(
    ("claim", "fact_index", "rests"),
    [
        ("The bridge dates from 1998.", 0, True),
        ("The bridge dates from 1973.", 1, True),
        ("The bridge dates from 1973.", 0, False),
        ("The Elbe Bridge is green.", 0, False),
    ],
)
def test_a_claim_rests_on_a_side_that_it_repeats_and_cites(claim, fact_index, rests):
    (conflict,), _ = conflicts(0.9, 0.9)
    text = FACTS[fact_index].text
    assert rests_on(claim, [FactChunk(fact_index, 0, len(text), text)], conflict) is rests
    assert not rests_on(claim, [], conflict)


@pytest.mark.model
def test_conflicts_are_reported_only_when_asked_for():
    text = "The Elbe Bridge opened in 1998. It is green."
    report = check_grounding(text, FACTS, conflicts=True)
    assert [(c.one.text, c.other.text) for c in report.conflicts] == [("1998", "1973")]
    assert [claim.conflicts for claim in report.claims] == [(0,), ()]
    assert check_grounding(text, FACTS).conflicts == ()


@pytest.mark.model
def test_a_year_is_at_odds_with_the_day_of_another_year():
    facts = ["The bridge opened on 4 May 1998.", "The bridge was opened in 1975."]
    (conflict,) = check_grounding("It is green.", facts, conflicts=True).conflicts
    assert (conflict.one.text, conflict.other.text) == ("4 May 1998", "1975")


@pytest.mark.model
def test_facts_that_agree_have_no_conflict():
    facts = ["The Elbe Bridge opened on 4 May 1998.", "The Elbe Bridge opened in 1998."]
    assert check_grounding("It is green.", facts, conflicts=True).conflicts == ()
