"""JSON and JSON Lines: one paragraph per record, each value on a line of its own with its path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.builder import DocumentBuilder, one_line
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.source import Source

_MAX_DEPTH = 100


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the records: the lines of JSONL, the items of a list, or the one object.

    `{"a": {"b": [1, 2]}}` becomes the lines `a.b: 1` and `a.b: 2`.

    Raises:
        InvalidArgument: It is not JSON, or nested too deeply.
    """
    text, _ = decode(source.content, source.charset)
    if source.format is FileFormat.JSONL:
        # Only "\n" ends a line of JSONL: values may hold the other line ends of Unicode.
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                _add_record(_loads(line, f"line {number}"), builder)
        return
    value = _loads(text, "the file")
    for record in value if isinstance(value, list) else [value]:
        _add_record(record, builder)


def _loads(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(
            f"has JSON that cannot be read: {what}: {error}", reason="DOCUMENT_UNREADABLE"
        ) from error


def _add_record(record: Any, builder: DocumentBuilder) -> None:
    lines = []
    for path, value in _leaves(record, "", 0):
        lines.append(f"{path}: {value}" if path else value)
    builder.paragraph("\n".join(lines))


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each value that is neither object, list nor null."""
    if depth > _MAX_DEPTH:
        raise InvalidArgument(
            f"has JSON nested deeper than {_MAX_DEPTH}", reason="DOCUMENT_UNREADABLE"
        )
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path, depth + 1)
    elif isinstance(value, str):
        if value.strip():
            yield path, value if "\n" in value else one_line(value)
    elif value is not None:
        yield path, json.dumps(value)
