"""QueryCorpus and QueryDocument: the chunks that fit a text best.

`scope_of` is for generateAnswer, too, which searches the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.generativelanguage.convert import fill_chunk, fill_document
from toulmin.apis.generativelanguage.filters import metadata_filter
from toulmin.apis.generativelanguage.lookup import find_corpus, find_document
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    chunk_name,
    corpus_id_of,
    data_store_of,
    parse_corpus,
    parse_document,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.retrieval.query import ResultMode, Scope, SearchQuery
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.search import Searcher
from toulmin.stores.index.predicate import And, AnyOf
from toulmin.stores.records import RecordStore, Transaction

DEFAULT_RESULTS: Final = 10
MOST_RESULTS: Final = 100
LONGEST_QUERY: Final = 10_000


def scope_of(
    transaction: Transaction,
    corpus_id: CorpusId,
    document_id: str,
    filters: Iterable[pb.MetadataFilter],
    *,
    field: str = "metadata_filters",
) -> Scope:
    """Return where to look for chunks of a corpus, or of one of its documents.

    Args:
        transaction: Where to see whether they are there.
        corpus_id: The corpus.
        document_id: The document; empty: all of the corpus.
        filters: `MetadataFilter` messages.
        field: Path of the filters in the request, for the error.

    Raises:
        InvalidArgument: A filter is wrong.
        PermissionDenied: There is no such corpus.
        NotFound: There is no such document.
    """
    predicate = metadata_filter(filters, of_document=bool(document_id), field=field)
    if not document_id:
        find_corpus(transaction, corpus_id)
        return Scope(data_store=data_store_of(corpus_id), filter=predicate)
    find_document(transaction, corpus_id, document_id)
    inside = AnyOf("document_id", (document_id,))
    return Scope(data_store=data_store_of(corpus_id), filter=And((inside, predicate)))


def found_chunk_name(found: FoundChunk) -> str:
    """Return the full name of a chunk that a search found."""
    return chunk_name(corpus_id_of(found.data_store), found.document.id, found.chunk.id)


@dataclass(frozen=True, slots=True)
class QueryHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    searcher: Callable[[], Searcher]

    def corpus(
        self, request: pb.QueryCorpusRequest, context: CallContext
    ) -> pb.QueryCorpusResponse | pb.QueryDocumentResponse:
        """Answer QueryCorpus."""
        corpus_id = parse_corpus(request.name, context.caller, field="name")
        return self._answer(request, context, corpus_id, "")

    def document(
        self, request: pb.QueryDocumentRequest, context: CallContext
    ) -> pb.QueryCorpusResponse | pb.QueryDocumentResponse:
        """Answer QueryDocument."""
        return self._answer(
            request, context, *parse_document(request.name, context.caller, field="name")
        )

    def _answer(
        self,
        request: pb.QueryCorpusRequest | pb.QueryDocumentRequest,
        context: CallContext,
        corpus_id: CorpusId,
        document_id: str,
    ) -> pb.QueryCorpusResponse | pb.QueryDocumentResponse:
        text = _text(request.query)
        count = _count(request.results_count)
        with self.records().read() as transaction:
            scope = scope_of(transaction, corpus_id, document_id, request.metadata_filters)
        results = self.searcher().search(
            SearchQuery(scopes=[scope], text=text, mode=ResultMode.CHUNKS, page_size=count),
            work=work_of(context, "the query"),
        )
        response: pb.QueryCorpusResponse | pb.QueryDocumentResponse = context.new_message()
        # The order of the scores shown, which is nearly but not quite that of the search.
        for found in sorted(results.chunks, key=lambda chunk: -chunk.relevance):
            message = response.relevant_chunks.add(chunk_relevance_score=found.relevance)
            fill_chunk(message.chunk, found.chunk, corpus_id, searchable=True)
            if "document" in message.DESCRIPTOR.fields_by_name:  # not in v1alpha
                fill_document(message.document, found.document, corpus_id)
        return response


def _text(query: str) -> str:
    if not query.strip():
        raise InvalidArgument.of_field("query", "is required")
    if len(query) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query", f"has {len(query):,} characters, the limit is {LONGEST_QUERY:,}"
        )
    return query


def _count(asked: int) -> int:
    if not 0 <= asked <= MOST_RESULTS:
        raise InvalidArgument.of_field(
            "results_count",
            f"{asked} must be 1 to {MOST_RESULTS}, or 0 for the default of {DEFAULT_RESULTS}",
        )
    return asked or DEFAULT_RESULTS
