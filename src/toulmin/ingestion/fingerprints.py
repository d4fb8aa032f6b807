"""What a document was made from and how, as one hash: the same hash, nothing to do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from toulmin.domain import Document
from toulmin.errors import InvalidArgument


def content_hash(data: bytes) -> str:
    """Return how bytes are named in a fingerprint."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def content_version(version: str) -> str:
    """Return how a source's word for the state of a file is named in a fingerprint."""
    return f"version:{version}"


def fingerprint(document: Document, *, content: str, made_by: Mapping[str, Any]) -> str:
    """Return the hash of a document: 64 hexadecimal digits.

    Args:
        document: The document as given; id, times and what was derived do not count.
        content: State of its content: `content_hash` or `content_version`, "" without content.
        made_by: Everything else that decides what comes out: versions, settings. JSON.

    Raises:
        InvalidArgument: Its data cannot be written as JSON.
    """
    given = {
        "schema_id": document.schema_id,
        "struct_data": document.struct_data,
        "json_data": document.json_data,
        "mime_type": document.content.mime_type if document.content else None,
        "uri": document.content.uri if document.content else None,
        "content": content,
        "parent_document_id": document.parent_document_id,
        "made_by": made_by,
    }
    return hashlib.sha256(canonical_json(given)).hexdigest()


def canonical_json(value: Any) -> bytes:
    """Return JSON with sorted keys.

    Raises:
        InvalidArgument: It has half a surrogate pair, a number of more than 64 bits or the like.
    """
    try:
        return orjson.dumps(
            value, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
        )
    except (TypeError, ValueError) as error:
        raise InvalidArgument.of_field(
            "struct_data", f"cannot be kept as JSON: {error}."
        ) from error


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
