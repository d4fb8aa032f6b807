"""Newer documents that replace older ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toulmin.answering.compose.versions import Replaced, newest
from toulmin.answering.passages import Passage

OLD = Passage(
    text="Effective date: 1 January 2023\n\nClaims must be filed within 30 days of the trip. Bring a hat.",
    title="Travel policy 2023",
)
NEW = Passage(
    text="Effective date: March 1, 2025\n\nClaims must be filed within 45 days of the trip.",
    title="Travel policy 2025",
)
QUERY = "Within how many days must claims be filed?"


def left(query: str, *passages: Passage) -> list[str]:
    return [" ".join(p.text.split()) for p in newest(query, passages)[0]]


def test_what_a_newer_version_says_otherwise_is_left_out_of_the_older():
    kept, replaced = newest(QUERY, [OLD, NEW])
    assert "30 days" not in kept[0].text
    assert "Bring a hat." in kept[0].text
    assert len(kept[0].text) == len(OLD.text)
    assert kept[1] == NEW
    assert replaced == {1: Replaced("March 1, 2025", "1 January 2023")}


@pytest.mark.parametrize(
    ("query", "older", "newer"),
    [
        (QUERY, replace(OLD, title="Purchasing policy"), NEW),
        (QUERY, replace(OLD, title=""), replace(NEW, title="")),
        (QUERY, OLD, replace(NEW, text="Claims must be filed within 45 days of the trip.")),
        (QUERY, replace(OLD, text=OLD.text.replace("1 January", "31 February")), NEW),
        (QUERY, OLD, replace(NEW, text="Effective 2025-03-01. Flights need a reason.")),
    ],
)
def test_what_is_no_older_version_stays(query, older, newer):
    assert newest(query, [older, newer]) == ([older, newer], {})


def test_a_question_that_names_the_older_year_is_answered_from_the_older():
    kept, replaced = newest("In how many days were claims filed in 2023?", [OLD, NEW])
    assert kept[0] == OLD
    assert "45 days" not in kept[1].text
    assert replaced == {}


def test_dates_are_read_in_several_languages():
    german = replace(
        NEW, text="Gültig ab 1. März 2025. Claims must be filed within 45 days of the trip."
    )
    assert newest(QUERY, [OLD, german])[1] == {1: Replaced("1. März 2025", "1 January 2023")}
