"""The record store: open it, then read and write in transactions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, func, select

from toulmin.errors import FailedPrecondition
from toulmin.settings import Settings
from toulmin.stores.records.api_keys import ApiKeys
from toulmin.stores.records.backup import refuse_half_restored
from toulmin.stores.records.chunk_vectors import ChunkVectors
from toulmin.stores.records.database import BUSY_TIMEOUT_S, RECORDS_FILE, Database
from toulmin.stores.records.dialogues import Dialogues
from toulmin.stores.records.documents import Documents
from toulmin.stores.records.folder_lock import FolderLock
from toulmin.stores.records.migrate import current_revision, migrate, newest_revision
from toulmin.stores.records.operations import Operations
from toulmin.stores.records.outbox import Outbox
from toulmin.stores.records.resources import Resources
from toulmin.stores.records.sessions import Sessions
from toulmin.stores.records.start_checks import check_files, note_that_made
from toulmin.stores.records.tables import OPERATIONS, RESOURCES
from toulmin.stores.records.user_events import UserEvents

_POLL_S = 0.1
"""How soon what other replicas wrote is noticed, in seconds."""


class Transaction:
    """All that can be read and written, in one transaction.

    Attributes:
        sequence: After the commit, the number of its last change in the outbox; None: it changed
            no document. A search that waits for this number sees the write.
    """

    def __init__(
        self, connection: Connection, database: Database, *, most_documents: int = 0
    ) -> None:
        self._connection = connection
        self._database = database
        self._most_documents = most_documents
        self.sequence: int | None = None

    @cached_property
    def now(self) -> datetime:
        """The time of the transaction, in UTC."""
        return self._database.now(self._connection)

    @cached_property
    def outbox(self) -> Outbox:
        """What changed."""
        return Outbox(self._connection, self._time)

    @cached_property
    def resources(self) -> Resources:
        """Data stores, engines and apps, and what belongs to them."""
        return Resources(self._connection, self._time, self.outbox)

    @cached_property
    def documents(self) -> Documents:
        """Documents, chunks, texts, images."""
        return Documents(
            self._connection,
            self._time,
            self.outbox,
            self.resources,
            most_in_project=self._most_documents,
        )

    @cached_property
    def operations(self) -> Operations:
        """Long-running operations."""
        return Operations(self._connection, self._time)

    @cached_property
    def sessions(self) -> Sessions:
        """Conversations with data stores and engines."""
        return Sessions(self._connection, self._time, self.resources)

    @cached_property
    def api_keys(self) -> ApiKeys:
        """Keys that callers present."""
        return ApiKeys(self._connection, self._time)

    @cached_property
    def dialogues(self) -> Dialogues:
        """Conversations with agents."""
        return Dialogues(self._connection, self._time, self.resources)

    @cached_property
    def user_events(self) -> UserEvents:
        """What users did with the documents of data stores."""
        return UserEvents(self._connection, self._time, self.resources)

    @cached_property
    def vectors(self) -> ChunkVectors:
        """The vectors of all chunks, and what they were made by."""
        return ChunkVectors(self._connection)

    def newest_time(self) -> datetime | None:
        """Return when a resource or an operation was last written; None: there are none."""
        latest = [
            self._connection.execute(select(func.max(table.c.update_time))).scalar_one()
            for table in (OPERATIONS, RESOURCES)
        ]
        return max((moment for moment in latest if moment is not None), default=None)

    def _time(self) -> datetime:
        return self.now


class RecordStore:
    """The system of record. Threads may share it.

    Args:
        data_dir: Folder of the SQLite database; not used with `database_url`.
        database_url: PostgreSQL database; empty: SQLite in `data_dir`.
        busy_timeout_s: Longest wait for other writers, in seconds.
        most_documents: Documents that a project may hold; 0: no limit.

    Raises:
        FailedPrecondition: The folder is in use, the database is damaged or of a newer version.
        InvalidArgument: The URL is not understood.
        Unavailable: The database server cannot be reached.
    """

    def __init__(
        self,
        data_dir: Path,
        database_url: str = "",
        *,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        most_documents: int = 0,
    ) -> None:
        self._most_documents = most_documents
        self._changed = threading.Condition()
        self._writes = 0
        self._lock = None if database_url else FolderLock(data_dir)
        try:
            if self._lock:
                refuse_half_restored(data_dir)
                check_files(data_dir / RECORDS_FILE, left_open=self._lock.left_open)
            self._database = Database(
                database_url or data_dir / RECORDS_FILE, busy_timeout_s=busy_timeout_s
            )
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise
            if self._lock:
                note_that_made(data_dir)
        except BaseException:
            if self._lock:
                self._lock.abandon()
            raise

    @classmethod
    def from_settings(cls, settings: Settings) -> RecordStore:
        """Open the store that the settings name."""
        return cls(
            settings.data_dir,
            settings.database_url,
            most_documents=settings.project_documents,
        )

    def announce(self, url: str) -> None:
        """Note in the data folder, if there is one, where a server of this process answers."""
        if self._lock:
            self._lock.announce(url)

    @property
    def database(self) -> Database:
        """The database, for backups."""
        return self._database

    @property
    def is_exclusive(self) -> bool:
        """Whether no other process can have these records open."""
        return self._lock is not None

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Yield a transaction: committed at the end of the block, rolled back by an error in it.

        When the block ends without an error, what was written is on the disk.

        Raises:
            Aborted: Other writers were in the way; the block may be run again.
            ResourceExhausted: The disk is full; nothing was written.
            Unavailable: The database cannot be reached or the disk fails.
        """
        with self._database.write() as connection:
            transaction = Transaction(
                connection, self._database, most_documents=self._most_documents
            )
            yield transaction
            sequence = transaction.outbox.flush()
        transaction.sequence = sequence
        self._notify()

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Yield a transaction that sees one state throughout and refuses to write."""
        with self._database.read() as connection:
            yield Transaction(connection, self._database)

    def wait_for_changes(self, *, after: int, timeout_s: float) -> bool:
        """Wait until the outbox has an entry above `after`; False: the time is over.

        Other threads' writes are noticed at once, other replicas' within a tenth of a second.
        """
        return self._wait(lambda: self._sequence() > after, timeout_s)

    def wait_for_operation(self, name: str, *, timeout_s: float) -> bool:
        """Wait until an operation is done; False: the time is over.

        Raises:
            NotFound: There is none of that name.
        """
        return self._wait(lambda: self._is_done(name), timeout_s)

    def close(self) -> None:
        """Close the database and give up the folder."""
        self._database.close()
        if self._lock:
            self._lock.release()

    def _prepare(self) -> None:
        unclean = self._lock is not None and self._lock.left_open
        self._database.check_file(pages=unclean)
        migrate(self._database)
        if self._lock:  # nobody else has the folder, so whoever held a lease is gone
            with self.write() as transaction:
                transaction.operations.release_all()

    def _sequence(self) -> int:
        with self.read() as transaction:
            return transaction.outbox.head().sequence

    def _is_done(self, name: str) -> bool:
        with self.read() as transaction:
            return transaction.operations.get(name).done

    def _wait(self, happened: Callable[[], bool], timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while True:
            with self._changed:
                seen = self._writes
            if happened():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._changed:
                if self._writes == seen:  # else: written between looking and waiting
                    self._changed.wait(min(left, _POLL_S))

    def _notify(self) -> None:
        with self._changed:
            self._writes += 1
            self._changed.notify_all()


@contextmanager
def editing_keys(settings: Settings) -> Iterator[ApiKeys]:
    """Yield the keys in one write transaction, also while a server has the data folder open.

    The folder's lock is for what processes cannot share: search indexes, operations in progress.
    One table they can share: SQLite lets them take turns.

    Raises:
        FailedPrecondition: The server that has the folder open is of another version.
    """
    with _database_beside(settings) as database, database.write() as connection:
        now = database.now(connection)
        yield ApiKeys(connection, lambda: now)


@contextmanager
def _database_beside(settings: Settings) -> Iterator[Database]:
    try:
        store = RecordStore.from_settings(settings)
    except FailedPrecondition as error:
        if error.reason != "DATA_FOLDER_IN_USE":
            raise
    else:
        try:
            yield store.database
        finally:
            store.close()
        return
    database = Database(settings.data_dir / RECORDS_FILE)
    try:
        with database.read() as connection:
            if current_revision(connection) != newest_revision():
                raise FailedPrecondition(
                    f"The server that has {settings.data_dir} open is of another version of"
                    " Toulmin; use that one's `toulmin keys`."
                )
        yield database
    finally:
        database.close()
