"""JSON schemas, as OpenAPI and MCP servers write them -> the API's `Schema`, without references.

A schema that refers to itself in a few places has no end, and one that stops at some depth may
still be larger than any memory. So what is read is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.kept_values import unkept, whole_text
from toulmin.domain import JsonObject

_DEEPEST: Final = 12
_KEPT: Final[Mapping[str, Callable[[Any], bool]]] = {
    "description": lambda value: isinstance(value, str) and not unkept(value),
    "enum": lambda value: isinstance(value, list) and all(map(_is_single, value)),
    "default": lambda value: not unkept(value),
    "minimum": lambda value: isinstance(value, int | float) and _is_single(value),
    "maximum": lambda value: isinstance(value, int | float) and _is_single(value),
    "nullable": lambda value: isinstance(value, bool),
}
"""What is kept of a schema, and whether a value of it is one; what is none is left out."""
_EITHER: Final = ("anyOf", "oneOf", "allOf")


@dataclass(slots=True)
class Parts:
    """How many parts of schemas may still be read; with none left, what follows is left out."""

    left: int = 5_000

    def take(self, count: int = 1) -> bool:
        """Count parts; return whether they may be read."""
        self.left -= count
        return self.left >= 0


def api_schema(
    whole: JsonObject, schema: Any, parts: Parts | None = None, depth: int = 0
) -> dict[str, Any]:
    """Return a JSON schema as the API's `Schema`.

    Of a choice ("anyOf") the first that is not null is taken; what lies deeper than 12 levels is
    left out, as is what refers to nothing and what comes when no parts are left.

    Args:
        whole: What references are looked up in.
        schema: The schema.
        parts: How much may be read; None: as much as of one schema.
        depth: How deep it lies in the one that was asked for.
    """
    parts = Parts() if parts is None else parts
    if depth > _DEEPEST or not parts.take():
        return {}
    found = _chosen(whole, resolved(whole, schema), parts)
    kept = {key: found[key] for key, fits in _KEPT.items() if key in found and fits(found[key])}
    if found.get("format") == "date":  # the API's `Schema` has no field for it
        told = str(kept.get("description", "")).rstrip()
        kept["description"] = f"{told}{'.' if told[-1:].isalnum() else ''} YYYY-MM-DD".strip()
    kind = found.get("type")
    if isinstance(kind, list):
        kept |= {"nullable": True} if "null" in kind else {}
        kind = next((item for item in kind if item != "null"), "string")
    if kind:
        kept["type"] = str(kind).upper()
    inside, required = found.get("properties"), found.get("required")
    if isinstance(inside, Mapping):
        needed = required if isinstance(required, list) and parts.take(len(required)) else ()
        kept["properties"] = {
            whole_text(str(name)): api_schema(whole, item, parts, depth + 1)
            for name, item in inside.items()
        }
        kept["required"] = [whole_text(str(name)) for name in needed]
    if "items" in found:
        kept["items"] = api_schema(whole, found["items"], parts, depth + 1)
    return kept


def _is_single(value: Any) -> bool:
    return not isinstance(value, list | Mapping) and not unkept(value)


def resolved(whole: JsonObject, value: Any) -> Mapping[str, Any]:
    """Return what a value refers to, or the value itself; empty: it refers to nothing."""
    for _ in range(_DEEPEST):
        if not isinstance(value, Mapping):
            return {}
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        found: Any = whole
        for key in reference.removeprefix("#/").split("/"):
            key = key.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        value = found
    return {}


def _chosen(whole: JsonObject, found: Mapping[str, Any], parts: Parts) -> Mapping[str, Any]:
    """Return a schema with the first of its alternatives that is not null."""
    for key in _EITHER:
        options = found.get(key)
        if "type" not in found and isinstance(options, list) and parts.take(len(options)):
            several = [resolved(whole, option) for option in options]
            real = [option for option in several if option.get("type") != "null"]
            nullable = {"nullable": True} if len(real) < len(several) else {}
            return {**(real[0] if real else {}), **found, **nullable}
    return found
