"""Title, link and the like of a document, from its data, its file and its URI."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from toulmin.domain import Document, JsonObject
from toulmin.ingestion.parsing.builder import one_line
from toulmin.ingestion.parsing.document import BlockKind, ParsedDocument
from toulmin.ingestion.parsing.file_format import BY_SUFFIX, FileFormat
from toulmin.ingestion.parsing.struct_text import data_link, data_title
from toulmin.ingestion.sources.uri import name_of

_MAX_TITLE = 300
_HEADING_WITHIN = 3000
"""Characters at a file's beginning in which its first heading may be its title."""
_GUESSED_HEADINGS = {FileFormat.TEXT, FileFormat.XLSX, FileFormat.XLS, FileFormat.ODS}
"""Formats whose headings are guessed from capitals, or are names of sheets."""
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|excel|powerpoint|office)\s*-.*"
    r"|(?:powerpoint|microsoft)[ -]pr[eé]sentation|untitled.*|unbenannt.*|sans titre.*"
    r"|(?:document|dokument|presentation|workbook|book|slide|folie|sheet|page) ?\d*"
    r"|no title|title|titel|title slide|header|contents|doc\d*|about:blank|layout \d+)",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\S+\.(\w{1,5})", re.IGNORECASE)
_WORKING_FILES = {"doc", "dvi", "fm", "indd", "p65", "pmd", "ppt", "ps", "qxd", "qxp", "tex", "wpd"}


def file_name(uri: str) -> str:
    """Return the last part of a URI's path as people read it, such as "a b.pdf"."""
    name = name_of(uri)
    return one_line(unquote(name) if uri.lower().startswith("https:") else name)


def title_of(document: Document, parsed: ParsedDocument, data: Any) -> str:
    """Return the title: of the data, the file's own, its first heading, or its name; else ""."""
    own = parsed.metadata.title
    if (title := data_title(data)) or document.content is None:
        pass
    elif is_title(own):
        title = own
    elif parsed.format in _GUESSED_HEADINGS:
        title = _name_title(document) or _first_heading(parsed)
    else:
        title = _first_heading(parsed) or _name_title(document)
    return title[:_MAX_TITLE]


def derived_fields(document: Document, parsed: ParsedDocument, data: Any) -> JsonObject:
    """Return the `derived` of a document; what is not known is left out.

    Args:
        document: The document as given.
        parsed: What parsing its content, or rendering its data, gave.
        data: Its data; None: it has none.
    """
    metadata = parsed.metadata
    content = document.content
    found: dict[str, Any] = {
        "title": title_of(document, parsed, data),
        "link": data_link(data) or (content.uri if content else ""),
        "mime_type": parsed.mime_type if content else "",
        "pages": len(parsed.pages),
        "language": metadata.language,
        "author": metadata.author,
        "created": metadata.created,
        "modified": metadata.modified,
        "notes": list(parsed.notes),
    }
    return {key: value for key, value in found.items() if value}


def is_title(text: str) -> bool:
    """Return whether what a file calls its title is one, and not what its program left there."""
    text = text.strip()
    letters = sum(char.isalpha() for char in text)
    marks = sum(not char.isspace() for char in text) - letters
    if not letters or letters < marks or _NO_TITLE.fullmatch(text):
        return False  # mostly marks: what OCR made of a picture
    named = _FILE_NAME.fullmatch(text)
    return not (named and named[1].lower() in _WORKING_FILES | BY_SUFFIX.keys())


def _first_heading(parsed: ParsedDocument) -> str:
    for block in parsed.blocks:
        if block.start > _HEADING_WITHIN:
            break
        if block.kind is BlockKind.HEADING:
            heading = parsed.text[block.start : block.end]
            return heading if is_title(heading) else ""
    return ""


def _name_title(document: Document) -> str:
    if not document.content or not document.content.uri:
        return ""
    name = file_name(document.content.uri)
    stem, _, ending = name.rpartition(".")
    return stem if stem and ending.lower() in BY_SUFFIX else name
