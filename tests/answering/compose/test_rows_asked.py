"""Rows and columns of tables that a question is not about do not answer it."""

from __future__ import annotations

import pytest

from tests.answering.compose.test_fit import said
from toulmin.answering.compose.measures import measured

TOWER = """The Varn Tower stands in Orre. At first it was about 312 metres high. Today it measures 330 metres.

| Part | Height above the ground |
|---|---|
| first floor | 57 m |
| top floor | 276 m |
"""
BEES = """The queen lays eggs in cells of wax.

| Bee | Days from egg to grown bee | Length in mm |
|---|---|---|
| Queen | 16 | 20 |
| Drone | 24 | 17 |
"""
TOP = "Part: top floor, Height above the ground: 276 m."
QUEEN = "Bee: Queen, Days from egg to grown bee: 16, Length in mm: 20."


def test_the_height_of_a_part_is_not_that_of_the_whole():
    spans = {"276 m": 0.7, "312 metres": 0.24, "330 metres": 0.07}
    found = said("How tall is the Varn Tower?", TOWER, spans=spans, odds={0: 1.0})
    assert found[0] == "Today it measures 330 metres."
    assert TOP not in found


@pytest.mark.parametrize(
    ("question", "spans"),
    [
        ("How tall is the top floor of the Varn Tower?", {"276 m": 0.9, "312 metres": 0.05}),
        (
            "How tall is the Varn Tower?",
            {"276 m": 0.97, "312 metres": 0.01},
        ),  # nothing else answers
    ],
)
def test_the_row_is_said_that_is_named_or_alone_answers(question, spans):
    assert said(question, TOWER, spans=spans, odds={0: 1.0})[0] == TOP


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many days does a queen take from egg to grown bee?", True),
        ("How long does a queen take from egg to bee?", True),
        ("How long is a queen?", True),
        ("How many eggs does a queen lay?", False),
        ("How old does a queen bee get?", False),
        ("How far does a queen fly?", False),
    ],
)
def test_a_number_is_of_what_its_column_is_called(question, answers):
    found = said(question, BEES, spans={"16": 0.9}, odds={0: 1.0})
    assert (QUEEN in found) is answers


def table(head: str, row: str) -> str:
    return f"| {head} |\n|{'---|' * (head.count('|') + 1)}\n| {row} |\n"


def says(question: str, head: str, row: str) -> bool:
    number = row.split(" | ")[1]
    found = said(question, table(head, row), spans={number: 0.9}, odds={0: 1.0})
    return any(number in text for text in found)


@pytest.mark.parametrize(
    ("question", "head", "row", "answers"),
    [
        ("How many people live in Orre?", "Town | Population", "Orre | 5,450", True),
        ("How many inhabitants does Orre have today?", "Town | Residents", "Orre | 5,450", True),
        ("How many people are there in Orre?", "Town | Population", "Orre | 5,450", True),
        ("How many people work in Orre?", "Town | Population", "Orre | 5,450", False),
        ("How many people died in Orre?", "Town | Population", "Orre | 5,450", False),
        ("How many people live in Orre without a car?", "Town | Population", "Orre | 5", False),
        ("How many women live in Orre?", "Town | Population", "Orre | 5,450", False),
        ("How many people live in Faro?", "Town | Population", "Orre | 5,450", False),
        ("How many people does Pym & Co employ?", "Firm | Staff", "Pym & Co | 80", True),
        ("How many workers does Pym & Co have?", "Firm | Headcount", "Pym & Co | 80", True),
        ("How many workers did Pym & Co dismiss?", "Firm | Headcount", "Pym & Co | 80", False),
        ("How many customers does Pym & Co have?", "Firm | Staff", "Pym & Co | 80", False),
        ("How many people watched the final?", "Match | Attendance", "Final | 900", True),
        ("How many children fit in the barn?", "Place | Capacity", "Barn | 120", True),
        ("How many windows does the barn have?", "Place | Capacity", "Barn | 120", False),
        ("How many guests may sleep in the barn?", "Place | Limits", "Barn | 120 guests", True),
        ("How many guests may sleep in the barn?", "Place | Limits", "Barn | 120 cows", False),
        ("How many kilometres is it to Orre?", "Town | km", "Orre | 31", True),
        ("How many buses go to Orre?", "Town | km", "Orre | 31", False),
        ("How many eggs does a queen lay?", "Bee | Days", "Queen | 16", False),
        ("How many eggs does a queen lay?", "Bee | Legs", "Queen | 6", False),
        ("How many moons does Jupiter have?", "Planet | Diameter", "Jupiter | 142,984", False),
    ],
)
def test_a_count_may_be_called_by_another_word_but_is_of_nothing_else(question, head, row, answers):
    assert says(question, head, row) is answers


