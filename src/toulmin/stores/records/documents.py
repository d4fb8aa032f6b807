"""Documents with their chunks, text and images: written, replaced and deleted as a whole.

Every write notes one change per document in the outbox of the same transaction. Writers to one
data store take turns (its row is locked); writers to several go side by side on PostgreSQL.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update

from toulmin.domain import Branch, DataStore, Document, IngestedDocument
from toulmin.errors import Aborted, AlreadyExists, InvalidArgument, Quota, QuotaExceeded
from toulmin.stores.records import rows
from toulmin.stores.records.chunk_writes import ChunkWrites
from toulmin.stores.records.document_queries import among, one_of, parts
from toulmin.stores.records.tables import BLOBS, CHUNKS, DOCUMENT_BODIES, DOCUMENTS, RESOURCES
from toulmin.stores.records.texts import check_texts


@dataclass(frozen=True, slots=True)
class PurgeStep:
    """What one step of a purge found.

    Attributes:
        examined: Documents looked at.
        matching: Ids of those that the predicate chose, in order.
        last_id: Where the next step begins; empty: that was the last one.
    """

    examined: int
    matching: tuple[str, ...]
    last_id: str


class Documents(ChunkWrites):
    """The documents, within one transaction."""

    def upsert(
        self,
        branch: Branch,
        documents: Sequence[IngestedDocument],
        *,
        import_id: str = "",
        expected_generations: Mapping[str, int] | None = None,
    ) -> tuple[Document, ...]:
        """Store documents, each replacing the one of its id with all that belonged to it.

        Args:
            branch: Where they go.
            documents: The documents, no id twice.
            import_id: The import they come from, for `sweep`.
            expected_generations: Generation that the caller saw, for ids where it matters; 0: the
                document must not be there yet.

        Returns:
            The documents as stored, in the order given.

        Raises:
            NotFound: The data store is not there.
            InvalidArgument: An id comes twice, or a text cannot be kept.
            AlreadyExists: A document that must not be there is there.
            Aborted: A document was changed since the caller saw it.
            QuotaExceeded: The project would hold more documents than it may.
        """
        _check(documents)
        store = self._resources.data_store_key(branch.data_store, lock=True)
        ids = [item.document.id for item in documents]
        old = {row.id: row for row in self._rows(store, branch.id, ids)}
        _check_generations(branch, old, expected_generations or {})
        now = self._now()
        stored = tuple(_stamped(item, old.get(item.document.id), now) for item in documents)
        place = {"data_store": store, "branch": branch.id, "import_id": import_id}
        values = [
            rows.of_document(document) | rows.lengths(item) | place
            for document, item in zip(stored, documents, strict=True)
        ]
        removed = self._remove([row.key for row in old.values()])
        keys = self._write_rows(values, {row.id: row.key for row in old.values()})
        self._write_parts(documents, keys)
        for id_ in ids:
            self._outbox.add(
                data_store=store, document=keys[id_], removed_chunks=removed.get(keys[id_], ())
            )
        if self._most_in_project and len(old) < len(documents):
            self._check_room(branch)
        return stored

    def _check_room(self, branch: Branch) -> None:
        """Raise if a project holds more documents than it may."""
        kind, _, rest = branch.data_store.partition("/")
        project = rest.partition("/")[0]
        if kind != "projects":
            return
        beneath = select(RESOURCES.c.key).where(
            RESOURCES.c.collection == DataStore.collection,
            RESOURCES.c.parent > f"projects/{project}/",  # ids sort by code point, and "0" comes
            RESOURCES.c.parent < f"projects/{project}0",  # right after "/"
        )
        held: int = self._connection.execute(
            select(func.count()).where(DOCUMENTS.c.data_store.in_(beneath))
        ).scalar_one()
        if held > self._most_in_project:
            quota = Quota(
                "DocumentsPerProject", "documents", f"project:{project}", self._most_in_project
            )
            raise QuotaExceeded(quota, retry_s=None)

    def delete(self, branch: Branch, ids: Sequence[str]) -> tuple[str, ...]:
        """Delete documents with all that belongs to them; return the ids that were there."""
        store = self._resources.data_store_key(branch.data_store, lock=True)
        found = self._rows(store, branch.id, ids)
        self._delete(store, [row.key for row in found])
        return tuple(row.id for row in found)

    def purge(
        self,
        branch: Branch,
        matches: Callable[[Document], bool],
        *,
        after_id: str = "",
        limit: int = 1000,
        dry_run: bool = False,
    ) -> PurgeStep:
        """Delete those of the next documents by id that the predicate chooses.

        Args:
            branch: Where to look.
            matches: Says whether a document (without bytes) goes.
            after_id: `last_id` of the step before; empty: the beginning.
            limit: How many documents to look at.
            dry_run: Say what would go, and let it stay.
        """
        store = self._resources.data_store_key(branch.data_store, lock=not dry_run)
        found = self._after(store, branch.id, after_id or None, limit)
        chosen = [row for row in found if matches(rows.to_document(row))]
        if not dry_run:
            self._delete(store, [row.key for row in chosen])
        last = found[-1].id if len(found) == limit else ""
        return PurgeStep(len(found), tuple(row.id for row in chosen), last)

    def mark(self, branch: Branch, ids: Sequence[str], *, import_id: str) -> None:
        """Note that an import saw documents, so that its sweep spares them; nothing else changes.

        For documents that are unchanged, or whose new version failed to parse.
        """
        store = self._resources.data_store_key(branch.data_store, lock=True)
        for part in parts(ids):
            self._connection.execute(
                update(DOCUMENTS).where(*among(store, branch.id, part)).values(import_id=import_id)
            )

    def sweep(
        self, branch: Branch, *, import_id: str, written_before: datetime, limit: int = 1000
    ) -> tuple[str, ...]:
        """Delete documents that an import did not see, after it has seen all: FULL reconciliation.

        Args:
            branch: Where to look.
            import_id: The import.
            written_before: When it began; what others wrote since then stays.
            limit: How many documents go at most.

        Returns:
            Ids of what went; fewer than `limit`: nothing is left to sweep.
        """
        store = self._resources.data_store_key(branch.data_store, lock=True)
        found = self._connection.execute(
            select(DOCUMENTS.c.key, DOCUMENTS.c.id)
            .where(
                DOCUMENTS.c.data_store == store,
                DOCUMENTS.c.branch == branch.id,
                DOCUMENTS.c.import_id != import_id,
                DOCUMENTS.c.update_time < written_before,
            )
            .order_by(DOCUMENTS.c.id)
            .limit(limit)
        ).all()
        self._delete(store, [row.key for row in found])
        return tuple(row.id for row in found)

    def _write_rows(
        self, documents: Sequence[dict[str, Any]], old: Mapping[str, int]
    ) -> dict[str, int]:
        """Insert the rows of documents, with the keys of those they replace; return keys by id."""
        keys = dict(old)
        new = [values for values in documents if values["id"] not in old]
        replaced = [
            values | {"key": old[values["id"]]} for values in documents if values["id"] in old
        ]
        if replaced:
            self._connection.execute(insert(DOCUMENTS), replaced)
        if new:
            returned = insert(DOCUMENTS).returning(DOCUMENTS.c.id, DOCUMENTS.c.key)
            keys.update((row.id, row.key) for row in self._connection.execute(returned, new))
        return keys

    def _remove(self, keys: Sequence[int]) -> dict[int, list[int]]:
        """Delete documents with all that belongs to them; return the chunks' keys by document."""
        removed = self._chunk_keys(keys)
        for part in parts(keys):
            self._connection.execute(delete(DOCUMENTS).where(one_of(DOCUMENTS.c.key, part)))
        return removed

    def _chunk_keys(self, keys: Sequence[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for part in parts(keys):
            for row in self._connection.execute(
                select(CHUNKS.c.document, CHUNKS.c.key)
                .where(one_of(CHUNKS.c.document, part))
                .order_by(CHUNKS.c.key)
            ):
                found.setdefault(row.document, []).append(row.key)
        return found

    def _write_parts(self, documents: Sequence[IngestedDocument], keys: Mapping[str, int]) -> None:
        bodies, chunks, blobs = [], [], []
        for item in documents:
            key = keys[item.document.id]
            bodies.append(rows.of_body(item, key))
            chunks.extend(rows.of_chunks(enumerate(item.chunks), key))
            blobs.extend(rows.of_blobs(item, key))
        for table, values in ((DOCUMENT_BODIES, bodies), (CHUNKS, chunks), (BLOBS, blobs)):
            if values:
                self._connection.execute(insert(table), values)

    def _delete(self, store: int, keys: Sequence[int]) -> None:
        removed = self._remove(keys)
        for key in keys:
            self._outbox.add(data_store=store, document=key, removed_chunks=removed.get(key, ()))


def _stamped(item: IngestedDocument, old: Row[Any] | None, now: datetime) -> Document:
    return dataclasses.replace(
        item.document,
        generation=old.generation + 1 if old else 1,
        create_time=old.create_time if old else now,
        update_time=now,
    )


def _check(documents: Sequence[IngestedDocument]) -> None:
    seen: set[str] = set()
    for item in documents:
        document = item.document
        if document.id in seen:
            raise InvalidArgument.of_field("documents", f"the id {document.id!r} comes twice.")
        seen.add(document.id)
        check_texts(
            id=document.id,
            schema_id=document.schema_id,
            json_data=document.json_data,
            fingerprint=document.fingerprint,
            parent_document_id=document.parent_document_id,
            uri=document.content.uri if document.content else None,
            mime_type=document.content.mime_type if document.content else None,
            text=item.text,
        )
        _check_parts(item)


def _check_parts(item: IngestedDocument) -> None:
    for chunk in item.chunks:
        check_texts(chunk_id=chunk.id, content=chunk.content)
    for blob in item.blobs:
        check_texts(blob_id=blob.id, mime_type=blob.mime_type, caption=blob.caption)
    if len({chunk.id for chunk in item.chunks}) < len(item.chunks):
        raise InvalidArgument.of_field(
            "chunks", f"the document {item.document.id!r} has two chunks of one id."
        )
    if len({blob.id for blob in item.blobs}) < len(item.blobs):
        raise InvalidArgument.of_field(
            "blobs", f"the document {item.document.id!r} has two blobs of one id."
        )


def _check_generations(
    branch: Branch, old: Mapping[str, Row[Any]], expected: Mapping[str, int]
) -> None:
    for id_, generation in expected.items():
        name = f"{branch.name}/documents/{id_}"
        found = old[id_].generation if id_ in old else 0
        if generation == 0 and found:
            raise AlreadyExists(f"{name} exists already.")
        if generation != found:
            raise Aborted(
                f"{name} was changed by somebody else (generation {found}, not {generation});"
                " read it again."
            )
