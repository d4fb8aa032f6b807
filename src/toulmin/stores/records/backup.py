"""Copies of the records: made while the server runs, checked, and put back.

For SQLite. PostgreSQL has `pg_dump` and `pg_restore`, and better ones.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from toulmin.errors import AlreadyExists, FailedPrecondition, NotFound
from toulmin.settings import Settings
from toulmin.stores.records.database import (
    APPLICATION_ID,
    RECORDS_FILE,
    Database,
    translated_errors,
)
from toulmin.stores.records.folder_lock import FolderLock
from toulmin.stores.records.migrate import check_revision
from toulmin.stores.records.outbox import Outbox
from toulmin.stores.records.start_checks import note_that_made, refuse_lossy_log

_COUNTED = ("resources", "documents", "chunks", "operations")
_ENDS = ("", "-wal", "-shm")
_OLD = ".replaced"
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a checked copy holds.

    Attributes:
        path: The file.
        size_bytes: Its size.
        counts: Rows by table.
        sequence: Last number of the outbox in it.
    """

    path: Path
    size_bytes: int
    counts: dict[str, int]
    sequence: int


def backup(settings: Settings, target: Path) -> BackupReport:
    """Copy the records of a data folder to `target`, as they are at one moment, and check the copy.

    The server may go on writing meanwhile, in this process or another.

    Raises:
        FailedPrecondition: The records are in PostgreSQL, or are damaged.
        NotFound: There are none in the folder.
        AlreadyExists: `target` is there.
        ResourceExhausted: No room for the copy.
    """
    _refuse_postgresql(settings)
    source = settings.data_dir / RECORDS_FILE
    if not source.exists():
        raise NotFound(f"There are no records in {settings.data_dir}.")
    refuse_lossy_log(source)
    if target.exists():
        raise AlreadyExists(f"{target} exists already; choose another name.")
    part = target.with_name(f"{target.name}.{uuid.uuid4().hex}.part")
    try:
        with translated_errors(source):
            _copy(source, part)
        report = verify(part)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)
    return BackupReport(target, report.size_bytes, report.counts, report.sequence)


def verify(path: Path) -> BackupReport:
    """Check every page, index and reference of a copy, and count what is in it.

    Raises:
        NotFound: It is not there.
        FailedPrecondition: It is damaged, or is no copy of records.
    """
    if not path.exists():
        raise NotFound(f"{path} does not exist.")
    if not _is_database(path):
        raise FailedPrecondition(f"{path} is no backup of Toulmin's records.")
    try:
        return _verified(path)
    except FailedPrecondition as error:
        if error.reason != "DATABASE_DAMAGED":
            raise
        raise FailedPrecondition(
            f"{path} is damaged; take another backup.", reason="BACKUP_DAMAGED"
        ) from error


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _verified(path: Path) -> BackupReport:
    with translated_errors(), _opened(path) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise FailedPrecondition(f"{path} is no backup of Toulmin's records.")
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
            raise FailedPrecondition(f"{path} is damaged: {found}.", reason="BACKUP_DAMAGED")
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in _COUNTED
        }
        sequence = connection.execute("SELECT sequence FROM outbox_head").fetchone()[0]
    return BackupReport(path, path.stat().st_size, counts, sequence)


def restore(settings: Settings, source: Path, *, replace: bool = False) -> BackupReport:
    """Put a copy into a data folder that no process has open.

    The records that were there are kept beside it, as `records.db.replaced`. The outbox begins a
    new history, so that whatever was derived from the old records is rebuilt.

    Args:
        settings: Names the folder.
        source: The copy.
        replace: Whether records that are there may be replaced.

    Raises:
        FailedPrecondition: The folder is in use, the copy is damaged or of a newer version, or
            the records are in PostgreSQL.
        AlreadyExists: There are records, and `replace` is false.
    """
    _refuse_postgresql(settings)
    verify(source)
    folder = settings.data_dir
    lock = FolderLock(folder)
    try:
        current = folder / RECORDS_FILE
        if current.exists() and not replace:
            raise AlreadyExists(f"{folder} has records already; say that they may be replaced.")
        part = folder / f"{RECORDS_FILE}.part"
        part.unlink(missing_ok=True)
        with translated_errors():
            _copy(source, part)
        _begin_history(part)
        report = verify(part)
        _swap(current, part)
        note_that_made(folder)
    finally:
        lock.release()
    return BackupReport(current, report.size_bytes, report.counts, report.sequence)


def refuse_half_restored(folder: Path) -> None:
    """Raise if a restore stopped between taking the old records away and putting the new there.

    Raises:
        FailedPrecondition: It did; the message says how to go on.
    """
    current = folder / RECORDS_FILE
    if not current.exists() and current.with_name(RECORDS_FILE + _OLD).exists():
        raise FailedPrecondition(
            f"A restore into {folder} was interrupted. Run it again, or take {_OLD!r} out of the"
            f" names of {RECORDS_FILE}{_OLD} and of its -wal file, if there is one."
        )


def _copy(source: Path, target: Path) -> None:
    # In one step: a copy made in several begins anew whenever another process writes.
    with _opened(source) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new, pages=-1)
        new.execute("PRAGMA journal_mode = DELETE")
    descriptor = os.open(target, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _begin_history(path: Path) -> None:
    database = Database(path)
    try:
        with database.write() as connection:
            check_revision(connection)
            now = database.now(connection)
            Outbox(connection, lambda: now).begin_incarnation()
    finally:
        database.close()


def _swap(current: Path, part: Path) -> None:
    # A log beside a file of another database would be taken for its own, so the new file comes
    # last; until then `refuse_half_restored` sees that there is none.
    old = current.with_name(current.name + _OLD)
    names = [
        (current.with_name(current.name + end), old.with_name(old.name + end)) for end in _ENDS
    ]
    if current.exists():
        for _, kept in names:
            kept.unlink(missing_ok=True)
    for present, kept in names:
        if present.exists():
            present.rename(kept)
    part.rename(current)
    _sync_folder(current.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        yield connection


def _refuse_postgresql(settings: Settings) -> None:
    if settings.database_url:
        raise FailedPrecondition(
            "The records are in PostgreSQL (database_url): copy them with"
            " `pg_dump --format=custom` and put them back with `pg_restore`."
        )
