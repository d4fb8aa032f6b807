"""Makes results for tests."""

from __future__ import annotations

from toulmin.domain import Chunk, Document
from toulmin.retrieval.results import FoundChunk, FoundDocument

STORE = "projects/p/locations/global/collections/default_collection/dataStores/d"


def found_chunk(text="", *, number=1, document="d", score=1.0, page=None, data=None, store=STORE):
    """Return a chunk found in a document with these struct data."""
    chunk = Chunk(
        id=f"c{number}",
        document_id=document,
        content=text,
        start=0,
        end=len(text),
        page_start=page,
        page_end=page,
    )
    return FoundChunk(
        data_store=store,
        branch="0",
        document=Document(id=document, struct_data=data),
        document_key=1,
        chunk=chunk,
        score=score,
        relevance=0.5,
    )


def found_document(chunk):
    """Return the document of one chunk."""
    return FoundDocument(
        data_store=chunk.data_store,
        branch=chunk.branch,
        document=chunk.document,
        chunks=(chunk,),
        score=chunk.score,
        relevance=chunk.relevance,
    )
