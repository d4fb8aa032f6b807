"""RetrieverService: which handler answers what.

https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta/retriever_service.proto
"""

from __future__ import annotations

from collections.abc import Callable

from toulmin.apis.aip.registry import Handler, Registry
from toulmin.apis.generativelanguage.chunk import ChunkHandlers
from toulmin.apis.generativelanguage.corpus import CorpusHandlers
from toulmin.apis.generativelanguage.document import DocumentHandlers
from toulmin.apis.generativelanguage.query import QueryHandlers
from toulmin.ingestion.part_vectors import ChunkEmbedder
from toulmin.retrieval.search import Searcher
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore


def register_retriever(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    indexer: Callable[[], Indexer],
    searcher: Callable[[], Searcher],
    embedder: Callable[[], ChunkEmbedder],
) -> None:
    """Bind every RPC of RetrieverService, in v1beta and v1alpha.

    Args:
        registry: Where the handlers go.
        records: Returns the record store.
        indexer: Returns the search indexes.
        searcher: Returns what searches them.
        embedder: Returns what makes vectors of chunks; the indexes must expect its vectors.
    """
    corpora = CorpusHandlers(records, indexer)
    documents = DocumentHandlers(records, indexer)
    chunks = ChunkHandlers(records, indexer, embedder)
    queries = QueryHandlers(records, searcher)
    handlers: dict[str, Handler] = {
        "CreateCorpus": corpora.create,
        "GetCorpus": corpora.get,
        "ListCorpora": corpora.list,
        "UpdateCorpus": corpora.update,
        "DeleteCorpus": corpora.delete,
        "QueryCorpus": queries.corpus,
        "CreateDocument": documents.create,
        "GetDocument": documents.get,
        "ListDocuments": documents.list,
        "UpdateDocument": documents.update,
        "DeleteDocument": documents.delete,
        "QueryDocument": queries.document,
        "CreateChunk": chunks.create,
        "BatchCreateChunks": chunks.batch_create,
        "GetChunk": chunks.get,
        "ListChunks": chunks.list,
        "UpdateChunk": chunks.update,
        "BatchUpdateChunks": chunks.batch_update,
        "DeleteChunk": chunks.delete,
        "BatchDeleteChunks": chunks.batch_delete,
    }
    for method, handler in handlers.items():
        registry.register("generativelanguage", "RetrieverService", method, handler)
