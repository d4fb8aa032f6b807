"""What of a sentence can differ, and which values cannot both be right."""

from decimal import Decimal

import pytest

from toulmin.grounding.conflicting.values import Date, ValueKind, disagree, parts_of
from toulmin.grounding.typed_words import words_of


def values(text):
    return [part.value for part in parts_of(text, words_of(text)) if part.value is not None]


@pytest.mark.parametrize(
    ("text", "kind", "said", "unit"),
    [
        ("it costs €890 there", ValueKind.FIGURE, Decimal(890), "euro"),
        ("it costs 1,200 euros", ValueKind.FIGURE, Decimal(1200), "euro"),
        ("it has 5.2 million users", ValueKind.FIGURE, Decimal(5_200_000), ""),
        ("twelve people came", ValueKind.FIGURE, Decimal(12), ""),
        ("it opens at 9 a.m. there", ValueKind.FIGURE, Decimal(9), "am"),
        ("it pays 2000 euros", ValueKind.FIGURE, Decimal(2000), "euro"),
        ("it opened in 1998", ValueKind.DATE, Date(1998), ""),
        ("it opened on 3 March 1998", ValueKind.DATE, Date(1998, 3, 3), ""),
        ("it opened on the 3rd of March", ValueKind.DATE, Date(0, 3, 3), ""),
        ("it opened on 1998-03-04", ValueKind.DATE, Date(1998, 3, 4), ""),
        ("es wurde im März 1998 eröffnet", ValueKind.DATE, Date(1998, 3), ""),
        ("橋は1998年3月4日に開通した", ValueKind.DATE, Date(1998, 3, 4), ""),
        ("it is closed on Sunday", ValueKind.WEEKDAY, ("sundai",), ""),
        ("they met Anna Meier", ValueKind.NAME, ("anna", "meier"), ""),
    ],
)
def test_values_are_read_with_their_units(text, kind, said, unit):
    (value,) = [v for v in values(text) if v.kind is kind]
    assert (value.said, value.unit) == (said, unit)


@pytest.mark.parametrize(
    "text",
    ["rows 0-17 of it", "a price of 1.340 there", "see item #3 there", "the 2nd half", "5.4g"],
)
def test_what_is_no_single_figure_is_compared_with_nothing(text):
    assert all(not disagree(value, value) for value in values(text))
    assert not any(value.kind is ValueKind.FIGURE for value in values(text))


@pytest.mark.parametrize(
    ("one", "other", "is_conflict"),
    [
        ("it costs 60 euros", "it costs 64 euros", True),
        ("it costs 60 euros", "it costs 64 dollars", False),
        ("it has 5 million users", "it has 5.2 million users", False),
        ("it has 5 million users", "it has 7.2 million users", True),
        ("it is 3.5 km long", "it is 3.52 km long", False),
        ("it is 3.5 km long", "it is 3.62 km long", True),
        ("it has about 5 users", "it has about 6 users", False),
        ("it has more than 5 users", "it has 9 users", False),
        ("it lends up to 5 books", "it lends up to 9 books", True),
        ("it lends up to 9 books", "it lends 5 books", False),
        ("it opened in March 1998", "it opened on 3 March 1998", False),
        ("it opened in April 1998", "it opened on 3 March 1998", True),
        ("it opened in 1998", "it opened on 3 March", False),
        ("they met Anna Meier", "they met Meier", False),
        ("they met Anna Meier", "they met Karl Ott", True),
    ],
)
def test_two_values_disagree_where_both_cannot_be_right(one, other, is_conflict):
    (mine,), (its,) = values(one), values(other)
    assert disagree(mine, its) is is_conflict
    assert disagree(its, mine) is is_conflict
