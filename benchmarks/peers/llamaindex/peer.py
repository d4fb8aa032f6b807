"""LlamaIndex: `VectorStoreIndex` with its defaults, and its fusion with `BM25Retriever`.

The default is the in-memory vector store with 1,024-token nodes. The fusion is
`QueryFusionRetriever` in mode reciprocal_rerank without generated queries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core import (
    Document,
    Settings,
    StorageContext,
    VectorStoreIndex,
    load_index_from_storage,
)
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever

from benchmarks.peers.model import model_folder


class Index:
    """One `VectorStoreIndex`, asked by vectors (mode "default") or by both (mode "fusion")."""

    mode = "default"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: Any = None
        self._retriever: Any = None

    def prepare(self) -> None:
        """Load the model."""
        Settings.embed_model = HuggingFaceEmbedding(model_name=model_folder())
        Settings.llm = MockLLM()

    def add(self, documents: list[str]) -> None:
        """Cut, embed, index."""
        given = [Document(text=text, id_=str(n)) for n, text in enumerate(documents)]
        self._index = VectorStoreIndex.from_documents(given)

    def keep(self) -> None:
        """Write the index to a folder."""
        self._index.storage_context.persist(str(self._folder / "index"))

    def open(self) -> None:
        """Read the folder."""
        self.prepare()
        storage = StorageContext.from_defaults(persist_dir=str(self._folder / "index"))
        self._index = load_index_from_storage(storage)
        self._retriever = self._made(10)

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        found = self._retriever.retrieve(query)[:limit]
        return list(dict.fromkeys(int(item.node.ref_doc_id) for item in found))

    def close(self) -> None:
        """Nothing to let go of."""

    def _made(self, limit: int) -> Any:
        vectors = self._index.as_retriever(similarity_top_k=limit)
        if self.mode == "default":
            return vectors
        nodes = list(self._index.docstore.docs.values())
        words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=limit)
        return QueryFusionRetriever(
            [vectors, words],
            mode="reciprocal_rerank",
            similarity_top_k=limit,
            num_queries=1,
            use_async=False,
        )


SYSTEMS = {"index": Index}
