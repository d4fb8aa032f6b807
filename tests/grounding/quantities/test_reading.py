"""What is read of a text: values, units, bounds and places."""

from fractions import Fraction

import pytest

from toulmin.grounding.quantities.bounds import Bound
from toulmin.grounding.quantities.reading import read_quantities


def read(text):
    return [
        (text[q.start : q.end], float(q.low), float(q.high), q.dimension)
        for q in read_quantities(text)
    ]


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("The kettle holds 1.7 litres.", 1.7, "litre"),
        ("It holds 1,700 ml.", 1.7, "litre"),
        ("It holds 1 700 ml.", 1.7, "litre"),
        ("A parcel of 12kg.", 12_000, "gram"),
        ("Half a tonne of gravel.", 500_000, "gram"),
        ("The walk takes two and a half hours.", 9_000, "second"),
        ("It lasts an hour and three quarters.", 6_300, "second"),
        ("After a quarter of an hour it rings.", 900, "second"),
        ("A half-hour ride.", 1_800, "second"),
        ("It ran for 2 hours 10 minutes.", 7_800, "second"),
        ("A fortnight's leave: three weeks.", 1_814_400, "second"),
        ("The lease runs for one and a half years.", 18, "month"),
        ("He is 5 ft 10 in the file.", 1.524, "metre"),
        ("Twenty-two miles of fence.", 35_405.568, "metre"),
        ("An area of 3 km² burned.", 3_000_000, "square metre"),
        ("It cost $2.5m.", 2_500_000, "dollar"),
        ("It cost €1,250.50.", 1_250.5, "euro"),
        ("It cost EUR 40.", 40, "euro"),
        ("It cost one and a half million dollars.", 1_500_000, "dollar"),
        ("About 35 per cent of it.", 35, "percent"),
        ("A fifth of the guests left.", 20, "percent"),
        ("Three-quarters of the guests left.", 75, "percent"),
        ("Seven out of ten guests left.", 70, "percent"),
        ("One in eight guests left.", 12.5, "percent"),
        ("It flew at 90 km/h.", 90_000, "metre/hour"),
        ("It burns two litres per hour.", 2, "litre/hour"),
        ("She rests an hour and a half a day.", 5_400, "second/day"),
        ("It was -4 °C, later 30 °F.", 4, "degree celsius"),
        ("One hundred and twenty new schools opened.", 120, "of school"),
        ("A dozen rolls were left.", 12, "of roll"),
        ("A hundred and five rolls were left.", 105, "of roll"),
        ("A thousand two hundred people watched.", 1_200, "of person"),
        ("It cost three point two million dollars.", 3_200_000, "dollar"),
        ("Fifty dozen rolls were left.", 600, "of roll"),
        ("2.4 million people watched.", 2_400_000, "of person"),
        ("3/4 hour on foot.", 2_700, "second"),
        ("1 ½ litres of stock.", 1.5, "litre"),
    ],
)
def test_a_quantity_is_a_number_of_something(text, value, dimension):
    found = read(text)[0]
    assert found[1] == found[2] == pytest.approx(value)
    assert found[3] == dimension


@pytest.mark.parametrize(
    ("text", "written", "low", "high"),
    [
        ("Soak for 20 to 30 minutes.", "20 to 30 minutes", 1_200, 1_800),
        ("Soak for 20-30 minutes.", "20-30 minutes", 1_200, 1_800),
        ("Between two and three hours.", "two and three hours", 7_200, 10_800),
        ("Between 2 hours and 3 hours.", "2 hours and 3 hours", 7_200, 10_800),
        ("Two or three hours.", "Two or three hours", 7_200, 10_800),
    ],
)
def test_a_range_is_one_quantity(text, written, low, high):
    assert read(text) == [(written, low, high, "second")]


def test_a_change_is_no_range():
    assert [found[0] for found in read("It rose from 3 % to 8 %.")] == ["3 %", "8 %"]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("It takes no more than an hour.", Bound.AT_MOST),
        ("It takes up to 40 minutes.", Bound.AT_MOST),
        ("Return it within 14 days.", Bound.AT_MOST),
        ("It takes 40 minutes at most.", Bound.AT_MOST),
        ("It takes at least 40 minutes.", Bound.AT_LEAST),
        ("Ages 12 years or over.", Bound.AT_LEAST),
        ("It has fewer than 40 seats.", Bound.UNDER),
        ("It has more than forty seats.", Bound.OVER),
        ("It has about 40 seats.", Bound.ABOUT),
        ("It takes about an hour or so.", Bound.ABOUT),
        ("It has almost 40 seats.", Bound.ALMOST),
        ("It has 40 seats.", Bound.EXACT),
        ("The rover weighs 40 kg.", Bound.EXACT),
    ],
)
def test_words_around_a_quantity_bound_it(text, bound):
    assert [q.bound for q in read_quantities(text)] == [bound]


@pytest.mark.parametrize(
    "text",
    [
        "It opened on 3 May 1932 at 10:30.",
        "Paid on 12/05/2020.",
        "A 5G mast, a 3D film, COVID-19.",
        "The 2nd half and the other half.",
        "A third party, a second hour hand.",
        "Twice a year, once a day.",
        "See section 4.2.1 of the annex.",
        "Room 12.",
        "1.340 km could be either.",
        "Nothing to count here.",
        "",
    ],
)
def test_what_is_no_quantity_is_not_read(text):
    assert read(text) == []


def test_quantities_of_one_dimension_can_be_compared():
    (mine,), (other,) = read_quantities("1,800 grams"), read_quantities("1.8 kg")
    assert (mine.low, mine.dimension) == (other.low, other.dimension) == (Fraction(1800), "gram")


@pytest.mark.parametrize(
    "text",
    ["1" * 10_000_000, "1 000" * 100_000, "one hundred " * 50_000, "half a " * 50_000, "1/" * 50_000,
     "5 to " * 50_000, "an hour and " * 50_000, "111 111." + "." * 1_000_000 + "1"],
)  # fmt: skip
def test_of_a_long_text_the_beginning_is_read(text):
    said = read_quantities(f"12 kg {text} 30 kg")
    assert (said[0].low, said[0].unit) == (12_000, "kilogram")
    assert all(q.end < 30_000 for q in said)
