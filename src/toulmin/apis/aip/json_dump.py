"""Protobuf messages to proto JSON as Google's servers write it, driven by descriptors.

Defaults are omitted, explicit zeros of optional fields are not, int64 are strings, floats have the
fewest digits that read back the same, whole numbers have no ".0", map keys are sorted so that the
same message gives the same bytes. Source: https://protobuf.dev/programming-guides/json/
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import orjson
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from toulmin.apis.aip.json_well_known import WRAPPERS
from toulmin.apis.schema import class_of

Writer: TypeAlias = Callable[[Any], Any]
MessageWriter: TypeAlias = Callable[[Message], Any]

_INT64_TYPES: Final = frozenset(
    {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    }
)
# Whole doubles below this are exact and are written as integers.
_MAX_WHOLE: Final = 2.0**53


def to_json_value(message: Message, *, enums_as_ints: bool) -> Any:
    """Return a message as the value that its proto JSON encodes; a dict, but for special types.

    Args:
        message: Any message.
        enums_as_ints: Numbers instead of names.

    Raises:
        ValueError: the message holds an Any of a type that is not in its pool.
    """
    descriptor: Any = message.DESCRIPTOR
    return _DUMPERS[enums_as_ints].writer(descriptor)(message)


def dump_json(message: Message, *, enums_as_ints: bool) -> bytes:
    """Return a message as proto JSON, on one line.

    Args:
        message: Any message.
        enums_as_ints: Numbers instead of names.

    Raises:
        ValueError: the message holds an Any of a type that is not in its pool.
    """
    return orjson.dumps(to_json_value(message, enums_as_ints=enums_as_ints))


def write_double(value: float) -> float | int | str:
    """Return a double as JSON has it: 1 for 1.0, "NaN" for what JSON lacks."""
    if value.is_integer() and abs(value) < _MAX_WHOLE:
        return int(value) if value or math.copysign(1, value) > 0 else value  # -0.0 keeps its sign
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def write_float(value: float) -> float | int | str:
    """Return a 32-bit float with the fewest digits that read back as the same 32 bits."""
    if not math.isfinite(value) or (value.is_integer() and abs(value) < _MAX_WHOLE):
        return write_double(value)
    for digits in (6, 7, 8):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == struct.pack("f", value):
            return short
    return float(f"{value:.9g}")


def _write_bytes(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _write_time(message: Any) -> str:
    text: str = message.ToJsonString()
    return text


def _write_field_mask(message: Any) -> str:
    return ",".join(_camel_case(path) for path in message.paths)


def _camel_case(path: str) -> str:
    head, *rest = path.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _write_value(message: Any) -> Any:
    kind = message.WhichOneof("kind")
    if kind is None or kind == "null_value":
        return None
    value = getattr(message, kind)
    if kind == "number_value":
        return write_double(value)
    if kind == "struct_value":
        return _write_struct(value)
    return _write_list(value) if kind == "list_value" else value


def _write_struct(message: Any) -> dict[str, Any]:
    return {key: _write_value(message.fields[key]) for key in sorted(message.fields)}


def _write_list(message: Any) -> list[Any]:
    return [_write_value(item) for item in message.values]


_WELL_KNOWN: Final[dict[str, Writer]] = {
    "google.protobuf.Timestamp": _write_time,
    "google.protobuf.Duration": _write_time,
    "google.protobuf.FieldMask": _write_field_mask,
    "google.protobuf.Value": _write_value,
    "google.protobuf.Struct": _write_struct,
    "google.protobuf.ListValue": _write_list,
}


def _write_unchanged(value: Any) -> Any:
    return value


_SCALARS: Final[dict[int, Writer]] = {
    FieldDescriptor.TYPE_DOUBLE: write_double,
    FieldDescriptor.TYPE_FLOAT: write_float,
    FieldDescriptor.TYPE_BYTES: _write_bytes,
}


def _write_key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)


class _Dumper:
    """Writers by descriptor, for one way of writing enums."""

    def __init__(self, *, enums_as_ints: bool) -> None:
        self._enums_as_ints = enums_as_ints
        self._writers: dict[Descriptor, MessageWriter] = {}
        self._fields: dict[FieldDescriptor, tuple[str, Writer]] = {}

    def writer(self, descriptor: Descriptor) -> MessageWriter:
        """Return the writer of a message type."""
        found = self._writers.get(descriptor)
        if found is None:
            found = self._writers[descriptor] = self._make_writer(descriptor)
        return found

    def _make_writer(self, descriptor: Descriptor) -> MessageWriter:
        if descriptor.full_name in _WELL_KNOWN:
            return _WELL_KNOWN[descriptor.full_name]
        if descriptor.full_name == "google.protobuf.Any":
            return self._write_any
        if descriptor.full_name in WRAPPERS:
            write = self._one_writer(descriptor.fields_by_name["value"])
            return lambda message: write(message.value)  # type: ignore[attr-defined]
        return self._write_message

    def _write_message(self, message: Any) -> dict[str, Any]:
        written = {}
        known = self._fields
        for field, value in message.ListFields():
            row = known.get(field)
            if row is None:
                row = known[field] = (field.json_name, self._field_writer(field))
            written[row[0]] = row[1](value)
        return written

    def _field_writer(self, field: FieldDescriptor) -> Writer:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            write_item = self._one_writer(field.message_type.fields_by_name["value"])
            return lambda items: {_write_key(key): write_item(items[key]) for key in sorted(items)}
        write = self._one_writer(field)
        if field.is_repeated:
            return lambda items: [write(item) for item in items]
        return write

    def _one_writer(self, field: FieldDescriptor) -> Writer:
        if field.message_type is not None:
            descriptor = field.message_type
            return lambda message: self.writer(descriptor)(message)
        if field.enum_type is not None:
            return self._enum_writer(field.enum_type)
        if field.type in _INT64_TYPES:
            return str
        return _SCALARS.get(field.type, _write_unchanged)

    def _enum_writer(self, enum: EnumDescriptor) -> Writer:
        if enum.full_name == "google.protobuf.NullValue":
            return lambda _: None
        if self._enums_as_ints:
            return _write_unchanged
        names = {value.number: value.name for value in reversed(enum.values)}
        return lambda number: names.get(number, number)

    def _write_any(self, message: Any) -> dict[str, Any]:
        if not message.type_url:
            return {}
        pool = message.DESCRIPTOR.file.pool
        try:
            descriptor = pool.FindMessageTypeByName(message.type_url.rpartition("/")[2])
        except KeyError as error:
            raise ValueError(f"no such message type: {message.type_url}") from error
        message_class: Any = class_of(descriptor)
        content = message_class.FromString(message.value)
        value = self.writer(descriptor)(content)
        if descriptor.full_name in _WELL_KNOWN or descriptor.full_name in WRAPPERS:
            value = {"value": value}
        return {"@type": message.type_url, **value}


_DUMPERS: Final = {choice: _Dumper(enums_as_ints=choice) for choice in (False, True)}
