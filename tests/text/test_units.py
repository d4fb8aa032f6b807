"""One name for the spellings of a unit, and what it measures."""

import pytest

from toulmin.text.units import measured_by, unit_of


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
