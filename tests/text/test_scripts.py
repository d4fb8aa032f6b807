"""Scripts: the ranges are what their names say."""

import re

import pytest

from toulmin.text import scripts


@pytest.mark.parametrize(
    ("script", "inside", "outside"),
    [
        (scripts.HAN, "漢", "か"),
        (scripts.KANA, "かカー", "漢"),
        (scripts.KANA_LETTERS, "かカー", "・"),
        (scripts.HANGUL, "한", "漢"),
        (scripts.SOUTH_EAST_ASIAN, "ไລမខ", "а"),
        (scripts.ALPHABETIC, "aéΩжա", "×ש"),
        (scripts.COMBINING, "\u0301\u093f", "e"),
    ],
)
def test_a_range_is_the_inside_of_a_character_class(script, inside, outside):
    assert re.fullmatch(f"[{script}]+", inside)
    assert not re.search(f"[{script}]", outside)


def test_words_of_one_kana_are_told_apart():
    assert scripts.is_katakana("カメラ")
    assert not scripts.is_katakana("カメら")
    assert scripts.is_hiragana("ひらがな")
    assert not scripts.is_hiragana("ひらガナ")


def test_code_ranges_are_first_and_last_of_each_part():
    assert scripts.code_ranges("a-c\u3007") == [(97, 99), (0x3007, 0x3007)]
