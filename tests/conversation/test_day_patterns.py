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
        ("five to one", "12:55"),
        ("five to one in the morning", "00:55"),
        ("quarter to 1 pm", "12:45"),
        ("half past one at night", "01:30"),
        ("ten past ten at night", "22:10"),
        ("twenty-five to six", "05:35"),
        ("a quarter past 7", "07:15"),
        ("25 past 7", "07:25"),
        ("10 minutes to 8", "07:50"),
        ("10 to 8", ""),
        ("at 6 am", "06:00"),
        ("seven past nine", ""),
        ("noon", "12:00"),
        ("25:00", ""),
        ("soon past nine", ""),
        ("later", ""),
    ],
)
def test_a_time_is_written_as_on_a_clock(said, time):
    assert clock(said) == time


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("the 14.50 tasting, on Friday at 7 pm", "7 pm"),
        ("14.50 or less, at 19:15", "19:15"),
        ("at 4.20 euros each", None),
        ("pay $9.30", None),
        ("it weighs 12.95", None),
        ("from 8.15 to 9 pm", "8.15"),
        ("around 20.15 would be good", "20.15"),
        ("for 4, 19.30, friday", "19.30"),
        ("7.30 p.m.", "7.30 p.m"),
        ("five to seven guests", None),
        ("from ten to twelve", None),
        ("at twenty five past three", "twenty five past three"),
    ],
)
def test_a_price_or_a_count_is_no_time(said, time):
    assert formed("time", said) == time


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2 may be late, on monday", "monday"),
        ("2 may not come", None),
        ("2 may or may not come", None),
        ("may 4 friends come, too?", None),
        ("2 may", "2 may"),
        ("on 2 may", "2 may"),
        ("2 may at noon", "2 may"),
        ("2nd of may would suit", "2nd of may"),
        ("2 may 2027", "2 may 2027"),
        ("may 4, please", "may 4"),
        ("the 2 May concert", "2 May"),
        ("friday 2 may then", "friday 2 may"),
    ],
)
def test_may_is_also_a_verb(said, day):
    assert formed("date", said) == day


def test_a_month_has_no_40th():
    assert iso_day("40th", WEDNESDAY) == ""


def test_both_ends_of_a_span_have_a_month():
    assert with_months("from 16 to 20 february") == "from 16 february to 20 february"
    assert with_months("from 3 to 5") == "from 3 to 5"
    assert with_months("from 3 to 5 may") == "from 3 may to 5 may"
    assert with_months("2 and 3 may come late") == "2 and 3 may come late"


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
