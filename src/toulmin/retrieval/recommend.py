"""Documents seen -> documents like them.

A document is the mean of its chunks' vectors, as a unit vector. Of every document seen the nearest
chunks are found; a document is as near as its nearest chunk is to any of those seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Branch, Chunk, Document
from toulmin.errors import NotFound
from toulmin.retrieval.query import Scope
from toulmin.stores.index.protocol import Query
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore
from toulmin.stores.vector_forms import StoredVectors
from toulmin.work import UNLIMITED, Work

MOST_SEEN = 10
"""Documents seen that count: the first of those given."""
MOST_CHUNKS = 50
"""Chunks of a document that its mean is made of: its first."""
_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Like:
    """A document that is like one of those seen.

    Attributes:
        data_store: Canonical name of its data store.
        document: The document.
        likeness: Cosine of its nearest chunk with the nearest of the documents seen, in [-1, 1].
    """

    data_store: str
    document: Document
    likeness: float


class Recommender:
    """Finds documents like others. Threads may share it.

    Args:
        records: Where documents and their vectors are.
        indexer: Where they are found.
        embed: Chunks of a document -> their vectors as bytes, for those that have none of the
            model in use.
    """

    def __init__(
        self,
        *,
        records: RecordStore,
        indexer: Indexer,
        embed: Callable[[Document, Sequence[Chunk]], Sequence[StoredVectors]],
    ) -> None:
        self._records = records
        self._indexer = indexer
        self._embed = embed

    def like(
        self,
        seen: Sequence[tuple[str, str]],
        scopes: Sequence[Scope],
        *,
        limit: int,
        work: Work = UNLIMITED,
    ) -> tuple[Like, ...]:
        """Return documents like those seen, without these; the nearest first, then by id.

        Args:
            seen: Data store and id of documents; one that is not there or has no text is left out.
            scopes: Where to look, each with the filter that documents must fulfil.
            limit: At most so many.
            work: Asked between the steps.

        Raises:
            NotFound: A data store is not there.
            Unavailable: An index is being built anew.
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        nearest: dict[int, tuple[float, int]] = {}
        for data_store, id_ in seen[:MOST_SEEN]:
            work.check()
            vector = self._vector_of(Branch(data_store), id_)
            if vector is None:
                continue
            for document, score, key in self._near(vector, scopes):
                nearest[document] = max(nearest.get(document, (-2.0, 0)), (score, key))
        return self._read(nearest, frozenset(seen), limit)

    def _vector_of(self, branch: Branch, id_: str) -> NDArray[np.float32] | None:
        with self._records.read() as transaction:
            try:
                document = transaction.documents.get(branch, id_)
                chunks = transaction.documents.chunks(branch, id_, page_size=MOST_CHUNKS).items
            except NotFound:
                return None
        if not chunks:
            return None
        model = self._indexer.embedding_model
        vectors = [chunk.embedding for chunk in chunks]
        old = [i for i, chunk in enumerate(chunks) if chunk.embedding_model != model]
        if old:
            made = self._embed(document, [chunks[i] for i in old])
            for i, vector in zip(old, made, strict=True):
                vectors[i] = vector.chunk
        rows = np.array([np.frombuffer(vector, "<f2") for vector in vectors], dtype=np.float32)
        mean: NDArray[np.float32] = rows.mean(axis=0)
        length = float(np.linalg.norm(mean))
        return mean / np.float32(length) if length else None

    def _near(
        self, vector: NDArray[np.float32], scopes: Sequence[Scope]
    ) -> Iterable[tuple[int, float, int]]:
        """Yield document, cosine and chunk of what is near a vector."""
        for scope in scopes:
            with self._records.read() as transaction:
                key = transaction.resources.data_store_key(scope.data_store)
            query = Query(vector=vector, filter=scope.filter, limit=_DEPTH)
            for hit in self._indexer.index_of(key).search(query).dense:
                yield hit.document, hit.score, hit.key

    def _read(
        self,
        nearest: dict[int, tuple[float, int]],
        seen: frozenset[tuple[str, str]],
        limit: int,
    ) -> tuple[Like, ...]:
        with self._records.read() as transaction:
            stored = transaction.documents.chunks_by_keys([key for _, key in nearest.values()])
        found = [
            Like(stored[key].data_store, stored[key].document, score)
            for score, key in nearest.values()
            if key in stored and (stored[key].data_store, stored[key].document.id) not in seen
        ]
        found.sort(key=lambda item: (-item.likeness, item.document.id, item.data_store))
        return tuple(found[:limit])
