"""The project's own cases: what must hold for each, and how many must be right.

No model is right on all of them. Each case is a test of what may never go wrong whatever the
model says; how often the model is right is held above the floors of data/floors.json.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.acceptance.judging import (
    ASPECTS,
    check,
    counterparts,
    failure_table,
    judge,
    load,
    load_cases,
    summary,
)

pytestmark = pytest.mark.model

CASES = {case["id"]: case for case in load_cases()}
CATEGORIES = tuple(dict.fromkeys(case["category"] for case in CASES.values()))
FLOORS = load("floors.json")


@cache
def report_on(case_id):
    return check(CASES[case_id])


@pytest.fixture(scope="module")
def judgements():
    return [row for case_id, case in CASES.items() for row in judge(case, report_on(case_id))]


@pytest.mark.parametrize("case_id", CASES)
def test_every_expected_claim_is_found_and_checked(case_id):
    case, report = CASES[case_id], report_on(case_id)
    for expected, claim in zip(
        case["expect"]["claims"], counterparts(case, report.claims), strict=True
    ):
        assert claim is not None, f"no claim reported for {expected['text']!r}"
        assert claim.needs_check, f"not checked: {claim.text!r}"


@pytest.mark.parametrize("case_id", CASES)
def test_report_is_consistent(case_id):
    case, report = CASES[case_id], report_on(case_id)
    assert 0 <= report.support_score <= 1
    assert report.contradiction_score is not None
    assert 0 <= report.contradiction_score <= 1
    assert report.helpfulness_score is None
    for chunk in report.cited_chunks:
        text = case["facts"][chunk.fact_index]["text"]
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
    used = {i for claim in report.claims for i in (*claim.citations, *claim.anti_citations)}
    assert used == set(range(len(report.cited_chunks)))
    end = 0
    for claim in report.claims:
        assert claim.start >= end
        assert not case["answer"][end : claim.start].strip()
        assert case["answer"][claim.start : claim.end] == claim.text
        end = claim.end
    assert not case["answer"][end:].strip()


@pytest.mark.parametrize("case_id", CASES)
def test_claim_scores_agree_with_citations(case_id):
    for claim in report_on(case_id).claims:
        if not claim.needs_check:
            assert claim.score is None
            assert claim.citations == claim.anti_citations == ()
            continue
        assert 0 <= claim.score <= 1
        assert 0 <= claim.contradiction_score <= 1
        if claim.citations:
            assert claim.score >= 0.6
        if claim.anti_citations:
            assert claim.contradiction_score >= 0.8
        assert len(set(claim.citations)) == len(claim.citations)


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("aspect", ASPECTS)
def test_category_is_above_its_floor(category, aspect, judgements):
    rows = [row for row in judgements if row.category == category]
    assert (
        summary(rows)["categories"][category][aspect] >= FLOORS["categories"][category][aspect]
    ), "\n" + failure_table(row for row in rows if row.aspect == aspect)


@pytest.mark.parametrize("aspect", ASPECTS)
def test_all_cases_together_are_above_the_floor(aspect, judgements):
    """Balanced accuracy, so that always answering yes or always no gives 0.5."""
    assert summary(judgements)["overall"][aspect] >= FLOORS["overall"][aspect], (
        "\n" + failure_table(row for row in judgements if row.aspect == aspect)
    )


def test_floors_name_every_category_and_aspect():
    assert set(FLOORS["categories"]) == set(CATEGORIES)
    for floors in (FLOORS["overall"], *FLOORS["categories"].values()):
        assert set(floors) == set(ASPECTS)
        assert all(0 < floor <= 1 for floor in floors.values())
    assert FLOORS["how"]


def test_cases_are_many_and_balanced():
    assert len(CASES) >= 90
    assert len(CASES) == len(load_cases()), "an id is used twice"
    assert min(Counter(case["category"] for case in CASES.values()).values()) >= 8
    for category in CATEGORIES:
        claims = [
            claim
            for case in CASES.values()
            if case["category"] == category
            for claim in case["expect"]["claims"]
        ]
        assert sum(claim["supported"] for claim in claims) >= 3, category
        assert sum(claim["contradicted"] is True for claim in claims) >= 3, category
        assert sum(not claim["supported"] and not claim["contradicted"] for claim in claims) >= 3


@pytest.mark.parametrize("case_id", CASES)
def test_case_is_well_formed(case_id):
    case = CASES[case_id]
    indices = set(range(len(case["facts"])))
    assert case["lang"] in {"en", "es", "it", "ja", "de", "fr", "zh", "pt"}
    for fact in case["facts"]:
        assert all(isinstance(value, str) for value in fact.get("attributes", {}).values())
    for claim in case["expect"]["claims"]:
        assert claim["text"] in case["answer"]
        assert not (claim["supported"] and claim["contradicted"])
        assert bool(claim["cites"]) == claim["supported"]
        assert set(claim["cites"]) | set(claim["not_cites"]) == indices
        assert not set(claim["cites"]) & set(claim["not_cites"])
