"""A document's data as text: what is searched where there is no file.

Short values become lines (`author.name: Ada Poe`), long ones paragraphs; several long ones are
headed by their names. The data's title comes first, as a heading.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toulmin.domain import Document
from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.builder import DocumentBuilder, one_line
from toulmin.ingestion.parsing.document import ParsedDocument
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.formats.text import add_text
from toulmin.ingestion.parsing.limits import ParseLimits

_TITLES = ("title", "name", "headline")
_LINKS = ("uri", "url", "link")
_LONG = 200
"""Characters above which a value is a paragraph of its own."""
_MAX_LINES = 20
"""Lines in one paragraph, so that records of many fields are cut between lines."""
_MAX_NUMBERS = 32
"""A longer list of numbers is a vector or a series: nothing that anybody searches by words."""
_MAX_DEPTH = 100


def document_data(document: Document) -> Any:
    """Return the data of a document, from either form; None: it has none.

    Raises:
        InvalidArgument: Its `json_data` is not JSON.
    """
    if document.struct_data is not None:
        return document.struct_data
    if document.json_data is None:
        return None
    try:
        return json.loads(document.json_data)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument.of_field("json_data", f"is not JSON: {error}.") from error


def data_title(data: Any) -> str:
    """Return the first text among the fields title, name and headline, in any case, or ""."""
    return _named_text(data, _TITLES)


def data_link(data: Any) -> str:
    """Return the first text among the fields uri, url and link, in any case, or ""."""
    return _named_text(data, _LINKS)


def render_data(data: Any, *, limits: ParseLimits) -> ParsedDocument:
    """Return data as a document of headings and paragraphs.

    Raises:
        InvalidArgument: It is nested too deeply.
        ResourceExhausted: It is too long.
    """
    builder = DocumentBuilder(limits)
    title, link = data_title(data), data_link(data)
    builder.heading(title, 1)
    kept = data
    if isinstance(data, Mapping):
        # The title is there already, and the link is no prose.
        kept = {key: value for key, value in data.items() if not _is_told(key, value, title, link)}
    found = _Found()
    _collect(kept, "", 0, found)
    _write(found, builder)
    if builder.is_empty and link:
        builder.paragraph(link)
    if builder.is_empty:
        builder.note("The document has no text")
    return builder.build(FileFormat.JSON, "application/json")


@dataclass(slots=True)
class _Found:
    """What the walk over the data has met.

    Attributes:
        paragraphs: Groups of lines; the last one is being filled.
        long: Path and text of each long value.
        notes: What was left out.
    """

    paragraphs: list[list[str]] = field(default_factory=lambda: [[]])
    long: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_line(self, path: str, text: str) -> None:
        if len(self.paragraphs[-1]) >= _MAX_LINES:
            self.begin()
        self.paragraphs[-1].append(f"{path}: {text}" if path else text)

    def begin(self) -> None:
        if self.paragraphs[-1]:
            self.paragraphs.append([])


def _named_text(data: Any, names: Sequence[str]) -> str:
    if not isinstance(data, Mapping):
        return ""
    texts = {
        str(key).lower(): line
        for key, value in reversed(list(data.items()))  # of two spellings the first one counts
        if isinstance(value, str) and (line := one_line(value))
    }
    return next((texts[name] for name in names if name in texts), "")


def _is_told(key: object, value: Any, title: str, link: str) -> bool:
    if not isinstance(value, str) or not value.strip():
        return False
    name, text = str(key).lower(), one_line(value)
    return (name in _TITLES and text == title) or (name in _LINKS and text == link)


def _collect(value: Any, path: str, depth: int, found: _Found) -> None:
    if depth > _MAX_DEPTH:
        raise InvalidArgument.of_field("struct_data", f"is nested deeper than {_MAX_DEPTH}.")
    if isinstance(value, Mapping):
        for key, item in value.items():
            _collect(item, f"{path}.{key}" if path else str(key), depth + 1, found)
    elif isinstance(value, list | tuple):
        _collect_list(value, path, depth, found)
    else:
        text = _scalar(value)
        if "\n" in text or len(text) > _LONG:
            found.long.append((path, text))
        elif text:
            found.add_line(path, one_line(text))


def _collect_list(values: Sequence[Any], path: str, depth: int, found: _Found) -> None:
    if len(values) > _MAX_NUMBERS and all(_is_number(value) for value in values):
        found.notes.append(f"{path or 'The data'}: {len(values)} numbers were left out of the text")
        return
    short = list(_short_texts(values))
    if len(short) == len(values):
        if joined := ", ".join(text for text in short if text):
            found.add_line(path, joined)
        return
    for value in values:
        if isinstance(value, Mapping):
            found.begin()  # the fields of one record stay together
        _collect(value, path, depth + 1, found)
    found.begin()


def _short_texts(values: Sequence[Any]) -> Iterator[str]:
    for value in values:
        if not isinstance(value, Mapping | list | tuple):
            text = _scalar(value)
            if "\n" not in text and len(text) <= _LONG:
                yield one_line(text)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # a protobuf Struct knows no integers
    return json.dumps(value) if isinstance(value, bool | int | float) else str(value)


def _write(found: _Found, builder: DocumentBuilder) -> None:
    for lines in found.paragraphs:
        builder.paragraph("\n".join(lines), verbatim=True)
    for path, text in found.long:
        if len(found.long) > 1:
            builder.heading(path, 2)
        add_text(text.replace("\f", "\n\n"), builder)
    for note in found.notes:
        builder.note(note)
