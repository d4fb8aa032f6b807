# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""The dates of a text: days, months and years, single or from one to another.

What is written so that it may be two dates (05/06/2021), lacks its year (3 March) or is no date of
the calendar (31 June) is found, and is not read. In English, Spanish, Italian, French, German and
Japanese.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from toulmin.text.words import fold_text

_NAMES = (
    "january jan januar janvier enero ene gennaio",
    "february feb februar fevrier febrero febbraio",
    "march mar marz mars marzo",
    "april apr avril abril abr aprile",
    "may mai mayo maggio",
    "june jun juni juin junio giugno",
    "july jul juli juillet julio luglio",
    "august aug aout agosto ago",
    "september sep sept septembre septiembre settembre",
    "october oct oktober octobre octubre ottobre",
    "november nov novembre noviembre",
    "december dec dezember decembre diciembre dic dicembre",
)
_NUMBERS = {name: at for at, names in enumerate(_NAMES, 1) for name in names.split()}
_MONTH = "(?:" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|o(?= )|[.°])?"
_OF = r"(?: of| de| di)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_TO = r"\s*(?:[-–—~〜～]|to|until|till|through|bis|al?|hasta(?: el)?|fino al?|au|から)\s*"
_TOKEN = re.compile(
    rf"(?P<iso>(?<!\d)\d{{4}}-\d\d-\d\d(?!\d))"
    rf"|(?P<ja>(?<!\d)\d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?|(?<!\d)\d{{1,2}}月(?:\d{{1,2}}日)?)"
    rf"|(?P<either>(?<!\d)\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}(?!\d))"
    rf"|(?P<mddy>\b{_MONTH} {_DAY}{_TO}{_DAY},? {_YEAR}\b)"
    rf"|(?P<ddmy>(?<!\d){_DAY}{_TO}{_DAY}{_OF} {_MONTH},?(?: de| del)? {_YEAR}\b)"
    rf"|(?P<dmy>(?<!\d){_DAY}{_OF} {_MONTH},?(?: de| del)? {_YEAR}\b)"
    rf"|(?P<mdy>\b{_MONTH} {_DAY},? {_YEAR}\b)"
    rf"|(?P<my>\b{_MONTH},?(?: of| de| del)? {_YEAR}\b)"
    rf"|(?P<dm>(?<!\d){_DAY}{_OF} {_MONTH})"
    rf"|(?P<md>\b{_MONTH} {_DAY}(?!\d))"
    rf"|(?P<vague>\b(?:q[1-4]|h[12]|fy)[ /-]?{_YEAR}\b)"
    rf"|(?P<y>(?<![\w.,/]){_YEAR}(?![\w/])(?![.,–-]\d(?!\d{{3}}\b)))"
)
_LINK = re.compile(_TO)
_AND = re.compile(r"\s*(?:and|y|e|und|et)(?: el| il)?\s*")
_BETWEEN = re.compile(r"\b(?:between|entre|tra|fra|zwischen)(?: the| el| il)?\s*$")
_PART_OF = re.compile(
    r"\b(?:end|beginning|start|middle|half|inizio|fine|meta|inizi|fin|finales|principios)"
    r"(?: of| de| di| del)?(?: the)?\s*$"
)
_NOT_AFTER = re.compile(r"\b(?:by|entro|a mas tardar)(?: the| el| il)?\s*$")
_MONTH_BEFORE = re.compile(rf"\b(?P<m>{_MONTH}){_TO}$")
_DIGITS = re.compile(r"\d+")
_DAYS_LATER = re.compile("上旬|中旬|下旬|頃|ごろ")


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A day, a month (`day` 0) or a year (`month` 0, too)."""

    year: int
    month: int = 0
    day: int = 0

    @property
    def parts(self) -> int:
        """How exact it is: 3 a day, 2 a month, 1 a year."""
        return 1 + bool(self.month) + bool(self.day)

    @property
    def as_date(self) -> date:
        """The day that it is."""
        return date(self.year, self.month, self.day)


@dataclass(frozen=True, slots=True)
class Dated:
    """A date in a text, or a stretch of time from one to another.

    Attributes:
        start: Its first character.
        end: One past its last.
        first: The date; None: it cannot be read.
        last: Of a stretch, its other end; None: it is no stretch.
    """

    start: int
    end: int
    first: Moment | None
    last: Moment | None = None


def moments_of(text: str) -> list[Dated]:
    """Return the dates of a text in order; the ends of a stretch of time are one."""
    folded = fold_text(text)
    if len(folded) != len(text):  # characters that count for nothing: places would be others
        return [Dated(0, len(text), None)] if _TOKEN.search(folded) else []
    found: list[_Token] = []
    for token in _tokens(folded):
        before = found[-1] if found else None
        if before is not None and before.last is None and _are_linked(folded, before, token):
            found[-1] = before.until(token)
        else:
            found.append(token)
    return [_dated(token) for token in found]


@dataclass(frozen=True, slots=True)
class _Token:
    """A date as it is written: what it lacks is 0. `bad`: it is not to be read."""

    start: int
    end: int
    first: Moment
    last: Moment | None = None
    bad: bool = False

    def until(self, other: _Token) -> _Token:
        """Return the stretch up to another date, each with the year that the other one has."""
        first, last = self.first, other.first
        if not first.year and last.year:
            first = replace(first, year=last.year)
        elif not last.year and first.year:
            last = replace(last, year=first.year)
        bad = self.bad or other.bad or other.last is not None or not first < last
        return _Token(self.start, other.end, first, last, bad or first.parts != last.parts)


def _tokens(folded: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(folded):
        token = _read(match)
        before = folded[: match.start()]
        if match.lastgroup == "my" and (month := _MONTH_BEFORE.search(before)):
            first = Moment(token.first.year, _number(month["m"]))  # March to June 2021
            bad = not first < token.first
            yield replace(token, start=month.start(), first=first, last=token.first, bad=bad)
            continue
        vague = match.lastgroup in {"my", "y", "ja"} and (
            _PART_OF.search(before) or _DAYS_LATER.match(folded, match.end())
        )
        vague = vague or _NOT_AFTER.search(before)
        yield replace(token, bad=True) if vague else token


def _read(match: re.Match[str]) -> _Token:
    kind, text = match.lastgroup or "", match[0]
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    name = re.search(_MONTH, text)
    month = _number(name[0]) if name else 0
    last: Moment | None = None
    bad = kind == "vague"
    if kind in {"iso", "ja"}:
        first = Moment(*numbers) if kind == "iso" or "年" in text else Moment(0, *numbers)
    elif kind == "either":
        first, bad = _either(numbers)
    elif kind in {"mddy", "ddmy"}:
        first, last = (Moment(numbers[2], month, day) for day in numbers[:2])
        bad = not first < last
    elif kind in {"dmy", "mdy"}:
        first = Moment(numbers[1], month, numbers[0])
    elif kind in {"dm", "md"}:
        first = Moment(0, month, numbers[0])
    else:
        first = Moment(numbers[-1], month)
    return _Token(match.start(), match.end(), first, last, bad)


def _either(numbers: list[int]) -> tuple[Moment, bool]:
    """Return a date in figures, and whether it may be another: the month may stand first."""
    one, two, year = numbers
    full = year >= 1000
    if one > 12 >= two:
        return Moment(year, two, one), not full
    if two > 12 >= one:
        return Moment(year, one, two), not full
    return Moment(year, one, two), not (full and one == two)


def _are_linked(folded: str, one: _Token, other: _Token) -> bool:
    between = folded[one.end : other.start]
    if _LINK.fullmatch(between):
        return True
    return bool(_AND.fullmatch(between) and _BETWEEN.search(folded[: one.start]))


def _dated(token: _Token) -> Dated:
    ends = [token.first] + ([token.last] if token.last else [])
    if token.bad or not all(map(_exists, ends)):
        return Dated(token.start, token.end, None)
    return Dated(token.start, token.end, token.first, token.last)


def _exists(moment: Moment) -> bool:
    if not moment.year or not moment.month <= 12:
        return False
    if not moment.day:
        return True
    return moment.day <= calendar.monthrange(moment.year, moment.month)[1]


def _number(name: str) -> int:
    return _NUMBERS[name.rstrip(".")]
