"""Keeps the search indexes up with the records: the outbox in, one index a data store out.

A thread reads the outbox and applies what changed. What is applied twice changes nothing, so after
a crash it goes on from the last number that it acknowledged. An index that is lost, damaged, made
by another embedder or from another history of the records is built anew from the records; until
then searches in it are told so.
"""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from toulmin import metrics
from toulmin.domain import Chunk, Document
from toulmin.errors import FailedPrecondition, NotFound, ToulminError, Unavailable
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.fields import fields_of
from toulmin.stores.index.protocol import (
    Change,
    IndexedChunk,
    IndexUnusable,
    IndexWriter,
    Put,
    Remove,
)
from toulmin.stores.records import Change as RecordChange
from toulmin.stores.records import RecordStore, StoredDocument
from toulmin.stores.store_index import StoreIndex
from toulmin.stores.vector_forms import StoredVectors, part_rows, unit_vector

_STEP = 2_000
"""Changes of the outbox that are looked at together."""
_AT_ONCE = 20_000
"""Chunks after which what is pending is applied; a commit costs tens of milliseconds."""
_SCAN = 100
"""Documents read at once."""
_IDLE_S = 0.2
_PAUSE_S = 1.0
_ACKNOWLEDGE_S = 2.0
_WASTE = 1 / 3
_DEAD = 500
"""Dead chunks from which on an index is worth being made compact."""
_READER_FILE = "reader"
_READER = re.compile("indexer-[0-9a-f]{32}")

INDEX_FOLDER = "index"
"""In the data folder: where the indexes are."""

Embed = Callable[[Document, Sequence[Chunk]], Sequence[StoredVectors]]
"""Embeds chunks of a document anew; called for chunks that another model embedded."""

logger = logging.getLogger(__name__)


