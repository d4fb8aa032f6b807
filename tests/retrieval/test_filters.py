import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toulmin.errors import InvalidArgument
from toulmin.retrieval.filters import MOST_CONDITIONS, MOST_LEVELS, parse_filter
from toulmin.stores.index.fields import fields_of
from toulmin.stores.index.predicate import (
    EVERYTHING,
    And,
    AnyOf,
    Is,
    Not,
    Or,
    matches,
    microseconds,
)

A, B, C = (AnyOf(name, ("x",)) for name in "abc")
HOUSE = {
    "id": "doc-1",
    "category": ["persona_A", "persona_B"],
    "score": 42,
    "price": 124.5,
    "pet-friendly": True,
    "non-smoking": False,
    "manufactured_date": "2024-04-16",
    "opened": "2023-12-31T23:30:00-01:00",
    "office": {"city": "Zürich", "floors": [3, 4]},
    "note": 'say "hi" \\o/',
    "year": "2023",
    "nothing": None,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The examples of Google's page.
        ('category: ANY("persona_A")', True),
        ("score: IN(*, 100.0e)", True),
        ('non-smoking = "true"', False),
        ('pet-friendly = "false"', False),
        ('manufactured_date = "2023"', False),
        ('manufactured_date >= "2024-04-16"', True),
        ('manufactured_date < "2024-04-16T12:00:00-07:00"', True),
        ('category: ANY("persona_A") AND score: IN(*, 100.0e)', True),
        ('(price<175 AND pet-friendly = "true") OR (price<125 AND pet-friendly = "false")', True),
        # Strings.
        ('category: ANY("persona_C", "persona_B")', True),
        ('category: ANY("PERSONA_A")', False),
        ('category: ANY("persona")', False),
        ('office.city: ANY("Zürich")', True),
        ('office.city = "Zürich"', True),
        ('office.city : "Zürich"', True),
        ('structData.office.city != "Zürich"', False),
        ('missing != "Zürich"', True),
        (r'note: ANY("say \"hi\" \\o/")', True),
        ('"note" = "x"', False),
        ('id: ANY("doc-1", "doc-2")', True),
        # Numbers.
        ("score = 42", True),
        ("score: 42", True),
        ("score != 42", False),
        ("score > 42", False),
        ("score >= 4.2e1", True),
        ("score <= -1", False),
        ("score: IN(42, 43)", True),
        ("score: IN(42e, 43)", False),
        ("score: IN(41, 42)", False),
        ("score: IN(41, 42i)", True),
        ("score: IN(1e1e, *)", True),
        ("score: IN(*, *)", True),
        ("office.floors: IN(4, 5)", True),
        ("category: IN(*, *)", False),
        # Times.
        ('manufactured_date = "2024"', True),
        ('manufactured_date = "2024-04"', True),
        ('manufactured_date = "2024-04-16"', True),
        ('manufactured_date: ANY("2024-04-16")', True),
        ('manufactured_date > "2024-04-16"', False),
        ('manufactured_date > "2024-03"', True),
        ('manufactured_date <= "2024-04"', True),
        ('manufactured_date <= "9999"', True),
        ('manufactured_date = "2024-04-16T00:00:00Z"', True),
        ('manufactured_date < "2024-04-16T00:00:00Z"', False),
        (f"manufactured_date = {microseconds(datetime(2024, 4, 16, tzinfo=UTC))}", True),
        (f"manufactured_date > {microseconds(datetime(2024, 4, 16, tzinfo=UTC))}", False),
        (f"manufactured_date: IN({microseconds(datetime(2024, 4, 16, tzinfo=UTC))}e, *)", False),
        ('opened = "2024"', True),
        ('opened < "2024"', False),
        ('year = "2023"', True),
        ('year < "2024"', False),
        # Booleans.
        ('pet-friendly = "true"', True),
        ('pet-friendly: "true"', True),
        ('pet-friendly != "true"', False),
        ('NOT pet-friendly = "true"', False),
        # Operators.
        ('-category: ANY("persona_A")', False),
        ('NOT (category: ANY("persona_C") OR score < 0)', True),
        ('nothing: ANY("x")', False),
        ("", True),
        ("   ", True),
    ],
)
def test_meaning(text, expected):
    assert matches(parse_filter(text), fields_of(HOUSE)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a="x"', A),
        ('a: ANY("x", "y", "x")', AnyOf("a", ("x", "y"))),
        ('a="x" AND b="x" OR c="x"', Or((And((A, B)), C))),
        ('a="x" OR b="x" AND c="x"', Or((A, And((B, C))))),
        ('(a="x" OR b="x") AND c="x"', And((Or((A, B)), C))),
        ('-a="x" AND NOT b="x"', And((Not(A), Not(B)))),
        ('NOT (a="x")', Not(A)),
        ('a = "true"', Or((AnyOf("a", ("true",)), Is("a", True)))),
        ("", EVERYTHING),
    ],
)
def test_shape(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("category", 9, "expected ':', '='"),
        ('category ANY("a")', 10, "expected ':'"),
        (
            "category:",
            10,
            "expected ANY(...), IN(...), a string in double quotes or a number, found",
        ),
        ("category: persona", 11, "found persona"),
        ('category: any("a")', 11, "expected ANY(...)"),
        ("category: ANY()", 15, "expected a string in double quotes, found )"),
        ('category: ANY("a"', 18, "expected ',' or ')', found the end"),
        ('category: ANY("a" "b")', 19, "expected ',' or ')', found \"b\""),
        ("category: ANY(1)", 15, "expected a string in double quotes, found 1"),
        ('category: ANY("a', 15, "no closing double quote"),
        ("category: ANY('a')", 15, "strings stand in plain double quotes"),
        ("category: ANY(\u201ca\u201d)", 15, "strings stand in plain double quotes"),
        ('ä: ANY("a") & b = "1"', 13, "'&' cannot stand here"),
        ('a = "1" and b = "2"', 9, "expected AND, OR or the end, found and (operators"),
        ('a = "1" b = "2"', 9, "expected AND, OR or the end, found b"),
        ('a = "1" AND', 12, "expected a field, NOT, '-' or '(', found the end"),
        ('AND a = "1"', 1, "expected a field"),
        ('(a = "1"', 9, "expected AND, OR or ')', found the end"),
        ('a = "1")', 8, "expected AND, OR or the end, found )"),
        ("score: IN(1)", 12, "expected ',', found )"),
        ("score: IN(1, x)", 14, "expected a number, or '*'"),
        ('score: IN("1", 2)', 11, "expected a number, or '*'"),
        ("score > 1e", 9, "a number without 'i' or 'e'"),
        ('score > "high"', 9, "expected a number or a time"),
        ('day >= "2024-13-01"', 8, "expected a number or a time"),
        ("score > true", 9, "expected a string in double quotes or a number, found true"),
        ("score == 1", 8, "expected a string in double quotes or a number, found ="),
        ("score ~ 1", 7, "'~' cannot stand here"),
        ("12 = 1", 1, "expected a field"),
        ('place: GEO_DISTANCE("Bern", 500)', 8, "GEO_DISTANCE is not supported"),
        ("NOT NOT a = 1", 5, "expected a field"),
    ],
)
def test_errors_point_at_the_column(text, column, words):
    with pytest.raises(InvalidArgument) as caught:
        parse_filter(text, field="boost_spec.condition_boost_specs[0].condition")
    (violation,) = caught.value.violations
    assert violation.field == "boost_spec.condition_boost_specs[0].condition"
    assert violation.description.startswith(f"column {column}: ")
    assert words in violation.description


