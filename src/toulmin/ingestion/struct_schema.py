"""The JSON schemas of data stores: what a schema must look like, and what data follow one.

Only `type` (with `properties` and `items`) is checked of data; other JSON Schema keywords are kept
and never looked into. That is why no JSON Schema library is used: the types `datetime` and
`geolocation` are not JSON Schema's, `pattern` would run a caller's regular expressions and `$ref`
could ask for addresses.

Types and annotations: https://docs.cloud.google.com/generative-ai-app-builder/docs/provide-schema
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from toulmin.domain import JsonObject, Schema
from toulmin.errors import InvalidArgument

ANNOTATIONS: Final = ("indexable", "searchable", "retrievable", "dynamicFacetable", "completable")
"""Keywords of a property that are true or false."""

MAX_DEPTH: Final = 32
"""Levels of objects and lists within a schema."""

_TIME: Final = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}.*)?)?)?)?\Z")
_POINT: Final = re.compile(r"\s*-?\d+(\.\d+)?\s*,\s*-?\d+(\.\d+)?\s*\Z")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return _is_number(value) and (not isinstance(value, float) or value.is_integer())


def _is_time(value: object) -> bool:
    return isinstance(value, str) and _TIME.match(value) is not None


def _is_point(value: object) -> bool:
    if isinstance(value, str):
        return _POINT.match(value) is not None
    return isinstance(value, Mapping) and all(
        any(_is_number(value.get(name)) for name in names)
        for names in (("latitude", "lat"), ("longitude", "lng", "lon"))
    )


_TYPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_whole,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
    "datetime": _is_time,
    "geolocation": _is_point,
}


def check_schema(json_schema: JsonObject, *, field: str) -> None:
    """Raise unless a JSON schema can describe the data of documents.

    Args:
        json_schema: The schema.
        field: Path of the schema in the request, for the error.

    Raises:
        InvalidArgument: The root is no object, a type is unknown, an annotation is neither true
            nor false, or it is more than `MAX_DEPTH` levels deep; says where.
    """
    if "object" not in _types_of(json_schema, field):
        raise InvalidArgument.of_field(
            field, f'must have "type": "object" at its root, not {_shown(json_schema.get("type"))}'
        )
    _check_node(json_schema, field, level=0)


def check_struct(schema: Schema, struct: JsonObject | None, *, field: str = "struct_data") -> None:
    """Raise unless the types in a document's data are those of its schema.

    Properties that the schema does not name, and null, are always right.

    Args:
        schema: Schema of the document.
        struct: The document's data; None: it has none, which is right.
        field: Path of the data in the request, for the error.

    Raises:
        InvalidArgument: A value has another type; says where in the data.
    """
    if schema.json_schema:
        _check_value(schema.json_schema, struct, field)


def _check_node(node: Any, place: str, *, level: int) -> None:
    if not isinstance(node, Mapping):
        raise InvalidArgument.of_field(place, f"must be an object, not {_shown(node)}")
    if level > MAX_DEPTH:
        raise InvalidArgument.of_field(place, f"is more than {MAX_DEPTH} levels deep")
    _types_of(node, place)
    for name in ANNOTATIONS:
        if not isinstance(node.get(name, False), bool):
            raise InvalidArgument.of_field(
                f"{place}.{name}", f"must be true or false, not {_shown(node[name])}"
            )
    if not isinstance(node.get("keyPropertyMapping", ""), str):
        raise InvalidArgument.of_field(f"{place}.keyPropertyMapping", "must be a string")
    properties = node.get("properties", {})
    if not isinstance(properties, Mapping):
        raise InvalidArgument.of_field(f"{place}.properties", "must be an object")
    for name, child in properties.items():
        _check_node(child, f"{place}.properties.{name}", level=level + 1)
    if "items" in node:
        _check_node(node["items"], f"{place}.items", level=level + 1)


def _types_of(node: JsonObject, place: str) -> list[str]:
    """Return the types that a value may have; empty: any."""
    given = node.get("type", [])
    types = given if isinstance(given, list) else [given]
    for name in types:
        if not isinstance(name, str) or name not in _TYPES:
            raise InvalidArgument.of_field(
                f"{place}.type", f"{_shown(name)} is not one of {', '.join(_TYPES)}"
            )
    return types


def _check_value(node: JsonObject, value: object, place: str) -> None:
    if value is None:
        return
    types = _types_of(node, place)
    if types and not any(_TYPES[name](value) for name in types):
        raise InvalidArgument.of_field(
            place, f"must be {' or '.join(types)} by its schema, not {_shown(value)}"
        )
    if isinstance(value, Mapping):
        for name, child in node.get("properties", {}).items():
            if name in value:
                _check_value(child, value[name], f"{place}.{name}")
    if isinstance(value, list) and "items" in node:
        for index, item in enumerate(value):
            _check_value(node["items"], item, f"{place}[{index}]")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + "..."
