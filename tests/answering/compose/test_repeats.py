"""Which sentences say the same."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.repeats import Saying

OPENED = "The Varn Bridge was opened by Queen Ingrid in 1932."


@pytest.mark.parametrize(
    ("text", "repeats", "holds"),
    [
        (OPENED, True, True),
        ("Queen Ingrid opened the Varn Bridge in 1932.", True, True),
        ("The Varn Bridge was opened by Queen Ingrid.", True, False),
        ("The Varn Bridge was opened by Queen Ingrid in 1933.", False, False),
        (
            "The Varn Bridge was opened by Queen Ingrid in 1932, at a fair with 300 guests.",
            False,
            True,
        ),
        ("The Varn Bridge is made of stone.", False, False),
        ("", False, False),
    ],
)
def test_what_adds_nothing_and_what_holds_it_all(text, repeats, holds):
    assert Saying(text).repeats(Saying(OPENED)) is repeats
    assert Saying(text).holds(Saying(OPENED)) is holds


def test_japanese_is_compared_by_pairs_of_characters():
    said = Saying("東京は日本の首都である。")
    assert Saying("東京は日本の首都である").repeats(said)
    assert not Saying("大阪は東京の西にある。").repeats(said)
