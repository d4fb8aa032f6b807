"""Reading documents, chunks, text and images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, bindparam, func, select

from toulmin.domain import BlobAttachment, Branch, Chunk, Document
from toulmin.errors import NotFound
from toulmin.stores.records import rows
from toulmin.stores.records.outbox import Outbox
from toulmin.stores.records.paging import Page, by, follows, make_token, read_token, token_after
from toulmin.stores.records.resources import Resources
from toulmin.stores.records.tables import BLOBS, CHUNKS, DOCUMENT_BODIES, DOCUMENTS
from toulmin.stores.vector_forms import StoredVectors

_STEP = 500
"""Values in one `IN (...)`: below every engine's limit on parameters."""

_BY_AGE = ((DOCUMENTS.c.create_time, False), (DOCUMENTS.c.id, False))
_SUMMARY = tuple(DOCUMENTS.c)
_WITH_BYTES = (*_SUMMARY, DOCUMENT_BODIES.c.raw_bytes)

EmbeddedWords = tuple[str, tuple[str, ...], str]
"""What of a chunk was embedded: its document's title, the headings above it, its words."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as indexers see it, with its chunks.

    Attributes:
        key: The store's number of the document.
        data_store: The store's number of the data store.
        branch: Id of the branch.
        document: The document, without raw bytes.
        chunks: Its chunks, in order.
    """

    key: int
    data_store: int
    branch: str
    document: Document
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """How much a branch holds.

    Attributes:
        documents: Number of its documents.
        chunks: Number of their chunks.
        text_characters: Length of their texts, in characters.
    """

    documents: int
    chunks: int
    text_characters: int


