"""The numbers of a text: "1,500", "twenty-five", "1 ½", "a dozen", "two and a half million"."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any

from toulmin.text.figures import figure_of

DATA: Mapping[str, Any] = tomllib.loads(
    files("toulmin.grounding").joinpath("data/quantities.toml").read_text(encoding="utf-8")
)
_ONES = {word: value for value, word in enumerate(DATA["ones"].split())}
_TENS = {word: 10 * value for value, word in enumerate(DATA["tens"].split(), start=2)}
NUMBER_WORDS = (*_ONES, *_TENS)
"""Numbers of one word: "zero" to "nineteen", "twenty" to "ninety"."""
SCALES: Mapping[str, int] = DATA["scales"]
FRACTIONS = {word: Fraction(value) for word, value in DATA["fractions"].items()}
_GLYPHS = frozenset(word for word in FRACTIONS if not word.isalpha())
BEGINNINGS = frozenset({"a", "an", *_ONES, *_TENS, *FRACTIONS})
"""Words and signs that numbers in words begin with."""
_LONGEST = 24
"""Characters of a figure: what is longer is a key or a serial number."""
_FINEST = 16
"""The largest number under a fraction stroke: beyond it are dates and standards."""
_THOUSAND = 1000
_GROUP = 3
"""Digits between the marks of thousands."""
_TOKEN = re.compile(
    r"(?P<number>(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,]*\d)|\d+(?:[.,]\d+)*)"
    r"|(?P<sign>[A-Z]{0,2}\$|°\s?[CF]\b|[^\s\w]|[½¼¾⅓⅔])"
    r"|(?P<word>[^\W\d_½¼¾⅓⅔]+(?:['\u2019][^\W\d_]+)*)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A figure, a word or a sign of a text.

    Attributes:
        start: Its first character.
        end: One past its last.
        text: It in lower case.
        is_figure: Whether it is written in digits.
    """

    start: int
    end: int
    text: str
    is_figure: bool


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and one past the last of its tokens."""

    value: Fraction
    last: int


def tokens_of(text: str) -> list[Token]:
    """Return the figures, words and signs of a text, in order."""
    return [
        Token(match.start(), match.end(), match[0].lower(), match.lastgroup == "number")
        for match in _TOKEN.finditer(text)
    ]


def word_at(tokens: Sequence[Token], at: int) -> str:
    """Return a token's text, "" before the first and behind the last."""
    return tokens[at].text if 0 <= at < len(tokens) else ""


def touches(tokens: Sequence[Token], at: int) -> bool:
    """Return whether nothing parts a token from the one before it."""
    return 0 < at < len(tokens) and tokens[at - 1].end == tokens[at].start


def number_at(tokens: Sequence[Token], at: int) -> Number | None:
    """Return the number that begins with a token; None: dates, times, ordinals, keys, or none."""
    found = _figure(tokens, at) if tokens[at].is_figure else _spelt(tokens, at)
    if found is None:
        return None
    found = _with_fraction(tokens, found)
    scale = word_at(tokens, found.last)
    whole_in_words = not tokens[at].is_figure and found.value.denominator == 1
    if scale not in SCALES or (whole_in_words and scale != "dozen"):
        return found
    return Number(found.value * SCALES[scale], found.last + 1)


def fraction_at(tokens: Sequence[Token], at: int) -> Number | None:
    """Return "half", "a third", "two thirds", "three quarters", "1/3" as a number below one."""
    word = word_at(tokens, at)
    if word in {"a", "an"}:
        above, at = 1, at + 1
    elif word in _ONES and word_at(tokens, at + 1) != "":
        above, at = _ONES[word], at + 1
        at += word_at(tokens, at) == "-"
    elif tokens[at].is_figure:
        return _stroke(tokens, at)
    else:
        above = 1
        if word not in {"half", "quarter"} and word not in _GLYPHS:
            return None
    name = word_at(tokens, at)
    part = FRACTIONS.get(name) or (FRACTIONS.get(name[:-1]) if above > 1 else None)
    if part is None or not 0 < above * part < 1:
        return None
    return Number(above * part, at + 1)


def _figure(tokens: Sequence[Token], at: int) -> Number | None:
    token = tokens[at]
    if token.end - token.start > _LONGEST or _is_part(tokens, at):
        return None
    if word_at(tokens, at + 1) in {"/", "\u2044"} and touches(tokens, at + 1):
        return None
    value = _value_of(token.text)
    return Number(value, at + 1) if value is not None else None


