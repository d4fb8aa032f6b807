"""Files of records, one after the other: what their readers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from toulmin.domain import JsonObject
from toulmin.errors import ResourceExhausted, ToulminError

MAX_LINE_BYTES = 32 * 1024 * 1024
MAX_WHOLE_BYTES = 16 * 1024 * 1024
"""Files up to this size are read at once, and again if they change; larger ones are streamed."""
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file, or what is wrong with it.

    Attributes:
        where: Its place for people: "line 12", where it begins, or "item 3" of a list.
        next: Where the record after it begins: numbers to go on with, as a cursor.
        value: Its keys and values; None: there is an error.
        error: Why there is no value.
    """

    where: str
    next: JsonObject
    value: dict[str, Any] | None = None
    error: ToulminError | None = None


def read_line(stream: BinaryIO) -> tuple[bytes, int]:
    """Return a line with its end, and the bytes that it takes up; an empty one at the end.

    Raises:
        LineTooLong: It has more than `MAX_LINE_BYTES`; the stream is then behind it.
    """
    line = stream.readline(MAX_LINE_BYTES + 1)
    size = len(line)
    if size <= MAX_LINE_BYTES:
        return line, size
    while not line.endswith(b"\n") and (line := stream.readline(_BLOCK)):
        size += len(line)
    raise LineTooLong.of_size(size)


class LineTooLong(ResourceExhausted):
    """A line that is not taken.

    Attributes:
        size: The bytes that it takes up.
    """

    size: int = 0

    @classmethod
    def of_size(cls, size: int) -> LineTooLong:
        """Return the error for a line of so many bytes."""
        error = cls(f"has {size} bytes; {MAX_LINE_BYTES} are allowed")
        error.size = size
        return error


def at(where: str, error: ToulminError) -> ToulminError:
    """Return the error with its place in front of its message."""
    message = f"{where}: {error.message}"
    return type(error)(message, violations=error.violations, reason=error.reason)
