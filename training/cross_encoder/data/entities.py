"""Find numbers, dates and names in text; write them in other ways; find others of their kind."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass

from data.vocabulary import (
    FIRST_NAMES,
    LAST_NAMES,
    MONTHS,
    NATIONS,
    NUMBERS,
    OPENERS,
    ORGANISATION_TAILS,
    PLACES,
    TENS,
)

_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH}) (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y1>\d{{4}})\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?P<m2>{_MONTH}),? (?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_MONTH}) (?P<y3>\d{{4}})\b"
)
_YEAR = re.compile(r"(?<![\d,.\-–/])(?:1[1-9]|20)\d\d(?![\d,]*\d|\.\d|[%–\-/])")
_NUMBER = re.compile(
    r"(?<![\w.,\-–/])[$£€]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w–\-/]|,\d|\.\d)"
    r"(?:%| percent| per cent| million| billion| thousand)?"
)
_NUMBER_WORD = re.compile(
    r"\b(?:" + "|".join([*NUMBERS[2:], *TENS.values()]) + r")\b(?!-)", re.IGNORECASE
)
_NAME = re.compile(
    r"\b[A-ZÀ-Þ][\w'’.&-]*(?:(?: (?:of|de|von|van|al|the|da|del|la))? [A-ZÀ-Þ][\w'’&-]*)*"
)


@dataclass(frozen=True)
class Entity:
    """A stretch of a text: text[start:end]; kind: date, year, number, place, nation, person, org,
    name1, name2, name3 (names of unknown kind, by number of words)."""

    text: str
    start: int
    end: int
    kind: str


def name_kind(name: str) -> str:
    parts = name.split()
    if name in PLACES:
        return "place"
    if name in NATIONS:
        return "nation"
    if parts[-1] in ORGANISATION_TAILS or parts[0] == "University":
        return "org"
    if parts[0] in FIRST_NAMES and 1 < len(parts) <= 3:
        return "person"
    return f"name{min(len(parts), 3)}"


def entities(text: str) -> list[Entity]:
    """All that were found, in order, without overlap (dates before years before numbers)."""
    found: list[Entity] = []

    def add(start: int, end: int, kind: str) -> None:
        if not any(start < e.end and end > e.start for e in found):
            found.append(Entity(text[start:end], start, end, kind))

    for kind, pattern in (
        ("date", _DATE),
        ("year", _YEAR),
        ("number", _NUMBER),
        ("number", _NUMBER_WORD),
    ):
        for match in pattern.finditer(text):
            add(match.start(), match.end(), kind)
    for match in _NAME.finditer(text):
        start, name = _trimmed_name(text, match)
        if name:
            add(start, start + len(name), name_kind(name))
    return sorted(found, key=lambda e: e.start)


def _trimmed_name(text: str, match: re.Match[str]) -> tuple[int, str]:
    """Where the name starts, and the name without opening words and "'s"; "" when it is none."""
    start, end = match.span()
    first = match.group().split()[0]
    if first in OPENERS or first in MONTHS:
        if " " not in match.group():
            return start, ""
        start += len(first) + 1
    name = text[start:end].rstrip(".'’&-").removesuffix("'s").removesuffix("’s")
    at_start = start == 0 or text[:start].rstrip()[-1:] in '.!?"“'
    if len(name) < 3 or (at_start and " " not in name and name not in PLACES):
        return start, ""
    return start, "" if name in MONTHS or name.islower() else name


class Pools:
    """Names met in the corpus, by kind: where replacements come from when the passage has none."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        self._lists: dict[str, list[str]] = {}

    def add(self, text: str) -> None:
        for entity in entities(text):
            if entity.kind not in ("date", "year", "number"):
                self._names[entity.kind].add(entity.text)

    def pick(self, kind: str, rng: random.Random) -> str:
        if kind == "place" and rng.random() < 0.7:
            return rng.choice(PLACES)
        if kind == "nation":
            return rng.choice(NATIONS)
        if kind == "person" and rng.random() < 0.7:
            return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        if kind not in self._lists:
            self._lists[kind] = sorted(self._names[kind]) or PLACES
        return rng.choice(self._lists[kind])


def same(a: str, b: str) -> bool:
    """Whether two names may mean the same thing (one within the other)."""
    x, y = a.lower().strip(), b.lower().strip()
    return x in y or y in x or bool(set(x.split()) & set(y.split()) - {"the", "of", "and"})


def other_value(entity: Entity, passage: str, pools: Pools, rng: random.Random) -> str | None:
    """A different value of the same kind, often one from the passage itself (harder)."""
    if rng.random() < 0.5:
        near = [
            e.text
            for e in entities(passage)
            if _kin(e.kind, entity.kind) and not same(e.text, entity.text)
        ]
        if near:
            return rng.choice(near)
    for _ in range(8):
        value = _invent(entity, pools, rng)
        if value and not same(value, entity.text) and value.lower() not in passage.lower():
            return value
    return None


def _kin(a: str, b: str) -> bool:
    return a == b or (a in ("person", "name2") and b in ("person", "name2"))


def _invent(entity: Entity, pools: Pools, rng: random.Random) -> str | None:
    if entity.kind == "year":
        return str(int(entity.text) + rng.choice([-1, 1]) * rng.choice([1, 1, 2, 3, 5, 10, 20, 50]))
    if entity.kind == "date":
        return _other_date(entity.text, rng)
    if entity.kind == "number":
        return _other_number(entity.text, rng)
    return pools.pick(entity.kind, rng)


