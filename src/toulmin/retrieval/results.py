"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.domain import Chunk, Document
from toulmin.retrieval.query import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundChunk:
    """A chunk with what it was found by.

    Attributes:
        data_store: Canonical name of its data store.
        branch: Id of its branch.
        document: Its document, without raw bytes.
        document_key: The record store's number of the document.
        chunk: The chunk.
        score: What results are ordered by; comparable within one search only.
        relevance: How relevant, in [0, 1], comparable between searches.
        lexical: BM25; 0: it shares no word with the query.
        dense: Cosine with the query, in [-1, 1]; 0: not found by its vector.
    """

    data_store: str
    branch: str
    document: Document
    document_key: int
    chunk: Chunk
    score: float
    relevance: float
    lexical: float = 0.0
    dense: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document with those of its chunks that were found, best first; its scores are the best's.

    A search without text gives each document with its first chunk, if it has any.
    """

    data_store: str
    branch: str
    document: Document
    chunks: tuple[FoundChunk, ...]
    score: float
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetCount:
    """So many documents have this value: a string, or a number in this interval."""

    documents: int
    value: str = ""
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetResult:
    """The values of a field among the documents found."""

    field: str
    counts: tuple[FacetCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """One page of results.

    Attributes:
        documents: In mode DOCUMENTS, best first; else empty.
        chunks: In mode CHUNKS, best first; else empty.
        total: How many results there are in all, about: a search by words and vectors knows no
            more than its candidates.
        facets: In the order asked for.
        corrected_text: The query with its words put right; empty: there was nothing to correct.
        expanded: Whether some results share no word with the query.
    """

    documents: tuple[FoundDocument, ...] = ()
    chunks: tuple[FoundChunk, ...] = ()
    total: int = 0
    facets: tuple[FacetResult, ...] = ()
    corrected_text: str = ""
    expanded: bool = False
