"""Proto JSON to protobuf messages, driven by descriptors that are compiled once per type.

A JSON object is checked and turned into the keyword arguments of the message class, nested objects
into nested dicts, so that protobuf builds the whole message in one call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from toulmin.apis.aip.json_faults import MAX_DEPTH, Faults, Place, below, depth_of
from toulmin.apis.aip.json_scalars import TYPE_URL_PREFIX, Reader, read_string, scalar_reader
from toulmin.apis.aip.json_text import read_json
from toulmin.apis.aip.json_well_known import (
    NULLABLE,
    SCALAR_LIKE,
    WRAPPERS,
    well_known_readers,
    wrapper_reader,
)
from toulmin.apis.schema import Schema

_ANY: Final = "google.protobuf.Any"
_LISTS: Final = frozenset({"google.protobuf.Value", "google.protobuf.ListValue"})


class Field(NamedTuple):
    """How one field of a message is read.

    Attributes:
        name: The field's proto name.
        read: Returns what the message class takes for the field, or None after a fault.
        read_one: As `read`, for one element of a repeated field; `read` itself when singular.
        is_text: A singular string, by far the commonest and the longest.
        is_repeated: A list (not a map).
        is_scalar: A query parameter can be bound to it.
        takes_null: null is a value of its type, not the absence of one.
        oneof: Name of the oneof it is in, "" when in none.
        message: Full name of its message type when that is an ordinary message, else "".
    """

    name: str
    read: Reader
    read_one: Reader
    is_text: bool
    is_repeated: bool
    is_scalar: bool
    takes_null: bool
    oneof: str
    message: str


class MessageReader:
    """Reads JSON objects into the keyword arguments of one message class."""

    def __init__(self, parser: JsonParser, descriptor: Descriptor) -> None:
        self._parser = parser
        self._descriptor = descriptor
        self._fields: dict[str, Field] | None = None  # on first use: message types are recursive
        self.type_url = TYPE_URL_PREFIX + descriptor.full_name

    @property
    def fields(self) -> dict[str, Field]:
        """Return the fields by both of their names, camelCase and snake_case."""
        if self._fields is None:
            fields = {}
            for field in self._descriptor.fields:
                compiled = self._parser.compile_field(field)
                fields[field.name] = fields[field.json_name] = compiled
            self._fields = fields  # only when complete: other threads read it
        return self._fields

    def __call__(self, value: Any, place: Place, faults: Faults) -> dict[str, Any] | None:
        """Return the keyword arguments, or None when the value is no object."""
        if type(value) is not dict:
            faults.wrong_value(place, self.type_url, value)
            return None
        if depth_of(place) >= MAX_DEPTH:
            faults.too_deep(place)
        fields = self._fields or self.fields
        found: dict[str, Any] = {}
        taken: dict[str, str] = {}
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                faults.unknown_name(place, key)
            elif item is None and not field.takes_null:
                continue
            elif field.name in found:
                faults.unknown_name(place, key, "The field is there already in its other spelling.")
            elif field.is_text and type(item) is str:
                found[field.name] = item
            else:
                result = field.read(item, below(place, field.name), faults)
                if result is not None:
                    found[field.name] = result
            if field is not None and field.oneof:
                _check_oneof(taken, field.oneof, key=key, place=place, faults=faults)
        return found


def _check_oneof(
    taken: dict[str, str], oneof: str, *, key: str, place: Place, faults: Faults
) -> None:
    if taken.setdefault(oneof, key) != key:
        faults.wrong_because(
            place, "oneof", f"oneof field '{oneof}' is already set. Cannot set '{key}'"
        )


class JsonParser:
    """Parses any message of a schema; what it compiles is kept for the next request."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._message_readers: dict[str, MessageReader] = {}
        self._well_known = well_known_readers(schema.message_class)
        self._well_known[_ANY] = self._read_any

    def parse(self, body: bytes, message_class: type[Message]) -> Message:
        """Return the message that a JSON text holds.

        Raises:
            InvalidArgument: not JSON, or not this message; names every fault, at most 16.
        """
        faults = Faults()
        descriptor: Any = message_class.DESCRIPTOR
        arguments = self.read_root(read_json(body), descriptor, faults)
        faults.raise_if_any()
        return message_class(**arguments)

    def read_root(self, value: Any, descriptor: Descriptor, faults: Faults) -> dict[str, Any]:
        """Return the keyword arguments of the message that a whole body is."""
        if not isinstance(value, dict):
            faults.unknown_name(None, "", "Root element must be a message.")
            return {}
        return self.message_reader(descriptor)(value, None, faults) or {}

    def message_reader(self, descriptor: Descriptor) -> MessageReader:
        """Return the reader of a message type that has no JSON form of its own."""
        found = self._message_readers.get(descriptor.full_name)
        if found is None:
            found = MessageReader(self, descriptor)
            self._message_readers[descriptor.full_name] = found
        return found

    def fields(self, full_name: str) -> dict[str, Field]:
        """Return the fields of a message type by both of their names."""
        return self.message_reader(self._schema.message_descriptor(full_name)).fields

    def compile_field(self, field: FieldDescriptor) -> Field:
        """Return how a field is read."""
        message = field.message_type
        is_map = message is not None and message.GetOptions().map_entry
        read_one = self._map_reader(message) if message and is_map else self._value_reader(field)
        is_list = field.is_repeated and not is_map
        if is_list:
            read = _list_reader(read_one, field)
        else:
            read = read_one if is_map else _no_list(read_one, field)
        type_name = message.full_name if message is not None else ""
        enum_name = field.enum_type.full_name if field.enum_type is not None else ""
        oneof = field.containing_oneof
        return Field(
            name=field.name,
            read=read,
            read_one=read_one,
            is_text=read_one is read_string and not is_list,
            is_repeated=is_list,
            is_scalar=message is None or type_name in SCALAR_LIKE,
            takes_null=not is_list and (type_name in NULLABLE or enum_name in NULLABLE),
            oneof=oneof.name if oneof is not None and len(oneof.fields) > 1 else "",
            message="" if is_map or self._reads_whole(type_name) else type_name,
        )

    def _reads_whole(self, type_name: str) -> bool:
        return not type_name or type_name in WRAPPERS or type_name in self._well_known

    def _value_reader(self, field: FieldDescriptor) -> Reader:
        """Return the reader of one value of a field."""
        message = field.message_type
        if message is None:
            return scalar_reader(field)
        if message.full_name in WRAPPERS:
            inner = scalar_reader(message.fields_by_name["value"])
            return wrapper_reader(self._schema.message_class(message.full_name), inner)
        return self._well_known.get(message.full_name) or self.message_reader(message)

    def _map_reader(self, entry: Descriptor) -> Reader:
        read_key = scalar_reader(entry.fields_by_name["key"])
        read_value = self._value_reader(entry.fields_by_name["value"])

        def read_map(value: Any, place: Place, faults: Faults) -> dict[Any, Any] | None:
            if not isinstance(value, dict):
                faults.wrong_value(place, "Map", value)
                return None
            found = {}
            for index, (key, item) in enumerate(value.items()):
                entry_place = below(place, index)
                read = read_key(key, below(entry_place, "key"), faults)
                result = read_value(item, below(entry_place, "value"), faults)
                if read is not None and result is not None:
                    found[read] = result
            return found

        return read_map

    def _read_any(self, value: Any, place: Place, faults: Faults) -> Any:
        """Return a google.protobuf.Any: {"@type": url, fields} or {"@type": url, "value": x}."""
        type_url = value.get("@type") if isinstance(value, dict) else None
        any_class: Callable[..., Any] = self._schema.message_class(_ANY)
        if value == {}:
            return any_class()
        if depth_of(place) >= MAX_DEPTH:
            faults.too_deep(place)
        descriptor = self._descriptor_of_url(type_url)
        if descriptor is None:
            faults.wrong_value(place, TYPE_URL_PREFIX + _ANY, type_url or value)
            return None
        rest = {key: item for key, item in value.items() if key != "@type"}
        read = self._well_known.get(descriptor.full_name)
        if read is None:
            arguments = self.message_reader(descriptor)(rest, place, faults) or {}
            content: Any = self._schema.message_class(descriptor.full_name)(**arguments)
        else:
            content = read(rest.get("value"), below(place, "value"), faults)
        if content is None:
            return None
        return any_class(type_url=type_url, value=content.SerializeToString(deterministic=True))

    def _descriptor_of_url(self, type_url: Any) -> Descriptor | None:
        if not isinstance(type_url, str) or "/" not in type_url:
            return None
        try:
            return self._schema.message_descriptor(type_url.rpartition("/")[2])
        except (KeyError, UnicodeError):
            return None


def _list_reader(read_one: Reader, field: FieldDescriptor) -> Reader:
    type_url = TYPE_URL_PREFIX + field.message_type.full_name if field.message_type else "repeated"

    def read_list(value: Any, place: Place, faults: Faults) -> list[Any] | None:
        if not isinstance(value, list):
            faults.wrong_value(place, type_url, value)
            return None
        found = [read_one(item, below(place, index), faults) for index, item in enumerate(value)]
        return [item for item in found if item is not None]

    return read_list


def _no_list(read_one: Reader, field: FieldDescriptor) -> Reader:
    """Return the reader of a singular field, which names the field when it meets a list."""
    if field.message_type is not None and field.message_type.full_name in _LISTS:
        return read_one
    name = field.name

    def read(value: Any, place: Place, faults: Faults) -> Any:
        if type(value) is list:
            parent = place[0] if place is not None else None
            faults.unknown_name(parent, name, "Proto field is not repeating, cannot start list.")
            return None
        return read_one(value, place, faults)

    return read


@cache
def json_parser(schema: Schema) -> JsonParser:
    """Return the parser of a schema, one per schema and process."""
    return JsonParser(schema)
