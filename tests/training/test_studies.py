"""Invented abstracts: what was found, only linked, only planned; and claims on them."""

import re

import pytest
from data import studies
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, UNSUPPORTED
from data.studies import study_row

from tests.training.passages import check_rows, draw

ROWS = draw(study_row, 500)
RAISES = re.compile(r"\b(?:increases?|raises?|increase in|go up|goes? up)\b")
LOWERS = re.compile(r"\b(?:reduces?|lowers?|decreases?|decrease in|goes? down|go down)\b")
WEAK = re.compile(r"\b(?:not|may|possible|proven|always|doubt|unclear|associated|effect)\b")


def test_same_seed_same_rows():
    assert draw(study_row, 50) == ROWS[:50]


def test_rows_are_whole():
    check_rows(ROWS)
    assert {row.label for row in ROWS} == {SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED}


@pytest.mark.parametrize(("finding", "up", "down"), [("up", 0, 1), ("down", 1, 0), ("null", 1, 1)])
def test_a_plain_claim_is_right_when_its_direction_is_the_found_one(finding, up, down):
    checked = 0
    for row in ROWS:
        if row.kind != f"study_{finding}" or WEAK.search(row.claim):
            continue
        if bool(RAISES.search(row.claim)) != bool(LOWERS.search(row.claim)):
            assert row.label == (up if RAISES.search(row.claim) else down), row
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("finding", ["linked_up", "linked_down"])
def test_a_link_is_no_cause(finding):
    same = RAISES if finding.endswith("up") else LOWERS
    claims = [r for r in ROWS if r.kind == f"study_{finding}" and same.search(r.claim)]
    assert claims
    assert all(r.label != SUPPORT for r in claims if not re.search("associated|related", r.claim))


def test_what_is_planned_or_about_something_else_is_neutral():
    found = [r for r in ROWS if r.kind == "study_planned" or r.kind.startswith("study_other_")]
    assert {"study_other_treatment", "study_other_outcome", "study_other_people"} <= {
        row.kind for row in found
    }
    assert {row.label for row in found} == {NEUTRAL}


def test_claims_on_other_things_name_what_the_abstract_lacks():
    groups = {
        "study_other_treatment": studies._TREATMENTS,
        "study_other_outcome": studies._OUTCOMES,
        "study_other_people": studies._PEOPLE,
    }
    for row in ROWS:
        names = [n for n in groups.get(row.kind, ()) if n.lower() in row.claim.lower()]
        if row.kind in groups:
            assert any(n.lower() not in row.evidence.lower() for n in names), row


def test_verbs_agree_with_plural_nouns():
    for row in ROWS:
        for text in (row.claim, row.evidence):
            assert not re.search(
                r"\b(?:masks|statins|probiotics|antibiotics) (?:is|was|has|reduces)\b", text
            )
