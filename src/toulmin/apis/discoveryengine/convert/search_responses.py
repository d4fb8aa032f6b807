"""Search results to `SearchResponse` messages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from toulmin.apis.discoveryengine.convert.documents import fill_chunk, fill_document, fill_struct
from toulmin.apis.discoveryengine.convert.facets import fill_facet
from toulmin.apis.discoveryengine.convert.search_requests import ContentSpec
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch, Chunk
from toulmin.retrieval.extracts import (
    ExtractiveAnswer,
    Segment,
    extractive_segments,
)
from toulmin.retrieval.query import SearchQuery
from toulmin.retrieval.results import FoundChunk, FoundDocument, SearchResults
from toulmin.retrieval.snippets import snippet

Around = Callable[[FoundChunk, int, int], tuple[Sequence[Chunk], Sequence[Chunk]]]
"""A chunk and how many to give before and after it -> these, in the document's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is needed to show results.

    Attributes:
        query: The query, with its words put right.
        content: What is shown of the texts.
        around: Finds the neighbours of a chunk.
        answers: Finds extractive answers: query, chunks of a result, how many, and the result's
            place on the page, from 0.
        with_scores: Whether each result says how relevant it is.
        with_expansion: Whether it is said that results share no word with the query.
    """

    query: str
    content: ContentSpec
    around: Around
    answers: Callable[[str, Sequence[FoundChunk], int, int], Sequence[ExtractiveAnswer]]
    with_scores: bool = False
    with_expansion: bool = False


def fill_search_response(
    response: pb.SearchResponse, results: SearchResults, query: SearchQuery, shown: Shown
) -> None:
    """Write results into an empty `SearchResponse` of any version; the page token is the caller's.

    Args:
        response: The message to fill.
        results: What was found.
        query: What was looked for.
        shown: What is shown of each result.
    """
    for place, document in enumerate(results.documents):
        result = response.results.add(id=document.document.id)
        fill_document_result(result, document, shown, place)
        if shown.with_scores:
            _fill_scores(
                result, document.chunks[0] if document.chunks else None, document.relevance
            )
    for chunk in results.chunks:
        result = response.results.add(id=chunk.document.id)
        before, after = _neighbours(chunk, shown)
        fill_chunk(
            result.chunk, chunk.chunk, chunk.document, _branch(chunk), previous=before, next_=after
        )
        result.chunk.relevance_score = round(chunk.relevance, 6)
        if shown.with_scores:
            _fill_scores(result, chunk, chunk.relevance)
    for facet in results.facets:
        fill_facet(response.facets.add(), facet)
    response.total_size = results.total
    response.attribution_token = _attribution_token(query, shown.query)
    response.corrected_query = results.corrected_text
    if results.expanded and shown.with_expansion:
        response.query_expansion_info.expanded_query = True
    if "semantic_state" in response.DESCRIPTOR.fields_by_name and query.text.strip():
        response.semantic_state = pb.SearchResponse.SemanticState.ENABLED


def fill_document_result(
    result: pb.SearchResponse.SearchResult, found: FoundDocument, shown: Shown, place: int
) -> None:
    """Write a document into an empty `SearchResult`, with what is shown of its text."""
    branch = Branch(found.data_store, found.branch)
    fill_document(result.document, found.document, branch, with_bytes=False)
    derived: dict[str, Any] = {}
    content = shown.content
    if content.snippets:
        derived["snippets"] = [_snippet(found.chunks, shown.query)]
    if content.answers:
        answers = shown.answers(shown.query, found.chunks, content.answers, place)
        derived["extractive_answers"] = [_answer(answer) for answer in answers]
    if content.segments:
        derived["extractive_segments"] = [
            _segment(segment, with_score=content.segment_scores)
            for segment in extractive_segments(
                found.chunks,
                count=content.segments,
                previous=content.previous,
                next_=content.next_,
                neighbours=lambda chunk: _neighbours(chunk, shown),
            )
        ]
    if derived:
        fill_struct(result.document.derived_struct_data, derived)


def _snippet(chunks: Sequence[FoundChunk], query: str) -> dict[str, str]:
    """Return the first chunk's snippet that has a word of the query, else the best chunk's."""
    snippets = [snippet(chunk.chunk.content, query) for chunk in chunks]
    shown = next((item for item in snippets if item.found), snippets[0] if snippets else None)
    if shown is None or not shown.text:
        return {
            "snippet": "No snippet is available for this page.",
            "snippet_status": "NO_SNIPPET_AVAILABLE",
        }
    return {"snippet": shown.text, "snippet_status": "SUCCESS"}


def _answer(answer: ExtractiveAnswer) -> dict[str, Any]:
    return {"content": answer.content} | _page(answer.page)


def _segment(segment: Segment, *, with_score: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"content": segment.content, "id": segment.id} | _page(segment.page)
    if with_score:
        shown["relevanceScore"] = round(segment.relevance_score, 6)
    if segment.previous_segments:
        shown["previous_segments"] = [_neighbour(chunk) for chunk in segment.previous_segments]
    if segment.next_segments:
        shown["next_segments"] = [_neighbour(chunk) for chunk in segment.next_segments]
    return shown


def _neighbour(chunk: Chunk) -> dict[str, Any]:
    return {"content": chunk.content, "id": chunk.id} | _page(chunk.page_start)


def _page(page: int | None) -> dict[str, str]:
    """Return the page as a string: clients put it behind the link as it is."""
    return {} if page is None else {"pageNumber": str(page)}


def _neighbours(chunk: FoundChunk, shown: Shown) -> tuple[Sequence[Chunk], Sequence[Chunk]]:
    before, after = shown.content.previous, shown.content.next_
    return shown.around(chunk, before, after) if before or after else ((), ())


def _fill_scores(
    result: pb.SearchResponse.SearchResult, best: FoundChunk | None, relevance: float
) -> None:
    result.model_scores["relevance_score"].values.append(round(relevance, 6))
    if best is None or "rank_signals" not in result.DESCRIPTOR.fields_by_name:
        return
    result.rank_signals.relevance_score = round(relevance, 6)
    result.rank_signals.keyword_similarity_score = round(best.lexical, 4)
    result.rank_signals.semantic_similarity_score = round(best.dense, 4)


def _branch(found: FoundChunk) -> Branch:
    return Branch(found.data_store, found.branch)


def _attribution_token(query: SearchQuery, text: str) -> str:
    """Return a name of the search: the same for the same query on the same data stores."""
    scopes = [scope.data_store for scope in query.scopes]
    return hashlib.sha256(orjson.dumps([scopes, text, query.mode])).hexdigest()[:32]
