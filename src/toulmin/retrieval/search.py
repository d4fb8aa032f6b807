"""Query -> ranked documents or chunks. `Searcher.search` reads as the list of its steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Document
from toulmin.retrieval.arrange import (
    first_of_documents,
    for_first_results,
    page_of,
    result_of,
    within_limits,
)
from toulmin.retrieval.boosts import apply_boosts
from toulmin.retrieval.candidates import Candidate, Searched, find_candidates
from toulmin.retrieval.coverage import QueryWords
from toulmin.retrieval.facets import count_facets, count_facets_among
from toulmin.retrieval.field_order import in_field_order
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.retrieval.relevance import RelevanceModel, elsewhere
from toulmin.retrieval.rerank import Reranker
from toulmin.retrieval.results import FacetResult, FoundChunk, SearchResults
from toulmin.retrieval.spelling import put_right
from toulmin.stores.index.predicate import And, without_fields
from toulmin.stores.index.protocol import Order, Query, Selection
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore, StoredChunk
from toulmin.work import UNLIMITED, Work

_READ = 20
"""Results that are read at least, whatever the page: how relevant one is depends on the best."""

_PROVING = 20
"""Chunks of each data store that are read to see whether a word is put right for the better."""

_BOOSTED = 1_000
"""Documents that boosts order when a search has no text."""

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Sources:
    """The data stores of a query, and their indexes in the same order."""

    scopes: tuple[Scope, ...]
    searched: tuple[Searched, ...]

    def corrected(self, text: str) -> str:
        """Return a text with the nearest words of the indexes; "" when one knows them all."""
        corrections = [source.index.correct(text) for source in self.searched]
        return next(iter(corrections)) if all(corrections) else ""

    def without(self, names: frozenset[str]) -> tuple[Searched, ...]:
        """Return the indexes without the filters' conditions on these fields."""
        if not names:
            return self.searched
        return tuple(
            Searched(source.index, without_fields(source.filter, names)) for source in self.searched
        )


