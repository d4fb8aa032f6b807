"""What an answer can rest on: a passage, where it is from, and how relevant it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from toulmin.domain import Fact
from toulmin.grounding.check import MAX_FACT_CHARACTERS

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class SourceKind(StrEnum):
    """What kind of source a passage is from, and so how it is referred to.

    DOCUMENT: a document's content, found or brought by the caller. CHUNK: a chunk, in a search for
    chunks. STRUCTURED: a document that has data only. USER: the caller's knowledge of the user.
    INLINE: a passage of the request, named by an id.
    """

    DOCUMENT = "DOCUMENT"
    CHUNK = "CHUNK"
    STRUCTURED = "STRUCTURED"
    USER = "USER"
    INLINE = "INLINE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that an answer may rest on and cite.

    Attributes:
        text: The words.
        kind: What kind of source it is from.
        id: The caller's id of an inline passage; else empty.
        part: Which part of an inline passage's content it is, from 0.
        document: Name of its document; empty: none.
        chunk: Name of its chunk; empty: none.
        uri: Where people find the document.
        title: Title of the document.
        page: Page identifier; empty: no pages.
        later_pages: Where in `text` each page after that begins, with its identifier.
        relevance: How relevant to the query, in [0, 1]; None: not known.
        struct_data: Data of the document.
        blob_ids: Images of the chunk: the document's names of them.
        document_key: The record store's number of the document; 0: none.
        headings: Headings above it, outermost first.
        cut: Whether a table in it has rows that are in no passage.
    """

    text: str
    kind: SourceKind = SourceKind.DOCUMENT
    id: str = ""
    part: int = 0
    document: str = ""
    chunk: str = ""
    uri: str = ""
    title: str = ""
    page: str = ""
    later_pages: tuple[tuple[int, str], ...] = ()
    relevance: float | None = None
    struct_data: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    blob_ids: tuple[str, ...] = ()
    document_key: int = 0
    headings: tuple[str, ...] = ()
    cut: bool = False

    def page_at(self, position: int) -> str:
        """Return the identifier of the page of a character of the text; empty: no pages."""
        begun = [page for start, page in self.later_pages if start <= position]
        return begun[-1] if begun else self.page


def fact_of(passage: Passage) -> Fact:
    """Return a passage as a fact, with its title and headings as attributes."""
    attributes = {"title": passage.title, "section": " > ".join(passage.headings)}
    named = {key: value for key, value in attributes.items() if value}
    return Fact(passage.text[:MAX_FACT_CHARACTERS], named)
