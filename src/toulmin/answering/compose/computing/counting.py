# ruff: noqa: RUF001 - the marks of words and units are a subject of this file.
"""Which of a table's rows, their count, sum, average, largest, where a question names one table.

Nothing is computed unless every telling word of the question is accounted for: by a column, by what
stands above the table, by a value that selects rows, or by a comparison with a figure. So "How many
lamps cost less than 50 euros in Lisbon?" is not answered by a table that does not know of Lisbon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from toulmin.answering.compose.computing.tables import Column, Table
from toulmin.answering.compose.computing.words import (
    measures,
    patterns,
    silent_stems,
    stems,
)
from toulmin.text.figures import Figure, figure_of
from toulmin.text.units import measured_by, unit_of

MOST_SHOWN = 20
"""Rows whose figures are said one by one."""
_KINDS = ("least", "most", "mean", "sum", "count", "which")
EXTREMES = frozenset({"least", "most"})
_HEADS = {"count": 3, "which": 1}
"""Words of which one must name what is counted."""
_LIMITS = (
    "between",
    "at_most",
    "at_least",
    "below",
    "above",
    "exactly",
    "before",
    "after",
    "since",
    "in",
)
_COMPARE: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "at_most": lambda value, limit: value <= limit,
    "at_least": lambda value, limit: value >= limit,
    "below": lambda value, limit: value < limit,
    "above": lambda value, limit: value > limit,
    "exactly": lambda value, limit: value == limit,
    "before": lambda value, limit: value < limit,
    "after": lambda value, limit: value > limit,
    "since": lambda value, limit: value >= limit,
    "in": lambda value, limit: value == limit,
}
_YEARS = frozenset({"before", "after", "since", "in"})
_YEAR = range(1000, 2200)
_WORD = re.compile(r"[\w'’-]+|[€$£¥%]")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be computed.

    Attributes:
        kind: "count", "which", "sum", "mean", "least" or "most".
        words: The words that say of what, without comparison.
        head: The words right behind "how many", the one behind "which".
        extreme: The word for the least or most, such as "largest"; empty: none is asked for.
        measure: For the least or most: the measure that the word for it names; empty: none.
        limit: The kind of comparison; empty: none.
        bounds: One figure, or two for "between".
        unit: Their unit; empty: none is said.
    """

    kind: str
    words: tuple[str, ...]
    head: tuple[str, ...]
    extreme: str = ""
    measure: str = ""
    limit: str = ""
    bounds: tuple[Decimal, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """What was computed from a table, and the passages that its rows stand in."""

    text: str
    passages: tuple[int, ...]


def asked_of_table(query: str) -> Asked | None:
    """Return what a question wants computed of a table's rows; None: nothing."""
    plain = " ".join(query.split()).rstrip("?!. ")
    for kind, pattern in patterns(*_KINDS):
        found = pattern.match(plain)
        if found:
            groups = found.groupdict(default="")
            what = " ".join(text for name, text in groups.items() if name.startswith("what"))
            how = groups.get("how", "")
            return _limited(kind, what, how)
    return None


def count(asked: Asked, tables: Sequence[Table]) -> Counted | None:
    """Return what the one table says that the question names; None: none does, or several."""
    found = [counted for table in tables if (counted := _Counting(asked, table).result())]
    return found[0] if len(found) == 1 else None


def _limited(kind: str, what: str, how: str) -> Asked | None:
    """Return what is asked with its comparison taken apart; None: it has two."""
    limit, bounds, unit, rest = "", [], "", what
    for name, pattern in patterns(*_LIMITS):
        found = pattern.search(rest)
        if found is None:
            continue
        if limit:
            return None
        given = [figure_of(n.rstrip(".,")) for n in found.groupdict().values() if n]
        limit, bounds = name, [figure for figure in given if figure is not None]
        if len(bounds) != len(given) or any(figure.either == "." for figure in bounds):
            return None
        unit = next((unit_of(figure.unit) for figure in bounds if figure.unit), "")
        behind = rest[found.end() :].strip()
        first = _WORD.match(behind)
        if first and measured_by(first[0]) and name not in _YEARS:
            unit, behind = unit_of(first[0]), behind[first.end() :]
        rest = f"{rest[: found.start()]} {behind}"
    words = tuple(_WORD.findall(rest))
    head = tuple(_WORD.findall(what))[: _HEADS.get(kind, 0)]
    measure = next((m for m, known in measures().items() if stems(how) & known), "")
    values = tuple(figure.value for figure in bounds)
    return Asked(kind, words, head, how, measure, limit, values, unit)


class _Counting:
    """One table, and what is asked of it."""

    def __init__(self, asked: Asked, table: Table) -> None:
        self._asked = asked
        self._table = table

    def result(self) -> Counted | None:
        table, asked = self._table, self._asked
        if not table.whole:
            return None
        words = {stem for word in asked.words for stem in stems(word)} - silent_stems()
        column = None
        if asked.limit or asked.kind not in _HEADS:
            column = self._column(words)
            if column is None:
                return None
        rows = self._selected(words, column)
        if rows is None or not rows:
            return None
        if asked.kind == "count":
            return self._count(rows, column)
        if asked.kind == "which":
            return self._which(rows, column)
        assert column is not None  # noqa: S101 - above
        return self._aggregate(rows, column)

    def _column(self, words: set[str]) -> Column | None:
        """Return the one column of figures that is meant: by its name, else by what it measures."""
        bounded = self._asked.kind in EXTREMES and not self._asked.limit
        known = [
            found
            for i in range(1, len(self._table.names))
            if (found := self._table.column(i, bounded=bounded))
        ]
        meant = {m for m, names in measures().items() if words & names} | {self._asked.measure}
        unit = self._asked.unit
        if unit:
            known = [column for column in known if column.unit == unit]
        if self._asked.limit in _YEARS:
            known = [
                column
                for column in known
                if not column.unit and all(figure.value in _YEAR for figure in column.figures)
            ]
        named = [column for column in known if stems(column.name) & words]
        if not named:
            if any(stems(name) & words for name in self._table.names[1:]):
                return None  # by its name it is meant, and it has no figures of that unit
            named = [column for column in known if self._measures(column) & meant]
            named = named or (known if unit else [])
        return named[0] if len(named) == 1 else None

    def _measures(self, column: Column) -> set[str]:
        by_name = {m for m, names in measures().items() if stems(column.name) & names}
        own = measured_by(column.unit)
        return {own} if own else by_name

    def _selected(self, words: set[str], column: Column | None) -> list[int] | None:
        """Return the rows that the question means; None: it has words that nothing explains."""
        table = self._table
        first = stems(table.names[0])
        above = table.title_stems
        explained = first | above | (stems(column.name) if column else frozenset())
        if column:
            for measure in self._measures(column):
                explained |= measures().get(measure, frozenset())
        if self._asked.head:
            named = {stem for word in self._asked.head for stem in stems(word)}
            if not named & (first | above):
                return None
        rest = words - explained
        rows = list(range(len(table.rows)))
        for place in range(len(table.names)):
            if column and place == column.place:
                continue
            held = [stems(row.cells[place]) for row in table.rows]
            here = {stem for stem in rest if any(stem in cell for cell in held)}
            if not here:
                continue
            if any(
                stem in stems(row.cells[other])
                for stem in here
                for row in table.rows
                for other in range(len(table.names))
                if other != place
            ):
                return None  # the word is a value of two columns
            rows = [row for row in rows if here <= held[row]]
            rest -= here
            rest -= stems(table.names[place])
        return rows if not rest else None

    def _count(self, rows: list[int], column: Column | None) -> Counted | None:
        kept = rows
        if column is not None and self._asked.limit:
            kept = [row for row in rows if self._holds(column.figures[row].value)]
        if not column and len(rows) == len(self._table.rows) and self._table.totals:
            return None
        of = "" if len(kept) == len(self._table.rows) else f" of {len(self._table.rows)}"
        said = f"{len(kept) or 'None'}{of}, counted in the table"
        listed = [self._label(row, column) for row in kept]
        return self._said(f"{said}: {_listed(listed)}." if kept else f"{said}.", rows, kept)

    def _which(self, rows: list[int], column: Column | None) -> Counted | None:
        """Return the rows that a value or a comparison chooses, by their names.

        Without a comparison nothing else than the names may be asked for ("the prices of ...").
        """
        kept = rows
        if column is not None:
            kept = [row for row in rows if self._holds(column.figures[row].value)]
        elif len(rows) == len(self._table.rows) or self._asks_for_another_column():
            return None
        count = f"of {len(self._table.rows)} in the table."
        listed = _listed([self._label(row, column) for row in kept])
        text = f"{listed}: {len(kept)} {count}" if kept else f"None {count}"
        return self._said(text, rows, kept)

    def _asks_for_another_column(self) -> bool:
        head = {stem for word in self._asked.head for stem in stems(word)}
        words = {stem for word in self._asked.words for stem in stems(word)}
        first, *others = map(stems, self._table.names)
        return not head & first or any(words & name for name in others)

    def _holds(self, value: Decimal) -> bool:
        low, *more = self._asked.bounds
        if self._asked.limit == "between":
            return bool(more) and low <= value <= more[0]
        return _COMPARE[self._asked.limit](value, low)

    def _aggregate(self, rows: list[int], column: Column) -> Counted | None:
        if self._asked.limit:
            rows = [row for row in rows if self._holds(column.figures[row].value)]
        if not rows:
            return None
        values = [column.figures[row].value for row in rows]
        listed = _listed([self._label(row, column) for row in rows])
        if self._asked.kind in EXTREMES:
            best = min(values) if self._asked.kind == "least" else max(values)
            if not self._is_surely(best, [column.figures[row] for row in rows]):
                return None
            named = [row for row in rows if column.figures[row].value == best]
            how = "lowest" if self._asked.kind == "least" else "highest"
            text = (
                f"{' and '.join(self._table.rows[row].cells[0] for row in named)}: "
                f"{self._named(column, named[0])} {self._cell(named[0], column)}, the {how} of"
                f" {len(rows)}"
                " in the table."
            )
            return self._said(text, rows, named)
        total = sum(values, Decimal(0))
        if self._asked.kind == "mean":
            value = total / len(values)
            text = f"{self._shown(value, column)} on average, computed from {len(rows)} rows of the"
            return self._said(f"{text} table ({column.name}): {listed}.", rows, rows)
        if not self._agrees(total, rows, column):
            return None
        text = f"{self._shown(total, column)} in total, added up from {len(rows)} rows of the table"
        return self._said(f"{text} ({column.name}): {listed}.", rows, rows)

    def _is_surely(self, best: Decimal, figures: Sequence[Figure]) -> bool:
        """Return whether a value is the highest, or lowest, for all that bounds leave open.

        "More than 140" beats "more than 90", as people read it, and not 150.
        """
        outward, inward = ("least", "most") if self._asked.kind == "most" else ("most", "least")
        own = {figure.bound for figure in figures if figure.value == best}
        others = {figure.bound for figure in figures if figure.value != best}
        if inward in own:
            return False  # "under 90" is the highest of nothing
        return outward in own or outward not in others

    def _agrees(self, total: Decimal, rows: list[int], column: Column) -> bool:
        """Return whether the table's own total, if it has one, is the same."""
        if len(rows) < len(self._table.rows):
            return True
        own = [figure_of(row.cells[column.place]) for row in self._table.totals]
        return all(figure is None or figure.value == total for figure in own)

    def _label(self, row: int, column: Column | None) -> str:
        name = self._table.rows[row].cells[0]
        if column is None:
            return name
        what = "" if column.unit else f"{column.name}: "
        return f"{name} ({what}{self._cell(row, column)})"

    def _named(self, column: Column, row: int) -> str:
        """Return a column's name, without the unit that its cell is shown with."""
        if column.figures[row].unit or not column.written:
            return column.name
        return column.name.removesuffix(f"({column.written})").rstrip() or column.name

    def _cell(self, row: int, column: Column) -> str:
        cell = self._table.rows[row].cells[column.place]
        own = column.figures[row].unit
        return cell if own else f"{cell} {column.written}".strip()

    def _shown(self, value: Decimal, column: Column) -> str:
        """Return a figure as the table writes its own."""
        places = [-int(figure.value.as_tuple().exponent) for figure in column.figures]
        decimals = max(0, min(places))
        if value != value.to_integral_value():
            decimals = max(2, *places) if self._asked.kind == "mean" else max(places)
        text = f"{value:,.{decimals}f}"
        if self._table.language in {"de", "es", "it", "fr"}:
            text = text.translate(str.maketrans(",.", ".,"))
        sample = next((row.cells[column.place] for row in self._table.rows), "")
        figure = column.figures[0]
        if not figure.unit:
            return f"{text} {column.written}".strip()
        before = sample.lstrip().startswith(figure.unit)
        blank = " " if f" {figure.unit}" in sample or f"{figure.unit} " in sample else ""
        return f"{figure.unit}{blank}{text}" if before else f"{text}{blank}{figure.unit}"

    def _said(self, text: str, rows: Sequence[int], shown: Sequence[int]) -> Counted:
        places = dict.fromkeys(self._table.rows[row].passage for row in (*shown, *rows))
        return Counted(text, tuple(places))


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:MOST_SHOWN])
    left = len(labels) - MOST_SHOWN
    return f"{shown} and {left} more" if left > 0 else shown
