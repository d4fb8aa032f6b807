"""JSON files -> records: one object a line, or a list of objects, or one object over many lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources.records import LineTooLong, Record, read_line

_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"


def read(stream: BinaryIO, start: JsonObject, *, whole_limit: int) -> Iterator[Record]:
    """Yield the objects of a file.

    Lines without an object are skipped when they are empty, and are errors otherwise.

    Args:
        stream: The file, at its beginning.
        start: `Record.next` to begin at; {}: the beginning.
        whole_limit: Most bytes of a list, or of one object over many lines: these are read whole.
    """
    if "byte" in start:
        stream.seek(start["byte"])
        yield from _lines(stream, start["byte"], start["line"])
        return
    whole = _whole(stream, whole_limit)
    if whole is None:
        stream.seek(0)
        yield from _lines(stream, 0, 0)
        return
    for number, value in enumerate(whole):
        if number >= start.get("items", 0):
            yield _record(f"item {number + 1}", {"items": number + 1}, value)


def _whole(stream: BinaryIO, limit: int) -> list[Any] | None:
    """Return the items of a file that is one JSON value, None for a file of lines."""
    first, mark = b"", b""
    while not first.strip(_SPACE):
        try:
            line, size = read_line(stream)
        except LineTooLong:
            line, size = _start_of(stream), 1
        if not size:
            return None
        if not mark:
            line, mark = line.removeprefix(_MARK), b"seen"
        first = line
    is_list = first.lstrip(_SPACE).startswith(b"[")
    if not is_list and (not first.lstrip(_SPACE).startswith(b"{") or _parses(first)):
        return None
    stream.seek(0)
    content = stream.read(limit + 1)
    if len(content) > limit:
        if is_list:
            raise InvalidArgument(
                f"is a JSON list of more than {limit} bytes; write one object a line (JSONL)"
            )
        return None
    try:
        value = orjson.loads(content.removeprefix(_MARK))
    except orjson.JSONDecodeError as error:
        if is_list:
            raise InvalidArgument(f"is not JSON: {error}") from error
        return None
    return value if isinstance(value, list) else [value]


def _start_of(stream: BinaryIO) -> bytes:
    """Return the first characters of a file whose first line is too long to take."""
    stream.seek(0)
    return stream.read(4096).removeprefix(_MARK).lstrip(_SPACE)[:1] or b"\0"


def _parses(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _lines(stream: BinaryIO, place: int, line_number: int) -> Iterator[Record]:
    while True:
        line_number += 1
        try:
            line, size = read_line(stream)
        except LineTooLong as error:
            place += error.size
            yield Record(f"line {line_number}", {"byte": place, "line": line_number}, error=error)
            continue
        if not size:
            return
        if place == 0:
            line = line.removeprefix(_MARK)
        place += size
        if not line.strip(_SPACE):
            continue
        where, after = f"line {line_number}", {"byte": place, "line": line_number}
        try:
            yield _record(where, after, orjson.loads(line))
        except orjson.JSONDecodeError as error:
            yield Record(where, after, error=InvalidArgument(f"is not JSON: {error}"))


def _record(where: str, after: JsonObject, value: Any) -> Record:
    if isinstance(value, dict):
        return Record(where, after, value)
    return Record(where, after, error=InvalidArgument("must be a JSON object, as in {...}"))