class Indexer:
    """The search indexes of all data stores.

    Args:
        records: What they are derived from.
        folder: Where they are; made if it is not there.
        embedding_model: Name and version of the model whose vectors are compared.
        embed: Makes vectors of that model for chunks that have others.
        dimensions: Length of the vectors.
    """

    def __init__(
        self,
        records: RecordStore,
        folder: Path,
        *,
        embedding_model: str,
        embed: Embed,
        dimensions: int = 384,
    ) -> None:
        self._records = records
        self._folder = folder
        self._model = embedding_model
        self._embed = embed
        self._dimensions = dimensions
        folder.mkdir(parents=True, exist_ok=True)
        self._reader = _reader_name(folder)
        self._indexes: dict[int, StoreIndex] = {}
        self._lock = threading.Lock()
        self._moved = threading.Condition()
        self._closing = threading.Event()
        self._position = 0
        self._kept = 0
        with records.read() as transaction:
            self._incarnation = transaction.outbox.head().incarnation
        self._thread = threading.Thread(target=self._work, name="indexer", daemon=True)

    def start(self) -> None:
        """Begin to follow the records."""
        self._thread.start()
        metrics.INDEX_LAG.read_from(self._lag)

    def close(self) -> None:
        """Stop after the change in hand and let go of the folder."""
        metrics.INDEX_LAG.forget(self._lag)
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        with self._lock:
            entries = list(self._indexes.values())
        for entry in entries:
            entry.close()
        with self._moved:
            self._moved.notify_all()

    @property
    def position(self) -> int:
        """Number of the last change of the outbox that is searchable."""
        return self._position

    def wait_for(self, sequence: int | None, *, timeout_s: float) -> bool:
        """Return whether change number `sequence` is searchable in time; None: no change."""
        if sequence is None:
            return True
        with self._moved:
            return (
                self._moved.wait_for(
                    lambda: self._closing.is_set() or self._position >= sequence, timeout_s
                )
                and not self._closing.is_set()
            )

    @property
    def embedding_model(self) -> str:
        """Name and version of the model whose vectors are compared."""
        return self._model

    def index_of(self, data_store_key: int, *, timeout_s: float = 5.0) -> EmbeddedIndex:
        """Return the index of a data store.

        Raises:
            NotFound: The data store has just been deleted.
            Unavailable: It is being built anew, or the indexer is closed.
        """
        if self._closing.is_set():
            raise Unavailable("the search index is closed; the server is shutting down")
        return self._entry(data_store_key, must_be_there=True).get(timeout_s=timeout_s)

    def _entry(self, key: int, *, must_be_there: bool = False) -> StoreIndex:
        """Return the index of a data store, open or not.

        Whoever searches must not make one anew of a data store that is gone: it would get in the
        way of removing the folder, and nobody would remove its own.
        """
        with self._lock:
            if key not in self._indexes:
                if must_be_there:
                    self._check_there(key)
                self._indexes[key] = StoreIndex(
                    self._folder / f"store-{key}",
                    lineage=f"{self._incarnation} {self._model}",
                    dimensions=self._dimensions,
                    fill=lambda index: self._fill(index, key),
                    newest=self._newest,
                )
            return self._indexes[key]

    def _check_there(self, key: int) -> None:
        with self._records.read() as transaction:
            if key not in dict(transaction.resources.all_data_stores()):
                raise NotFound("The data store was deleted.")

    def _lag(self) -> float:
        return max(0, self._newest() - self._position)

    def _newest(self) -> int:
        """Return the number of the last change there is."""
        with self._records.read() as transaction:
            return transaction.outbox.head().sequence

    def _work(self) -> None:
        ready = False
        acknowledged_at = time.monotonic()
        while not self._closing.is_set():
            try:
                if not ready:
                    self._begin()
                    ready = True
                moved = self._step()
                due = time.monotonic() - acknowledged_at > _ACKNOWLEDGE_S
                if self._position > self._kept and (due or not moved):
                    self._acknowledge()
                    acknowledged_at = time.monotonic()
                if not moved:
                    self._tidy()
                    self._records.wait_for_changes(after=self._position, timeout_s=_IDLE_S)
            except ToulminError as error:
                if error.reason == "OUTBOX_OUT_OF_RANGE":
                    ready = False
                logger.warning("The search index waits: %s", error.message)
                self._closing.wait(_PAUSE_S)
            except OSError as error:  # a full disk: what failed is done again once there is room
                logger.warning("The search index waits: %s", error)
                self._closing.wait(_PAUSE_S)
            except Exception:  # a defect of ours must not end the thread
                logger.exception("The search index could not follow the records")
                self._closing.wait(_PAUSE_S)

    def _begin(self) -> None:
        """Find where to go on, and open what there is; what cannot be opened is built anew."""
        with self._records.read() as transaction:
            head = transaction.outbox.head()
            kept = transaction.outbox.acknowledged(self._reader)
            stores = transaction.resources.all_data_stores()
        if head.incarnation != self._incarnation:
            raise FailedPrecondition(
                "The records were replaced while the server ran; start it anew."
            )
        known = kept is not None and head.trimmed <= kept <= head.sequence
        position = kept if known and kept is not None else head.sequence
        for key, _ in stores:
            if self._closing.is_set():
                return
            entry = self._entry(key)
            if not known:
                entry.forget()
            entry.open()
        self._remove_strangers({key for key, _ in stores})
        self._move_to(position)
        if not known:
            self._acknowledge()

    def _step(self) -> bool:
        """Apply the next changes; return whether there were any."""
        with self._records.read() as transaction:
            changes = transaction.outbox.read(after=self._position, limit=_STEP)
        if not changes:
            return False
        by_store: dict[int, list[RecordChange]] = defaultdict(list)
        for change in changes:
            by_store[change.data_store].append(change)
        last = changes[-1].sequence
        for store, own in by_store.items():
            if any(change.document is None for change in own):
                self._drop(store)
            else:
                self._apply(store, own, up_to=last)
        self._move_to(last)
        return True

    def _apply(self, store: int, changes: Sequence[RecordChange], *, up_to: int) -> None:
        entry = self._entry(store)
        try:
            index = entry.open()
            if index.position >= up_to:  # it was just built from newer records
                return
            pending: list[Change] = [
                Remove(key) for change in changes for key in change.removed_chunks
            ]
            for stored in self._changed(store, changes):
                pending += [Put(chunk) for chunk in self._chunks(stored)]
                if len(pending) >= _AT_ONCE:  # large documents: not all of them in memory
                    index.apply(pending, up_to=index.position)
                    pending = []
            index.apply(pending, up_to=up_to)
        except IndexUnusable as error:
            logger.warning("%s It is built anew from the records.", error.message)
            entry.forget()
            entry.open()

    def _changed(self, store: int, changes: Sequence[RecordChange]) -> Iterator[StoredDocument]:
        """Yield the documents that changed, as they are now; those that are gone not.

        Where single chunks were written, a document comes with no others.
        """
        whole = {c.document for c in changes if c.document is not None and c.written_chunks is None}
        keys = sorted(whole)
        for start in range(0, len(keys), _SCAN):
            with self._records.read() as transaction:
                found = transaction.documents.by_keys(keys[start : start + _SCAN])
            yield from (item for item in found.values() if item.data_store == store)
        written = [
            key for c in changes if c.document not in whole for key in c.written_chunks or ()
        ]
        for start in range(0, len(written), _AT_ONCE):
            with self._records.read() as transaction:
                found = transaction.documents.with_some_chunks(written[start : start + _AT_ONCE])
            yield from (item for item in found.values() if item.data_store == store)

    def _chunks(self, stored: StoredDocument) -> Iterator[IndexedChunk]:
        document = stored.document
        vectors = [StoredVectors(c.embedding, c.part_embeddings or b"") for c in stored.chunks]
        old = [i for i, chunk in enumerate(stored.chunks) if chunk.embedding_model != self._model]
        if old:
            made = self._embed(document, [stored.chunks[i] for i in old])
            for i, vector in zip(old, made, strict=True):
                vectors[i] = vector
        fields = filter_fields(document)
        title = str(document.derived.get("title", ""))
        for chunk, vector in zip(stored.chunks, vectors, strict=True):
            own = fields_of(chunk.metadata)
            yield IndexedChunk(
                key=chunk.key,
                document=stored.key,
                text="\n".join((*chunk.headings, chunk.content)),
                title=title,
                vector=unit_vector(vector.chunk) if vector.chunk else None,
                parts=part_rows(vector.parts, self._dimensions) if vector.parts else None,
                fields=fields | own if own else fields,
            )

    def _fill(self, index: IndexWriter, store: int) -> None:
        """Put everything that the records have of a data store into an index."""
        with self._records.read() as transaction:
            head = transaction.outbox.head().sequence
        held: list[Change] = []
        for batch in self._scan(store):
            if held:
                index.apply(held, up_to=0)
            held = [Put(chunk) for stored in batch for chunk in self._chunks(stored)]
        # Only the last batch says how far it is: a build that was cut off is still at 0.
        index.apply(held, up_to=head)

    def _scan(self, store: int) -> Iterator[Sequence[StoredDocument]]:
        after = 0
        while True:
            if self._closing.is_set():
                raise Unavailable("the search index is closed; the server is shutting down")
            with self._records.read() as transaction:
                found = transaction.documents.scan(after_key=after, limit=_SCAN, data_store=store)
            if not found:
                return
            yield found
            after = found[-1].key

    def _move_to(self, position: int) -> None:
        with self._moved:
            self._position = position
            self._moved.notify_all()

    def _acknowledge(self) -> None:
        with self._records.write() as transaction:
            if self._records.is_exclusive:  # a reader that was here before would hold all of it
                transaction.outbox.forget_others(self._reader)
            transaction.outbox.acknowledge(self._reader, self._position)
            transaction.outbox.trim()
        self._kept = self._position

    def _tidy(self) -> None:
        """Rebuild an index that holds much that is dead."""
        with self._lock:
            entries = list(self._indexes.items())
        for key, entry in entries:
            index = entry.peek()
            if index is not None and _is_wasteful(index):
                logger.info("The search index of data store %d is made compact", key)
                rebuild = index.rebuild()
                try:
                    self._fill(rebuild, key)
                    rebuild.apply([], up_to=index.position)
                    rebuild.swap()
                except BaseException:
                    rebuild.abandon()
                    raise

    def _drop(self, store: int) -> None:
        with self._lock:
            entry = self._indexes.pop(store, None)
        if entry is not None:
            entry.close()
        shutil.rmtree(self._folder / f"store-{store}", ignore_errors=True)

    def _remove_strangers(self, stores: Iterable[int]) -> None:
        """Remove indexes of data stores that are gone."""
        known = {f"store-{key}" for key in stores}
        for path in self._folder.glob("store-*"):
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)


def _is_wasteful(index: EmbeddedIndex) -> bool:
    wasted = index.wasted
    if wasted <= _WASTE:
        return False
    alive = index.count().chunks
    return alive > 0 and alive * wasted / (1 - wasted) >= _DEAD


def _reader_name(folder: Path) -> str:
    """Return the name under which this folder reads the outbox; the same at every start."""
    path = folder / _READER_FILE
    with contextlib.suppress(OSError, ValueError):
        name = path.read_text(encoding="ascii")
        if _READER.fullmatch(name):
            return name
    # Never written, lost, or damaged: a new reader, for whom the indexes are built anew.
    name = f"indexer-{uuid.uuid4().hex}"
    path.write_text(name, encoding="ascii")
    return name
