"""JSON values to protobuf scalars, as Google's servers read them.

Each reader takes a JSON value, its place and the request's faults; it returns the Python value that
protobuf takes, or None after it has noted a fault. Numbers and booleans may be strings.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from toulmin.apis.aip.json_faults import Faults, Place

Reader: TypeAlias = Callable[[Any, Place, Faults], Any]

TYPE_URL_PREFIX: Final = "type.googleapis.com/"

_INTEGER: Final = re.compile(r"-?[0-9]{1,20}\Z")
_NUMBER: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_MAX_NUMBER_CHARS: Final = 400
_SPECIAL_FLOATS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_BOOLS: Final = {"true": True, "false": False}

# The least double that rounds to a float beyond the largest finite one.
_FLOAT_OVERFLOW: Final = 3.4028235677973366e38

_INT32: Final = (-(2**31), 2**31 - 1)
_INT64: Final = (-(2**63), 2**63 - 1)
_UINT32: Final = (0, 2**32 - 1)
_UINT64: Final = (0, 2**64 - 1)


def refuse(value: Any, place: Place, faults: Faults, *, type_name: str) -> None:
    """Note that a value does not fit a scalar type, in the words for its JSON type."""
    if isinstance(value, dict):
        faults.wrong_because(place, type_name, "Starting an object on a scalar field")
    else:
        faults.wrong_value(place, type_name, value)


def read_string(value: Any, place: Place, faults: Faults) -> str | None:
    """Return a string; a number is not taken for one."""
    if isinstance(value, str):
        return value
    refuse(value, place, faults, type_name="TYPE_STRING")
    return None


def read_bool(value: Any, place: Place, faults: Faults) -> bool | None:
    """Return true or false, also from the strings "true" and "false" in any case."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _BOOLS:
        return _BOOLS[value.lower()]
    refuse(value, place, faults, type_name="TYPE_BOOL")
    return None


def read_bytes(value: Any, place: Place, faults: Faults) -> bytes | None:
    """Return bytes from base64 or base64url, with or without padding."""
    if not isinstance(value, str):
        refuse(value, place, faults, type_name="TYPE_BYTES")
        return None
    text = value.translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        refuse(value, place, faults, type_name="TYPE_BYTES")
        return None


def integer_reader(type_name: str, bounds: tuple[int, int]) -> Reader:
    """Return a reader of integers: 7, 7.0 or "7", inclusive bounds."""
    least, most = bounds

    def read_integer(value: Any, place: Place, faults: Faults) -> int | None:
        number: int | None = None
        if isinstance(value, bool):
            pass
        elif isinstance(value, int):
            number = value
        elif (isinstance(value, float) and value.is_integer()) or (
            isinstance(value, str) and _INTEGER.match(value)
        ):
            number = int(value)
        if number is not None and least <= number <= most:
            return number
        refuse(value, place, faults, type_name=type_name)
        return None

    return read_integer


def float_reader(type_name: str, overflow: float) -> Reader:
    """Return a reader of floats: 0.5, "0.5", "NaN", "Infinity"; smaller than `overflow`."""

    def read_float(value: Any, place: Place, faults: Faults) -> float | None:
        number: float | None = None
        if isinstance(value, bool):
            pass
        elif isinstance(value, int | float):
            number = float(value)
        elif isinstance(value, str):
            if value in _SPECIAL_FLOATS:
                return _SPECIAL_FLOATS[value]
            if len(value) <= _MAX_NUMBER_CHARS and _NUMBER.match(value):
                number = float(value)
        if number is not None and abs(number) < overflow:
            return number
        refuse(value, place, faults, type_name=type_name)
        return None

    return read_float


def enum_reader(enum: EnumDescriptor) -> Reader:
    """Return a reader of an enum: by name, by number, or by number in a string.

    A number that the enum does not know is kept, as protobuf does.
    """
    numbers = {name: value.number for name, value in enum.values_by_name.items()}
    type_name = TYPE_URL_PREFIX + enum.full_name
    is_null = enum.full_name == "google.protobuf.NullValue"
    least, most = _INT32

    def read_enum(value: Any, place: Place, faults: Faults) -> int | None:
        number: int | None = None
        if isinstance(value, str):
            number = numbers.get(value)
            if number is None and _INTEGER.match(value):
                number = int(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            number = value
        elif value is None and is_null:
            return 0
        if number is not None and least <= number <= most:
            return number
        refuse(value, place, faults, type_name=type_name)
        return None

    return read_enum


_INTEGER_TYPES: Final = {
    FieldDescriptor.TYPE_INT32: ("TYPE_INT32", _INT32),
    FieldDescriptor.TYPE_SINT32: ("TYPE_SINT32", _INT32),
    FieldDescriptor.TYPE_SFIXED32: ("TYPE_SFIXED32", _INT32),
    FieldDescriptor.TYPE_INT64: ("TYPE_INT64", _INT64),
    FieldDescriptor.TYPE_SINT64: ("TYPE_SINT64", _INT64),
    FieldDescriptor.TYPE_SFIXED64: ("TYPE_SFIXED64", _INT64),
    FieldDescriptor.TYPE_UINT32: ("TYPE_UINT32", _UINT32),
    FieldDescriptor.TYPE_FIXED32: ("TYPE_FIXED32", _UINT32),
    FieldDescriptor.TYPE_UINT64: ("TYPE_UINT64", _UINT64),
    FieldDescriptor.TYPE_FIXED64: ("TYPE_FIXED64", _UINT64),
}

_READERS: Final[dict[int, Reader]] = {
    FieldDescriptor.TYPE_STRING: read_string,
    FieldDescriptor.TYPE_BOOL: read_bool,
    FieldDescriptor.TYPE_BYTES: read_bytes,
    FieldDescriptor.TYPE_FLOAT: float_reader("TYPE_FLOAT", _FLOAT_OVERFLOW),
    FieldDescriptor.TYPE_DOUBLE: float_reader("TYPE_DOUBLE", math.inf),
    **{kind: integer_reader(*row) for kind, row in _INTEGER_TYPES.items()},
}


def scalar_reader(field: FieldDescriptor) -> Reader:
    """Return the reader of one value of a field that is no message."""
    if field.enum_type is not None:
        return enum_reader(field.enum_type)
    return _READERS[field.type]