class Searcher:
    """Searches data stores. Threads may share it.

    Args:
        records: Where documents and chunks are.
        indexer: Where they are found.
        embed: Texts -> unit vectors, shape (texts, dimensions).
        relevance: Says how relevant a chunk is.
        reranker: Returns the model that reads query and chunk together, when it is asked for.
    """

    def __init__(
        self,
        *,
        records: RecordStore,
        indexer: Indexer,
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
        relevance: RelevanceModel,
        reranker: Callable[[], Reranker],
    ) -> None:
        self._records = records
        self._indexer = indexer
        self._embed = embed
        self._relevance = relevance
        self._reranker = reranker

    def search(
        self,
        query: SearchQuery,
        *,
        work: Work = UNLIMITED,
        now: datetime | None = None,
    ) -> SearchResults:
        """Return a page of what fits best; the same query over the same documents, the same page.

        Args:
            query: What to look for.
            work: Asked and timed step by step.
            now: What ages are counted from; None: the clock.

        Raises:
            NotFound: A data store is not there.
            Unavailable: An index is being built anew.
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        now = now or datetime.now(UTC)
        sources = self._sources(query)
        if not query.text.strip():
            with work.step("browse_ms"):
                return self._browse(query, sources, now)
        with work.step("spell_ms"):
            corrected = put_right(
                query.text, sources.corrected, lambda text: self._passages(text, sources)
            )
            text = corrected if corrected and query.correct_spelling else query.text
        with work.step("embed_ms"):
            vector = self._embed([text])[0]
            words = " ".join((text, *query.synonyms))

        def find(without: frozenset[str] = _NONE) -> list[Candidate]:
            searched = sources.without(without)
            found = find_candidates(
                searched,
                words,
                vector,
                words_only=not query.expand,
                elsewhere=self._elsewhere(text) if self._relevance.across else None,
            )
            return within_limits(found, sources.scopes, query.mode)

        with work.step("retrieve_ms"):
            candidates = find()
        with work.step("read_ms"):
            everything = _depends_on_documents(query)
            enough = candidates if everything else _enough(candidates, query)
            found = self._read(enough, text, among=len(candidates))
        if query.rerank:
            with work.step("rerank_ms"):
                found = self._reranked(text, found, work)
        with work.step("arrange_ms"):
            found = [chunk for chunk in found if chunk.relevance >= query.min_relevance]
            found = self._boosted(found, query, now)
            if query.order_by:
                found = in_field_order(found, query.order_by)
            results = page_of(found, query)
        if not everything:
            total = len({result_of(candidate, query.mode) for candidate in candidates})
            results = replace(results, total=total)
        with work.step("facets_ms"):
            facets = self._facets(query, text, lambda names: find(names) if names else candidates)
        return replace(
            results, facets=facets, corrected_text=corrected, expanded=_is_expanded(results)
        )

    def _sources(self, query: SearchQuery) -> _Sources:
        with self._records.read() as transaction:
            keys = [transaction.resources.data_store_key(item.data_store) for item in query.scopes]
        searched = tuple(
            Searched(self._indexer.index_of(key), And((query.filter, scope.filter)))
            for key, scope in zip(keys, query.scopes, strict=True)
        )
        return _Sources(tuple(query.scopes), searched)

    def _passages(self, text: str, sources: _Sources) -> list[str]:
        """Return the chunks that have most of a text's words, each under its title."""
        hits = [
            hit
            for source in sources.searched
            for hit in source.index.search(
                Query(text=text, filter=source.filter, limit=_PROVING)
            ).lexical
        ]
        with self._records.read() as transaction:
            stored = transaction.documents.chunks_by_keys([hit.key for hit in hits])
        return [
            f"{chunk.document.derived.get('title') or ''}\n{chunk.chunk.content}"
            for chunk in stored.values()
        ]

    def _elsewhere(self, text: str) -> Callable[[Sequence[int]], Collection[int]]:
        """Return what says which chunks, by key, are in another language than a text."""

        def others(keys: Sequence[int]) -> Collection[int]:
            with self._records.read() as transaction:
                stored = transaction.documents.chunks_by_keys(keys)
            found = elsewhere(text, [item.chunk.content for item in stored.values()])
            return {key for key, other in zip(stored, found, strict=True) if other}

        return others

    def _read(self, candidates: Sequence[Candidate], text: str, *, among: int) -> list[FoundChunk]:
        """Return the candidates with their chunks, without those that went in the meantime."""
        stored = self._stored(candidates)
        kept = [candidate for candidate in candidates if candidate.key in stored]
        relevance = self._relevance.predict(
            np.array([candidate.lexical for candidate in kept], dtype=np.float64),
            np.array([candidate.dense for candidate in kept], dtype=np.float64),
            QueryWords(text).coverage([_whole_text(stored[item.key]) for item in kept]),
            self._relevance.elsewhere(text, [stored[item.key].chunk.content for item in kept]),
            among=among,
        )
        return [
            _found(candidate, stored[candidate.key], relevance=float(value))
            for candidate, value in zip(kept, relevance, strict=True)
        ]

    def _stored(self, candidates: Sequence[Candidate]) -> dict[int, StoredChunk]:
        with self._records.read() as transaction:
            return transaction.documents.chunks_by_keys([item.key for item in candidates])

    def _reranked(self, text: str, found: Sequence[FoundChunk], work: Work) -> list[FoundChunk]:
        """Return the best candidates in the order of a model that reads them, then the rest."""
        head, rest = found[:_READ], found[_READ:]
        passages = [chunk.chunk.content for chunk in head]
        prior = np.array([chunk.relevance for chunk in head], dtype=np.float64)
        scores = self._reranker().rerank(text, passages, prior, work=work)
        above = rest[0].score if rest else 0.0
        ranked = [
            replace(chunk, score=above + float(score), relevance=float(score))
            for chunk, score in zip(head, scores, strict=True)
        ]
        return [*sorted(ranked, key=lambda chunk: -chunk.score), *rest]

    def _boosted(
        self, found: Sequence[FoundChunk], query: SearchQuery, now: datetime
    ) -> list[FoundChunk]:
        own = {scope.data_store: scope.boosts for scope in query.scopes if scope.boosts}
        if not _has_boosts(query):
            return list(found)
        return apply_boosts(found, query.boosts, now=now, store_boosts=own)

    def _facets(
        self, query: SearchQuery, text: str, find: Callable[[frozenset[str]], Sequence[Candidate]]
    ) -> tuple[FacetResult, ...]:
        """Count the documents that a query with words found and that are relevant enough."""

        def documents(without: frozenset[str]) -> list[Document]:
            if query.min_relevance > 0:
                candidates = find(without)
                found = self._read(candidates, text, among=len(candidates))
                kept = (chunk for chunk in found if chunk.relevance >= query.min_relevance)
                return list({chunk.document_key: chunk.document for chunk in kept}.values())
            best = first_of_documents(find(without))
            stored = self._stored(best)
            return [stored[item.key].document for item in best if item.key in stored]

        return count_facets_among(query.facets, candidates=documents)

    def _browse(self, query: SearchQuery, sources: _Sources, now: datetime) -> SearchResults:
        """Return what fulfils the filter, in the order of fields, else as it was first stored."""
        last = query.offset + query.page_size
        wanted = max(last, _BOOSTED) if _has_boosts(query) else last
        order = tuple(Order(key.field, descending=key.descending) for key in query.order_by)
        total = 0
        candidates: list[Candidate] = []
        for number, (scope, source) in enumerate(
            zip(sources.scopes, sources.searched, strict=True)
        ):
            limit = wanted if scope.limit is None else min(wanted, scope.limit)
            selected = source.index.select(
                Selection(filter=source.filter, order_by=order, limit=limit)
            )
            total += selected.documents if scope.limit is None else len(selected.hits)
            candidates += [
                Candidate(number, hit.key, hit.document, 0.0, 0.0, 0.0) for hit in selected.hits
            ]
        stored = self._stored(candidates)
        found = [
            _found(item, stored[item.key], relevance=0.0)
            for item in candidates
            if item.key in stored
        ]
        if query.order_by:
            if len(sources.scopes) > 1:
                found = in_field_order(found, query.order_by)
        else:
            found = self._boosted(found, query, now)
        indexes = [(source.index, source.filter) for source in sources.searched]
        facets = count_facets(query.facets, indexes=indexes) if query.facets else ()
        return replace(page_of(found, query), total=total, facets=facets)


