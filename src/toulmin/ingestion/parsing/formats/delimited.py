"""CSV and TSV: one table, or for wide cells one block per record."""

from __future__ import annotations

import csv
import io
import sys

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.builder import DocumentBuilder, one_line
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.source import Source

_DELIMITERS = ",;\t|"
_SAMPLE_LINES = 50
_RECORD_CHARS = 400
"""Rows that are longer than this on average are read as records, not as rows of a table."""


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the rows as a table; where cells hold long texts, each row as `column: value` lines."""
    text, _ = decode(source.content, source.charset)
    delimiter = "\t" if source.format is FileFormat.TSV else find_delimiter(text)
    csv.field_size_limit(min(source.limits.characters, sys.maxsize))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InvalidArgument(
            f"has a damaged line {reader.line_num}: {error}", reason="DOCUMENT_UNREADABLE"
        ) from error
    add_rows(rows, builder)


def add_rows(rows: list[list[str]], builder: DocumentBuilder) -> None:
    """Add rows, the first of which names the columns, as a table or as records."""
    length = sum(len(cell) for row in rows for cell in row)
    if len(rows) < 2 or length <= _RECORD_CHARS * len(rows):
        builder.table(rows)
        return
    names = [one_line(name) for name in rows[0]]
    for row in rows[1:]:
        builder.paragraph(record_text(names, row))


def record_text(names: list[str], values: list[str]) -> str:
    """Return a record as lines `column: value`; empty values are left out."""
    padded = names + [""] * (len(values) - len(names))
    pairs = zip(padded, values, strict=False)
    return "\n".join(f"{name}: {value}" if name else value for name, value in pairs if value)


def find_delimiter(text: str) -> str:
    """Return the mark that splits the first lines most evenly: of `,`, `;`, tab and `|`.

    Each candidate is judged by the reader's own rules for quotes: how many rows have as many
    cells as the first, then how many cells these are.
    """
    lines = text[:65536].splitlines(keepends=True)[:_SAMPLE_LINES]

    def fitness(delimiter: str) -> tuple[float, int]:
        try:
            rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            return 0.0, 0
        width = len(rows[0]) if rows else 0
        if width < 2:
            return 0.0, 0
        return round(sum(len(row) == width for row in rows) / len(rows), 1), width

    return max(_DELIMITERS, key=fitness)
