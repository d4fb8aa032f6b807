"""Ids of documents: which ones are allowed, and those made from what a document is."""

from __future__ import annotations

import hashlib
import re

from toulmin.domain import Document
from toulmin.errors import InvalidArgument
from toulmin.ingestion.fingerprints import canonical_json

MAX_ID = 128
_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_ID}}}")
_SHOWN = 80


def check_document_id(document_id: str, *, field: str = "id") -> None:
    """Raise unless an id is one that the API accepts.

    Raises:
        InvalidArgument: It is empty, too long, or has other characters.
    """
    if not _ID.fullmatch(document_id):
        value = repr(document_id[:_SHOWN]) + ("..." if len(document_id) > _SHOWN else "")
        raise InvalidArgument.of_field(
            field,
            f"is {value}; an id has 1 to {MAX_ID} characters, each a letter from A to Z or a to z,"
            " a digit, '-' or '_'.",
        )


def generated_id(document: Document) -> str:
    """Return an id for a document without one: 32 hexadecimal digits, from what was given.

    A document that is given as a URI keeps its id when the file changes.

    Raises:
        InvalidArgument: Its data cannot be written as JSON.
    """
    content = document.content
    raw = content.raw_bytes if content else None
    given = {
        "schema_id": document.schema_id,
        "struct_data": document.struct_data,
        "json_data": document.json_data,
        "mime_type": content.mime_type if content else None,
        "uri": content.uri if content else None,
        "bytes": hashlib.sha256(raw).hexdigest() if raw is not None else None,
        "parent_document_id": document.parent_document_id,
    }
    return hashlib.sha256(canonical_json(given)).hexdigest()[:32]
