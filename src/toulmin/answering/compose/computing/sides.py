# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""What passages say of a thing by name: its row or column of a table, its bullet, its section.

Of each attribute there is one value; where passages give two, the thing is not to be compared.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.resources import files
from typing import Any

from toulmin.answering.compose.computing.tables import tables_of
from toulmin.answering.compose.computing.words import stems, unit_in
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.answering.passages import Passage
from toulmin.text.figures import figure_of
from toulmin.text.units import measured_by, unit_of

_LABEL = re.compile(r"(?P<label>[^:：]{1,60}?)\s*[:：]\s+(?P<value>\S.*)")
_RATE = re.compile(r"(?P<much>.+?)\s*(?:\bper\b|\bann?\b|\ba\b|\beach\b|/)\s*(?P<rate>[a-z]+)")
_PARTS = re.compile(r",\s+|;\s*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure with its unit, and with what it is for each of ("month")."""

    value: Decimal
    unit: str
    rate: str


@dataclass(frozen=True, slots=True)
class Value:
    """What is said of one attribute of a thing.

    Attributes:
        name: The attribute as it is written; empty: what is said has none.
        text: What is said.
        passage: Place of the passage that says it.
    """

    name: str
    text: str
    passage: int

    def quantity(self) -> Quantity | None:
        """Return what is said as a figure; None: it is none, or may be two."""
        return _quantity(self.text, unit_in(self.name))

    def part_of(self, measures: Sequence[str]) -> Value | None:
        """Return the one part of what is said that is of a measure ("10 euros" of more)."""
        parts = [
            part
            for part in _PARTS.split(self.text)
            if (found := _quantity(part, "")) and measured_by(found.unit) in measures
        ]
        return Value(self.name, parts[0], self.passage) if len(parts) == 1 else None


@dataclass(slots=True)
class Side:
    """A thing that is compared.

    Attributes:
        name: As the passages write it.
        values: By the stems of the attribute's name, and of headings between the thing and it, in
            their order.
        clear: Whether each attribute has one value.
        all: All that is said of it, in order.
    """

    name: str = ""
    values: dict[frozenset[str], Value] = field(default_factory=dict)
    clear: bool = True
    all: list[Value] = field(default_factory=list)

    def add(self, name: str, value: Value, below: frozenset[str] = frozenset()) -> None:
        """Take what is said of it, below headings of its own with these stems."""
        if not value.text.strip(" –-"):
            return
        self.name = self.name or name
        self.all.append(value)
        known = self.values.setdefault(stems(value.name) | below, value)
        self.clear = self.clear and stems(known.text) == stems(value.text)


@functools.cache
def comparing() -> Mapping[str, Any]:
    """Return the words and patterns of comparing."""
    text = files("toulmin.answering.compose").joinpath("data/comparing.toml").read_text("utf-8")
    return tomllib.loads(text)


def name_stems(name: str) -> frozenset[str]:
    """Return the stems of a name, without an article before it."""
    first, _, rest = name.strip().partition(" ")
    return stems(rest if rest and first.casefold() in comparing()["articles"].split() else name)


def side_of(name: str, passages: Sequence[Passage], pieces: Sequence[Piece]) -> Side:
    """Return what passages say of a thing; without values: nothing.

    Args:
        name: The thing, as the question names it.
        passages: What was found.
        pieces: Their pieces.
    """
    own = name_stems(name)
    side = Side()
    for table in tables_of(passages, pieces, ["en"] * len(passages)):
        for row in table.rows:
            if _is_named(row.cells[0], own, table.names[0], *table.under):
                for column, value in zip(table.names[1:], row.cells[1:], strict=True):
                    side.add(row.cells[0], Value(column, value, row.passage))
            for column, value in zip(table.names[1:], row.cells[1:], strict=True):
                if _is_named(column, own, *table.under):
                    side.add(column, Value(row.cells[0], value, row.passage))
    for piece in pieces:
        if piece.kind in {PieceKind.LINE, PieceKind.ITEM, PieceKind.SENTENCE}:
            _add_labelled(piece, own, side)
    return side


def _add_labelled(piece: Piece, own: frozenset[str], side: Side) -> None:
    found = _LABEL.fullmatch(piece.text)
    if found is None:
        return
    label, text = found["label"], found["value"].rstrip(".")
    if _is_named(label, own, *piece.under):
        side.add(label, Value("", text, piece.passage))
        return
    below = frozenset[str]()
    for place in range(len(piece.under) - 1, -1, -1):
        line = piece.under[place]
        if _is_named(line, own, *piece.under[:place]):
            side.add(line, Value(label, text, piece.passage), below)
            return
        below |= stems(line)


def _is_named(text: str, own: frozenset[str], *around: str) -> bool:
    """Return whether a few words name the thing, perhaps with what stands around them."""
    held = stems(text)
    near = frozenset[str]().union(*(stems(line) for line in around))
    return bool(held & own) and held <= own and own - held <= near


def _quantity(text: str, unit: str) -> Quantity | None:
    plain = text.strip().rstrip(".")
    rated = _RATE.fullmatch(plain)
    figure = figure_of(rated["much"] if rated else plain)
    if figure is None or figure.either == ".":
        return None
    if unit and figure.unit and unit_of(unit) != unit_of(figure.unit):
        return None
    return Quantity(figure.value, unit_of(figure.unit or unit), rated["rate"] if rated else "")
