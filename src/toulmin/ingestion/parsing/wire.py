"""What parent and child say to each other, as bytes: JSON, then the images as they are.

No pickle: the child reads files of strangers, and what a broken parser sends must stay data. A
message is two lengths (8 bytes each, big-endian), the JSON, and the bytes that belong to it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from toulmin import errors
from toulmin.errors import FieldViolation, ToulminError
from toulmin.ingestion.parsing.document import (
    Blob,
    Block,
    BlockKind,
    DocumentMetadata,
    ParsedChunk,
    ParsedDocument,
)
from toulmin.ingestion.parsing.file_format import FileFormat

_LENGTHS = struct.Struct(">QQ")
_ERRORS = {cls.__name__: cls for cls in ToulminError.__subclasses__()}


def write_message(write: Callable[[bytes], Any], fields: dict[str, Any], body: bytes) -> None:
    """Write one message."""
    head = orjson.dumps(fields)
    write(_LENGTHS.pack(len(head), len(body)) + head)
    write(body)


def read_message(read: Callable[[int], bytes], *, most: int) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, None at the end of the stream.

    Args:
        read: Reads exactly as many bytes as asked for, fewer only at the end.
        most: Longest message in bytes.

    Raises:
        ValueError: The message is longer, or no such message.
    """
    lengths = read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = _LENGTHS.unpack(lengths)
    if head_size + body_size > most:
        raise ValueError(f"a message of {head_size + body_size} bytes; {most} are allowed")
    head, body = read(head_size), read(body_size)
    if len(head) < head_size or len(body) < body_size:
        return None
    fields = orjson.loads(head)
    if not isinstance(fields, dict):
        raise ValueError("a message that is no object")  # noqa: TRY004 - the peer is wrong
    return fields, body


def document_to_message(document: ParsedDocument) -> tuple[dict[str, Any], bytes]:
    """Return a document as fields and the bytes of its images."""
    fields = {
        "format": document.format.value,
        "mime_type": document.mime_type,
        "text": document.text,
        "blocks": [
            [b.kind.value, b.start, b.end, b.page, b.level, b.rows, b.header_rows]
            for b in document.blocks
        ],
        "pages": document.pages,
        "metadata": asdict(document.metadata),
        "blobs": [[b.mime_type, len(b.data), b.page, b.position, b.name] for b in document.blobs],
        "notes": document.notes,
    }
    return fields, b"".join(blob.data for blob in document.blobs)


def document_from_message(fields: dict[str, Any], body: bytes) -> ParsedDocument:
    """Return the document that `document_to_message` took apart.

    Raises:
        ValueError, KeyError, TypeError: It is not one.
    """
    return ParsedDocument(
        format=FileFormat(fields["format"]),
        mime_type=fields["mime_type"],
        text=fields["text"],
        blocks=tuple(_block(row) for row in fields["blocks"]),
        pages=tuple(fields["pages"]),
        metadata=DocumentMetadata(**fields["metadata"]),
        blobs=_blobs(fields["blobs"], body),
        notes=tuple(fields["notes"]),
    )


def chunks_to_rows(chunks: Sequence[ParsedChunk]) -> list[list[Any]]:
    """Return chunks as rows; their words are in the document's text."""
    return [
        [c.prefix, c.start, c.end, c.headings, c.page_start, c.page_end, c.tokens, c.blobs]
        for c in chunks
    ]


def chunks_from_rows(rows: Sequence[Sequence[Any]], text: str) -> list[ParsedChunk]:
    """Return the chunks that `chunks_to_rows` took apart.

    Args:
        rows: The rows.
        text: The document's.

    Raises:
        ValueError, TypeError: They are none.
    """
    return [
        ParsedChunk(
            content=prefix + text[start:end],
            prefix=prefix,
            start=start,
            end=end,
            headings=tuple(headings),
            page_start=page_start,
            page_end=page_end,
            tokens=tokens,
            blobs=tuple(blobs),
        )
        for prefix, start, end, headings, page_start, page_end, tokens, blobs in rows
    ]


def error_to_fields(error: ToulminError) -> dict[str, Any]:
    """Return an error as fields."""
    return {
        "error": type(error).__name__,
        "message": error.message,
        "reason": error.reason,
        "violations": [[v.field, v.description] for v in error.violations],
    }


def error_from_fields(fields: dict[str, Any]) -> ToulminError:
    """Return the error that `error_to_fields` took apart; an unknown kind is `Internal`."""
    kind = _ERRORS.get(fields["error"], errors.Internal)
    violations = [FieldViolation(str(a), str(b)) for a, b in fields["violations"]]
    return kind(str(fields["message"]), violations=violations, reason=str(fields["reason"]))


def _block(row: list[Any]) -> Block:
    kind, start, end, page, level, rows, header_rows = row
    return Block(
        kind=BlockKind(kind),
        start=start,
        end=end,
        page=page,
        level=level,
        rows=tuple(tuple(cells) for cells in rows),
        header_rows=header_rows,
    )


def _blobs(rows: list[list[Any]], body: bytes) -> tuple[Blob, ...]:
    blobs = []
    at = 0
    for mime_type, size, page, position, name in rows:
        data = body[at : at + size]
        at += size
        blobs.append(Blob(mime_type=mime_type, data=data, page=page, position=position, name=name))
    return tuple(blobs)
