"""Counts and sums over a table's rows: what is computed, and above all what is not."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.computing import computed, wants_tables
from toulmin.answering.passages import Passage

PRICES = """| Product | Colour | Price |
| --- | --- | --- |
| Desk lamp | white | 49 euros |
| Floor lamp | black | 120 euros |
| Notebook | blue | 4.50 euros |
| Office chair | black | 1,310 euros |"""
SALES = """| Region | Units | Revenue (EUR) | Opened |
| --- | --- | --- | --- |
| North | 20 | 1,200 | 2004 |
| South | 35 | 800 | 2011 |
| Total | 55 | 2,000 | |"""


def table(text: str, title: str = "Price list", **more) -> Passage:
    return Passage(text=text, title=title, document="a", **more)


def said(query: str, *passages: Passage) -> str:
    found = computed(query, passages)
    return found.text if found else ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Which products cost less than 50 euros?",
            "Desk lamp (49 euros), Notebook (4.50 euros): 2 of 4 in the table.",
        ),
        ("Which products are black?", "Floor lamp, Office chair: 2 of 4 in the table."),
        ("List the products under 5 euros", "Notebook (4.50 euros): 1 of 4 in the table."),
        ("which products cost over 2,000 euros", "None of 4 in the table."),
        ("Which products are not black?", ""),
        ("Which products are there?", ""),
        ("Which products are red?", ""),
        ("Which products are black in Lisbon?", ""),
        ("What is the price of the black products?", ""),
        ("Which colours are black?", ""),
        ("List the prices of the black products", ""),  # the names alone are no answer
        ("Which glass is black?", ""),
    ],
)
def test_rows_that_a_value_or_a_comparison_chooses(question, answer):
    assert said(question, table(PRICES, "Products")) == answer


def test_a_unit_in_the_columns_name_is_said_once():
    assert said("Which region has the highest revenue?", table(SALES)) == (
        "North: Revenue 1,200 EUR, the highest of 2 in the table."
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "How many products cost less than 50 euros?",
            "2 of 4, counted in the table: Desk lamp (49 euros), Notebook (4.50 euros).",
        ),
        (
            "How many products cost at least €120?",
            "2 of 4, counted in the table: Floor lamp (120 euros), Office chair (1,310 euros).",
        ),
        ("how many products cost over 2,000 euros", "None of 4, counted in the table."),
        (
            "How many products cost between 40 and 120 euros?",
            "2 of 4, counted in the table: Desk lamp (49 euros), Floor lamp (120 euros).",
        ),
        (
            "How many black products are there?",
            "2 of 4, counted in the table: Floor lamp, Office chair.",
        ),
        (
            "How many products are there?",
            "4, counted in the table: Desk lamp, Floor lamp, Notebook, Office chair.",
        ),
        (
            "What is the total price of the black products?",
            "1,430 euros in total, added up from 2 rows of the table (Price): Floor lamp (120 euros),"
            " Office chair (1,310 euros).",
        ),
        (
            "Which product is the cheapest?",
            "Notebook: Price 4.50 euros, the lowest of 4 in the table.",
        ),
        (
            "What is the average price of black products?",
            "715 euros on average, computed from 2 rows of the table (Price): Floor lamp"
            " (120 euros), Office chair (1,310 euros).",
        ),
    ],
)
def test_what_one_table_says_is_computed_with_its_figures(question, answer):
    assert said(question, table(PRICES)) == answer


@pytest.mark.parametrize(
    "question",
    [
        "How many products cost less than 50 dollars?",
        "How many products cost less than 50 euros in Lisbon?",
        "How many customers pay less than 50 euros?",
        "How many red products are there?",
        "How many products weigh less than 50 euros?",
        "How many lamps cost more than 10 euros and less than 50 euros?",
        "What is the total of the travel costs?",
        "What is the price of the desk lamp?",
        "Wie viele Produkte kosten weniger als 50 Euro?",
    ],
)
def test_a_word_that_nothing_explains_forbids_computing(question):
    assert not said(question, table(PRICES))


def test_the_row_that_adds_up_is_no_row_and_must_agree():
    assert said("What is the total revenue of the regions?", table(SALES)) == (
        "2,000 EUR in total, added up from 2 rows of the table (Revenue (EUR)): North (1,200"
        " EUR), South (800 EUR)."
    )
    assert said("How many regions opened after 2010?", table(SALES)) == (
        "1 of 2, counted in the table: South (Opened: 2011)."
    )
    assert not said(
        "What is the total revenue of the regions?", table(SALES.replace("55 | 2", "55 | 3"))
    )


@pytest.mark.parametrize(
    "changed",
    [
        PRICES.replace("49 euros", "on request"),
        PRICES.replace("49 euros", "49 dollars"),
        PRICES.replace("49 euros", "1.049 euros"),
        PRICES.replace("| 49 euros", ""),
        PRICES.replace("Colour", "Cost"),
        PRICES.replace("Colour", "Net (EUR)")
        .replace("white", "9")
        .replace("black", "8")
        .replace("blue", "7"),
    ],
)
def test_figures_that_may_mean_two_things_are_not_computed_with(changed):
    assert not said("How many products cost less than 50 euros?", table(changed))


def test_two_tables_that_could_be_meant_are_none():
    other = Passage(text=PRICES, title="Price list", document="b")
    assert not said("How many products cost less than 50 euros?", table(PRICES), other)


def test_a_table_of_which_rows_lack_is_not_counted():
    assert not said("How many products are there?", table(PRICES, cut=True))


def test_a_table_over_two_chunks_is_one_and_both_are_cited():
    header, rule, *rows = PRICES.split("\n")
    first, second = ("\n".join([header, rule, *part]) for part in (rows[:2], rows[2:]))
    found = computed("How many products are there?", [table(first), table(second)])
    assert found is not None
    assert found.text.startswith("4, counted")
    assert found.passages == (0, 1)


@pytest.mark.parametrize(
    ("question", "wants"),
    [("How many products are there?", True), ("What is a product?", False), ("", False)],
)
def test_only_some_questions_need_all_rows(question, wants):
    assert wants_tables(question) is wants


def test_a_measure_that_no_word_of_a_question_means_is_computed_with():
    batteries = "| Battery | Stored energy |\n| --- | --- |\n| Slim | 5 kWh |\n| Wide | 12 kWh |"
    assert said("Which battery has the most stored energy?", table(batteries, "Batteries")) == (
        "Wide: Stored energy 12 kWh, the highest of 2 in the table."
    )


MOONS = """| Planet | Known moons |
| --- | --- |
| Mars | 2 |
| Jupiter | more than 90 |
| Saturn | more than 140 |"""


@pytest.mark.parametrize(
    ("question", "old", "new", "answer"),
    [
        ("Which planet has the most moons?", "", "", "Saturn: Known moons more than 140"),
        ("Which planet has the fewest moons?", "", "", "Mars: Known moons 2, the lowest of 3"),
        ("Which planet has the most moons?", "more than 140", "150", ""),  # 90 may be 160
        ("Which planet has the most moons?", "more than 140", "under 200", ""),
        ("Which planet has the most moons?", "more than 140", "about 200", ""),
        ("How many moons are there in total?", "", "", ""),
    ],
)
def test_the_highest_of_figures_with_bounds(question, old, new, answer):
    found = said(question, table(MOONS.replace(old, new) if old else MOONS, "Planets"))
    assert found.startswith(answer) if answer else not found
