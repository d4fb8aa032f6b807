"""What a search asks of the records once it knows the keys of chunks, and what completion asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, select

from toulmin.domain import Branch, Chunk, DataStore, Document
from toulmin.errors import NotFound
from toulmin.stores.records import rows
from toulmin.stores.records.document_queries import DocumentQueries, one_of, parts
from toulmin.stores.records.tables import CHUNKS, DOCUMENTS, RESOURCES

CHUNK_WITHOUT_VECTOR = tuple(
    column
    for column in CHUNKS.c
    if column.name not in ("embedding", "part_embeddings", "embedding_model")
)
"""All of a chunk but its vectors."""

_PLACED: tuple[ColumnElement[Any], ...] = (
    *DOCUMENTS.c,
    RESOURCES.c.parent.label("store_parent"),
    RESOURCES.c.id.label("store_id"),
)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as searches see it, with its document.

    Attributes:
        data_store: Name of the data store.
        branch: Id of the branch.
        document_key: The store's number of the document.
        document: The document, without raw bytes.
        chunk: The chunk, without its vector.
    """

    data_store: str
    branch: str
    document_key: int
    document: Document
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Headline:
    """What a document says in large letters.

    Attributes:
        id: The document.
        title: Its title; empty: none was found.
        headings: The headings in it, in its order, each once.
    """

    id: str
    title: str
    headings: tuple[str, ...]


class SearchQueries(DocumentQueries):
    """Questions about chunks wherever they are, within one transaction."""

    def chunks_by_keys(self, keys: Sequence[int]) -> dict[int, StoredChunk]:
        """Return those of the chunks that are there, with their documents, in the order of `keys`.

        Two statements for up to 500 keys; no other chunk of the documents is read.
        """
        found: dict[int, Row[Any]] = {}
        for part in parts(keys):
            some = self._connection.execute(
                select(*CHUNK_WITHOUT_VECTOR).where(one_of(CHUNKS.c.key, part))
            )
            found.update((row.key, row) for row in some)
        documents = self._documents({row.document for row in found.values()})
        result: dict[int, StoredChunk] = {}
        for key in keys:
            if key not in found:
                continue
            row = found[key]
            data_store, branch, document = documents[row.document]
            chunk = rows.to_chunk(row, document.id, vector=False)
            result[key] = StoredChunk(data_store, branch, row.document, document, chunk)
        return result

    def stored_chunk(self, branch: Branch, document_id: str, chunk_id: str) -> StoredChunk | None:
        """Return one chunk with its document; None: one of them is not there."""
        query = (
            select(CHUNKS.c.key)
            .join(DOCUMENTS, DOCUMENTS.c.key == CHUNKS.c.document)
            .where(
                DOCUMENTS.c.data_store == self._resources.data_store_key(branch.data_store),
                DOCUMENTS.c.branch == branch.id,
                DOCUMENTS.c.id == document_id,
                CHUNKS.c.id == chunk_id,
            )
        )
        key = self._connection.execute(query).scalar_one_or_none()
        return None if key is None else self.chunks_by_keys([key]).get(key)

    def neighbours(
        self, document_key: int, chunk_id: str, *, before: int, after: int
    ) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
        """Return the chunks around one, in the document's order and without their vectors.

        Args:
            document_key: The store's number of the document.
            chunk_id: The chunk in the middle, which is not among them.
            before: How many before it at most.
            after: How many after it at most.

        Raises:
            NotFound: There is no such chunk.
        """
        middle = self._connection.execute(
            select(CHUNKS.c.position, DOCUMENTS.c.id)
            .join(DOCUMENTS, DOCUMENTS.c.key == CHUNKS.c.document)
            .where(CHUNKS.c.document == document_key, CHUNKS.c.id == chunk_id)
        ).one_or_none()
        if middle is None:
            raise NotFound(f"The document number {document_key} has no chunk {chunk_id!r}.")
        around = self._connection.execute(
            select(*CHUNK_WITHOUT_VECTOR)
            .where(
                CHUNKS.c.document == document_key,
                CHUNKS.c.position.between(middle.position - before, middle.position + after),
            )
            .order_by(CHUNKS.c.position)
        ).all()
        left = [row for row in around if row.position < middle.position]
        right = [row for row in around if row.position > middle.position]
        return (
            tuple(rows.to_chunk(row, middle.id, vector=False) for row in left),
            tuple(rows.to_chunk(row, middle.id, vector=False) for row in right),
        )

    def headlines(
        self, branch: Branch, *, after_id: str = "", limit: int = 1000
    ) -> tuple[Headline, ...]:
        """Return titles and headings of the next documents by id; fewer than `limit`: the last."""
        store = self._resources.data_store_key(branch.data_store)
        query = select(DOCUMENTS.c.key, DOCUMENTS.c.id, DOCUMENTS.c.derived).where(
            DOCUMENTS.c.data_store == store, DOCUMENTS.c.branch == branch.id
        )
        if after_id:
            query = query.where(DOCUMENTS.c.id > after_id)
        found = self._connection.execute(query.order_by(DOCUMENTS.c.id).limit(limit)).all()
        headings: dict[int, dict[str, None]] = {row.key: {} for row in found}
        for part in parts(list(headings)):
            for row in self._connection.execute(
                select(CHUNKS.c.document, CHUNKS.c.headings)
                .where(one_of(CHUNKS.c.document, part))
                .order_by(CHUNKS.c.document, CHUNKS.c.position)
            ):
                headings[row.document].update(dict.fromkeys(row.headings))
        return tuple(
            Headline(row.id, str(row.derived.get("title") or ""), tuple(headings[row.key]))
            for row in found
        )

    def _documents(self, keys: set[int]) -> dict[int, tuple[str, str, Document]]:
        """Return name of the data store, branch and document, by the document's key."""
        query = select(*_PLACED).join(RESOURCES, RESOURCES.c.key == DOCUMENTS.c.data_store)
        found: dict[int, tuple[str, str, Document]] = {}
        for part in parts(sorted(keys)):
            for row in self._connection.execute(query.where(one_of(DOCUMENTS.c.key, part))):
                store = DataStore(parent=row.store_parent, id=row.store_id)
                found[row.key] = (store.name, row.branch, rows.to_document(row))
        return found