def test_nesting_and_size_are_limited():
    def nested(levels):
        return "(" * levels + "a = 1" + ")" * levels

    assert matches(parse_filter(nested(MOST_LEVELS)), {"a": (1,)})
    with pytest.raises(InvalidArgument, match=f"column {MOST_LEVELS + 1}: expected at most"):
        parse_filter(nested(MOST_LEVELS + 1))
    parse_filter(" OR ".join(["a = 1"] * MOST_CONDITIONS))
    with pytest.raises(InvalidArgument, match="at most 1000 conditions"):
        parse_filter(" OR ".join(["a = 1"] * (MOST_CONDITIONS + 1)))


@settings(deadline=None)
@given(st.text())
def test_any_string_can_be_asked_for(value):
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_filter(f'a: ANY("{quoted}")') == AnyOf("a", (value,))


@settings(deadline=None)
@given(st.text(alphabet='ab1"\\:=!<>()-*,. ANDORNTIYe', max_size=30))
def test_every_text_is_parsed_or_refused_with_a_column_in_it(text):
    try:
        parse_filter(text)
    except InvalidArgument as error:
        column = int(error.violations[0].description.split(":")[0].removeprefix("column "))
        assert 1 <= column <= len(text) + 1


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_equals_itself(number):
    literal = repr(number)
    assert matches(parse_filter(f"a = {literal}"), {"a": (number,)})
    assert not matches(parse_filter(f"a > {literal}"), {"a": (number,)})
    assert matches(parse_filter(f"a: IN({literal}i, {literal}i)"), {"a": (number,)})
    above = math.nextafter(number, math.inf)
    assert matches(parse_filter(f"a > {literal}"), {"a": (above,)})
