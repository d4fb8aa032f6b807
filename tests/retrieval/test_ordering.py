import pytest

from toulmin.errors import InvalidArgument
from toulmin.retrieval.ordering import OrderKey, parse_order_by


def test_keys_in_their_order():
    expected = (
        OrderKey("price", descending=True),
        OrderKey("office.city"),
        OrderKey("non-smoking"),
    )
    assert parse_order_by("price desc, office.city,non-smoking asc") == expected
    assert parse_order_by("  ") == ()


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("price down", 7, "expected 'asc', 'desc', ',' or the end, found down"),
        ("price,", 7, "expected a field, found the end"),
        ("price desc price", 12, "expected 'asc', 'desc', ',' or the end"),
        ("price, price desc", 8, "not named before"),
        ('"price"', 1, "expected a field"),
        ("price; city", 6, "cannot stand here"),
    ],
)
def test_errors_point_at_the_column(text, column, words):
    with pytest.raises(InvalidArgument) as caught:
        parse_order_by(text)
    (violation,) = caught.value.violations
    assert violation.field == "order_by"
    assert violation.description.startswith(f"column {column}: ")
    assert words in violation.description
