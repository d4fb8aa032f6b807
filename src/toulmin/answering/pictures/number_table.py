"""A table in a passage, as ingestion renders it (`| a | b |`), read as labels and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.text.figures import figure_of, is_total
from toulmin.text.tables import is_table_rule

MOST_ROWS = 60
MOST_BARS = 20
"""Tables with more rows are left out: a part of them would mislead."""
MOST_SERIES = 4
_CELLS = re.compile(r"(?<!\\)\|")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_DATE = re.compile(r"(?:1[5-9]|20|21)\d\d(?:[-/.](?:\d{1,2}|Q[1-4])| ?Q[1-4]|[-/]\d{2,4})?")
_NO_VALUE = frozenset(["", "-", "–", "—", "n/a", "na", "n.a.", "?", "..", "…", "none"])  # noqa: RUF001
_LEAST_FILLED = 0.5
_MOST_APART = 20.0
"""Columns whose largest values are further apart than this are not drawn on one axis."""


@dataclass(frozen=True, slots=True)
class Series:
    """A column of numbers.

    Attributes:
        name: Its header.
        values: One for each label; None: missing.
        unit: What stands beside every number, such as "%"; empty: nothing.
    """

    name: str
    values: tuple[float | None, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """Labels with one or more columns of numbers.

    Attributes:
        label_name: Header of the labels; may be empty.
        labels: One for each row.
        series: At least one, at most 4, that fit one axis.
        in_time: Whether the labels are years or dates that grow.
    """

    label_name: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    in_time: bool


def number_tables(text: str, query: str = "") -> list[NumberTable]:
    """Return the tables of a text that hold numbers to draw, in order.

    Args:
        text: A passage.
        query: Columns that it names are taken rather than all.
    """
    found = (_read(rows, query) for rows in _blocks(text))
    return [table for table in found if table is not None]


def _blocks(text: str) -> Iterator[list[list[str]]]:
    """Yield the rows of each run of table lines; a rule below the header is left out."""
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if bare.startswith("|") and bare.endswith("|") and len(bare) > 2:
            if not is_table_rule(bare):
                cells = _CELLS.split(bare)[1:-1]
                rows.append([cell.strip().replace("\\|", "|") for cell in cells])
            continue
        if rows:
            yield rows
        rows = []


def _read(rows: list[list[str]], query: str) -> NumberTable | None:
    header, body = rows[0], rows[1:]
    width = len(header)
    body = [row for row in body if len(row) == width and not is_total(row[0])]
    if width < 2 or not 2 <= len(body) <= MOST_ROWS or not _names_columns(header):
        return None
    labels = tuple(row[0] for row in body)
    if not all(labels) or len(set(labels)) < len(labels):
        return None
    in_time = len(labels) > 2 and all(_DATE.fullmatch(label) for label in labels)
    if in_time and labels[0] > labels[-1]:
        body, labels = body[::-1], labels[::-1]
    in_time = in_time and labels == tuple(sorted(labels))
    if not in_time and (len(labels) > MOST_BARS or all(number_of(label) for label in labels)):
        return None  # numbers against numbers: which is the axis, the table does not tell
    columns = [_series(header[i], [row[i] for row in body]) for i in range(1, width)]
    series = _chosen([column for column in columns if column is not None], query)
    return NumberTable(header[0], labels, tuple(series), in_time) if series else None


def _names_columns(header: Sequence[str]) -> bool:
    """Return whether a first row has names; years may be names, other numbers are a row's."""
    return any(header[1:]) and all(
        _YEAR.fullmatch(cell) or number_of(cell) is None for cell in header[1:]
    )


def _series(name: str, cells: Sequence[str]) -> Series | None:
    """Return a column as numbers of one unit, or None if it is none."""
    read = [number_of(cell) for cell in cells]
    filled = [item for item in read if item is not None]
    others = [c for c, item in zip(cells, read, strict=True) if item is None]
    if any(cell.casefold() not in _NO_VALUE for cell in others):
        return None
    if len(filled) < 2 or len(filled) < _LEAST_FILLED * len(cells):
        return None
    units = {unit for _, unit in filled if unit}
    if len(units) > 1 or not name:
        return None
    return Series(name, tuple(None if v is None else v[0] for v in read), next(iter(units), ""))


def number_of(cell: str) -> tuple[float, str] | None:
    """Return the number in a cell and what stands beside it ("$", "%", "km"), or None."""
    found = figure_of(cell)
    return None if found is None else (float(found.value), found.unit)


def _chosen(columns: list[Series], query: str) -> list[Series]:
    """Return the columns that a query names, else all; of these those that fit the first one."""
    asked = set(re.findall(r"\w+", query.casefold()))
    named = [c for c in columns if _words(c.name) and _words(c.name) <= asked]
    pool = named or columns
    if not pool:
        return []
    first = pool[0]
    top = _top(first)
    same = [
        column
        for column in pool
        if column.unit == first.unit and top / _MOST_APART <= _top(column) <= top * _MOST_APART
    ]
    return same[:MOST_SERIES] if top else []


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _top(series: Series) -> float:
    return max(abs(value) for value in series.values if value is not None)
