"""A claim's quantities as a piece of evidence writes them: "1,800 grams" as "1.8 kg".

The encoder compares words better than it converts units. A quantity that is equal to one of the
evidence takes its form; one that is equal to none is put into the unit of all those that it can be
compared with ("5 kg" as "5,000 g"). Words that make it a bound stay. Only what is read changes:
`Rewritten` leads back to the claim's own characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from toulmin.grounding.quantities.reading import STROKES, Quantity, read_quantities
from toulmin.text.units import in_smaller, unit_of

_DECIMALS = 2
_ABBREVIATED = 3
"""Most letters of a unit that has no plural: kg, min, kWh."""
_LEAST, _MOST = Fraction(1, 2), 1_000_000
"""What is put into another unit is no odder number than this: no 0.048 kilometres."""
_AGE = ("-old", " old", " of age")


@dataclass(frozen=True, slots=True)
class Change:
    """A quantity that was written otherwise.

    Attributes:
        start: Its first character in the claim as it was.
        end: One past its last there.
        text: What is read instead.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A claim as it is read against one piece of evidence.

    Attributes:
        text: What is read.
        changes: What differs from the claim, in order.
    """

    text: str
    changes: tuple[Change, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the claim that a range of `text` stands for.

        What touches a changed quantity stands for all of it.
        """
        shift = 0  # of `text` against the claim, behind the changes so far
        first, last = start, end
        for change in self.changes:
            at = change.start + shift
            behind = at + len(change.text)
            if start >= behind:
                first = start - (behind - change.end)
            elif start >= at:
                first = change.start
            if end >= behind:
                last = end - (behind - change.end)
            elif end > at:
                last = change.end
            shift = behind - change.end
        return first, last


def as_written(claim: str, evidence: str) -> Rewritten:
    """Return the claim with its quantities as the evidence writes them."""
    said = read_quantities(claim)
    if not said:
        return Rewritten(claim)
    known = read_quantities(evidence)
    changes = tuple(_changes(claim, said, evidence, known)) if known else ()
    parts, at = [], 0
    for change in changes:
        parts += [claim[at : change.start], change.text]
        at = change.end
    return Rewritten("".join([*parts, claim[at:]]), changes)


def _changes(
    claim: str, said: Sequence[Quantity], evidence: str, known: Sequence[Quantity]
) -> Iterator[Change]:
    for mine in said:
        its = [other for other in known if other.dimension == mine.dimension]
        written = claim[mine.start : mine.end]
        equal = [other for other in its if (other.low, other.high) == (mine.low, mine.high)]
        if equal:
            joined = _is_adjective(claim, mine)
            forms = [_form(evidence, other, as_adjective=joined) for other in equal]
            text = written if written.lower() in map(str.lower, forms) else forms[0]
            if (
                text[:1].isupper() and text[1:2].islower() and not written[:1].isupper()
            ):  # "Twenty grams" began a sentence
                text = text.lower()
        else:
            stays = claim.startswith(_AGE, mine.end) or _has_number(claim, mine, evidence)
            text = (not stays and _converted(mine, its, evidence)) or written
            if text != written and _is_adjective(claim, mine):
                text = text.replace(" ", "-")
        if text != written:
            yield Change(mine.start, mine.end, text)


def _has_number(claim: str, quantity: Quantity, evidence: str) -> bool:
    """Return whether the number stands in the evidence: in a table its unit is in the head."""
    number = re.escape(claim[quantity.start : quantity.number_end].strip())
    return bool(number) and bool(re.search(rf"(?<![\w.,]){number}(?![.,]?\w)", evidence))


def _is_adjective(text: str, quantity: Quantity) -> bool:
    """Return whether a stroke joins number and unit: "a 90-minute film"."""
    return text[quantity.number_end : quantity.end][:1] in STROKES


def _form(evidence: str, quantity: Quantity, *, as_adjective: bool) -> str:
    """Return how the evidence writes a quantity, with or without the stroke of an adjective."""
    written = evidence[quantity.start : quantity.end]
    if _is_adjective(evidence, quantity) == as_adjective or quantity.number_end == quantity.end:
        return written
    number = evidence[quantity.start : quantity.number_end]
    unit = evidence[quantity.number_end : quantity.end].lstrip("".join(STROKES) + " ")
    return f"{number}-{unit.removesuffix('s')}" if as_adjective else f"{number} {_plural(unit)}"


def _converted(mine: Quantity, its: Sequence[Quantity], evidence: str) -> str:
    """Return a quantity in the one unit of those that it can be compared with; "": none is."""
    units = {other.unit for other in its}
    if len(units) != 1 or units == {mine.unit}:
        return ""
    other = its[0]
    unit = evidence[other.number_end : other.end]
    if not unit:
        return ""
    size, _ = in_smaller(other.unit)
    numbers = [_digits(value / size) for value in dict.fromkeys((mine.low, mine.high))]
    if not all(numbers):
        return ""
    if unit[0] in STROKES:
        unit = " " + unit[1:]
    return " to ".join(numbers) + (unit if numbers == ["1"] else _plural(unit))


def _digits(value: Fraction) -> str:
    """Return a number in digits, "" where that would be long or inexact."""
    scaled = value * 10**_DECIMALS
    if scaled.denominator > 1 or not _LEAST <= value < _MOST:
        return ""
    whole, rest = divmod(int(scaled), 10**_DECIMALS)
    decimals = f"{rest:0{_DECIMALS}}".rstrip("0")
    return f"{whole:,}.{decimals}" if decimals else f"{whole:,}"


def _plural(unit: str) -> str:
    name = unit.strip()
    plural = f"{name}s"
    if len(name) <= _ABBREVIATED or unit_of(plural) == plural or unit_of(plural) != unit_of(name):
        return unit
    return unit.replace(name, plural)
