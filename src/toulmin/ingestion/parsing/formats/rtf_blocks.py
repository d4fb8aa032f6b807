"""Paragraphs and cells of RTF -> blocks."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.ingestion.parsing.builder import DocumentBuilder

_BULLETS = frozenset("\u2022\u25cf\u25e6\u25aa\u25ab\u2023\u2043\u00b7o*-\u2013\u2014")


@dataclass(slots=True)
class Paragraph:
    """How a paragraph is laid out.

    Attributes:
        level: Of a heading; 0 of none.
        depth: Of a list's item; 0 of none.
        in_table: Whether it stands in a cell.
        marker: What stands before an item, such as "1." or a bullet.
        text: What was said of it before an aside began.
    """

    level: int = 0
    depth: int = 0
    in_table: bool = False
    marker: str = ""
    text: str = ""

    def word(self, name: str, value: int | None) -> bool:
        """Take a control word; say whether it concerns paragraphs."""
        if name == "pard":
            # The mark of a list's item stands before its properties or behind them.
            self.level, self.depth, self.in_table = 0, 0, False
        elif name == "outlinelevel":
            self.level = value + 1 if value is not None and 0 <= value < 9 else 0
        elif name == "ls":
            self.depth = max(self.depth, 1) if value else 0
        elif name == "ilvl":
            self.depth = min(max(value or 0, 0), 8) + 1
        elif name == "intbl":
            self.in_table = True
        else:
            return False
        return True


class Blocks:
    """Puts paragraphs, rows and notes into the builder, in reading order."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._rows: list[list[str]] = []
        self._cells: list[str] = []
        self._cell: list[str] = []
        self._nested: list[str] = []
        self._notes: list[str] = []

    def paragraph(self, text: str, look: Paragraph) -> None:
        """Add a paragraph, or in a table a line of the cell."""
        if look.in_table:
            if look.marker:
                text = f"{look.marker} {text}"
            self._cell.append(text)
            return
        self._end_table()
        if not text.strip():
            return
        if look.level:
            heading = f"{look.marker} {text}" if look.marker not in _BULLETS else text
            self._builder.heading(heading, look.level)
        elif look.depth or look.marker:
            marker = "-" if not look.marker or look.marker in _BULLETS else look.marker
            self._builder.list_item(text, max(look.depth, 1), marker)
        else:
            self._builder.paragraph(text)
        self._add_notes()

    def cell(self, text: str, *, nested: bool) -> None:
        """End a cell; `nested`: of a table inside a cell."""
        if nested:
            self._nested.append(text)
            return
        self._cell.append(text)
        self._cells.append("\n".join(part for part in self._cell if part.strip()))
        self._cell.clear()

    def row(self, *, nested: bool) -> None:
        """End a row; that of a table inside a cell becomes a line of the cell."""
        if nested:
            self._cell.append(" | ".join(self._nested))
            self._nested.clear()
            return
        if self._cells:
            self._rows.append(list(self._cells))
        self._cells.clear()

    def note(self, text: str) -> None:
        """Keep a footnote for the end of its paragraph."""
        self._notes.append(text)

    def end(self) -> None:
        """Add what is still open."""
        if self._cell:
            self.cell("", nested=False)
        if self._cells:
            self.row(nested=False)
        self._end_table()
        self._add_notes()

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if max(map(len, rows), default=0) > 1:
            self._builder.table(rows)
        else:  # a frame around text
            for row in rows:
                self._builder.paragraph(row[0])
        if rows:
            self._add_notes()

    def _add_notes(self) -> None:
        for note in self._notes:
            self._builder.paragraph(note)
        self._notes.clear()
