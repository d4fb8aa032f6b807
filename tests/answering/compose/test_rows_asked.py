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
