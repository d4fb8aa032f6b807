"""What MCP servers say of their tools and return of calls -> tools and responses of the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toulmin.conversation.json_schemas import api_schema
from toulmin.conversation.kept_values import whole_text
from toulmin.domain import NO_FIELDS, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool of a server.

    Attributes:
        name: Its name.
        description: What it is for.
        parameters: The API's `Schema` of its arguments.
        output: The API's `Schema` of what it returns; empty: the server does not say.
        changes: Whether a call changes something, by its annotations; None: they do not say.
    """

    name: str
    description: str
    parameters: JsonObject
    output: JsonObject = field(default_factory=lambda: NO_FIELDS)
    changes: bool | None = None


def tool_of(item: Any) -> McpTool | None:
    """Return a tool as the server describes it; None: it has no name."""
    if not isinstance(item, dict) or not item.get("name"):
        return None
    schema = item.get("inputSchema") or {}
    output = item.get("outputSchema") or {}
    return McpTool(
        name=whole_text(str(item["name"])),
        description=whole_text(str(item.get("description") or item.get("title") or "")),
        parameters={"type": "OBJECT", **api_schema(schema, schema)},
        output=api_schema(output, output),
        changes=_changes(item.get("annotations")),
    )


def _changes(annotations: Any) -> bool | None:
    """Return whether a tool changes something, by what is said of it; None: nothing is."""
    if not isinstance(annotations, dict):
        return None
    read_only = annotations.get("readOnlyHint")
    if isinstance(read_only, bool):
        return not read_only
    return True if annotations.get("destructiveHint") is True else None


def response_of(result: JsonObject) -> JsonObject:
    """Return the result of a call as a tool's response: what is structured, else its texts."""
    texts = list(_texts(result.get("content")))
    if result.get("isError"):
        return {"error": "\n".join(texts) or "the tool failed and does not say why"}
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        # Servers wrap what is no object into {"result": ...}, as is done here.
        return structured if set(structured) == {"result"} else {"result": structured}
    text = "\n".join(texts)
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        value = text
    return {"result": value if isinstance(value, dict | list) else text}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _texts(content: Any) -> Iterator[str]:
    for item in content if isinstance(content, list) else ():
        kind = item.get("type") if isinstance(item, dict) else ""
        resource = item.get("resource") if kind == "resource" else None
        if kind == "text":
            yield str(item.get("text", ""))
        elif isinstance(resource, dict) and "text" in resource:
            yield str(resource["text"])
        elif kind == "resource_link":
            yield str(item.get("uri", ""))
        elif kind:
            yield f"({kind}: not read by this version of Toulmin)"
