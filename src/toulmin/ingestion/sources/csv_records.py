"""CSV files -> records: the first row names the keys (RFC 4180, any encoding).

A value stays text unless all of it is a number as JSON writes one without an exponent, of at most
15 digits, or `true` or `false`: `007`, `1e5` and `+1` are texts. An empty value is no value. A row
needs as many values as there are keys.
https://www.rfc-editor.org/rfc/rfc4180
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from typing import BinaryIO

from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument, ToulminError
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.sources.records import MAX_LINE_BYTES, LineTooLong, Record, read_line

_HEAD = 256 * 1024
"""Bytes from which the encoding is told."""
_BLOCK = 256 * 1024
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?")
_MAX_DIGITS = 15
"""So many decimal digits a double keeps."""
_BOOLEANS = {"true": True, "false": False}


def read(
    stream: BinaryIO, start: JsonObject, *, delimiter: str = ",", text_keys: frozenset[str]
) -> Iterator[Record]:
    """Yield the rows of a file after its first.

    Args:
        stream: The file, at its beginning.
        start: `Record.next` to begin at; {}: the beginning.
        delimiter: What stands between values.
        text_keys: Keys whose values stay text.

    Raises:
        InvalidArgument: The first row does not give every column a name of its own.
    """
    # For the whole process, and needed by nobody to be smaller.
    csv.field_size_limit(max(MAX_LINE_BYTES, csv.field_size_limit()))
    keys: list[str] = []
    done = 0
    for line, row, error in _rows(stream, delimiter):
        if not keys:
            if error:
                raise error
            keys = _keys(row)
            continue
        if not error and not any(row):
            continue
        done += 1
        if done <= start.get("items", 0):
            continue
        yield _record(f"line {line}", {"items": done}, keys, error or row, text_keys)


def _rows(stream: BinaryIO, delimiter: str) -> Iterator[tuple[int, list[str], ToulminError | None]]:
    """Yield each row, the line it begins on, and why there is none."""
    lines = _Lines(stream)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = rows.line_num + lines.skipped + 1
        try:
            yield line, next(rows), None
        except StopIteration:
            return
        except csv.Error as error:
            last = rows.line_num + lines.skipped
            until = f" (read up to line {last})" if last > line else ""
            yield line, [], InvalidArgument(f"is not CSV: {error}{until}")
        except LineTooLong as error:
            yield line, [], error


def _record(
    where: str,
    after: JsonObject,
    keys: list[str],
    row: list[str] | ToulminError,
    text_keys: frozenset[str],
) -> Record:
    if isinstance(row, ToulminError):
        return Record(where, after, error=row)
    if len(row) != len(keys):
        return Record(
            where,
            after,
            error=InvalidArgument(f"has {len(row)} values; the first row names {len(keys)}"),
        )
    value = {
        key: cell if key in text_keys else typed(cell)
        for key, cell in zip(keys, row, strict=True)
        if cell
    }
    return Record(where, after, value)


def typed(text: str) -> str | int | float | bool:
    """Return a number or boolean for a text that is one exactly, else the text."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    found = _NUMBER.fullmatch(text)
    if not found or sum(char.isdigit() for char in text) > _MAX_DIGITS or text == "-0":
        return text
    return float(text) if found[1] else int(text)


def _keys(row: list[str]) -> list[str]:
    """Return the first row as keys; [] for an empty line, which is skipped."""
    keys = [key.strip() for key in row]
    if not any(keys):
        return []
    seen: set[str] = set()
    for number, key in enumerate(keys, start=1):
        if not key:
            raise InvalidArgument(f"column {number} has no name in the first row")
        if key in seen:
            raise InvalidArgument(f"the first row has the name {key!r} twice")
        seen.add(key)
    return keys


class _Lines:
    """The lines of a file as text, each with its end.

    Attributes:
        skipped: Lines that were too long, which the reader of rows does not count.
    """

    def __init__(self, stream: BinaryIO) -> None:
        head = stream.read(_HEAD)
        stream.seek(0)
        self._encoding = decode(head)[1]
        self._stream = stream
        self._is_first = True
        self.skipped = 0
        wide = self._encoding.startswith(("utf-16", "utf-32"))
        self._wide = _wide_lines(stream, self._encoding) if wide else None

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._wide:
            return next(self._wide)
        try:
            line, size = read_line(self._stream)
        except LineTooLong:
            self.skipped += 1
            raise
        if not size:
            raise StopIteration
        text = self._decode(line)
        if self._is_first:
            self._is_first = False
            text = text.removeprefix("\ufeff")
        return text

    def _decode(self, line: bytes) -> str:
        """Return a line; one that is not in the encoding of the file's head is told by itself."""
        try:
            return line.decode(self._encoding)
        except UnicodeDecodeError:
            if self._encoding == "utf-8":
                return decode(line)[0]
            return line.decode(self._encoding, "replace")


def _wide_lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield the lines of a file whose characters have more than one byte each."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    rest, is_last = "", False
    while not is_last:
        block = stream.read(_BLOCK)
        is_last = not block
        text = rest + decoder.decode(block, final=is_last)
        *lines, rest = text.split("\n")
        for line in lines:
            yield line.removeprefix("\ufeff") + "\n"
        if len(rest) > MAX_LINE_BYTES:
            raise LineTooLong(
                f"has over {MAX_LINE_BYTES} characters; the rest of the file is not read"
            )
    if rest:
        yield rest.removeprefix("\ufeff")
