"""Documents that are easily mixed up, asked from the question to the answer."""

from __future__ import annotations

import pytest

from tests.answering.office_store import ask, open_office

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    services = open_office(tmp_path_factory.mktemp("office"))
    yield services
    services.close()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the price of the Kestrel 300?", "Kestrel 300 – Price: 890 euros."),
        ("What is the price of the Kestrel 500?", "Kestrel 500 – Price: 1,340 euros."),
        ("Who manages the branch in Lisbon?", "Branch: Lisbon, Manager: Rita Sousa."),
        ("Which currency does Indonesia use?", "Currency – Indonesia: rupiah."),
        ("whos the CTO", "The CTO is Ilse Brandt."),
        (
            "Within how many days must claims be filed?",
            "Claims must be filed within 45 days of the end of the trip. This holds as of 1 March"
            " 2025; the older text of 1 January 2023 says otherwise.",
        ),
        (
            "What does the Kestrel 300 cost and how long is its delivery?",
            "Kestrel 300 – Price: 890 euros. Kestrel 300 – Delivery: within five working days.",
        ),
    ],
)
def test_the_right_one_of_several_is_said_whole(office, question, answer):
    assert ask(office, question).text == answer


@pytest.mark.parametrize(
    ("question", "answer", "source"),
    [
        (
            "How many products cost less than 50 euros?",
            "3 of 5, counted in the table: Desk lamp (49 euros), Notebook (4.50 euros), Pen holder"
            " (12 euros).",
            "price-list",
        ),
        (
            "What is the total of the travel costs?",
            "2,235 euros in total, added up from 3 rows of the table (Cost): Oslo (640 euros),"
            " Porto (1,210 euros), Gdansk (385 euros).",
            "travel-costs",
        ),
        (
            "Which product is the most expensive?",
            "Office chair: Price 310 euros, the highest of 5 in the table.",
            "price-list",
        ),
        (
            "How many branches have more than 20 employees?",
            "2 of 3, counted in the table: Bergen (Employees: 24), Lisbon (Employees: 41).",
            "branches",
        ),
        (
            "How long did the Falcon project take?",
            "3 months and 12 days (104 days), from 3 March 2021 to 15 June 2021, the last day not"
            " counted.",
            "falcon",
        ),
    ],
)
def test_what_is_computed_says_of_which_figures_and_cites_them(office, question, answer, source):
    given = ask(office, question)
    assert given.text == answer
    assert [(c.start, c.end) for c in given.citations] == [(0, len(answer))]
    assert {r.document.rpartition("/")[2] for r in given.references} == {source}


def test_two_products_are_compared_side_by_side(office):
    given = ask(office, "Which is cheaper, the Kestrel 300 or the Kestrel 500?")
    assert given.text == (
        "Kestrel 300 – Price: 890 euros. Kestrel 500 – Price: 1,340 euros. Kestrel 300 is cheaper,"
        " by 450 euros."
    )
    assert [c.sources for c in given.citations] == [(0,), (1,), (0, 1)]
    assert ask(office, "Which is cheaper, the desk lamp or the Kestrel 700?").skipped


def test_all_rows_of_a_table_over_several_chunks_are_counted(office):
    given = ask(office, "How many spare parts have a stock below 10?")
    assert given.text.startswith("5 of 60, counted in the table: Bolt M3 (Stock: 3), ")
    assert len(given.references) > 1


@pytest.mark.parametrize(
    "question",
    [
        "How many products cost less than 50 dollars?",
        "How many products cost less than 50 euros in Berlin?",
        "How many products are sold in Lisbon?",
    ],
)
def test_what_the_table_does_not_tell_is_not_computed(office, question):
    assert ask(office, question).skipped


def test_of_a_table_only_the_row_that_is_named_is_said(office):
    assert ask(office, "What does the floor lamp cost?").text == (
        "Product: Floor lamp, Colour: black, Price: 120 euros."
    )


@pytest.mark.parametrize(
    ("question", "begins", "never"),
    [
        ("How long does an MRI scan take?", "Depending on the part", "15"),
        ("How do I change the filter of the Osprey pump?", "1. Switch the pump off", "bucket at"),
        ("lost my laptop what do i do", "If your laptop or phone is lost", "password"),
        ("Can the Kestrel 500 be configured by Bluetooth?", "Yes. Unlike", "No."),
        ("Is Maren Aldous the CEO?", "Since then Jonas Petri", "Yes."),
        ("Do passwords expire?", "No. ", "Yes."),
    ],
)
def test_an_answer_begins_with_what_answers(office, question, begins, never):
    text = ask(office, question).text
    assert text.startswith(begins)
    assert never not in text


def test_another_duration_is_not_said_for_the_one_that_is_asked(office):
    text = ask(office, "How long does an ultrasound scan take?").text
    assert "about 15–20 minutes" in text
    assert "45 minutes" not in text  # those of an MRI scan


def test_what_is_to_be_done_before_is_not_said_for_how_long_it_takes(office):
    assert "six hours" not in ask(office, "How long does an ultrasound scan take?").text


def test_all_steps_are_said(office):
    text = ask(office, "How do I change the filter of the Osprey pump?").text
    assert [line.split()[0] for line in text.splitlines()] == ["1.", "2.", "3.", "4.", "5."]


@pytest.mark.parametrize(
    "question",
    [
        "Can the Kestrel 300 be configured by Bluetooth?",
        "Can I return a kettle after 30 days?",
    ],
)
def test_yes_is_not_said_of_another_thing(office, question):
    assert not ask(office, question).text.startswith("Yes.")


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of the Kestrel 700?",
        "How long does a CT scan take?",
        "What is the salary of the CTO?",
        "Who is the manager of the Paris branch?",
        "What is the capital of Peru?",
        "How many employees does Tarn Instruments have?",
    ],
)
def test_what_no_document_says_is_declined(office, question):
    assert ask(office, question).skipped
