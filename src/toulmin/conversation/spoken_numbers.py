"""The words of a text, a number of several words as one: "one hundred and twenty", "half an hour".

The numbers are those of `grounding.quantities`, and figures those of `text.figures`; what is added
here are the articles of speech, and which numbers are not to be guessed: "1.340", "one fifty".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.conversation.day_patterns import ORDINALS
from toulmin.grounding.quantities.numbers import (
    NUMBER_WORDS,
    SCALES,
    Number,
    Token,
    fraction_at,
    number_at,
    tokens_of,
    touches,
    word_at,
)
from toulmin.text.figures import figure_of

TIME_UNITS: Final = {"minute": 1, "hour": 60, "day": 1_440, "night": 1_440, "week": 10_080}
"""Minutes in each."""
_UNIT: Final = rf"(?:{'|'.join(TIME_UNITS)}|month|year)s?"
_ARTICLES: Final = re.compile(
    rf"(?P<article>an?)(?=\s+{_UNIT}\s+and\s+a\s+half\b)"
    rf"|(?P<half>half\s+an?)(?=\s+(?:{_UNIT})\b)"
    rf"|(?P<couple>a\s+couple)\b(?!\s+(?:of\s+)?(?:{'|'.join(SCALES)})\b)"
    rf"|(?P<one>an?)(?=\s+{_UNIT}\b)",
    re.IGNORECASE,
)
_WORTH: Final = {"article": 1.5, "half": 0.5, "couple": 2.0, "one": 1.0}
_OF_A_UNIT: Final = re.compile(rf"(?P<of>\s+of\s+an?)?(?=\s+{_UNIT}\b)", re.IGNORECASE)
UNIT_AFTER: Final = re.compile(rf"\s*-?\s*(?P<unit>{'|'.join(TIME_UNITS)})s?\b", re.IGNORECASE)
_TOKEN: Final = re.compile(r"(?<![\w.])[.]\d+\b|#?[^\W_]+(?:[-_'\u2019.,:][^\W_]+)*", re.IGNORECASE)
_GOES_ON: Final = re.compile(r"[-_'\u2019][^\W_]")
_FIGURE: Final = re.compile(r"(?P<digits>[.\d][\d.,]*)(?P<short>k)?\Z", re.IGNORECASE)
_SHORT: Final = {"k": 1_000}
_LOOSE_SCALES: Final = frozenset({*SCALES, *(f"{scale}s" for scale in SCALES), "grand"})
"""Behind a number they make another one of it, that is not read: "ten grand", "two thousands"."""
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or the words of one number.

    Attributes:
        text: As it stands.
        start: First character.
        end: One past the last.
        number: What it is worth; None: it is no number.
        is_word: Whether that is said in letters.
        is_unsure: Whether it is a number of which it is not clear which one: "one fifty".
    """

    text: str
    start: int
    end: int
    number: float | None = None
    is_word: bool = False
    is_unsure: bool = False


def words_in(said: str) -> list[Word]:
    """Return the words of a text; a number of several words is one."""
    written = _numbers_in_words(said)
    words: list[Word] = []
    at = 0
    while match := _TOKEN.search(said, at):
        article = _ARTICLES.match(said, match.start())
        word = written.get(match.start())
        if article and (word is None or word.end <= article.end()):
            number = _WORTH[str(article.lastgroup)]
            word = Word(article[0], match.start(), article.end(), number, is_word=True)
        words.append(word or _one_word(match))
        at = words[-1].end
    return words


def _one_word(match: re.Match[str]) -> Word:
    """Return a word that is no number in letters: a figure, a name, an identifier."""
    found = _FIGURE.match(match[0])
    figure = figure_of(found["digits"]) if found else None
    if found is None or figure is None:
        return Word(match[0], match.start(), match.end())
    if figure.either == ".":  # "1.340" may be either, and which one is not to be guessed
        return Word(match[0], match.start(), match.end(), is_unsure=True)
    number = float(figure.value) * (_SHORT["k"] if found["short"] else 1)
    return Word(match[0], match.start(), match.end(), number)


