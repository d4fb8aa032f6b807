"""Documents, chunks and blobs as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row

from toulmin.domain import BlobAttachment, Chunk, Document, DocumentContent, IngestedDocument


def of_document(document: Document) -> dict[str, Any]:
    """Return the columns of `documents`, but for place, key, import and lengths."""
    content = document.content
    return {
        "id": document.id,
        "schema_id": document.schema_id,
        "struct_data": document.struct_data,
        "json_data": document.json_data,
        "mime_type": content.mime_type if content else None,
        "uri": content.uri if content else None,
        "parent_document_id": document.parent_document_id,
        "derived": document.derived,
        "fingerprint": document.fingerprint,
        "generation": document.generation,
        "index_time": document.index_time,
        "create_time": document.create_time,
        "update_time": document.update_time,
    }


def lengths(item: IngestedDocument) -> dict[str, Any]:
    """Return the columns of `documents` that say how much was made of one."""
    return {"text_characters": len(item.text), "chunk_count": len(item.chunks)}


def to_document(row: Row[Any], raw_bytes: bytes | None = None) -> Document:
    """Return the document of a row of `documents`."""
    content = None
    if row.mime_type is not None:
        content = DocumentContent(mime_type=row.mime_type, uri=row.uri, raw_bytes=raw_bytes)
    return Document(
        id=row.id,
        schema_id=row.schema_id,
        struct_data=row.struct_data,
        json_data=row.json_data,
        content=content,
        parent_document_id=row.parent_document_id,
        derived=row.derived,
        fingerprint=row.fingerprint,
        index_time=row.index_time,
        generation=row.generation,
        create_time=row.create_time,
        update_time=row.update_time,
    )


def of_body(item: IngestedDocument, key: int) -> dict[str, Any]:
    """Return the columns of `document_bodies`."""
    content = item.document.content
    return {
        "document": key,
        "text": item.text,
        "raw_bytes": content.raw_bytes if content else None,
    }


def of_chunks(positioned: Iterable[tuple[int, Chunk]], key: int) -> list[dict[str, Any]]:
    """Return the columns of `chunks`, but for the key, for each chunk with its position."""
    return [
        {
            "document": key,
            "position": position,
            "id": chunk.id,
            "content": chunk.content,
            "start": chunk.start,
            "end": chunk.end,
            "page_start": chunk.page_start,
            "page_end": chunk.page_end,
            "later_pages": [list(page) for page in chunk.later_pages] or None,
            "headings": chunk.headings,
            "blob_ids": chunk.blob_ids,
            "metadata": chunk.metadata,
            "embedding": chunk.embedding,
            "part_embeddings": chunk.part_embeddings,
            "embedding_model": chunk.embedding_model,
            "create_time": chunk.create_time,
            "update_time": chunk.update_time,
        }
        for position, chunk in positioned
    ]


def to_chunk(row: Row[Any], document_id: str, *, vector: bool = True) -> Chunk:
    """Return the chunk of a row of `chunks`; without its vector, which then need not be read."""
    return Chunk(
        id=row.id,
        document_id=document_id,
        content=row.content,
        start=row.start,
        end=row.end,
        page_start=row.page_start,
        page_end=row.page_end,
        later_pages=tuple((start, page) for start, page in row.later_pages or ()),
        headings=tuple(row.headings),
        blob_ids=tuple(row.blob_ids),
        metadata=row.metadata,
        embedding=row.embedding if vector else b"",
        part_embeddings=row.part_embeddings if vector else None,
        embedding_model=row.embedding_model if vector else "",
        key=row.key,
        create_time=row.create_time,
        update_time=row.update_time,
    )


def of_blobs(item: IngestedDocument, key: int) -> list[dict[str, Any]]:
    """Return the columns of `blobs`, for each blob."""
    return [
        {
            "document": key,
            "id": blob.id,
            "position": position,
            "mime_type": blob.mime_type,
            "page": blob.page,
            "caption": blob.caption,
            "data": blob.data,
        }
        for position, blob in enumerate(item.blobs)
    ]


def to_blob(row: Row[Any]) -> BlobAttachment:
    """Return the blob of a row of `blobs`."""
    return BlobAttachment(
        id=row.id, mime_type=row.mime_type, data=row.data, page=row.page, caption=row.caption
    )
