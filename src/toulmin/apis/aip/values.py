"""How many values a request may hold, told from its bytes before any of them becomes an object.

An empty JSON object has two bytes and becomes a hundred; so has an empty protobuf message. The
limit on a request's bytes alone would let a request of 32 MB take gigabytes and a minute.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toulmin.errors import InvalidArgument

MAX_VALUES: Final = 500_000
"""Most values of one request: objects, lists, strings, numbers, at every level."""

# Possessive, so that it is linear in the text; a string that is cut off ends it.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_BEGINNERS: Final = (b"{", b"[", b",")
_LEAST_BYTES: Final = 2
_VARINT_BITS: Final = 70  # seven of each of at most ten bytes
_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_FIXED: Final = {_FIXED64: 8, _FIXED32: 4}


def check_json_values(body: bytes) -> None:
    """Return if a JSON text holds no more values than a request may.

    Raises:
        InvalidArgument: It holds more.
    """
    if len(body) <= MAX_VALUES or _beginners(body) <= MAX_VALUES:
        return
    found = _beginners(_STRING.sub(b"", body))  # commas inside strings begin nothing
    if found > MAX_VALUES:
        raise _too_many(f"about {found:,}")


def check_wire_values(data: bytes, descriptor: Any) -> None:
    """Return if a protobuf message holds no more values than a request may.

    What is no such message passes: the parser says so better.

    Raises:
        InvalidArgument: It holds more.
    """
    if len(data) <= _LEAST_BYTES * MAX_VALUES:
        return
    found = 0
    waiting = [(0, len(data), descriptor)]
    while waiting:
        at, end, inside = waiting.pop()
        while at < end:
            tag, at = _varint(data, at, end)
            found += 1
            if found > MAX_VALUES:
                raise _too_many(f"more than {MAX_VALUES:,}")
            if not tag >> 3:  # there is no such field: the parser says so
                return
            kind = tag & 7
            if kind == _VARINT:
                _, at = _varint(data, at, end)
            elif kind == _DELIMITED:
                length, at = _varint(data, at, end)
                field = inside.fields_by_number.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    waiting.append((at, min(at + length, end), field.message_type))
                at += length
            elif kind in _FIXED:
                at += _FIXED[kind]
            else:
                return


def _beginners(text: bytes) -> int:
    return sum(map(text.count, _BEGINNERS))


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number at a place and the place behind it; the end, and 0, if there is none."""
    value = shift = 0
    while at < end and shift < _VARINT_BITS:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return 0, end


def _too_many(found: str) -> InvalidArgument:
    return InvalidArgument(
        f"The request holds {found} values; at most {MAX_VALUES:,} are allowed in one. Split it.",
        reason="TOO_MANY_VALUES",
    )
