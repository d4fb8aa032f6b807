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


OLD_PAGE = replace(OLD, text="Claims must be filed within 30 days of the trip.")
NEW_PAGE = replace(NEW, text="Claims must be filed within 45 days of the trip.")


@pytest.mark.parametrize(
    ("older", "newer", "replaced"),
    [
        (
            {"effective_date": "2023-01-01"},
            {"effective_date": "2025-03-01"},
            Replaced("2025-03-01", "2023-01-01"),
        ),
        (
            {"validFrom": "1 January 2023"},
            {"validFrom": "March 1, 2025"},
            Replaced("March 1, 2025", "1 January 2023"),
        ),
        (
            {"lastModified": "2023-01-01T08:00:00Z"},
            {"lastModified": "2025-03-01T08:00:00Z"},
            Replaced("2025-03-01", "2023-01-01", holds=False),
        ),
        (
            {"published": "2023-01-01", "updated": "2024-01-01"},
            {"published": "2025-03-01", "updated": ""},
            Replaced("2025-03-01", "2024-01-01", holds=False),
        ),
    ],
)
def test_dates_of_the_documents_data_tell_the_newer_one(older, newer, replaced):
    passages = [replace(OLD_PAGE, struct_data=older), replace(NEW_PAGE, struct_data=newer)]
    kept, found = newest(QUERY, passages)
    assert not kept[0].text.strip()
    assert found == {1: replaced}


def test_what_the_text_says_goes_before_the_data():
    passages = [
        replace(OLD, struct_data={"effective_date": "2030-01-01"}),
        replace(NEW_PAGE, struct_data={"effective_date": "2025-03-01"}),
    ]
    assert newest(QUERY, passages)[1] == {1: Replaced("2025-03-01", "1 January 2023")}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"effective_date": "01/02/2023"}, {"effective_date": "2025-03-01"}),
        ({"effective_date": "2023"}, {"effective_date": "2025-03-01"}),
        ({"effective_date": "soon"}, {"effective_date": "2025-03-01"}),
        ({"birth_date": "2023-01-01"}, {"birth_date": "2025-03-01"}),
        ({"effective_date": ["2023-01-01"]}, {"effective_date": {"day": 1}}),
        ({}, {"effective_date": "2025-03-01"}),
        ({"effective_date": "2025-03-01"}, {"effective_date": "2025-03-01"}),
        ({"updated": "2023-01-01"}, {"effective_date": "2025-03-01"}),
    ],
)
def test_data_without_two_dates_of_one_kind_replace_nothing(older, newer):
    passages = [replace(OLD_PAGE, struct_data=older), replace(NEW_PAGE, struct_data=newer)]
    assert newest(QUERY, passages) == (passages, {})


def test_another_product_is_no_newer_version_because_it_was_written_later():
    passages = [
        replace(OLD_PAGE, title="Kestrel 300", struct_data={"updated": "2023-01-01"}),
        replace(NEW_PAGE, title="Kestrel 500", struct_data={"updated": "2025-03-01"}),
    ]
    assert newest(QUERY, passages) == (passages, {})
    passages = [
        replace(passages[0], title="Travel policy v1.2"),
        replace(passages[1], title="Travel policy v2"),
    ]
    assert newest(QUERY, passages)[1] == {1: Replaced("2025-03-01", "2023-01-01", holds=False)}
