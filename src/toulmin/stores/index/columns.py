"""One field of a segment: its values of one kind, and which rows have them.

A column is a list of entries (row, value). Strings are numbered in order; their letters lie one
after the other in one array. Where every row has exactly one value the rows need not be written.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.predicate import (
    AnyOf,
    Condition,
    During,
    Fields,
    FieldValue,
    InRange,
    Is,
    microseconds,
    moment,
)

ColumnKind = Literal["string", "number", "time", "boolean"]
KINDS: tuple[ColumnKind, ...] = ("number", "time", "boolean", "string")  # in order
_TYPES: dict[ColumnKind, str] = {
    "string": "<u4",
    "number": "<f8",
    "time": "<i8",
    "boolean": "u1",
}


class Strings(Sequence[str]):
    """Strings in order of their code points, in two arrays; decoded when asked for."""

    def __init__(self, letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.letters = letters
        self.ends = ends

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        """Return the strings given, which must be in order."""
        encoded = [value.encode("utf-8", "surrogatepass") for value in values]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        letters = self.letters[self.ends[index] : self.ends[index + 1]]
        return letters.tobytes().decode("utf-8", "surrogatepass")

    def place(self, value: str) -> int | None:
        """Return the number of `value`, None if it is not there."""
        at = bisect.bisect_left(self, value)
        return at if at < len(self) and self[at] == value else None


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values of one kind in one field.

    Attributes:
        field: Name of the field.
        kind: What its values are.
        rows: Row of each entry, growing; None: entry i belongs to row i.
        values: Value of each entry; of strings their numbers in `strings`.
        strings: The strings; of other kinds None.
    """

    field: str
    kind: ColumnKind
    rows: NDArray[np.uint32] | None
    values: NDArray[Any]
    strings: Strings | None = None

    def mask(self, condition: Condition, rows: int) -> NDArray[np.bool_]:
        """Return for each of `rows` rows whether one of its values fulfils `condition`."""
        chosen = self._chosen(condition)
        if self.rows is None:
            return chosen
        mask = np.zeros(rows, dtype=np.bool_)
        mask[self.rows[chosen]] = True
        return mask

    def values_of(self, row: int) -> list[FieldValue]:
        """Return the values of one row, numbers as floats and times in UTC."""
        first, last = row, row + 1
        if self.rows is not None:
            first, last = np.searchsorted(self.rows, [row, row + 1]).tolist()
        return [self._value(raw) for raw in self.values[first:last].tolist()]

    def _value(self, raw: float) -> FieldValue:
        match self.kind:
            case "string":
                assert self.strings is not None  # noqa: S101 - a column of strings
                return self.strings[int(raw)]
            case "time":
                return moment(int(raw))
            case "boolean":
                return bool(raw)
            case "number":
                return raw

    def _chosen(self, condition: Condition) -> NDArray[np.bool_]:
        values = self.values
        match condition:
            case AnyOf(_, wanted):
                assert self.strings is not None  # noqa: S101 - a column of strings
                places = [self.strings.place(value) for value in wanted]
                return _equal_to_any(values, [place for place in places if place is not None])
            case Is(_, value):
                return _truth(values == value)
            case During(_, start, end):
                chosen = np.ones(len(values), dtype=np.bool_)
                if start is not None:
                    chosen &= values >= start
                if end is not None:
                    chosen &= values < end
                return chosen
            case InRange(_, low, high, low_included, high_included):
                above = values >= low if low_included else values > low
                below = values <= high if high_included else values < high
                return _truth(above & below)


def kind_asked(condition: Condition) -> ColumnKind:
    """Return which kind of values a condition is about."""
    match condition:
        case AnyOf():
            return "string"
        case InRange():
            return "number"
        case During():
            return "time"
        case Is():
            return "boolean"


def columns_of(rows: Sequence[Fields]) -> list[Column]:
    """Return the columns of rows with these fields, by name and kind."""
    entries: dict[tuple[str, ColumnKind], tuple[list[int], list[Any]]] = {}
    for row, fields in enumerate(rows):
        for name, values in fields.items():
            for value in values:
                kind, kept = _kept(value)
                at, these = entries.setdefault((name, kind), ([], []))
                at.append(row)
                these.append(kept)
    return [
        _column(name, kind, np.array(at, dtype=np.uint32), these, len(rows))
        for (name, kind), (at, these) in sorted(entries.items())
    ]


def joined(
    parts: Sequence[tuple[Mapping[tuple[str, ColumnKind], Column], NDArray[np.bool_]]],
) -> list[Column]:
    """Return the columns of several segments' rows, one after the other, without the dead ones.

    Args:
        parts: For each segment its columns and, for each row, whether it is kept.
    """
    total = sum(int(kept.sum()) for _, kept in parts)
    joint: list[Column] = []
    for name, kind in sorted({key for columns, _ in parts for key in columns}):
        rows: list[NDArray[np.uint32]] = []
        values: list[Any] = []
        before = 0
        for columns, kept in parts:
            column = columns.get((name, kind))
            if column is not None:
                at, these = _surviving(column, kept)
                rows.append((at + before).astype(np.uint32))
                values.append(these)
            before += int(kept.sum())
        every_row = np.concatenate(rows)
        if kind == "string":
            flat: Any = [value for part in values for value in part]
        else:
            flat = np.concatenate(values)
        if len(every_row):
            joint.append(_column(name, kind, every_row, flat, total))
    return joint


def _surviving(column: Column, kept: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Any]:
    """Return the new rows of a column's entries whose rows are kept, and their values."""
    rows = np.arange(len(column.values)) if column.rows is None else column.rows
    alive = kept[rows]
    renumbered = np.cumsum(kept) - 1
    values = column.values[alive]
    if column.strings is not None:
        return renumbered[rows[alive]], _decoded(column.strings, values)
    return renumbered[rows[alive]], values


def _decoded(strings: Strings, numbers: NDArray[Any]) -> list[str]:
    used, where = np.unique(numbers, return_inverse=True)
    texts = [strings[int(number)] for number in used]
    return [texts[at] for at in where.tolist()]


def _column(
    field: str, kind: ColumnKind, rows: NDArray[np.uint32], values: Any, total: int
) -> Column:
    strings = None
    if kind == "string":
        distinct = sorted(set(values))
        number = {value: at for at, value in enumerate(distinct)}
        strings = Strings.of(distinct)
        values = [number[value] for value in values]
    one_each = len(rows) == total and bool((np.arange(total) == rows).all())
    return Column(
        field, kind, None if one_each else rows, np.array(values, dtype=_TYPES[kind]), strings
    )


def _kept(value: FieldValue) -> tuple[ColumnKind, str | float | int]:
    if isinstance(value, str):
        return "string", value
    if isinstance(value, bool):
        return "boolean", int(value)
    if isinstance(value, datetime):
        return "time", microseconds(value)
    return "number", float(value)


def _equal_to_any(values: NDArray[Any], wanted: list[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        return _truth(values == wanted[0])
    return _truth(np.isin(values, np.array(wanted, dtype=values.dtype)))


def _truth(values: Any) -> NDArray[np.bool_]:
    return np.asarray(values, dtype=np.bool_)
