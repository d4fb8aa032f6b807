"""A claim's values as questions."""

import pytest

from toulmin.grounding.asking.values import asked_values, same_unit, unit_after, values_in


@pytest.mark.parametrize(
    ("claim", "question", "value", "kind"),
    [
        ("The tower is 180 metres tall.", "The tower is how many metres tall?", "180", "number"),
        ("It opened in 1921.", "It opened in what year?", "1921", "year"),
        ("Doors open at 9:30.", "Doors open at what time?", "09:30", "time"),
        ("It is shut on Mondays.", "It is shut on which days?", "monday", "day"),
        ("It rains in October.", "It rains in which month?", "october", "month"),
        ("She has three dogs.", "She has how many dogs?", "3", "number"),
        ("It sold 1,200 loaves.", "It sold how many loaves?", "1200", "number"),
    ],
)
def test_the_question_word_stands_where_the_value_stood(claim, question, value, kind):
    (asked,) = asked_values(claim)
    assert (asked.question, asked.value, asked.kind) == (question, value, kind)


@pytest.mark.parametrize(
    "claim",
    ["Nobody came.", "The Kestrel 2 is quiet.", "Version v2.1 is out.", "See A-320 and 3-fold."],
)
def test_what_is_no_value_is_not_asked_for(claim):
    assert asked_values(claim) == []


def test_of_many_values_the_last_ones_are_asked_for():
    asked = asked_values("It took 12 men, 30 horses and 7 carts.")
    assert [value.value for value in asked] == ["30", "7"]


def test_a_unit_is_the_word_behind_the_number():
    (asked,) = asked_values("It costs 12 euros.")
    assert asked.unit == "euros"
    assert unit_after(" of them") == ""
    assert same_unit("metres", "met")
    assert same_unit("", "days")
    assert not same_unit("euros", "people")


def test_values_of_a_text_are_in_one_form_and_of_one_kind():
    text = "On Monday 1,200 people came at 9:30, two dozen of them in 1999."
    assert values_in(text, "day") == {"monday"}
    assert values_in(text, "time") == {"09:30"}
    assert values_in(text, "year") == {"1999"}
    assert {"1200", "24"} <= values_in(text, "number")
