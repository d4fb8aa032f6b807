"""The tables of passages, each put together from the chunks that it was cut into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toulmin.answering.compose.computing.words import stems, unit_in
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.answering.passages import Passage
from toulmin.text.figures import Figure, bounded_figure_of, figure_of, is_total
from toulmin.text.units import unit_of

_COMMA_DECIMALS = frozenset({"de", "es", "fr", "it"})


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its cells, and the place of its passage."""

    cells: tuple[str, ...]
    passage: int


@dataclass(slots=True)
class Table:
    """A table.

    Attributes:
        names: Names of its columns.
        under: Title and headings above it.
        language: Code of its language.
        rows: Its rows, without one that adds them up.
        totals: Rows that do.
        whole: Whether all of it is here.
    """

    names: tuple[str, ...]
    under: tuple[str, ...]
    language: str
    rows: list[Row] = field(default_factory=list)
    totals: list[Row] = field(default_factory=list)
    whole: bool = True

    def column(self, place: int, *, bounded: bool = False) -> Column | None:
        """Return a column as figures of one unit; None: a cell of it is none, or may be two.

        Args:
            place: Which one, from 0.
            bounded: Whether "more than 90" is a figure.
        """
        figures = [self._figure(row.cells[place], bounded=bounded) for row in self.rows]
        if any(figure is None for figure in figures):
            return None
        kept = tuple(figure for figure in figures if figure is not None)
        units = {unit_of(figure.unit) for figure in kept}
        if len(units) != 1:
            return None
        written = unit_in(self.names[place])
        unit = units.pop()
        if written and unit not in {"", unit_of(written)}:
            return None
        return Column(place, self.names[place], kept, unit or unit_of(written), written)

    def _figure(self, cell: str, *, bounded: bool) -> Figure | None:
        figure = bounded_figure_of(cell) if bounded else figure_of(cell)
        if figure is not None and figure.either == (
            "," if self.language in _COMMA_DECIMALS else "."
        ):
            return None  # 1,340 in one language is 1.340 in another
        return figure

    @property
    def title_stems(self) -> frozenset[str]:
        """The stems of what stands above it."""
        return stems(" ".join(self.under))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures: one for each row, all of one unit, which may be empty.

    Attributes:
        place: Which column it is, from 0.
        name: Its name.
        figures: Of each row.
        unit: Their unit by its one name.
        written: The unit as the column's name has it; empty: it has none.
    """

    place: int
    name: str
    figures: tuple[Figure, ...]
    unit: str
    written: str


def tables_of(
    passages: Sequence[Passage], pieces: Sequence[Piece], language_of: Sequence[str]
) -> list[Table]:
    """Return the tables with names of columns and rows as wide as these, in order.

    Args:
        passages: The passages.
        pieces: Their pieces.
        language_of: Code of each passage's language.
    """
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Table] = {}
    blocks: dict[tuple[int, tuple[str, ...]], set[int]] = {}
    for piece in pieces:
        if piece.kind is not PieceKind.ROW:
            continue
        passage = passages[piece.passage]
        names = tuple(name for name, _ in piece.cells)
        cells = tuple(value for _, value in piece.cells)
        # The chunks of one table have its document and headings in common; inline passages do not.
        own = passage.document or str(piece.passage)
        key = (own, names, piece.under)
        table = found.setdefault(key, Table(names, piece.under, language_of[piece.passage]))
        beside = blocks.setdefault((piece.passage, piece.under), set())
        beside.add(piece.block)
        distinct = len(set(names)) == len(names)
        table.whole = table.whole and not passage.cut and distinct and len(beside) == 1
        into = table.totals if is_total(cells[0]) else table.rows
        into.append(Row(cells, piece.passage))
    _mark_ragged(found)
    return [table for table in found.values() if len(table.rows) > 1 and any(table.names)]


def _mark_ragged(found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Table]) -> None:
    """Rows wider or narrower than their table's header make that a table of which rows lack."""
    tables = list(found.items())
    for place, ((own, names, under), table) in enumerate(tables):
        for (own2, names2, under2), other in tables[place + 1 :]:
            shorter = min(len(names), len(names2))
            if (own, under) == (own2, under2) and names[:shorter] == names2[:shorter]:
                table.whole = other.whole = False