def _other_date(text: str, rng: random.Random) -> str | None:
    match = _DATE.match(text)
    if match is None:
        return None
    year = match["y1"] or match["y2"] or match["y3"]
    month = match["m1"] or match["m2"] or match["m3"]
    day = match["d1"] or match["d2"]
    choice = rng.random()
    if choice < 0.4:
        return text.replace(year, str(int(year) + rng.choice([-10, -3, -2, -1, 1, 2, 3, 10])))
    if choice < 0.75 or not day:
        return text.replace(month, rng.choice([m for m in MONTHS if m != month]))
    return re.sub(
        rf"\b{day}\b", str(rng.choice([d for d in range(1, 29) if str(d) != day])), text, count=1
    )


_VALUE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def _other_number(text: str, rng: random.Random) -> str | None:
    low = text.lower()
    if low in NUMBERS:
        n = NUMBERS.index(low)
        word = rng.choice([w for w in NUMBERS[2:13] if NUMBERS.index(w) != n])
        return word.capitalize() if text[0].isupper() else word
    if low in TENS.values():
        return rng.choice([w for w in TENS.values() if w != low])
    match = _VALUE.search(text)
    if match is None:
        return None
    digits = match.group()
    value = float(digits.replace(",", ""))
    if value <= 12 and "." not in digits:
        new = rng.choice([n for n in range(1, 14) if n != value])
        return text.replace(digits, str(new))
    factor = rng.choice([0.1, 0.5, 0.7, 0.8, 1.25, 1.5, 2, 3, 10])
    decimals = len(digits.split(".")[1]) if "." in digits else 0
    new_value = round(value * factor + rng.choice([-1, 0, 1]), decimals)
    if decimals == 0 and value >= 100 and value % 10 == 0:
        new_value = round(new_value, -1)
    if new_value == value or new_value <= 0:
        return None
    form = f"{new_value:,.{decimals}f}" if "," in digits else f"{new_value:.{decimals}f}"
    return text.replace(digits, form)


def restate(entity: Entity, rng: random.Random) -> str | None:
    """The same date or number, written in another way (or less exactly, but still true)."""
    if entity.kind == "date":
        return _restate_date(entity.text, rng)
    if entity.kind == "number":
        return _restate_number(entity.text, rng)
    return None


def _restate_date(text: str, rng: random.Random) -> str | None:
    match = _DATE.match(text)
    if match is None:
        return None
    year = match["y1"] or match["y2"] or match["y3"]
    month = match["m1"] or match["m2"] or match["m3"]
    day = match["d1"] or match["d2"]
    forms = [f"{month} {year}", year]
    if day:
        number = str(MONTHS.index(month) + 1).zfill(2)
        forms += [
            f"{month} {day}, {year}",
            f"{day} {month} {year}",
            f"{year}-{number}-{day.zfill(2)}",
        ]
    forms = [f for f in forms if f != text]
    return rng.choice(forms)


def _restate_number(text: str, rng: random.Random) -> str | None:
    low = text.lower()
    if low in NUMBERS:
        return str(NUMBERS.index(low))
    if low in TENS.values():
        return next(str(n) for n, word in TENS.items() if word == low)
    match = _VALUE.search(text)
    if match is None:
        return None
    digits = match.group()
    value = float(digits.replace(",", ""))
    forms = _exact_forms(text, digits, value) + approximations(text, digits, value)
    forms = [f for f in forms if f != text]
    return rng.choice(forms) if forms else None


def _exact_forms(text: str, digits: str, value: float) -> list[str]:
    """Other ways of writing a number."""
    forms: list[str] = []
    if text.endswith("%"):
        forms += [f"{digits} percent", f"{digits} per cent"]
    elif text.endswith(("percent", "per cent")):
        forms += [f"{digits}%"] * 2
    elif text.endswith("million") and value < 1000:
        forms += [text.replace(f"{digits} million", f"{round(value * 1_000_000):,}")]
    elif "." not in digits:
        whole = int(value)
        if whole >= 1000:
            forms += [text.replace(digits, f"{whole:,}"), text.replace(digits, str(whole))]
        if whole < 20 and text == digits:
            forms += [NUMBERS[whole]]
        elif whole in TENS and text == digits:
            forms += [TENS[whole]]
    return forms


def approximations(text: str, digits: str, value: float) -> list[str]:
    """True but rounder ways of saying a number: "more than 1,500" for 1,512."""
    if value < 20 or "." in digits:
        return []
    step = 10 ** max(1, len(str(int(value))) - 2)
    below = int(value // step * step)
    near = int(round(value / step) * step)
    forms = [f"about {text}", f"around {text}"]
    if below < value and below:
        forms += [
            text.replace(digits, f"{w} {below:,}") if text[0].isdigit() else ""
            for w in ("more than", "over")
        ]
    if near != value and near and abs(near - value) / value < 0.05:
        forms += [
            text.replace(digits, f"{w} {near:,}") if text[0].isdigit() else ""
            for w in ("about", "approximately", "nearly" if near > value else "around")
        ]
    return [f for f in forms if f]
