"""Whether the files of an SQLite database are whole, asked before anything opens it.

SQLite makes an empty database where there is none, and reads a log that was cut as far as it goes:
both would lose data without a word. What is asked here takes milliseconds and writes nothing.
"""

from __future__ import annotations

import logging
import os
import struct
from pathlib import Path
from typing import Final

from toulmin.errors import FailedPrecondition
from toulmin.stores.records.wal import WalLoss, wal_loss

MADE_FILE: Final = "records.made"
"""Says that a folder has had records; without it, a missing database is a new one."""

_MADE: Final = "The records of this folder have been made: records.db belongs here.\n"
_HEADER: Final = 100
_WAL_MODE: Final = 2

logger = logging.getLogger(__name__)


def check_files(database: Path, *, left_open: bool) -> None:
    """Refuse to open a database whose files are not whole.

    Args:
        database: The database's file, which need not be there in a new folder.
        left_open: Whether the last process that had it open was killed.

    Raises:
        FailedPrecondition: Something is missing; the message says what, and what to do.
    """
    size = database.stat().st_size if database.exists() else 0
    if not size and (database.parent / MADE_FILE).exists():
        state = "is empty" if database.exists() else "is missing"
        raise _damaged(
            f"{database} {state}, although this folder has had records. Put it back with its"
            f" -wal file, or restore a backup with `toulmin restore`; to begin anew, use another"
            f" data_dir or delete {MADE_FILE}, too."
        )
    if not size:
        return
    refuse_lossy_log(database)
    _check_size(database, size, left_open=left_open)


def refuse_lossy_log(database: Path) -> None:
    """Refuse to read a database whose log has lost what was committed to it.

    Another process may have the database open.

    Raises:
        FailedPrecondition: It has; the message says what to do.
    """
    loss = wal_loss(database)
    if loss is not None:
        raise _damaged(_lost(database, loss))


def note_that_made(folder: Path) -> None:
    """Note in a data folder that it has records, for `check_files`."""
    path = folder / MADE_FILE
    if path.exists():
        return
    part = path.with_name(f"{MADE_FILE}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(_MADE)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except OSError as error:  # it is no more than a note: the next start tries again
        logger.warning("%s cannot be written: %s", path, error.strerror)


def _check_size(database: Path, size: int, *, left_open: bool) -> None:
    """Compare the file with what its header says, where no log may hold the difference."""
    log = database.with_name(f"{database.name}-wal")
    if log.exists() and log.stat().st_size:
        return
    with database.open("rb") as file:
        header = file.read(_HEADER)
    if len(header) == _HEADER:
        (stored,) = struct.unpack(">H", header[16:18])
        page_size = 65536 if stored == 1 else stored
        changed, pages = struct.unpack(">2I", header[24:32])
        (valid_for,) = struct.unpack(">I", header[92:96])
        if changed == valid_for and page_size * pages > size:
            raise _damaged(
                f"{database} was cut: it has {size} of {page_size * pages} bytes."
                " Restore a backup with `toulmin restore`; it keeps this file beside."
            )
        if left_open and header[18] == _WAL_MODE and not log.exists():
            logger.warning(
                "%s was open when its process was killed, and %s is not there: if it was taken"
                " away, the last changes are lost with it.",
                database,
                log.name,
            )


def _lost(database: Path, loss: WalLoss) -> str:
    log, index = f"{database.name}-wal", f"{database.name}-shm"
    found = f"only the first {loss.readable}" if loss.readable else "none"
    said = (
        f"{log} in {database.parent} was cut, damaged or taken away: of {loss.committed} pages"
        f" that were committed to it, {found} can be read."
    )
    if loss.in_database >= loss.committed:
        return (
            f"{said} Nothing is lost, for {database.name} has them all: delete {log} and {index},"
            " and start again."
        )
    restore = "Put it back, or restore a backup with `toulmin restore`, which keeps these files"
    if loss.readable < loss.in_database:
        return f"{said} {restore}."
    return f"{said} {restore}; to go on without the last changes, delete {index} and start again."


def _damaged(message: str) -> FailedPrecondition:
    return FailedPrecondition(message, reason="DATABASE_DAMAGED")