@functools.lru_cache(4096)
def _value_of(figure: str) -> Fraction | None:
    """Return the number that is written in digits; None of 1.340, which may be two."""
    found = figure_of(figure)
    return Fraction(found.value) if found is not None and found.either != "." else None


def _is_part(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a figure is part of a date, a time, an ordinal, a name or a key."""
    if touches(tokens, at):
        before = tokens[at - 1].text
        if before[-1].isalpha() or before in {".", ":", "/", "#", "\u2116", "_", ","}:
            return True
        if before in {"-", "\u2013"} and touches(tokens, at - 1) and tokens[at - 2].text.isalpha():
            return True
    if _is_cut(tokens, at) or not touches(tokens, at + 1):
        return _is_cut(tokens, at)
    behind = tokens[at + 1].text
    return behind in {"st", "nd", "rd", "th"} or (behind == ":" and touches(tokens, at + 2))


def _is_cut(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a figure is the end of one that was cut up: "3, 800 km"."""
    if at < 2 or not touches(tokens, at - 1) or tokens[at - 1].text != ",":
        return False
    return tokens[at - 2].is_figure and len(tokens[at].text) == _GROUP


def _spelt(tokens: Sequence[Token], at: int) -> Number | None:
    word = tokens[at].text
    if word == "half" and word_at(tokens, at + 1) == "a":
        scale = SCALES.get(word_at(tokens, at + 2))
        return Number(Fraction(scale, 2), at + 3) if scale else None
    total = current = 0
    least = 0  # the size of the last word: only smaller ones are added to it
    first = at
    if word in {"a", "an"}:
        if word_at(tokens, at + 1) not in SCALES:
            return None
        current, least, at = 1, 1, at + 1  # "a hundred and one"
    while at < len(tokens):
        word = tokens[at].text
        joins = word in {"and", "-"} and least and _value(word_at(tokens, at + 1)) is not None
        if joins and (word == "and") == (least >= SCALES["hundred"]):
            at += 1
            continue
        if word in SCALES and least and SCALES[word] > current:
            current *= SCALES[word]
            least = 1 if word == "dozen" else SCALES[word]  # nothing is added to a dozen
            if least >= _THOUSAND:
                total, current = total + current, 0
        else:
            value = _value(word)
            size = 10 if word in _TENS else 1
            if value is None or (least and size >= least):
                break
            current, least = current + value, size
        at += 1
    return _with_decimals(tokens, Number(Fraction(total + current), at)) if at > first else None


def _with_decimals(tokens: Sequence[Token], number: Number) -> Number:
    """Return a number in words with its decimals: "two point five"."""
    at, part, size = number.last + 1, Fraction(0), 1
    if word_at(tokens, number.last) != "point":
        return number
    while (digit := _ONES.get(word_at(tokens, at), 10)) < 10:
        size *= 10
        part += Fraction(digit, size)
        at += 1
    return Number(number.value + part, at) if size > 1 else number


def _value(word: str) -> int | None:
    return _ONES.get(word, _TENS.get(word))


def _with_fraction(tokens: Sequence[Token], number: Number) -> Number:
    """Return a number with what follows it: "two and a half", "1 ½", "1 1/2"."""
    at = number.last
    if word_at(tokens, at) == "and":
        part = fraction_at(tokens, at + 1) if at + 1 < len(tokens) else None
    elif word_at(tokens, at) in _GLYPHS:
        part = fraction_at(tokens, at)
    elif at < len(tokens) and tokens[at].is_figure and not touches(tokens, at):
        part = _stroke(tokens, at)
    else:
        part = None
    if part is None or number.value.denominator > 1:
        return number
    return Number(number.value + part.value, part.last)


def _stroke(tokens: Sequence[Token], at: int) -> Number | None:
    """Return "3/4" as a number, where it can be no date."""
    if at + 2 >= len(tokens) or tokens[at + 1].text not in {"/", "\u2044"}:
        return None
    above, below = tokens[at].text, tokens[at + 2].text
    if not (touches(tokens, at + 1) and touches(tokens, at + 2)):
        return None
    if not (above.isdecimal() and below.isdecimal() and len(above) < 3 and len(below) < 3):
        return None
    if not 0 < int(above) < int(below) <= _FINEST:
        return None
    if word_at(tokens, at + 3) == "/" and touches(tokens, at + 3):
        return None
    return Number(Fraction(int(above), int(below)), at + 3)
