"""The operation `import-documents`: from a source to stored documents, in batches.

What is read, parsed and embedded is prepared without a transaction; one transaction then writes a
batch, counts it and moves the cursor. So an import that was killed goes on at its last batch, and
nothing is counted twice. A document whose fingerprint is the stored one is not made again.

FULL reconciliation deletes in the end what the source no longer has, but only when all of the
source could be read: what stood on a line that was not understood is not known, so neither is what
is missing. Documents that were found and failed to parse stay as they were.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Protocol

from toulmin import metrics
from toulmin.domain import Branch, DataStore, Document, IngestedDocument, JsonObject
from toulmin.errors import (
    Cancelled,
    FailedPrecondition,
    InvalidArgument,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.document_ids import check_document_id, generated_id
from toulmin.ingestion.imports.batch import MAX_BYTES, Entry, ImportState, Tally
from toulmin.ingestion.imports.update_masks import merge, read_update_mask
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.parsing.struct_text import document_data
from toulmin.ingestion.progress import IMPORTS
from toulmin.ingestion.sources.items import ImportItem
from toulmin.ingestion.store_rules import check_accepted, schema_for
from toulmin.stores.records import (
    Batch,
    EmbeddedWords,
    Operation,
    OperationError,
    Progress,
    RecordStore,
    Transaction,
)
from toulmin.stores.records.operation_runner import Handler
from toulmin.stores.vector_forms import StoredVectors
from toulmin.work import Work

KIND = "import-documents"

GROUP = 64
"""Items that are looked up together, and most of a batch."""
_FEWEST, _MOST = 2, 8
"""Items that are parsed and embedded together, the fewer the longer they take, but enough for all
parsers; between two such slices the batch may be closed."""
_BATCH_S = 1.0
"""After so long a batch is closed: an import shows how far it is, and a stop loses little."""
_SWEEP = 500
"""Documents deleted in one transaction."""


class ItemSource(Protocol):
    """Where items come from, opened at a cursor."""

    @property
    def total(self) -> int | None:
        """Items in all, also those before the cursor; None: not known."""

    def __iter__(self) -> Iterator[ImportItem]:
        """Yield the items from the cursor on."""


def import_documents_handler(
    *,
    records: Callable[[], RecordStore],
    ingestor: Callable[[], Ingestor],
    open_source: Callable[[JsonObject, JsonObject], ItemSource],
    wait_searchable: Callable[[int], None],
    check: Callable[[Transaction, Document, DataStore], None] | None = None,
) -> Handler:
    """Return what does operations of kind `import-documents`.

    Args:
        records: The record store.
        ingestor: What makes documents.
        open_source: Opens the source that an operation's request names at a cursor of
            `ImportItem`, {} being the beginning.
        wait_searchable: Waits until the change of that number in the outbox is searchable.
        check: Raises an InvalidArgument for a document that the data store does not take; None:
            `store_rules.py` says.
    """

    def handle(operation: Operation, stop: threading.Event) -> Generator[Batch, None, JsonObject]:
        running = _Import(records(), ingestor(), operation, stop, check or _check_accepted)
        if running.state.phase == "read":
            source = open_source(operation.request, running.state.source)
            yield from running.read(source)
        if running.is_full and not stop.is_set():
            yield from running.sweep()
        wait_for_search(records(), wait_searchable, stop)
        return running.state.result()

    return handle


class _Import:
    """One run of one import, from where the last one ended."""

    def __init__(
        self,
        records: RecordStore,
        ingestor: Ingestor,
        operation: Operation,
        stop: threading.Event,
        check: Callable[[Transaction, Document, DataStore], None],
    ) -> None:
        self._check = check
        self._records = records
        self._ingestor = ingestor
        self._operation = operation
        self._stop = stop
        self.state = ImportState(**operation.cursor)
        request = operation.request
        self.is_full = _is_full(request)
        self._mask = read_update_mask(request.get("update_mask") or ())
        self._makes_ids = bool(request.get("auto_generate_ids"))
        self._forced = bool(request.get("force_refresh"))
        self._branch = branch_of(operation)
        self._fewest, self._most = max(_FEWEST, ingestor.at_once), max(_MOST, ingestor.at_once)
        self._slice = self._fewest
        with records.read() as transaction:
            self._store = transaction.resources.get(DataStore, self._branch.data_store)

    def read(self, source: ItemSource) -> Iterator[Batch]:
        """Yield batches until the source is at its end, or it is time to stop."""
        for group in self._groups(source):
            known, group = self._looked_up(group)
            tally, begun, start = Tally(), time.monotonic(), 0
            while start < len(group):
                part = group[start : start + self._slice]
                sliced = time.monotonic()
                outcomes = self._ingested(part, known)
                if outcomes is None:
                    return
                for entry, outcome in zip(part, outcomes, strict=True):
                    tally.add(entry, outcome)
                start += len(part)
                now = time.monotonic()
                is_slow = now - sliced > _BATCH_S / 2
                self._slice = max(self._fewest, self._slice // 2) if is_slow else self._most
                if tally.is_full or now - begun > _BATCH_S or start == len(group):
                    yield self._batch(tally, source.total)
                    tally, begun = Tally(), time.monotonic()

    def sweep(self) -> Iterator[Batch]:
        """Yield batches that delete what the source does not have."""
        if self.state.phase == "kept":
            return
        if problem := self._reason_to_keep():
            self.state = dataclasses.replace(self.state, phase="kept")
            error = OperationError.of(problem)
            yield lambda _: Progress(cursor=dataclasses.asdict(self.state), errors=[error])
            return
        gone = _SWEEP
        before = dataclasses.replace(self.state, phase="sweep")

        def write(transaction: Transaction) -> Progress:
            nonlocal gone
            gone = len(
                transaction.documents.sweep(
                    self._branch,
                    import_id=self._operation.id,
                    written_before=self._operation.create_time,
                    limit=_SWEEP,
                )
            )
            self.state = dataclasses.replace(before, deleted=before.deleted + gone)
            return Progress(cursor=dataclasses.asdict(self.state))

        while gone == _SWEEP and not self._stop.is_set():
            yield write
            before = self.state

    def _reason_to_keep(self) -> ToulminError | None:
        if self.state.unreadable:
            return FailedPrecondition(
                f"Nothing was deleted: {self.state.unreadable} items of the source could not be"
                " read, so it is not known which documents it no longer has; correct them and"
                " import again.",
                reason="SOURCE_UNREADABLE",
            )
        if not self.state.items:
            return FailedPrecondition(
                "Nothing was deleted: the source has no documents at all; to delete all documents,"
                " purge them.",
                reason="SOURCE_EMPTY",
            )
        return None

    def _groups(self, source: ItemSource) -> Iterator[list[Entry]]:
        """Yield the items in groups in which no id comes twice: of two, the later one counts."""
        group: list[Entry] = []
        ids: set[str] = set()
        size = 0
        for item in source:
            if self._stop.is_set():
                return
            entry = self._entry(item)
            if entry.id in ids or len(group) >= GROUP or size >= MAX_BYTES:
                yield group
                group, ids, size = [], set(), 0
            group.append(entry)
            if entry.document:
                ids.add(entry.id)
                content = entry.document.content
                size += len(content.raw_bytes or b"") if content else 0
        if group:
            yield group

    def _entry(self, item: ImportItem) -> Entry:
        if item.document is None:
            missing = InvalidArgument("The item has no document.")
            return Entry(item, error=item.error or missing)
        if item.error:
            return Entry(item, error=item.error, id=item.document.id)
        try:
            document = self._with_id(item.document)
        except ToulminError as error:
            return Entry(item, error=error)
        return Entry(item, document, id=document.id)

    def _with_id(self, document: Document) -> Document:
        if not document.id and self._makes_ids:
            document = dataclasses.replace(document, id=generated_id(document))
        if not document.id:
            raise InvalidArgument.of_field(
                "id", "is missing; give one, or set auto_generate_ids for the import."
            )
        check_document_id(document.id)
        if document.parent_document_id:
            check_document_id(document.parent_document_id, field="parent_document_id")
        return document

    def _looked_up(self, group: Sequence[Entry]) -> tuple[Mapping[str, str], list[Entry]]:
        """Return the stored fingerprints, and the group with the mask applied and checked."""
        ids = [entry.document.id for entry in group if entry.document]
        with self._records.read() as transaction:
            known = transaction.documents.fingerprints(self._branch, ids)
            checked = [self._checked(transaction, entry, entry.id in known) for entry in group]
        return {} if self._forced else known, checked

    def _checked(self, transaction: Transaction, entry: Entry, is_stored: bool) -> Entry:  # noqa: FBT001
        document = entry.document
        if document is None:
            return entry
        if self._mask and is_stored:
            old = transaction.documents.get(self._branch, document.id)
            document = merge(old, document, self._mask)
        try:
            self._check(transaction, document, self._store)
        except ToulminError as error:
            return dataclasses.replace(entry, document=None, error=error)
        return dataclasses.replace(entry, document=document)

    def _ingested(
        self, part: Sequence[Entry], known: Mapping[str, str]
    ) -> list[IngestedDocument | ToulminError | None] | None:
        """Return what became of each entry; None: it is time to stop."""
        documents = [entry.document for entry in part if entry.document]
        name = self._operation.name
        try:
            found = iter(
                self._ingestor.ingest_changed(
                    documents,
                    store=self._store,
                    known=known,
                    kept=self._kept,
                    work=Work("the import", is_gone=self._stop.is_set),
                    on_progress=lambda done, total: IMPORTS.say(name, done, total),
                )
            )
        except (Cancelled, Unavailable):
            if self._stop.is_set():  # the server is shutting down; the next one goes on
                return None
            raise
        finally:
            IMPORTS.forget(name)
        return [next(found) if entry.document else entry.error for entry in part]

    def _kept(self, ids: Sequence[str], model: str) -> Mapping[EmbeddedWords, StoredVectors]:
        """Return the vectors of these documents as they are stored."""
        if not ids:
            return {}
        with self._records.read() as transaction:
            return transaction.documents.vectors(self._branch, ids, model)

    def _batch(self, tally: Tally, total: int | None) -> Batch:
        state = self.state
        after = self.state = dataclasses.replace(
            state,
            source=tally.source,
            written=state.written + len(tally.documents),
            unchanged=state.unchanged + tally.unchanged,
            failed=state.failed + len(tally.errors),
            unreadable=state.unreadable + tally.unreadable,
        )
        branch, import_id = self._branch, self._operation.id

        metrics.IMPORTED.add("written", amount=len(tally.documents))
        metrics.IMPORTED.add("unchanged", amount=tally.unchanged)
        metrics.IMPORTED.add("failed", amount=len(tally.errors))

        def write(transaction: Transaction) -> Progress:
            if tally.documents:
                transaction.documents.upsert(branch, tally.documents, import_id=import_id)
            if tally.seen:
                transaction.documents.mark(branch, tally.seen, import_id=import_id)
            return Progress(
                cursor=dataclasses.asdict(after),
                success=len(tally.documents) + tally.unchanged,
                failure=len(tally.errors),
                total=after.items if total is None else total,
                errors=tally.errors,
            )

        return write


def _check_accepted(transaction: Transaction, document: Document, store: DataStore) -> None:
    document_data(document)  # raises when it is no JSON
    check_accepted(document, store, schema_for(transaction, store, document.schema_id))


def wait_for_search(
    records: RecordStore, wait_searchable: Callable[[int], None], stop: threading.Event
) -> None:
    """Wait until all that is committed by now is searchable, unless it is time to stop.

    Raises:
        ToulminError: `wait_searchable` gave up while nobody asked to stop.
    """
    if stop.is_set():
        return
    with records.read() as transaction:
        sequence = transaction.outbox.head().sequence
    try:
        wait_searchable(sequence)
    except ToulminError:
        if not stop.is_set():  # else the index is being shut down; the next run waits again
            raise


def branch_of(operation: Operation) -> Branch:
    """Return the branch that an operation belongs to: its parent."""
    data_store, _, branch_id = operation.parent.rpartition("/branches/")
    return Branch(data_store, branch_id)


def _is_full(request: Mapping[str, Any]) -> bool:
    mode = request.get("reconciliation_mode") or "INCREMENTAL"
    if mode not in ("INCREMENTAL", "FULL"):
        raise InvalidArgument.of_field(
            "reconciliation_mode", f"is {mode!r}; it must be INCREMENTAL or FULL."
        )
    return mode == "FULL"
