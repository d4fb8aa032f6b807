"""How days, times and things are written, and what is made of them."""

from __future__ import annotations

from datetime import date

import pytest

from tests.conversation.test_repairs import formed
from toulmin.conversation import asides, confirming
from toulmin.conversation.arguments import left_of_list
from toulmin.conversation.dates import clock, iso_day
from toulmin.conversation.day_patterns import with_months
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.forms import code_in, thing_in

WEDNESDAY = date(2026, 7, 1)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("9th", "2026-07-09"),
        ("1st", "2026-07-01"),
        ("31st", "2026-07-31"),
        ("first of April", "2027-04-01"),
        ("Friday 10 July", "2026-07-10"),
        ("Friday, July 10th", "2026-07-10"),
        ("Friday the 10th", "2026-07-10"),
        ("tommorow", "2026-07-02"),
        ("the day after tomorrow", "2026-07-03"),
        ("yesterday", "2026-06-30"),
    ],
)
def test_more_ways_to_write_a_day(said, day):
    assert iso_day(said, WEDNESDAY) == day
    assert formed("date", f"it is {said} then") == said


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("3pm", "15:00"),
        ("12 am", "00:00"),
        ("12pm", "12:00"),
        ("8:15", "08:15"),
        ("8.15 p.m.", "20:15"),
        ("half past eight in the evening", "20:30"),
        ("quarter to 9", "08:45"),
        ("nine o'clock", "09:00"),
        ("noon", "12:00"),
        ("25:00", ""),
        ("soon past nine", ""),
        ("later", ""),
    ],
)
def test_a_time_is_written_as_on_a_clock(said, time):
    assert clock(said) == time


def test_a_month_has_no_40th():
    assert iso_day("40th", WEDNESDAY) == ""


def test_both_ends_of_a_span_have_a_month():
    assert with_months("from 16 to 20 february") == "from 16 february to 20 february"
    assert with_months("from 3 to 5") == "from 3 to 5"


def test_another_day_is_for_another_argument():
    said = "since yesterday, can you come tomorrow"
    assert formed("date", said) == "tomorrow"
    assert formed("date", "since yesterday") == "yesterday"


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("im starving, id like to order the pork gyoza", "pork gyoza"),
        ("two extra pillows to room 412 please", "pillows"),
        ("id like to order a dozen bottles of your riesling", "riesling"),
        ("could i borrow the soldering iron for five days", "soldering iron"),
        ("got a toaster that wont stay down", "toaster"),
        ("I need to order twelve bread rolls", "bread rolls"),
        ("please bring two hundred and fifty paper cups", "paper cups"),
        ("can I get a hundred folding chairs", "folding chairs"),
        ("I like it here", None),
        ("what can I order?", None),
    ],
)
def test_the_thing_that_is_wanted_is_read(said, thing):
    found = thing_in("item", {"type": "STRING", "description": "Which item"}, said, ())
    assert (found.value if found else None) == thing
    assert thing_in("reason", {"type": "STRING", "description": "Why"}, said, ()) is None


def test_a_label_is_read():
    said = "my computer has the label ORS-0417 on it"
    label = {"type": "STRING", "description": "Label of the computer"}
    assert code_in("computer", label, said, ()).value == "ORS-0417"
    assert code_in("computer", {"type": "STRING"}, said, ()) is None
    assert code_in("computer", label, "ORS-0417 or ORS-0418", ()) is None


def test_what_is_left_of_a_terse_list_is_the_value_that_is_missing():
    tool = ToolSpec(name="t", display_name="rent_car", kind="clientFunction")
    said = "van, leeds, saturday, 2 days"
    assert left_of_list(said, ["van", "saturday", 2], tool) == "leeds"
    assert left_of_list("rent it, van, 2 days", ["van", 2], tool) == ""
    assert left_of_list("van, leeds, york, 2 days", ["van", 2], tool) == ""
    assert left_of_list("a van in leeds for the weekend, two days, please", ["van"], tool) == ""


def test_that_it_is_not_to_be_done_is_no_correction():
    tool = ToolSpec(name="t", display_name="cancel_appointment", kind="clientFunction")
    said = "hm no, don't cancel it, rather move it to the 12th"
    assert confirming.denies(said, tool) == "rather move it to the 12th"
    assert confirming.denies("no, cancel it", tool) == ""


def test_that_it_was_told_is_no_value():
    assert asides.has_told("I have told you everything I know")
    assert not asides.has_told("I told Jonas that it is broken")