def _depends_on_documents(query: SearchQuery) -> bool:
    """Return whether the order of results depends on more than what the indexes say."""
    return bool(_has_boosts(query) or query.order_by or query.min_relevance > 0)


def _has_boosts(query: SearchQuery) -> bool:
    return bool(query.boosts or any(scope.boosts for scope in query.scopes))


def _enough(candidates: Sequence[Candidate], query: SearchQuery) -> list[Candidate]:
    """Return the candidates that can be on the page."""
    return for_first_results(candidates, max(query.offset + query.page_size, _READ), query)


def _whole_text(stored: StoredChunk) -> str:
    """Return a chunk below its document's title and the headings above it, as it is indexed."""
    title = str(stored.document.derived.get("title") or "")
    return "\n".join((title, *stored.chunk.headings, stored.chunk.content))


def _found(candidate: Candidate, stored: StoredChunk, *, relevance: float) -> FoundChunk:
    return FoundChunk(
        data_store=stored.data_store,
        branch=stored.branch,
        document=stored.document,
        document_key=stored.document_key,
        chunk=stored.chunk,
        score=candidate.score,
        relevance=relevance,
        lexical=candidate.lexical,
        dense=candidate.dense,
    )


def _is_expanded(results: SearchResults) -> bool:
    """Return whether a result on the page shares no word with the query."""
    if results.chunks:
        return any(chunk.lexical == 0 for chunk in results.chunks)
    return any(
        all(chunk.lexical == 0 for chunk in document.chunks) for document in results.documents
    )
