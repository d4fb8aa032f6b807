"""Candidates and found chunks -> the results of one page."""

from __future__ import annotations

from collections.abc import Sequence

from toulmin.retrieval.candidates import Candidate
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.retrieval.results import FoundChunk, FoundDocument, SearchResults


def result_of(candidate: Candidate, mode: ResultMode) -> int:
    """Return the number of the result that a candidate belongs to: its document, or itself."""
    return candidate.document if mode is ResultMode.DOCUMENTS else candidate.key


def within_limits(
    candidates: Sequence[Candidate], scopes: Sequence[Scope], mode: ResultMode
) -> list[Candidate]:
    """Return the candidates without those beyond their data store's number of results."""
    if all(scope.limit is None for scope in scopes):
        return list(candidates)
    taken: list[set[int]] = [set() for _ in scopes]
    kept = []
    for candidate in candidates:
        results, limit = taken[candidate.source], scopes[candidate.source].limit
        result = result_of(candidate, mode)
        if result in results or limit is None or len(results) < limit:
            results.add(result)
            kept.append(candidate)
    return kept


def for_first_results(
    candidates: Sequence[Candidate], count: int, query: SearchQuery
) -> list[Candidate]:
    """Return the candidates that the first `count` results are made of."""
    chunks: dict[int, int] = {}
    kept = []
    for candidate in candidates:
        result = result_of(candidate, query.mode)
        if result not in chunks and len(chunks) == count:
            continue
        chunks[result] = chunks.get(result, 0) + 1
        if chunks[result] <= query.chunks_per_document:
            kept.append(candidate)
    return kept


def first_of_documents(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each document."""
    best: dict[int, Candidate] = {}
    for candidate in candidates:
        best.setdefault(candidate.document, candidate)
    return list(best.values())


def page_of(found: Sequence[FoundChunk], query: SearchQuery) -> SearchResults:
    """Return the page that the query asks for, of chunks in their final order.

    The total is the number of results in `found`.
    """
    last = query.offset + query.page_size
    if query.mode is ResultMode.CHUNKS:
        return SearchResults(chunks=tuple(found[query.offset : last]), total=len(found))
    groups: dict[int, list[FoundChunk]] = {}
    for chunk in found:
        groups.setdefault(chunk.document_key, []).append(chunk)
    documents = [
        FoundDocument(
            data_store=chunks[0].data_store,
            branch=chunks[0].branch,
            document=chunks[0].document,
            chunks=tuple(chunks[: query.chunks_per_document]),
            score=chunks[0].score,
            relevance=max(chunk.relevance for chunk in chunks),
        )
        for chunks in list(groups.values())[query.offset : last]
    ]
    return SearchResults(documents=tuple(documents), total=len(groups))