@pytest.mark.parametrize(
    ("question", "head", "row", "answers"),
    [
        ("How high is the Elm Tower?", "Tower | ft", "Elm Tower | 276", True),
        ("How high is the Elm Tower?", "Tower | Minutes", "Elm Tower | 276", False),
        ("How long does the ferry to Orre take?", "Port | Hours", "Orre | 3", True),
        ("How long is the Elm Bridge?", "Bridge | (m)", "Elm Bridge | 276", True),
        ("How long is the Elm Bridge?", "Bridge | Year", "Elm Bridge | 1950", False),
        ("How far is it to Orre?", "Port | Hours", "Orre | 3", False),
        ("How fast is the Kite?", "Car | km/h", "Kite | 210", True),
        ("How fast is the Kite?", "Car | km", "Kite | 210", False),
        ("How heavy is the K2?", "Drill | kg", "K2 | 2.4", True),
        ("How old is the Elm Bridge?", "Bridge | Years", "Elm Bridge | 120", True),
        ("How old is the Elm Bridge?", "Bridge | Metres", "Elm Bridge | 120", False),
        ("How tall is the Elm Tower?", "Part | Metres", "top floor | 276", False),
        ("How tall is the Elm Tower?", "Town | Metres from the station", "Elm Tower | 27", False),
    ],
)
def test_a_column_that_is_a_unit_is_of_what_has_that_unit(question, head, row, answers):
    assert says(question, head, row) is answers


@pytest.mark.parametrize(
    ("question", "row", "answers"),
    [
        ("How far does the lamp reach?", "Range | 300 m", True),
        ("How far does the drill reach?", "Range | 300 m", False),
        ("How far does the lamp reach?", "Range finder | 300 m", False),
    ],
)
def test_a_row_is_called_what_is_asked_for_below_what_is_asked_about(question, row, answers):
    text = f"# Lamp Lumo\n\n{table('Property | Type 3', row)}"
    found = said(question, text, spans={"300 m": 0.9}, odds={0: 1.0})
    assert any("300 m" in said for said in found) is answers


@pytest.mark.parametrize("head", ["| | |", "| Feature | Value |"])
def test_a_column_without_a_name_says_nothing_against_its_rows(head):
    table = f"{head}\n|---|---|\n| Range | 300 m |\n| Battery | 40 hours |\n"
    found = said("How far does the lamp reach?", table, spans={"300 m": 0.9}, odds={0: 1.0})
    assert "300 m" in found[0]


@pytest.mark.parametrize(
    ("question", "text", "word"),
    [
        ("How tall is it?", "It measures 330 metres.", "tall"),
        ("How long is it?", "It takes 20 minutes.", "long"),
        ("How long is it?", "It weighs 20 tonnes.", ""),
        ("How heavy is it?", "It weighs 20 tonnes.", "heavy"),
        ("How fast is it?", "It goes at 30 km/h.", "fast"),
        ("How fast is it?", "It is 30 km long.", ""),
        ("What is it?", "It is 30 km long.", ""),
    ],
)
def test_a_measure_counts_as_the_word_that_asks_for_it(question, text, word):
    assert measured(question, text) == word
