"""Everything of the Gemini API but generateAnswer, bound at once."""

from __future__ import annotations

from collections.abc import Callable

from toulmin.apis.aip.registry import Registry
from toulmin.apis.generativelanguage.embedding import TokenEmbedder, register_embedding
from toulmin.apis.generativelanguage.model import register_models
from toulmin.apis.generativelanguage.permission import register_permissions
from toulmin.apis.generativelanguage.retriever import register_retriever
from toulmin.retrieval.search import Searcher
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore


def register_generativelanguage(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    indexer: Callable[[], Indexer],
    searcher: Callable[[], Searcher],
    embedder: Callable[[], TokenEmbedder],
    language_model: str = "",
) -> None:
    """Bind RetrieverService, PermissionService, ModelService, embeddings and token counts.

    Args:
        registry: Where the handlers go.
        records: Returns the record store.
        indexer: Returns the search indexes.
        searcher: Returns what searches them.
        embedder: Returns the embedding model, whose vectors the indexes hold.
        language_model: Name of the language model that writes answers; empty: there is none.
    """
    register_retriever(
        registry, records=records, indexer=indexer, searcher=searcher, embedder=embedder
    )
    register_permissions(registry, records=records)
    register_models(registry, embedder=embedder, language_model=language_model)
    register_embedding(registry, embedder=embedder)
