"""XLSX, XLSB, XLS and ODS: each sheet is a page, each area between empty rows a table."""

from __future__ import annotations

import io
import re
from datetime import date, datetime, time, timedelta
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from toulmin.errors import InvalidArgument, ResourceExhausted
from toulmin.ingestion.parsing.archive import Archive
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.formats.delimited import add_rows
from toulmin.ingestion.parsing.formats.ooxml import add_image, core_properties
from toulmin.ingestion.parsing.formats.opendocument import open_archive, opendocument_metadata
from toulmin.ingestion.parsing.source import Source

_MAX_CELLS = 20_000_000
"""Cells of the rectangle that a sheet spans, empty ones included: the reader holds them all."""
_ROW = re.compile(rb'<(?:\w+:)?row\b[^<>]*?\br="(\d{1,9})"')
_COLUMN = re.compile(rb'<(?:\w+:)?c\b[^<>]*?\br="([A-Z]{1,4})\d')


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the sheets in order; each begins with its name as a heading.

    Raises:
        InvalidArgument: It is damaged or encrypted.
        ResourceExhausted: It unpacks to too much, or a sheet spans too many cells.
    """
    archive = _checked_archive(source, builder)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.content))
        for sheet in workbook.sheets_metadata:
            if sheet.visible is not SheetVisibleEnum.Visible:
                builder.note(f"Sheet {sheet.name!r} is hidden; it was read too")
            rows = workbook.get_sheet_by_name(sheet.name).to_python()
            builder.begin_page(sheet.name)
            builder.heading(sheet.name, 1)
            _add_areas([[_cell(value) for value in row] for row in rows], builder)
    except PasswordError as error:
        raise InvalidArgument(
            "is encrypted; save a copy without a password", reason="DOCUMENT_ENCRYPTED"
        ) from error
    except CalamineError as error:
        raise InvalidArgument(
            f"is a damaged workbook: {error}", reason="DOCUMENT_UNREADABLE"
        ) from error
    if archive:
        for name in archive.names:
            if "/media/" in name or name.startswith("Pictures/"):
                add_image(archive, name, builder)


def _checked_archive(source: Source, builder: DocumentBuilder) -> Archive | None:
    """Return the container after checking the sizes of all that the reader will unpack."""
    if source.format is FileFormat.XLS:
        builder.metadata = DocumentMetadata()
        return None
    if source.format is FileFormat.ODS:
        archive = open_archive(source)
        builder.metadata = opendocument_metadata(archive)
        return archive
    archive = Archive(source.content, source.limits)
    builder.metadata = core_properties(archive)
    for name in archive.names:
        if name.startswith("xl/") and name.endswith((".xml", ".bin")):
            archive.check(name)
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                _check_span(archive.read(name), name)
    return archive


def _check_span(sheet: bytes, name: str) -> None:
    """Refuse a sheet with cells so far apart that the rectangle between them fills the memory."""
    rows = max((int(match[1]) for match in _ROW.finditer(sheet)), default=0)
    columns = max(map(_column_number, {m[1] for m in _COLUMN.finditer(sheet)}), default=0)
    if rows * columns > _MAX_CELLS:
        raise ResourceExhausted(
            f"has a sheet ({name}) that spans {rows} rows and {columns} columns;"
            f" {_MAX_CELLS} cells are allowed",
            reason="DOCUMENT_TOO_LARGE",
        )


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _add_areas(rows: list[list[str]], builder: DocumentBuilder) -> None:
    """Add the areas between empty rows.

    One empty row ends only lines of one cell, such as a title; a table goes on behind it.
    """
    area: list[list[str]] = []
    empty = widest = 0
    for row in rows:
        if not any(row):
            empty += 1
            continue
        if area and (empty > 1 or (empty and widest < 2)):
            _add_area(area, widest, builder)
            area, widest = [], 0
        area.append(row)
        widest = max(widest, sum(map(bool, row)))
        empty = 0
    _add_area(area, widest, builder)


def _add_area(area: list[list[str]], widest: int, builder: DocumentBuilder) -> None:
    """Add rows of which none has more values than `widest`."""
    if widest < 2:
        builder.paragraph("\n".join(cell for row in area for cell in row if cell))
    else:
        add_rows(area, builder)


def _cell(value: Any) -> str:
    """Return a cell's value as text: 3.0 as 3, dates in ISO 8601."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value)