class DocumentQueries:
    """What can be asked of documents, within one transaction."""

    def __init__(
        self,
        connection: Connection,
        now: Callable[[], datetime],
        outbox: Outbox,
        resources: Resources,
        *,
        most_in_project: int = 0,
    ) -> None:
        self._connection = connection
        self._now = now
        self._outbox = outbox
        self._resources = resources
        self._most_in_project = most_in_project

    def get(self, branch: Branch, document_id: str) -> Document:
        """Return a document with its bytes, if it came with any.

        Raises:
            NotFound: There is none of that id.
        """
        row = self._connection.execute(
            select(*_WITH_BYTES)
            .join(DOCUMENT_BODIES, DOCUMENT_BODIES.c.document == DOCUMENTS.c.key)
            .where(
                DOCUMENTS.c.data_store == self._resources.data_store_key(branch.data_store),
                DOCUMENTS.c.branch == branch.id,
                DOCUMENTS.c.id == document_id,
            )
        ).one_or_none()
        if row is None:
            raise NotFound(f"{branch.name}/documents/{document_id} does not exist.")
        return rows.to_document(row, row.raw_bytes)

    def get_many(self, branch: Branch, ids: Sequence[str]) -> dict[str, Document]:
        """Return those of the documents that are there, without bytes, by id."""
        store = self._resources.data_store_key(branch.data_store)
        return {row.id: rows.to_document(row) for row in self._rows(store, branch.id, ids)}

    def list(self, branch: Branch, *, page_size: int, page_token: str = "") -> Page[Document]:
        """Return documents by id, without bytes.

        Raises:
            NotFound: The data store is not there.
            InvalidArgument: The token is not of this list.
        """
        scope = ("documents", branch.data_store, branch.id)
        after = str(read_token(page_token, scope=scope, types=(str,))[0]) if page_token else None
        store = self._resources.data_store_key(branch.data_store)
        found = self._after(store, branch.id, after, page_size + 1)
        items = tuple(rows.to_document(row) for row in found[:page_size])
        more = len(found) > page_size
        return Page(items, make_token([items[-1].id], scope=scope) if more else "")

    def list_oldest_first(
        self, branch: Branch, *, page_size: int, page_token: str = ""
    ) -> Page[Document]:
        """Return documents in the order in which they were first stored, without bytes.

        Raises:
            NotFound: The data store is not there.
            InvalidArgument: The token is not of this list.
        """
        scope = ("documents by age", branch.data_store, branch.id)
        query = select(*_SUMMARY).where(
            DOCUMENTS.c.data_store == self._resources.data_store_key(branch.data_store),
            DOCUMENTS.c.branch == branch.id,
        )
        if page_token:
            query = query.where(follows(page_token, _BY_AGE, scope=scope))
        found = self._connection.execute(query.order_by(*by(_BY_AGE)).limit(page_size + 1)).all()
        items = tuple(rows.to_document(row) for row in found[:page_size])
        more = len(found) > page_size
        return Page(items, token_after(found[page_size - 1], _BY_AGE, scope=scope) if more else "")

    def count(self, branch: Branch) -> int:
        """Return how many documents there are."""
        store = self._resources.data_store_key(branch.data_store)
        found: int = self._connection.execute(
            select(func.count())
            .select_from(DOCUMENTS)
            .where(DOCUMENTS.c.data_store == store, DOCUMENTS.c.branch == branch.id)
        ).scalar_one()
        return found

    def statistics(self, branch: Branch) -> Statistics:
        """Return how much there is: reads every document's row, but no texts."""
        row = self._connection.execute(
            select(
                func.count().label("documents"),
                func.coalesce(func.sum(DOCUMENTS.c.chunk_count), 0).label("chunks"),
                func.coalesce(func.sum(DOCUMENTS.c.text_characters), 0).label("text_characters"),
            ).where(
                DOCUMENTS.c.data_store == self._resources.data_store_key(branch.data_store),
                DOCUMENTS.c.branch == branch.id,
            )
        ).one()
        # PostgreSQL's sum of bigint is a decimal.
        return Statistics(row.documents, int(row.chunks), int(row.text_characters))

    def fingerprints(self, branch: Branch, ids: Sequence[str]) -> dict[str, str]:
        """Return the fingerprints of those of the documents that are there, by id."""
        store = self._resources.data_store_key(branch.data_store)
        found: dict[str, str] = {}
        for part in parts(ids):
            query = select(DOCUMENTS.c.id, DOCUMENTS.c.fingerprint)
            for row in self._connection.execute(query.where(*among(store, branch.id, part))):
                found[row.id] = row.fingerprint
        return found

    def vectors(
        self, branch: Branch, ids: Sequence[str], model: str
    ) -> dict[EmbeddedWords, StoredVectors]:
        """Return what is kept of the meaning of the documents' chunks, by what was embedded.

        Args:
            branch: Where the documents are.
            ids: Their ids; those that are not there are passed over.
            model: Name and version of the model whose vectors are wanted.
        """
        store = self._resources.data_store_key(branch.data_store)
        found: dict[EmbeddedWords, StoredVectors] = {}
        for part in parts(ids):
            query = (
                select(CHUNKS, DOCUMENTS.c.derived)
                .join(DOCUMENTS, DOCUMENTS.c.key == CHUNKS.c.document)
                .where(*among(store, branch.id, part))
                .where(CHUNKS.c.embedding_model == model, CHUNKS.c.part_embeddings.is_not(None))
            )
            for row in self._connection.execute(query):
                words = (str(row.derived.get("title", "")), tuple(row.headings), row.content)
                found[words] = StoredVectors(row.embedding, row.part_embeddings)
        return found

    def with_uris(self, branch: Branch, uris: Sequence[str]) -> tuple[Document, ...]:
        """Return the documents whose content is at these URIs, by id and without bytes.

        Reads the row of every document of the branch.
        """
        store = self._resources.data_store_key(branch.data_store)
        found: list[Document] = []
        for part in parts(uris):
            query = select(*_SUMMARY).where(
                DOCUMENTS.c.data_store == store,
                DOCUMENTS.c.branch == branch.id,
                DOCUMENTS.c.uri.in_(part),
            )
            found.extend(rows.to_document(row) for row in self._connection.execute(query))
        return tuple(sorted(found, key=lambda document: document.id))

    def text(self, branch: Branch, document_id: str) -> str:
        """Return all the words of a document; its chunks are ranges of them.

        Raises:
            NotFound: There is none of that id.
        """
        found: str = self._connection.execute(
            select(DOCUMENT_BODIES.c.text).where(
                DOCUMENT_BODIES.c.document == self._key(branch, document_id)
            )
        ).scalar_one()
        return found

    def chunk(self, branch: Branch, document_id: str, chunk_id: str) -> Chunk:
        """Return one chunk.

        Raises:
            NotFound: There is no such document or chunk.
        """
        row = self._connection.execute(
            select(CHUNKS).where(
                CHUNKS.c.document == self._key(branch, document_id), CHUNKS.c.id == chunk_id
            )
        ).one_or_none()
        if row is None:
            raise NotFound(
                f"{branch.name}/documents/{document_id}/chunks/{chunk_id} does not exist."
            )
        return rows.to_chunk(row, document_id)

    def chunks(
        self, branch: Branch, document_id: str, *, page_size: int, page_token: str = ""
    ) -> Page[Chunk]:
        """Return chunks of a document, in its order.

        Raises:
            NotFound: There is no such document.
            InvalidArgument: The token is not of this list, or the document was replaced since.
        """
        row = self._one(branch, document_id)
        # Chunks of another generation are other chunks: going on among them would mix two texts.
        scope = ("chunks", branch.name, document_id, str(row.generation))
        query = select(CHUNKS).where(CHUNKS.c.document == row.key)
        if page_token:
            position = read_token(page_token, scope=scope, types=(int,))[0]
            query = query.where(CHUNKS.c.position > position)
        found = self._connection.execute(
            query.order_by(CHUNKS.c.position).limit(page_size + 1)
        ).all()
        items = tuple(rows.to_chunk(chunk, document_id) for chunk in found[:page_size])
        more = len(found) > page_size
        token = make_token([found[page_size - 1].position], scope=scope) if more else ""
        return Page(items, token)

    def blobs(self, branch: Branch, document_id: str) -> tuple[BlobAttachment, ...]:
        """Return the images of a document, in its order.

        Raises:
            NotFound: There is no such document.
        """
        found = self._connection.execute(
            select(BLOBS)
            .where(BLOBS.c.document == self._key(branch, document_id))
            .order_by(BLOBS.c.position)
        )
        return tuple(rows.to_blob(row) for row in found)

    def by_keys(self, keys: Sequence[int]) -> dict[int, StoredDocument]:
        """Return those of the documents that are there, with their chunks, by key."""
        found: dict[int, StoredDocument] = {}
        for part in parts(keys):
            where = one_of(DOCUMENTS.c.key, part)
            found.update((item.key, item) for item in self._with_chunks(where, len(part)))
        return found

    def with_some_chunks(self, chunk_keys: Sequence[int]) -> dict[int, StoredDocument]:
        """Return the documents of those of the chunks that are there, with no others, by key."""
        chunks: dict[int, list[Row[Any]]] = {}
        for part in parts(chunk_keys):
            for row in self._connection.execute(select(CHUNKS).where(one_of(CHUNKS.c.key, part))):
                chunks.setdefault(row.document, []).append(row)
        found: dict[int, StoredDocument] = {}
        for part in parts(sorted(chunks)):
            for row in self._connection.execute(
                select(*_SUMMARY).where(one_of(DOCUMENTS.c.key, part))
            ):
                own = sorted(chunks[row.key], key=lambda chunk: chunk.position)
                found[row.key] = StoredDocument(
                    row.key,
                    row.data_store,
                    row.branch,
                    rows.to_document(row),
                    tuple(rows.to_chunk(chunk, row.id) for chunk in own),
                )
        return found

    def scan(
        self, *, after_key: int = 0, limit: int = 500, data_store: int | None = None
    ) -> tuple[StoredDocument, ...]:
        """Return the next documents by key, with chunks: for a rebuild.

        Args:
            after_key: Key of the last document that was seen; 0: the beginning.
            limit: How many at most.
            data_store: The store's number of a data store; None: of all.
        """
        where = DOCUMENTS.c.key > after_key
        if data_store is not None:
            where &= DOCUMENTS.c.data_store == data_store
        return tuple(self._with_chunks(where, limit))

    def _with_chunks(self, where: Any, limit: int) -> Iterator[StoredDocument]:
        found = self._connection.execute(
            select(*_SUMMARY).where(where).order_by(DOCUMENTS.c.key).limit(limit)
        ).all()
        chunks: dict[int, list[Chunk]] = {row.key: [] for row in found}
        names = {row.key: row.id for row in found}
        for part in parts(list(chunks)):
            for row in self._connection.execute(
                select(CHUNKS)
                .where(one_of(CHUNKS.c.document, part))
                .order_by(CHUNKS.c.document, CHUNKS.c.position)
            ):
                chunks[row.document].append(rows.to_chunk(row, names[row.document]))
        for row in found:
            yield StoredDocument(
                row.key, row.data_store, row.branch, rows.to_document(row), tuple(chunks[row.key])
            )

    def _one(self, branch: Branch, document_id: str) -> Row[Any]:
        store = self._resources.data_store_key(branch.data_store)
        found = self._rows(store, branch.id, [document_id])
        if not found:
            raise NotFound(f"{branch.name}/documents/{document_id} does not exist.")
        return found[0]

    def _key(self, branch: Branch, document_id: str) -> int:
        key: int = self._one(branch, document_id).key
        return key

    def _rows(self, store: int, branch: str, ids: Sequence[str]) -> Sequence[Row[Any]]:
        found: list[Row[Any]] = []
        for part in parts(ids):
            query = select(*_SUMMARY).where(*among(store, branch, part))
            found.extend(self._connection.execute(query.order_by(DOCUMENTS.c.id)))
        return found

    def _after(self, store: int, branch: str, after: str | None, limit: int) -> Sequence[Row[Any]]:
        query = select(*_SUMMARY).where(
            DOCUMENTS.c.data_store == store, DOCUMENTS.c.branch == branch
        )
        if after is not None:
            query = query.where(DOCUMENTS.c.id > after)
        return self._connection.execute(query.order_by(DOCUMENTS.c.id).limit(limit)).all()


def parts(values: Sequence[T]) -> Iterator[list[T]]:
    """Yield the values in lists short enough for one statement."""
    rest = iter(values)
    while part := list(islice(rest, _STEP)):
        yield part


def one_of(column: Any, keys: Sequence[int]) -> Any:
    """Return the condition that a column has one of the numbers.

    They are written into the statement: it is read faster than hundreds of parameters are bound.
    """
    return column.in_(bindparam(None, keys, expanding=True, literal_execute=True))


def among(store: int, branch: str, ids: Sequence[str]) -> tuple[Any, ...]:
    """Return the conditions that choose documents of a branch by id."""
    return (
        DOCUMENTS.c.data_store == store,
        DOCUMENTS.c.branch == branch,
        DOCUMENTS.c.id.in_(ids),
    )
