"""Twins are told from other claims, and corrections are counted as they should be."""

import pytest

from tests.benchmarks.modules import load

corrections = load("quality.corrections")

CASE = corrections.Case("year", "It opened in 1998.", "It opened in 1973.", "It opened in 1998.")
TRUE = corrections.Case("as it stands", "It is long.", "It is long.", "It is long.")


@pytest.mark.parametrize(
    ("false", "true", "is_twin"),
    [
        ("It opened in 1973.", "It opened in 1998.", True),
        ("Ada saw Bo at noon.", "Bo saw Ada at noon.", True),
        ("It opened in 1998.", "It opened in 1998.", False),
        ("It opened in 1973.", "It opened in 1998. It is long.", False),
        ("橋は1973年に開通した。", "橋は1998年に開通した。", True),
        ("橋は1973年に開通した。", "駅に人はいない。", False),
        ("It opened in 1973.", "Nobody knows who was there at all.", False),
    ],
)
def test_a_twin_differs_in_a_few_words(false, true, is_twin):
    assert corrections.is_twin(false, true) is is_twin


def test_right_and_wrong_corrections_are_counted():
    found = corrections.figures(
        [
            corrections.Outcome(CASE, "It opened in 1998!", 0.1),
            corrections.Outcome(CASE, "It opened in 1999.", 0.1),
            corrections.Outcome(CASE, None, 0.7),
            corrections.Outcome(TRUE, None, 0.9),
        ]
    )
    assert found["false"] == {
        "items": 3,
        "not_borne_out": 2,
        "offered": 2,
        "right": 1,
        "wrong": 1,
        "wrong_share_of_offered": 0.5,
        "wrong_share": 0.3333,
    }
    assert found["true"] == {"items": 1, "offered": 0}
    assert found["kinds"]["year"] == found["false"]
