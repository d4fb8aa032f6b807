"""Who or what it is that a text says something of."""

from __future__ import annotations

import pytest

from toulmin.answering.compose.of_another import is_set_apart, says_of_another

BOARD = "Bo Lind chairs the board."


@pytest.mark.parametrize(
    ("around", "of_another"),
    [
        ("Since 2016 Ada Poe has been the managing director. Bo Lind chairs the board.", True),
        ("The managing director is Ada Poe. Bo Lind chairs the board.", True),
        ("Ada Poe became the managing director in 2016. Bo Lind chairs the board.", True),
        ("Bo Lind chairs the board. She is the managing director of Tarn as well.", False),
        ("The managing director is Bo Lind. Ada Poe was the managing director before.", False),
        ("Write to the managing director on Monday. Bo Lind chairs the board.", False),
        ("Bo Lind chairs the board.", False),
    ],
)
def test_a_role_that_the_passage_gives_to_somebody_else(around, of_another):
    assert says_of_another("Bo Lind is the managing director.", BOARD, around) is of_another


def test_what_many_may_be_is_not_held_by_one():
    around = "Ada Poe is a potter. Bo Lind makes vases."
    assert not says_of_another("Bo Lind is a potter.", "Bo Lind makes vases.", around)


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("Unlike the Kestrel 300, the Kestrel 500 can be configured by Bluetooth.", True),
        ("Unlike the Kestrel 300 it can be configured by Bluetooth.", True),
        ("It can be configured by Bluetooth, unlike the Kestrel 300.", True),
        ("In contrast to the Kestrel 300 it can be configured by Bluetooth.", True),
        ("Unlike the Kestrel 300, the Kestrel 500 cannot be configured by Bluetooth.", False),
        ("Unlike the Kestrel 500, the Kestrel 300 can be configured by Bluetooth.", False),
        ("Unlike the Kestrel 300, the Kestrel 500 is made for factories.", False),
        ("Like the Kestrel 300, the Kestrel 500 can be configured by Bluetooth.", False),
    ],
)
def test_unlike_denies_it_of_the_other(text, apart):
    assert is_set_apart("The Kestrel 300 can be configured by Bluetooth.", text) is apart
