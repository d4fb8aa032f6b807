"""One name for the spellings of a unit, and what it measures."""

import pytest

from toulmin.text.units import in_smaller, measured_by, unit_of


@pytest.mark.parametrize(
    ("written", "unit", "measure"),
    [
        ("€", "euro", "money"),
        ("EUR", "euro", "money"),
        ("working  days", "working day", "duration"),
        ("per cent", "percent", "share"),
        ("km", "kilometre", "length"),
    ],
)
def test_spellings_of_a_unit_have_one_name(written, unit, measure):
    assert unit_of(written) == unit
    assert measured_by(unit) == measure


def test_an_unknown_unit_is_itself_and_measures_nothing():
    assert unit_of("Parsec") == "parsec"
    assert measured_by("parsec") == ""


@pytest.mark.parametrize(
    ("unit", "size", "smaller"),
    [("kilogram", 1000, "gram"), ("week", 604_800, "second"), ("year", 12, "month"), ("euro", 1, "euro")],
)  # fmt: skip
def test_units_that_can_be_converted_lead_to_one(unit, size, smaller):
    assert in_smaller(unit) == (size, smaller)


def test_sizes_are_those_of_known_units():
    for unit in ("ounce", "square foot", "watt hour"):
        assert measured_by(unit) == measured_by(in_smaller(unit)[1]) != ""
    assert measured_by("sizes") == ""