def _numbers_in_words(said: str) -> dict[int, Word]:
    """Return the numbers that are more than a figure, by the place where they begin."""
    tokens, at = tokens_of(said), 0
    numbers: dict[int, Word] = {}
    while at < len(tokens):
        found = _number_in_words(tokens, at, said)
        if found is None:
            at += 1
            continue
        start, end = tokens[at].start, tokens[found.last - 1].end
        number, at = found.number, found.last
        text = said[start:end]
        if _GOES_ON.match(said, end) and not ("-" in text and UNIT_AFTER.match(said, end)):
            number = None  # "twenty-first", "two-bedroom"
        in_letters = any(map(str.isalpha, text))
        numbers[start] = Word(text, start, end, number, in_letters, is_unsure=number is None)
    return numbers


@dataclass(frozen=True, slots=True)
class _Spelt:
    number: float | None
    last: int
    """One past the last of its tokens."""


def _number_in_words(tokens: Sequence[Token], at: int, said: str) -> _Spelt | None:
    """Return the number that begins with a token; None: none, or a figure by itself.

    A number that goes on in a way that is not plain has no value: "one fifty", "ten grand".
    """
    part, whole = fraction_at(tokens, at), number_at(tokens, at)
    if part and (whole is None or part.last > whole.last):
        return _part_of_a_unit(tokens, part, said)
    if whole is None:
        return None
    number, last = float(whole.value), whole.last
    after = word_at(tokens, last)
    if tokens[at].is_figure and after in _SHORT and not touches(tokens, last):
        return _Spelt(number * _SHORT[after], last + 1)
    if after in _LOOSE_SCALES:
        return _Spelt(None, last + 1)
    if last == at + 1 and tokens[at].is_figure:
        spaced = len(tokens[at].text.split()) > 1
        return _Spelt(number, last) if spaced and _is_one(tokens, at) else None
    if _runs_on(tokens, whole) or (word_at(tokens, at - 1) == "thanks" and tokens[at].text == "a"):
        return _Spelt(None, _end_of_run(tokens, last))
    return _Spelt(number, last)


def _part_of_a_unit(tokens: Sequence[Token], part: Number, said: str) -> _Spelt:
    """Return "a quarter of an hour" and "half hour" as numbers; other parts have no value."""
    unit = _OF_A_UNIT.match(said, tokens[part.last - 1].end)
    if unit is None or not (unit["of"] or part.value.denominator in (2, 4)):
        return _Spelt(None, part.last)
    return _Spelt(float(part.value), part.last + (2 if unit["of"] else 0))


def _is_one(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a figure with spaces is surely one: "room 412 250 towels" has two."""
    groups = tokens[at].text.split(" ")  # spaces that do not break a line part no numbers
    named = word_at(tokens, at - 1)[-1:].isalpha()
    return len(groups) != 2 or groups[1].startswith("0") or not named


def _runs_on(tokens: Sequence[Token], number: Number) -> bool:
    """Return whether what follows a number may be more of it: "one fifty", "a hundred and 20"."""
    after, then = word_at(tokens, number.last), number.last + 1
    if after in NUMBER_WORDS:
        return True
    if after == "and" and number.value >= _HUNDRED:
        return then < len(tokens) and tokens[then].is_figure
    tens = number.value % _HUNDRED
    return tens >= 20 and tens % 10 == 0 and after in ORDINALS[:9]


def _end_of_run(tokens: Sequence[Token], at: int) -> int:
    at += word_at(tokens, at) == "and"
    while word_at(tokens, at) in {*NUMBER_WORDS, *ORDINALS} or (
        at < len(tokens) and tokens[at].is_figure and word_at(tokens, at - 1) == "and"
    ):
        at += 1
    return at
