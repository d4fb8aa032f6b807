"""What of a sentence may differ from another's: its figures with their units, its dates, its names.

Two values disagree only where both cannot be right: "5 million" and "5.2 million" agree, as do
"March 1998" and "3 March 1998"; figures of two units, and those of which one is a bound or a
guess ("more than 4 million"), are not compared at all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from importlib.resources import files

from toulmin.grounding.typed_words import MONTHS, Kind, Word
from toulmin.text.figures import figure_of
from toulmin.text.units import measured_by, unit_of
from toulmin.text.words import fold_text

_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/conflicting.toml").read_text(encoding="utf-8")
)


def words_listed(key: str) -> frozenset[str]:
    """Return a list of `data/conflicting.toml`."""
    return frozenset(str(_DATA[key]).split())


_ARTICLES = words_listed("articles")
_LOOSE = words_listed("loose")
_BOUNDS = words_listed("bounds")
_MAGNITUDES = {
    name: Decimal(1000) ** power if power else Decimal(100)
    for power, names in enumerate(_DATA["magnitudes"])
    for name in names.split()
}
_DATED = frozenset({Kind.NUMBER, Kind.ORDINAL, Kind.YEAR, Kind.MONTH, Kind.WEEKDAY})
_LINKS = frozenset({"of", "de", "del", "the", "di"})
_LAST_DAY = 31
_LOOK_BACK = 3
"""Words before a figure in which a bound or a guess stands."""
_ROUND = 3
"""Zeros at the end of a whole number from which on it may have been rounded."""
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_JOINED = re.compile(r"\s?[-\u2010-\u2015/]\s?|[.,:]")
_HALF_DAY = re.compile(r"\s?([ap])\.?\s?m\b", re.IGNORECASE)
_CJK_DATE = {"年": "year", "月": "month", "日": "day"}


class ValueKind(StrEnum):
    """What a value is."""

    FIGURE = "figure"
    DATE = "date"
    WEEKDAY = "weekday"
    NAME = "name"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month or a year; 0: not said."""

    year: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """A figure, a date or a name of a sentence.

    Attributes:
        kind: What it is.
        start: Its first character in the sentence.
        end: One past its last.
        said: What is compared: a number, a `Date`, or the terms of a name.
        unit: One name of the figure's unit; empty: it has none.
        bounds: Words before it that make it a bound or a guess.
    """

    kind: ValueKind
    start: int
    end: int
    said: Decimal | Date | tuple[str, ...]
    unit: str = ""
    bounds: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[object, ...]:
        """What two values have in common that say the same."""
        return self.kind, self.said, self.unit, self.bounds & _LOOSE


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a sentence, `words[first:last]`, that are one value; None: they are none."""

    first: int
    last: int
    value: Value | None


def parts_of(text: str, words: Sequence[Word]) -> Iterator[Part]:
    """Yield the words of a sentence in order, those of a value together."""
    place = 0
    while place < len(words):
        part = _part(text, words, place)
        yield part
        place = part.last


def disagree(one: Value, other: Value) -> bool:
    """Return whether both cannot be right, where one is said of what the other is said of."""
    if one.kind is not other.kind or one.unit != other.unit or one.kind is ValueKind.OTHER:
        return False
    if one.bounds != other.bounds or one.bounds & _LOOSE:
        return False
    mine, its = one.said, other.said
    if isinstance(mine, Decimal) and isinstance(its, Decimal):
        return mine != its and not _rounds_to(mine, its) and not _rounds_to(its, mine)
    if isinstance(mine, Date) and isinstance(its, Date):
        return any(
            a and b and a != b
            for a, b in ((mine.year, its.year), (mine.month, its.month), (mine.day, its.day))
        )
    if isinstance(mine, tuple) and isinstance(its, tuple):
        return not set(mine) & set(its)
    return False


def _rounds_to(exact: Decimal, rough: Decimal) -> bool:
    """Return whether one number is the other at the precision that it is written with."""
    _, digits, exponent = rough.as_tuple()
    step = int(exponent)
    if step >= 0:
        zeros = len(digits) - len(str(abs(int(rough))).rstrip("0")) if rough else 0
        step = max(step, zeros) if zeros >= _ROUND else 0
    return abs(exact - rough) * 2 <= Decimal(10) ** step and _finer(exact, step)


def _finer(number: Decimal, step: int) -> bool:
    """Return whether a number is written more finely than in steps of this power of ten."""
    return number % (Decimal(10) ** step) != 0


def _part(text: str, words: Sequence[Word], place: int) -> Part:
    word = words[place]
    if word.kind in _DATED:
        return (
            _range(text, words, place)
            or _cjk_date(text, words, place)
            or _date(text, words, place)
            or _figure(text, words, place)
        )
    if word.kind is Kind.NAME:
        last = place + 1
        while (
            last < len(words)
            and words[last].kind is Kind.NAME
            and _between(text, words, last) in {" ", "-", ". ", "\u30fb", ""}
        ):
            last += 1
        terms = tuple(w.term for w in words[place:last])
        return _made(ValueKind.NAME, words, place, last, terms)
    if _is_unit(text, words, place) and place + 1 < len(words):  # "€ 890"
        behind = words[place + 1]
        if behind.kind in _DATED and _between(text, words, place + 1).strip() == "":
            part = _figure(text, words, place + 1, sign=unit_of(text[word.start : word.end]))
            if part.value is not None:
                return _made(
                    part.value.kind, words, place, part.last, part.value.said,
                    part.value.unit, _bounds(words, place),
                )  # fmt: skip
    return Part(place, place + 1, None)


def _range(text: str, words: Sequence[Word], place: int) -> Part | None:
    """Return numbers joined by strokes: a date in figures, or from one to the other."""
    iso = _ISO.match(text, words[place].start)
    last = place + 1
    while (
        last < len(words)
        and words[last].kind in _DATED
        and _JOINED.fullmatch(_between(text, words, last))
    ):
        last += 1
    if last == place + 1:
        return None
    if iso and iso.end() == words[last - 1].end:
        said = Date(int(iso[1]), int(iso[2]), int(iso[3]))
        return _made(ValueKind.DATE, words, place, last, said, "", _bounds(words, place))
    terms = tuple(word.term for word in words[place:last])
    return _made(ValueKind.OTHER, words, place, last, terms)


def _cjk_date(text: str, words: Sequence[Word], place: int) -> Part | None:
    """Return "1998年3月4日" as a date."""
    found: dict[str, int] = {}
    at = place
    while at + 1 < len(words) and words[at].term.isdecimal():
        name = _CJK_DATE.get(text[words[at + 1].start : words[at + 1].end])
        if name is None or name in found:
            break
        found[name] = int(words[at].term)
        at += 2
    if not found or ("year" not in found and "month" not in found):
        return None
    return _made(ValueKind.DATE, words, place, at, Date(**found), "", frozenset())


def _date(text: str, words: Sequence[Word], place: int) -> Part | None:
    """Return a year, a month, a day, or a weekday alone; None: the number is no date."""
    last = place
    taken: list[Word] = []
    kinds: set[Kind] = set()
    while last < len(words):
        word = words[last]
        linked = word.term in _LINKS and last + 1 < len(words) and taken
        if linked and words[last + 1].kind in _DATED:
            last += 1
            continue
        if word.kind not in _DATED or (word.kind in kinds and word.kind is not Kind.NUMBER):
            break
        if taken and _between(text, words, last).strip(" ,.") != "":
            break
        if word.kind in {Kind.NUMBER, Kind.ORDINAL} and (
            {Kind.NUMBER, Kind.ORDINAL} & kinds or _day(word) == 0
        ):
            break
        taken.append(word)
        kinds.add(word.kind)
        last += 1
    if Kind.MONTH in kinds:
        return _made(
            ValueKind.DATE, words, place, last, _date_of(text, taken), "", _bounds(words, place)
        )
    first = words[place]
    if first.kind is Kind.WEEKDAY:
        return _made(ValueKind.WEEKDAY, words, place, place + 1, (first.term,))
    if first.kind is Kind.YEAR and not _counts(text, words, place):
        if place and _folded(text, words[place - 1]) in _ARTICLES:
            return _made(ValueKind.OTHER, words, place, place + 1, (first.term,))
        said = Date(int(first.term))
        return _made(ValueKind.DATE, words, place, place + 1, said, "", _bounds(words, place))
    return None


def _date_of(text: str, taken: Sequence[Word]) -> Date:
    year = month = day = 0
    for word in taken:
        if word.kind is Kind.YEAR:
            year = int(word.term)
        elif word.kind is Kind.MONTH:
            month = MONTHS[fold_text(text[word.start : word.end])]
        elif word.kind in {Kind.NUMBER, Kind.ORDINAL}:
            day = _day(word)
    return Date(year, month, day)


def _day(word: Word) -> int:
    digits = re.match(r"\d+", word.term)
    number = int(digits[0]) if digits and word.term.isalnum() else 0
    return number if number <= _LAST_DAY else 0


def _counts(text: str, words: Sequence[Word], place: int) -> bool:
    """Return whether what looks like a year has a unit: "2000 euros"."""
    behind = place + 1
    return _is_unit(text, words, behind) and _between(text, words, behind).strip() == ""


def _figure(text: str, words: Sequence[Word], place: int, *, sign: str = "") -> Part:
    word = words[place]
    last = place + 1
    is_label = text[max(0, word.start - 1) : word.start] in {"#", "\u2116"}
    number = None if word.kind is Kind.ORDINAL or is_label else _number(text, word)
    if number is None:
        return _made(ValueKind.OTHER, words, place, last, (word.term,))
    if last < len(words) and (times := _MAGNITUDES.get(_folded(text, words[last]))):
        number, last = number * times, last + 1
    if half := _HALF_DAY.match(text, word.end):
        behind = [w for w in words[place + 1 :] if w.start < half.end()]
        unit = f"{half[1].lower()}m"
        return _made(
            ValueKind.FIGURE, words, place, place + 1 + len(behind), number, unit,
            _bounds(words, place),
        )  # fmt: skip
    unit = sign
    if _is_unit(text, words, last) and _between(text, words, last).strip() in {"", "-"}:
        unit = unit_of(text[words[last].start : words[last].end])
        last += 1
    return _made(ValueKind.FIGURE, words, place, last, number, unit, _bounds(words, place))


def _number(text: str, word: Word) -> Decimal | None:
    """Return the number that a word is, spelt out or in figures; None: 10:30, 1/2, 1.340."""
    written = text[word.start : word.end]
    if not written[:1].isdecimal():
        return Decimal(word.term) if word.term.isdecimal() else None
    figure = figure_of(written)
    return figure.value if figure is not None and figure.either != "." else None


def _is_unit(text: str, words: Sequence[Word], place: int) -> bool:
    if place == len(words):
        return False
    return bool(measured_by(unit_of(text[words[place].start : words[place].end])))


def _bounds(words: Sequence[Word], place: int) -> frozenset[str]:
    before = {word.term for word in words[max(0, place - _LOOK_BACK) : place]}
    return frozenset(before & (_LOOSE | _BOUNDS))


def _folded(text: str, word: Word) -> str:
    return fold_text(text[word.start : word.end])


def _between(text: str, words: Sequence[Word], place: int) -> str:
    return text[words[place - 1].end : words[place].start]


def _made(  # noqa: PLR0913 - what a value is made of
    kind: ValueKind,
    words: Sequence[Word],
    first: int,
    last: int,
    said: Decimal | Date | tuple[str, ...],
    unit: str = "",
    bounds: frozenset[str] = frozenset(),
) -> Part:
    value = Value(kind, words[first].start, words[last - 1].end, said, unit, bounds)
    return Part(first, last, value)
