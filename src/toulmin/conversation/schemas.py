"""Values against the API's `Schema`: what a variable or an argument may be.

A schema is the API's JSON: `type` is STRING, INTEGER, NUMBER, BOOLEAN, OBJECT or ARRAY; `$ref`,
`prefixItems` and `defs` are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toulmin.conversation.kept_values import unkept
from toulmin.conversation.words import quoted
from toulmin.domain import JsonObject


def value_problem(value: Any, schema: JsonObject, path: str = "") -> str:
    """Return what is wrong with a value, as the end of a sentence; empty: it fits the schema.

    Args:
        value: A JSON value; whole floats count as integers, as JSON knows no difference.
        schema: What it must be; an empty one takes everything.
        path: Where in the whole it stands, for the sentence.
    """
    if value is None:
        return "" if schema.get("nullable") else _wrong(path, "must not be null")
    problem = _type_problem(value, str(schema.get("type", "")), path)
    if problem:
        return problem
    choices = schema.get("enum")
    if choices and value not in choices:
        shown = ", ".join(f'"{item}"' for item in choices)
        return _wrong(path, f"is {quoted(value)}; it must be one of {shown}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _range_problem(value, schema, path)
    if isinstance(value, Mapping):
        return _object_problem(value, schema, path)
    if isinstance(value, list):
        return _list_problem(value, schema, path)
    return ""


def changed(
    after: Mapping[str, Any], before: Mapping[str, Any], declared: Mapping[str, JsonObject]
) -> dict[str, Any]:
    """Return the declared variables that have another value now, one that fits and can be kept."""
    return {
        name: value
        for name, value in after.items()
        if name in declared
        and before.get(name) != value
        and not value_problem(value, declared[name])
        and not unkept(value)
    }


def _type_problem(value: Any, kind: str, path: str) -> str:
    fits = {
        "STRING": isinstance(value, str),
        "BOOLEAN": isinstance(value, bool),
        "NUMBER": isinstance(value, int | float) and not isinstance(value, bool),
        "INTEGER": not isinstance(value, bool)
        and (isinstance(value, int) or (isinstance(value, float) and value.is_integer())),
        "OBJECT": isinstance(value, Mapping),
        "ARRAY": isinstance(value, list),
    }
    return "" if fits.get(kind, True) else _wrong(path, f"is {quoted(value)}; it must be {kind}")


def _range_problem(value: float, schema: JsonObject, path: str) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and value < low:
        return _wrong(path, f"is {value:g}; it must be at least {low:g}")
    if high is not None and value > high:
        return _wrong(path, f"is {value:g}; it must be at most {high:g}")
    return ""


def _object_problem(value: Mapping[str, Any], schema: JsonObject, path: str) -> str:
    for name in schema.get("required", ()):
        if name not in value:
            return _wrong(_join(path, name), "is missing")
    for name, inside in schema.get("properties", {}).items():
        if name in value and (found := value_problem(value[name], inside, _join(path, name))):
            return found
    return ""


def _list_problem(value: list[Any], schema: JsonObject, path: str) -> str:
    least, most = int(schema.get("minItems", 0)), int(schema.get("maxItems", 0))
    if len(value) < least:
        return _wrong(path, f"has {len(value):,} items; at least {least:,} are needed")
    if most and len(value) > most:
        return _wrong(path, f"has {len(value):,} items; at most {most:,} are allowed")
    inside = schema.get("items", {})
    for number, item in enumerate(value):
        if found := value_problem(item, inside, f"{path}[{number}]"):
            return found
    return ""


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _wrong(path: str, what: str) -> str:
    return f"{path} {what}" if path else what
