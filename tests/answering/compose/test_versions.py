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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Handbook version 1", "Handbook version 2"),
        ("Handbook, rev. 3", "Handbook, rev. 4"),
        ("handbook_v1.2.pdf", "handbook_v2.pdf"),
        ("Handbook, 2nd edition", "Handbook, 3rd edition"),
        ("Handbook", "Handbook 2025"),
        ("Fares 1 March 2023", "Fares 15 May 2025"),
        ("Tarifas 1 de marzo de 2023", "Tarifas 15 de mayo de 2025"),
        ("Fares 01.03.2023", "Fares 15.05.2025"),
        ("Fares 20230301", "Fares 20250515"),
        ("Fares Q1 2023", "Fares Q2 2025"),
        ("Timetable 2023/24", "Timetable 2024/25"),
    ],
)
def test_dates_and_versions_change_from_version_to_version(older, newer):
    passages = [replace(OLD, title=older), replace(NEW, title=newer)]
    assert newest(QUERY, passages)[1] == {1: Replaced("March 1, 2025", "1 January 2023")}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Cabin 12", "Cabin 14"),
        ("Lumo 300 data sheet", "Lumo 500 data sheet"),
        ("Lumo 300 manual v1", "Lumo 500 manual v2"),
        ("Line 7 timetable 2023", "Line 9 timetable 2025"),
        ("ISO 9001 in short", "ISO 9002 in short"),
        ("A4 paper", "A3 paper"),
        ("Q1 module", "Q2 module"),
        ("Manual 4.1", "Manual 4.2"),
    ],
)
def test_a_number_that_is_part_of_a_name_is_of_another_thing(older, newer):
    passages = [replace(OLD, title=older), replace(NEW, title=newer)]
    assert newest(QUERY, passages) == (passages, {})


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("How many days does version 1 give for claims?", 0),
        ("How many days does v1 give for claims?", 0),
        ("How many days does version 2 give for claims?", 1),
        ("How many days did claims have in version 1 and in version 2?", 1),
        ("How many days do claims for 1 night have?", 1),
    ],
)
def test_a_question_that_names_a_version_is_answered_from_that(query, kept):
    passages = [replace(OLD, title="Handbook v1"), replace(NEW, title="Handbook v2")]
    found, _ = newest(query, passages)
    assert found[kept] == passages[kept]
    assert "filed" not in found[1 - kept].text
