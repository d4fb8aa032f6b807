"""The two engines: how to connect, begin, lock and tell the time, and what their errors mean.

This file, `postgresql*.py` and `backup.py` are the only ones that know which engine they speak to.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy
from sqlalchemy import URL, Connection, Engine, event, exc, text
from sqlalchemy.pool import ConnectionPoolEntry

from toulmin.errors import (
    Aborted,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    ResourceExhausted,
    ToulminError,
    Unavailable,
)
from toulmin.stores.records import postgresql
from toulmin.stores.records.postgresql_servers import DATABASE_UNAVAILABLE, UNREACHABLE, sqlstate

RECORDS_FILE = "records.db"
APPLICATION_ID = 0x546C6D6E
"""Says in the file's header that an SQLite file is ours: "Tlmn"."""

BUSY_TIMEOUT_S = 10.0
_SQLITE_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit is on the disk when it returns
    "fullfsync = ON",  # where fsync stops at the drive's cache (macOS)
    "foreign_keys = ON",
)
_LARGE_CACHE = "PRAGMA cache_size = -65536"
_SMALL_CACHE = "PRAGMA cache_size = -4096"
"""The large one is for what a transaction changes, so that no page of a batch is written twice.
Each connection has its own, and one writes at a time: large ones of all that read would come to
gigabytes, for pages that the system keeps in memory, too."""
_WROTE = "toulmin.wrote"
_MIGRATION_LOCK = 0x546F756C6D696E


class Database:
    """Connections to one database, read and write transactions.

    Args:
        url: URL of a PostgreSQL database (`postgresql://...`), or the path of an SQLite file.
        busy_timeout_s: Longest wait for other writers, in seconds.

    Raises:
        InvalidArgument: The URL is not understood.
        FailedPrecondition: The driver is not installed.
    """

    def __init__(self, url: str | Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.busy_timeout_s = busy_timeout_s
        if isinstance(url, Path):
            self._engine = _connect_sqlite(url, busy_timeout_s)
        else:
            self._engine = postgresql.connect(url)
        self.is_sqlite = isinstance(url, Path)
        self.name = url if isinstance(url, Path) else "the database of database_url"
        # SQLite has one writer at a time: threads queue here instead of polling the file's lock.
        self._writer = threading.Lock()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in a write transaction: committed at the end, else rolled back.

        Raises:
            Aborted: Another writer kept the database, or a deadlock was broken; try again.
            ResourceExhausted: The disk is full.
            Unavailable: The database cannot be reached.
            FailedPrecondition: The database is damaged.
        """
        if not self.is_sqlite:
            with translated_errors(self.name), self._engine.begin() as connection:
                yield connection
            return
        if not self._writer.acquire(timeout=self.busy_timeout_s):
            raise Aborted(f"The database was locked for {self.busy_timeout_s} s; try again.")
        try:
            with translated_errors(self.name), self._engine.connect() as connection:
                connection.execution_options(toulmin_write=True)
                with connection.begin():
                    yield connection
        finally:
            self._writer.release()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the database throughout, and cannot write."""
        with translated_errors(self.name), self._engine.connect() as connection, connection.begin():
            if not self.is_sqlite:
                connection.exec_driver_sql(postgresql.READ_ONLY)
            yield connection

    def now(self, connection: Connection) -> datetime:
        """Return the time in UTC: the server's, which all replicas share, on PostgreSQL."""
        if self.is_sqlite:
            return datetime.now(UTC)
        moment: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return moment.astimezone(UTC)

    def lock_for_migration(self, connection: Connection) -> None:
        """Make other replicas wait until this transaction ends."""
        if not self.is_sqlite:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))

    def mark_file(self, connection: Connection) -> None:
        """Write our application id into the header of a new SQLite file."""
        if self.is_sqlite:
            connection.execute(text(f"PRAGMA application_id = {APPLICATION_ID}"))

    def check_file(self, *, pages: bool) -> None:
        """Check that an SQLite file is ours and, with `pages`, that each of its pages is sound.

        Raises:
            FailedPrecondition: It is not; the message says what to do.
        """
        if not self.is_sqlite:
            return
        with self.read() as connection:
            owner = connection.execute(text("PRAGMA application_id")).scalar_one()
            tables = connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()
            if tables and owner != APPLICATION_ID:
                raise FailedPrecondition(
                    f"{self._engine.url.database} is a database of another program;"
                    " use another data_dir."
                )
            if pages:
                found = connection.execute(text("PRAGMA quick_check(1)")).scalar_one()
                if found != "ok":
                    raise _damaged(self.name, found)

    def close(self) -> None:
        """Close all connections, those in use as soon as they are given back."""
        event.listen(self._engine, "checkin", _close_returned)
        self._engine.dispose()


