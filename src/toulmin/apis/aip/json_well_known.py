"""JSON values to protobuf's well-known types, which have a JSON form of their own.

Readers as in `json_scalars`; they return messages. Source:
https://protobuf.dev/programming-guides/json/
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from toulmin.apis.aip.json_faults import MAX_DEPTH, Faults, Place, below, depth_of
from toulmin.apis.aip.json_scalars import TYPE_URL_PREFIX, Reader

# The class of a message type, seen as what makes such messages from keyword arguments.
Maker: TypeAlias = Callable[..., Any]

_TIMESTAMP: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([-+])(\d\d):(\d\d))\Z",
    re.ASCII,
)
_DURATION: Final = re.compile(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s\Z", re.ASCII)
_MAX_DURATION_S: Final = 315_576_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CAPITAL: Final = re.compile(r"[A-Z]")

# Types that take null as a value: it is one of theirs.
NULLABLE: Final = frozenset({"google.protobuf.Value", "google.protobuf.NullValue"})

WRAPPERS: Final = frozenset(
    f"google.protobuf.{name}Value"
    for name in (
        "Bool",
        "Bytes",
        "Double",
        "Float",
        "Int32",
        "Int64",
        "String",
        "UInt32",
        "UInt64",
    )
)

# A query parameter can be bound to these message types: their JSON form is a scalar.
SCALAR_LIKE: Final = WRAPPERS | {
    "google.protobuf.Timestamp",
    "google.protobuf.Duration",
    "google.protobuf.FieldMask",
}


def timestamp_reader(make: Maker) -> Reader:
    """Return a reader of RFC 3339 times, any offset, up to nanoseconds."""

    def read(value: Any, place: Place, faults: Faults) -> Any:
        parsed = _parse_timestamp(value) if isinstance(value, str) else None
        if parsed is None:
            faults.wrong_value(place, TYPE_URL_PREFIX + "google.protobuf.Timestamp", value)
            return None
        return make(seconds=parsed[0], nanos=parsed[1])

    return read


def _parse_timestamp(text: str) -> tuple[int, int] | None:
    """Return (seconds since 1970 UTC, nanoseconds) for years 1 to 9999, else None."""
    found = _TIMESTAMP.match(text)
    if found is None:
        return None
    day, clock, fraction, sign, hours, minutes = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}+00:00")
        if sign:
            if int(hours) > 23 or int(minutes) > 59:
                return None
            offset = timedelta(hours=int(hours), minutes=int(minutes))
            moment = moment - offset if sign == "+" else moment + offset
    except (ValueError, OverflowError):
        return None
    since = moment - _EPOCH
    return since.days * 86_400 + since.seconds, int((fraction or "0").ljust(9, "0"))


def duration_reader(make: Maker) -> Reader:
    """Return a reader of "1.5s", at most 10,000 years either way."""

    def read(value: Any, place: Place, faults: Faults) -> Any:
        found = _DURATION.match(value) if isinstance(value, str) else None
        if found is None or int(found[2]) > _MAX_DURATION_S:
            faults.wrong_value(place, TYPE_URL_PREFIX + "google.protobuf.Duration", value)
            return None
        sign = -1 if found[1] else 1
        nanos = int((found[3] or "0").ljust(9, "0"))
        return make(seconds=sign * int(found[2]), nanos=sign * nanos)

    return read


def field_mask_reader(make: Maker) -> Reader:
    """Return a reader of "structData,display_name"; both spellings, kept as snake_case."""

    def read(value: Any, place: Place, faults: Faults) -> Any:
        if not isinstance(value, str):
            faults.wrong_value(place, TYPE_URL_PREFIX + "google.protobuf.FieldMask", value)
            return None
        paths = [path.strip() for path in value.split(",")]
        return make(paths=[_snake_case(path) for path in paths if path])

    return read


def _snake_case(path: str) -> str:
    return _CAPITAL.sub(lambda found: "_" + found[0].lower(), path)


def wrapper_reader(make: Maker, inner: Reader) -> Reader:
    """Return a reader of google.protobuf.StringValue and the like: the bare value."""

    def read(value: Any, place: Place, faults: Faults) -> Any:
        found = inner(value, place, faults)
        return None if found is None else make(value=found)

    return read


class ValueReader:
    """Reads any JSON into google.protobuf.Value, ListValue and Struct.

    Messages are filled in place: handing one to the constructor of another copies it, once per
    level.
    """

    def __init__(self, message_class: Callable[[str], Maker]) -> None:
        self._value = message_class("google.protobuf.Value")
        self._list = message_class("google.protobuf.ListValue")
        self._struct = message_class("google.protobuf.Struct")

    def read_value(self, value: Any, place: Place, faults: Faults) -> Any:
        """Return a Value; null is one."""
        found = self._value()
        _fill_value(found, value, place, faults)
        return found

    def read_list(self, value: Any, place: Place, faults: Faults) -> Any:
        """Return a ListValue."""
        if not isinstance(value, list):
            faults.wrong_value(place, TYPE_URL_PREFIX + "google.protobuf.ListValue", value)
            return None
        found = self._list()
        _fill_list(found, value, place, faults)
        return found

    def read_struct(self, value: Any, place: Place, faults: Faults) -> Any:
        """Return a Struct."""
        if not isinstance(value, dict):
            faults.wrong_value(place, TYPE_URL_PREFIX + "google.protobuf.Struct", value)
            return None
        found = self._struct()
        _fill_struct(found, value, place, faults)
        return found


def _fill_value(target: Any, value: Any, place: Place, faults: Faults) -> None:
    if isinstance(value, str):
        target.string_value = value
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int | float):
        target.number_value = float(value)
    elif isinstance(value, dict):
        target.struct_value.SetInParent()
        _fill_struct(target.struct_value, value, place, faults)
    elif isinstance(value, list):
        target.list_value.SetInParent()
        _fill_list(target.list_value, value, place, faults)
    else:
        target.null_value = 0


def _fill_list(target: Any, items: list[Any], place: Place, faults: Faults) -> None:
    if depth_of(place) >= MAX_DEPTH:
        faults.too_deep(place)
    for index, item in enumerate(items):
        _fill_value(target.values.add(), item, below(place, index, levels=2), faults)


def _fill_struct(target: Any, items: dict[str, Any], place: Place, faults: Faults) -> None:
    if depth_of(place) >= MAX_DEPTH:
        faults.too_deep(place)
    for key, item in items.items():
        _fill_value(target.fields[key], item, below(place, key, levels=3), faults)


def well_known_readers(message_class: Callable[[str], Maker]) -> dict[str, Reader]:
    """Return the readers of the well-known types that are no wrappers, by full name."""
    values = ValueReader(message_class)
    return {
        "google.protobuf.Timestamp": timestamp_reader(message_class("google.protobuf.Timestamp")),
        "google.protobuf.Duration": duration_reader(message_class("google.protobuf.Duration")),
        "google.protobuf.FieldMask": field_mask_reader(message_class("google.protobuf.FieldMask")),
        "google.protobuf.Value": values.read_value,
        "google.protobuf.ListValue": values.read_list,
        "google.protobuf.Struct": values.read_struct,
    }
