"""Chunks written one by one: what the callers of a semantic retriever do with their documents.

A document written as a whole (`documents.py`) and chunks written here do not mix: replacing the
document takes all of its chunks away. Each write notes one change in the outbox, with the keys of
the chunks that were written, so that a reader need not look at the others.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update

from toulmin.domain import Branch, Chunk, Document
from toulmin.errors import Aborted, AlreadyExists, InvalidArgument, NotFound
from toulmin.stores.records import rows
from toulmin.stores.records.document_queries import one_of, parts
from toulmin.stores.records.paging import Page, make_token, read_token
from toulmin.stores.records.search_queries import CHUNK_WITHOUT_VECTOR, SearchQueries
from toulmin.stores.records.tables import CHUNKS, DOCUMENTS
from toulmin.stores.records.texts import check_texts


class ChunkWrites(SearchQueries):
    """Writing and listing single chunks, within one transaction."""

    def chunks_by_id(
        self, branch: Branch, document_id: str, ids: Sequence[str]
    ) -> dict[str, Chunk]:
        """Return those of a document's chunks that are there, by id.

        Raises:
            NotFound: There is no such document.
        """
        key = self._key(branch, document_id)
        found: dict[str, Chunk] = {}
        for part in parts(ids):
            query = select(CHUNKS).where(CHUNKS.c.document == key, CHUNKS.c.id.in_(part))
            for row in self._connection.execute(query):
                found[row.id] = rows.to_chunk(row, document_id)
        return found

    def list_chunks(
        self, branch: Branch, document_id: str, *, page_size: int, page_token: str = ""
    ) -> Page[Chunk]:
        """Return chunks in the order in which they were first written, without vectors.

        Raises:
            NotFound: There is no such document.
            InvalidArgument: The token is not of this list, or of another document of that id.
        """
        key = self._key(branch, document_id)
        scope = ("single chunks", branch.name, document_id, str(key))
        query = select(*CHUNK_WITHOUT_VECTOR).where(CHUNKS.c.document == key)
        if page_token:
            position = read_token(page_token, scope=scope, types=(int,))[0]
            query = query.where(CHUNKS.c.position > position)
        found = self._connection.execute(
            query.order_by(CHUNKS.c.position).limit(page_size + 1)
        ).all()
        items = tuple(rows.to_chunk(row, document_id, vector=False) for row in found[:page_size])
        more = len(found) > page_size
        return Page(items, make_token([found[page_size - 1].position], scope=scope) if more else "")

    def create_chunks(
        self, branch: Branch, document_id: str, chunks: Sequence[Chunk]
    ) -> tuple[Chunk, ...]:
        """Add chunks at the end of a document; return them as stored, without vectors.

        Raises:
            NotFound: There is no such document.
            InvalidArgument: An id comes twice, or a text cannot be kept.
            AlreadyExists: The document has a chunk of one of the ids.
        """
        _check(chunks)
        store, document = self._locked(branch, document_id)
        taken = self._chunk_rows(document, [chunk.id for chunk in chunks])
        if taken:
            raise AlreadyExists(
                f"{branch.name}/documents/{document_id}/chunks/{min(taken)} exists already."
            )
        last: int | None = self._connection.execute(
            select(func.max(CHUNKS.c.position)).where(CHUNKS.c.document == document)
        ).scalar_one()
        now = self._now()
        new = [dataclasses.replace(chunk, create_time=now, update_time=now) for chunk in chunks]
        return self._write_chunks(
            store, document, list(enumerate(new, start=0 if last is None else last + 1))
        )

    def replace_chunks(
        self,
        branch: Branch,
        document_id: str,
        chunks: Sequence[Chunk],
        *,
        expected_keys: Mapping[str, int] | None = None,
    ) -> tuple[Chunk, ...]:
        """Put chunks in the place of those of their ids, under new keys; return them as stored.

        Args:
            branch: Where the document is.
            document_id: The document.
            chunks: What they become.
            expected_keys: Keys that the caller saw, by id, where it matters.

        Raises:
            NotFound: There is no such document or chunk.
            InvalidArgument: An id comes twice, or a text cannot be kept.
            Aborted: A chunk was changed since the caller saw it.
        """
        _check(chunks)
        store, document = self._locked(branch, document_id)
        old = self._existing_chunks(branch, document_id, document, [item.id for item in chunks])
        for id_, key in (expected_keys or {}).items():
            if id_ in old and old[id_].key != key:
                raise Aborted(f"The chunk {id_!r} was changed by somebody else; read it again.")
        self._remove_chunks(document, list(old.values()))
        now = self._now()
        new = [
            (
                old[chunk.id].position,
                dataclasses.replace(
                    chunk, create_time=old[chunk.id].create_time or now, update_time=now
                ),
            )
            for chunk in chunks
        ]
        return self._write_chunks(
            store, document, new, removed=sorted(row.key for row in old.values())
        )

    def delete_chunks(self, branch: Branch, document_id: str, ids: Sequence[str]) -> None:
        """Delete chunks of a document: all of them, or none.

        Raises:
            NotFound: There is no such document or chunk.
        """
        store, document = self._locked(branch, document_id)
        old = self._existing_chunks(branch, document_id, document, ids)
        self._remove_chunks(document, list(old.values()))
        self._outbox.add(
            data_store=store,
            document=document,
            removed_chunks=sorted(row.key for row in old.values()),
            written_chunks=(),
        )

    def change_document(
        self, branch: Branch, document_id: str, change: Callable[[Document], Document]
    ) -> Document:
        """Replace what a document says of itself, and leave its chunks as they are.

        Args:
            branch: Where it is.
            document_id: The document.
            change: Document (without bytes) -> what it becomes; its data and derived data count.

        Returns:
            The document as stored.

        Raises:
            NotFound: There is no such document.
        """
        store, key = self._locked(branch, document_id)
        old = rows.to_document(self._one(branch, document_id))
        new = dataclasses.replace(
            change(old),
            id=old.id,
            generation=old.generation + 1,
            create_time=old.create_time,
            update_time=self._now(),
        )
        columns = rows.of_document(new)
        changed = ("struct_data", "json_data", "derived", "generation", "update_time")
        self._connection.execute(
            update(DOCUMENTS)
            .where(DOCUMENTS.c.key == key)
            .values({name: columns[name] for name in changed})
        )
        self._outbox.add(data_store=store, document=key)
        return new

    def _locked(self, branch: Branch, document_id: str) -> tuple[int, int]:
        """Return the numbers of data store and document; other writers of the data store wait."""
        store = self._resources.data_store_key(branch.data_store, lock=True)
        return store, self._key(branch, document_id)

    def _chunk_rows(self, document: int, ids: Sequence[str]) -> dict[str, Row[Any]]:
        """Return the rows, without vectors, of those chunks that are there, by id."""
        found: dict[str, Row[Any]] = {}
        for part in parts(ids):
            query = select(*CHUNK_WITHOUT_VECTOR).where(
                CHUNKS.c.document == document, CHUNKS.c.id.in_(part)
            )
            found.update((row.id, row) for row in self._connection.execute(query))
        return found

    def _existing_chunks(
        self, branch: Branch, document_id: str, document: int, ids: Sequence[str]
    ) -> dict[str, Row[Any]]:
        found = self._chunk_rows(document, ids)
        missing = [id_ for id_ in ids if id_ not in found]
        if missing:
            raise NotFound(
                f"{branch.name}/documents/{document_id}/chunks/{missing[0]} does not exist."
            )
        return found

    def _write_chunks(
        self,
        store: int,
        document: int,
        positioned: Sequence[tuple[int, Chunk]],
        *,
        removed: Sequence[int] = (),
    ) -> tuple[Chunk, ...]:
        if not positioned:
            return ()
        returned = insert(CHUNKS).returning(CHUNKS.c.id, CHUNKS.c.key)
        values = rows.of_chunks(positioned, document)
        keys = {row.id: row.key for row in self._connection.execute(returned, values)}
        chunks = [chunk for _, chunk in positioned]
        self._count(document, len(chunks), sum(len(chunk.content) for chunk in chunks))
        self._outbox.add(
            data_store=store,
            document=document,
            removed_chunks=removed,
            written_chunks=sorted(keys.values()),
        )
        return tuple(
            dataclasses.replace(
                chunk,
                key=keys[chunk.id],
                embedding=b"",
                part_embeddings=None,
                embedding_model="",
            )
            for chunk in chunks
        )

    def _remove_chunks(self, document: int, found: Sequence[Row[Any]]) -> None:
        for part in parts([row.key for row in found]):
            self._connection.execute(delete(CHUNKS).where(one_of(CHUNKS.c.key, part)))
        self._count(document, -len(found), -sum(len(row.content) for row in found))

    def _count(self, document: int, chunks: int, characters: int) -> None:
        """Add to the lengths that the document's row keeps."""
        self._connection.execute(
            update(DOCUMENTS)
            .where(DOCUMENTS.c.key == document)
            .values(
                chunk_count=DOCUMENTS.c.chunk_count + chunks,
                text_characters=DOCUMENTS.c.text_characters + characters,
            )
        )


def _check(chunks: Sequence[Chunk]) -> None:
    for chunk in chunks:
        check_texts(chunk_id=chunk.id, content=chunk.content)
    twice = [id_ for id_, count in Counter(chunk.id for chunk in chunks).items() if count > 1]
    if twice:
        raise InvalidArgument.of_field("chunks", f"the id {twice[0]!r} comes twice.")