def _close_returned(_connection: object, record: ConnectionPoolEntry) -> None:
    record.invalidate()


def _connect_sqlite(path: Path, busy_timeout_s: float) -> Engine:
    engine = sqlalchemy.create_engine(
        URL.create("sqlite+pysqlite", database=str(path)),
        # The driver must not begin transactions by itself: ours are BEGIN or BEGIN IMMEDIATE.
        connect_args={
            "isolation_level": None,
            "check_same_thread": False,
            "timeout": busy_timeout_s,
        },
        pool_size=32,
        max_overflow=-1,
    )

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in _SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(_SMALL_CACHE)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("toulmin_write", False)
        connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if write else 'ON'}")
        if write:
            connection.info[_WROTE] = True
            connection.exec_driver_sql(_LARGE_CACHE)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    @event.listens_for(engine, "checkin")
    def empty_cache(connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if record.info.pop(_WROTE, False) and connection is not None:  # else: it was given up
            connection.execute(_SMALL_CACHE)

    return engine


@contextmanager
def translated_errors(name: object = "the database") -> Iterator[None]:
    """Turn the engines' errors into ours.

    Args:
        name: What to call the database where it is damaged: its file.
    """
    try:
        yield
    except exc.StatementError as error:
        if isinstance(error.orig, ToulminError):  # a value that its column cannot keep
            raise error.orig from None
        if not isinstance(error, exc.DBAPIError):
            raise
        raise _translate(error, name) from error
    except sqlite3.Error as error:
        raise _of_sqlite(error, name) from error
    except exc.TimeoutError as error:
        raise Unavailable(
            "All connections to the database are in use; try again.", reason=DATABASE_UNAVAILABLE
        ) from error


def _translate(error: exc.DBAPIError, name: object) -> ToulminError:
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(cause, name)
    return _of_sqlstate(sqlstate(cause), error)


def _of_sqlite(error: sqlite3.Error, name: object) -> ToulminError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte: without its variants
    # A reader that finds the log's index changing under it a hundred times gives up: PROTOCOL.
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return Aborted("The database is locked by another writer; try again.")
    if code == sqlite3.SQLITE_NOMEM:
        return ResourceExhausted("The server has no memory left for the database; try again.")
    if code == sqlite3.SQLITE_FULL:
        return ResourceExhausted("The disk with the data folder is full; nothing was written.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(name, str(error))
    if str(error).startswith("Could not decode to UTF-8"):  # no text of it goes into the message
        return _damaged(name, "a text is not UTF-8")
    if code == sqlite3.SQLITE_IOERR:
        return Unavailable(
            "The disk with the data folder failed to read or write; nothing was written."
        )
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return FailedPrecondition(f"The data folder cannot be written to: {error}.")
    if code == sqlite3.SQLITE_TOOBIG:
        return InvalidArgument("A text or blob is larger than the database can hold (1 GB).")
    return Internal(f"The database refused a statement: {error}.")


def _of_sqlstate(state: str, error: exc.DBAPIError) -> ToulminError:
    if state in ("40001", "40P01", "55P03"):  # serialization, deadlock, lock not available
        return Aborted("A concurrent change got in the way; try again.")
    if state in ("53100", "53200", "53300"):  # disk full, out of memory, too many connections
        return ResourceExhausted("The database server is out of disk, memory or connections.")
    if state in ("28000", "28P01", "3D000"):  # user, password, database
        return FailedPrecondition("PostgreSQL refuses the user or the database of database_url.")
    if state.startswith(("XX001", "XX002")):
        return FailedPrecondition(
            "PostgreSQL reports damaged data in the database of database_url; see its log, and"
            " restore a dump with `pg_restore`.",
            reason="DATABASE_DAMAGED",
        )
    if state == postgresql.TAKES_NO_WRITES:
        return Unavailable(
            "The database server takes no writes; try again.", reason=DATABASE_UNAVAILABLE
        )
    if error.connection_invalidated or re.match(r"08|57P0|$", state):
        return Unavailable(UNREACHABLE, reason=DATABASE_UNAVAILABLE)
    return Internal(f"The database refused a statement ({state}).")


def _damaged(name: object, what: str) -> FailedPrecondition:
    return FailedPrecondition(
        f"{name} is damaged ({what}). Stop the server and restore a backup with `toulmin restore`,"
        " which keeps the damaged files beside.",
        reason="DATABASE_DAMAGED",
    )
