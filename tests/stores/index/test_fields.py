from datetime import UTC, datetime

import pytest

from toulmin.stores.index.fields import fields_of, parse_time
from toulmin.stores.index.predicate import (
    EVERYTHING,
    And,
    AnyOf,
    InRange,
    Is,
    Not,
    Or,
    field_names,
    matches,
    without_fields,
)


def test_struct_data_by_dotted_name():
    struct = {
        "title": "Bern",
        "tags": ["a", "b", "a", None],
        "office": {"floor": 3, "rooms": [{"number": 1}, {"number": 2.5}]},
        "open": True,
        "counts": [1, True, 1.0],
        "none": None,
        "empty": [],
    }
    fields = fields_of(struct)
    assert fields == {
        "title": ("Bern",),
        "tags": ("a", "b"),
        "office.floor": (3,),
        "office.rooms.number": (1, 2.5),
        "open": (True,),
        "counts": (1, True, 1.0),
    }
    assert matches(Is("counts", True), fields)
    assert matches(InRange("counts", 1, 1), fields)


def test_a_date_is_a_string_and_a_time():
    assert fields_of({"day": "2024-04-16"}) == {
        "day": ("2024-04-16", datetime(2024, 4, 16, tzinfo=UTC))
    }


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-04-16T12:00:00-07:00", datetime(2024, 4, 16, 19, tzinfo=UTC)),
        ("2024-04-16t12:00:00.25z", datetime(2024, 4, 16, 12, 0, 0, 250_000, tzinfo=UTC)),
        ("2024-04-16 12:00", datetime(2024, 4, 16, 12, tzinfo=UTC)),
        ("2024", None),
        ("2023-02-29", None),
        ("2024-04-16 or so", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("20240416", None),
    ],
)
def test_times(text, moment):
    assert parse_time(text) == moment


def test_conditions_can_be_left_out():
    a, b = AnyOf("a", ("x",)), Is("b", True)
    left = frozenset(["a"])
    assert field_names(Or((a, Not(And((a, b)))))) == {"a", "b"}
    assert without_fields(And((a, b)), left) == And((EVERYTHING, b))
    assert without_fields(Not(a), left) == EVERYTHING
    assert without_fields(Not(b), left) == Not(b)
    for holds in ({"a": ("y",), "b": (True,)}, {"b": (True,)}):
        assert matches(without_fields(And((a, b)), left), holds)
        assert not matches(And((a, b)), holds)
