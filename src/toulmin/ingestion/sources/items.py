"""What an import consists of: items, each a document or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.domain import Document, JsonObject
from toulmin.errors import ToulminError


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportItem:
    """One item of a source.

    Attributes:
        where: What people call it in an error: "file:///docs/a.pdf", "gs://b/x.jsonl line 12".
        cursor: Where the item after this one begins; JSON. A source opened with it goes on there.
        document: The document as its owner gave it, `content` with `raw_bytes` not yet read when
            it has a `uri`; None: there is none.
        error: What is wrong with it; a document beside it has only its id.
    """

    where: str
    cursor: JsonObject
    document: Document | None = None
    error: ToulminError | None = None
