"""Haystack: the hybrid pipeline of its guide, over its in-memory store and over Chroma.

In memory: `InMemoryBM25Retriever` and `InMemoryEmbeddingRetriever`, joined by `DocumentJoiner` with
reciprocal rank fusion. Chroma has no BM25 there: its pipeline is by vectors alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from haystack_integrations.components.retrievers.chroma import ChromaEmbeddingRetriever
from haystack_integrations.document_stores.chroma import ChromaDocumentStore

from benchmarks.peers.model import model_folder


class _Haystack:
    """What both have in common: the embedders and the import."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store: Any = None
        self._pipeline: Any = None

    def prepare(self) -> None:
        """Load the model that reads documents."""
        self._embedder = SentenceTransformersDocumentEmbedder(
            model=model_folder(), progress_bar=False
        )
        self._embedder.warm_up()
        self._store = self._new_store()

    def add(self, documents: list[str]) -> None:
        """Embed and store."""
        pipeline = Pipeline()
        pipeline.add_component("embedder", self._embedder)
        pipeline.add_component(
            "writer", DocumentWriter(self._store, policy=DuplicatePolicy.OVERWRITE)
        )
        pipeline.connect("embedder", "writer")
        given = [Document(id=str(n), content=text) for n, text in enumerate(documents)]
        pipeline.run({"embedder": {"documents": given}})

    def _text_embedder(self) -> Any:
        return SentenceTransformersTextEmbedder(model=model_folder(), progress_bar=False)

    def _new_store(self) -> Any:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing to let go of."""


class Memory(_Haystack):
    """InMemoryDocumentStore, by words and vectors."""

    def _new_store(self) -> Any:
        return InMemoryDocumentStore()

    def keep(self) -> None:
        """Write the store to a file."""
        self._store.save_to_disk(str(self._folder / "store.json"))

    def open(self) -> None:
        """Read the file and make the pipeline."""
        store = InMemoryDocumentStore.load_from_disk(str(self._folder / "store.json"))
        pipeline = Pipeline()
        pipeline.add_component("embedder", self._text_embedder())
        pipeline.add_component("dense", InMemoryEmbeddingRetriever(store))
        pipeline.add_component("words", InMemoryBM25Retriever(store))
        pipeline.add_component(
            "joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=10)
        )
        pipeline.connect("embedder.embedding", "dense.query_embedding")
        pipeline.connect("words", "joiner")
        pipeline.connect("dense", "joiner")
        self._pipeline = pipeline

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        asked = {
            "embedder": {"text": query},
            "words": {"query": query, "top_k": limit},
            "dense": {"top_k": limit},
            "joiner": {"top_k": limit},
        }
        found = self._pipeline.run(asked)["joiner"]["documents"]
        return [int(document.id) for document in found]


class Chroma(_Haystack):
    """ChromaDocumentStore in a folder, by vectors."""

    def _new_store(self) -> Any:
        return ChromaDocumentStore(
            persist_path=str(self._folder / "chroma"), distance_function="cosine"
        )

    def keep(self) -> None:
        """Chroma has written already."""

    def open(self) -> None:
        """Open the folder and make the pipeline."""
        pipeline = Pipeline()
        pipeline.add_component("embedder", self._text_embedder())
        pipeline.add_component("dense", ChromaEmbeddingRetriever(self._new_store()))
        pipeline.connect("embedder.embedding", "dense.query_embedding")
        self._pipeline = pipeline

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        asked = {"embedder": {"text": query}, "dense": {"top_k": limit}}
        found = self._pipeline.run(asked)["dense"]["documents"]
        return [int(document.id) for document in found]


SYSTEMS = {"memory": Memory, "chroma": Chroma}
