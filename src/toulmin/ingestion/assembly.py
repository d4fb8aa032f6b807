"""What was read and cut of a document, and its vectors -> what is stored of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.domain import BlobAttachment, Chunk, Document, IngestedDocument
from toulmin.ingestion.parsing.document import BlockKind, ParsedChunk, ParsedDocument
from toulmin.stores.vector_forms import StoredVectors


@dataclass(frozen=True, slots=True)
class Made:
    """A document before its chunks are embedded."""

    document: Document
    parsed: ParsedDocument
    chunks: Sequence[ParsedChunk]


def ingested(made: Made, vectors: Sequence[StoredVectors], model: str) -> IngestedDocument:
    """Return what is stored of a document.

    Args:
        made: The document, read and cut.
        vectors: Those of each of its chunks.
        model: Name and version of the model that made them.
    """
    document, parsed = made.document, made.parsed
    chunks = [
        Chunk(
            id=f"c{number}",
            document_id=document.id,
            content=chunk.content,
            start=chunk.start,
            end=chunk.end,
            page_start=chunk.page_start or None,
            page_end=chunk.page_end or None,
            later_pages=_later_pages(chunk, parsed),
            headings=chunk.headings,
            blob_ids=tuple(_blob_id(index) for index in chunk.blobs),
            embedding=vectors[number - 1].chunk,
            part_embeddings=vectors[number - 1].parts,
            embedding_model=model,
        )
        for number, chunk in enumerate(made.chunks, start=1)
    ]
    blobs = [
        BlobAttachment(
            id=_blob_id(index),
            mime_type=blob.mime_type,
            data=blob.data,
            page=blob.page or None,
            caption=caption,
        )
        for index, (blob, caption) in enumerate(zip(parsed.blobs, _captions(parsed), strict=True))
    ]
    return IngestedDocument(
        document=document, text=parsed.text, chunks=tuple(chunks), blobs=tuple(blobs)
    )


def _later_pages(chunk: ParsedChunk, parsed: ParsedDocument) -> tuple[tuple[int, int], ...]:
    """Return where in a chunk's content each page after its first begins, with its number."""
    found: list[tuple[int, int]] = []
    page = chunk.page_start
    if chunk.page_end > page:
        first = bisect_left(parsed.blocks, chunk.start, key=lambda block: block.start)
        for block in parsed.blocks[first:]:
            if block.start >= chunk.end:
                break
            if block.page > page:
                page = block.page
                found.append((len(chunk.prefix) + block.start - chunk.start, page))
    return tuple(found)


def _blob_id(index: int) -> str:
    return f"b{index + 1}"


def _captions(parsed: ParsedDocument) -> Iterator[str]:
    """Yield for each image the caption right below it, or right above; "" if neither is one."""
    starts = [block.start for block in parsed.blocks]
    given: set[int] = set()
    for blob in parsed.blobs:
        below = bisect_left(starts, blob.position)
        near = [
            index
            for index in (below, below - 1)
            if 0 <= index < len(starts)
            and index not in given  # what stands below one image is not the next one's
            and parsed.blocks[index].kind is BlockKind.CAPTION
        ]
        given.update(near[:1])
        block = parsed.blocks[near[0]] if near else None
        yield parsed.text[block.start : block.end] if block else ""
