"""Which of two is cheaper, and how they differ: both said side by side, each with its place.

In words they are compared only by figures of the same unit, of one attribute that both have.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from toulmin.answering.compose.computing.sides import (
    Quantity,
    Side,
    Value,
    comparing,
    name_stems,
    side_of,
)
from toulmin.answering.compose.computing.words import measures, stems
from toulmin.answering.compose.sentences import Piece
from toulmin.answering.passages import Passage
from toulmin.text.units import measured_by

MOST_SAID = 12
"""Attributes of two things that are said side by side."""
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


@dataclass(frozen=True, slots=True)
class AskedComparison:
    """What is to be compared.

    Attributes:
        first: One thing, as the question names it.
        second: The other.
        measures: What is measured; empty: it is named, or all.
        named: Stems of the attribute's name; empty: it is measured, or all.
        says: What is said of the one that is asked for, before by how much; empty: all differences
            are.
        least: Whether that is the one with less.
    """

    first: str
    second: str
    measures: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    says: str = ""
    least: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """A sentence, and places of the passages that it is from."""

    text: str
    passages: tuple[int, ...]


def asked_comparison(query: str) -> AskedComparison | None:
    """Return what an English question compares; None: nothing, or more than two things."""
    plain = " ".join(query.split()).rstrip("?!. ")
    for kind, pattern in _patterns():
        found = pattern.fullmatch(plain)
        if found is None:
            continue
        first, second = _names(found["a"], found["b"])
        if not name_stems(first) or name_stems(first) == name_stems(second):
            return None
        if kind == "difference":
            return AskedComparison(first, second)
        if kind == "has":
            how = found["how"].casefold().split()
            least = how[-1] in comparing()["fewer"].split()
            says = f"has {' '.join(how)} {found['what'].casefold()}"
            return AskedComparison(first, second, (), stems(found["what"]), says, least)
        says = " ".join(found["said"].casefold().split())
        says = says if kind == "which" else f"is {says}"
        says = says.replace("are ", "is ", 1)
        least = says in comparing()["less"]
        measured = comparing()["less" if least else "more"][says]
        return AskedComparison(first, second, tuple(measured.split()), frozenset(), says, least)
    return None


def compared(
    asked: AskedComparison, passages: Sequence[Passage], pieces: Sequence[Piece]
) -> tuple[Compared, ...]:
    """Return two things side by side, and in words where that can be said; empty: it cannot.

    Args:
        asked: What is asked.
        passages: What was found.
        pieces: Their pieces.
    """
    sides = [side_of(name, passages, pieces) for name in (asked.first, asked.second)]
    one, other = sides
    both = [key for key in one.values if key in other.values]
    if not (one.clear and other.clear and both):
        return ()
    if not asked.says:
        names = [stems(one.values[key].name) for key in both]
        if len(set(names)) < len(names):
            return ()  # the same word for two things
        if 2 * len(both) < min(len(one.values), len(other.values)):
            return ()  # they have a word or two in common, and are of different kinds
        return (*_side_by_side(sides, both), *_differences(sides, both[:MOST_SAID]))
    meant = [key for key in both if _is_meant([side.values[key] for side in sides], asked)]
    if len(meant) != 1:
        return ()
    return (*_side_by_side(sides, meant), *_verdict(asked, sides, meant[0]))


def _is_meant(values: Sequence[Value], asked: AskedComparison) -> bool:
    """Return whether an attribute is the one that is asked about."""
    key = stems(values[0].name)
    if asked.named:
        return key == asked.named
    names = frozenset[str]().union(*(measures()[measure] for measure in asked.measures))
    if not key:
        return all(value.part_of(asked.measures) for value in values)
    if key & names:
        return key - names <= stems(comparing()["beside"])
    found = [value.quantity() for value in values]
    return not key - stems(comparing()["beside"]) and all(
        q is not None and measured_by(q.unit) in asked.measures for q in found
    )


def _side_by_side(sides: Sequence[Side], keys: Sequence[frozenset[str]]) -> list[Compared]:
    said = []
    for side in sides:
        values = [side.values[key] for key in keys]
        mark = "; " if any(", " in value.text for value in values) else ", "
        pairs = [f"{v.name.rstrip(':')}: {v.text}" for v in values[:MOST_SAID] if v.name]
        pairs += [f"and {len(values) - MOST_SAID} more"] if len(values) > MOST_SAID else []
        text = f"{side.name} – {mark.join(pairs)}" if pairs else f"{side.name}: {values[0].text}"  # noqa: RUF001
        places = tuple(dict.fromkeys(value.passage for value in values))
        said.append(Compared(f"{text.rstrip('.')}.", places))
    return said


def _verdict(asked: AskedComparison, sides: Sequence[Side], key: frozenset[str]) -> list[Compared]:
    values = [side.values[key] for side in sides]
    if not values[0].name:
        parts = [value.part_of(asked.measures) for value in values]
        values = [part for part in parts if part is not None]
    found = _comparable(values)
    if found is None or stems(values[0].name) & stems(comparing()["inverse"]):
        return []
    places = tuple(dict.fromkeys(value.passage for value in values))
    first, second = found
    if first.value == second.value:
        verb = "have" if asked.says.startswith("has ") else "are at"
        return [Compared(f"Neither {asked.says}: both {verb} {values[0].text}.", places)]
    is_first = (first.value < second.value) == asked.least
    by = _written(abs(first.value - second.value), values[0 if is_first else 1].text)
    name = sides[0 if is_first else 1].name
    return [Compared(f"{name} {asked.says}, by {by}.", places)]


def _differences(sides: Sequence[Side], keys: Sequence[frozenset[str]]) -> list[Compared]:
    """Return one sentence that says by how much figures differ, and what is the same."""
    differ: list[str] = []
    same: list[str] = []
    places: dict[int, None] = {}
    for key in keys:
        values = [side.values[key] for side in sides]
        name = _in_sentence(values[0].name)
        found = _comparable(values)
        if not name or (found is None and stems(values[0].text) != stems(values[1].text)):
            continue
        places |= dict.fromkeys(value.passage for value in values)
        if found is None or found[0].value == found[1].value:
            same.append(name)
            continue
        by = _written(abs(found[0].value - found[1].value), values[0].text)
        differ.append(f"{name} by {by}" if differ else f"{name} differs by {by}")
    parts = [", ".join(differ)] if differ else []
    if same:
        verb = "is" if len(same) == 1 else "are"
        listed = " and ".join(filter(None, (", ".join(same[:-1]), same[-1])))
        parts.append(f"{listed} {verb} the same")
    if not parts:
        return []
    text = "; ".join(parts)
    return [Compared(f"{text[0].upper()}{text[1:]}.", tuple(places))]


def _comparable(values: Sequence[Value]) -> tuple[Quantity, Quantity] | None:
    """Return two figures of the same unit; None: they are not."""
    first, second = (value.quantity() for value in values)
    if first is None or second is None:
        return None
    return (first, second) if (first.unit, first.rate) == (second.unit, second.rate) else None


def _written(value: Decimal, sample: str) -> str:
    """Return a figure as another one is written: its unit where that has it."""
    decimals = max(0, -int(value.as_tuple().exponent)) if value % 1 else 0
    return _NUMBER.sub(f"{value:,.{decimals}f}", sample.strip().rstrip("."), count=1)


def _in_sentence(name: str) -> str:
    plain = re.sub(r"\s*\([^()]*\)\s*$|:$", "", name)
    return plain if plain[:2].isupper() else plain[:1].lower() + plain[1:]


def _names(first: str, second: str) -> tuple[str, str]:
    """Return both names in full: "the Kestrel 300 or 500" names the Kestrel 500."""
    if len(second.split()) == 1 and second[:1].isdigit() and " " in first:
        return first, f"{first.rpartition(' ')[0]} {second}"
    return first, second


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    data = comparing()
    known = sorted((*data["more"], *data["less"]), key=len, reverse=True)
    said = "|".join(known).replace("is ", "(?:is|are) ")
    bare = "|".join(phrase.removeprefix("is ") for phrase in known if phrase.startswith("is "))
    listed = [
        ("which", data["which"].replace("{said}", said)),
        ("is", data["is"].replace("{bare}", bare)),
        ("has", data["has"]),
        *(("difference", pattern) for pattern in data["difference"]),
    ]
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in listed)
