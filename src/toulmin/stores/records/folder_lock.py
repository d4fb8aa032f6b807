"""One process for one data folder: a lock file that says who has it.

The lock is the kernel's (`flock`), so it goes when its holder dies, however it dies. What stays in
the file then tells the next one that the holder did not close the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from pathlib import Path

from toulmin.errors import FailedPrecondition

LOCK_FILE = "lock"
_MOST_BYTES = 1000


class FolderLock:
    """The hold on a data folder, until `release` or the end of the process.

    Args:
        folder: The data folder; made if it is not there.

    Attributes:
        left_open: True when the last holder did not release it: it was killed or lost power.

    Raises:
        FailedPrecondition: Another process (or this one, a second time) has the folder open, or
            it cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise FailedPrecondition(
                f"The data folder {folder} cannot be written to: {error.strerror}."
            ) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _describe(os.read(self._descriptor, _MOST_BYTES))
            os.close(self._descriptor)
            raise FailedPrecondition(
                f"The data folder {folder} is in use by {holder}. Stop it, choose another"
                " data_dir, or use PostgreSQL (database_url) to share the data.",
                reason="DATA_FOLDER_IN_USE",
            ) from error
        self._found = os.read(self._descriptor, _MOST_BYTES)
        self.left_open = bool(self._found)
        self._write({"pid": os.getpid(), "host": socket.gethostname()})

    def announce(self, url: str) -> None:
        """Note for others where the holder serves what is in the folder."""
        self._write({"pid": os.getpid(), "host": socket.gethostname(), "url": url})

    def release(self) -> None:
        """Give the folder up and note that it was closed properly."""
        self._give_up(b"")

    def abandon(self) -> None:
        """Give the folder up as it was found: whoever was killed in it, was killed still."""
        self._give_up(self._found)

    def _give_up(self, note: bytes) -> None:
        if self._descriptor < 0:
            return
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, note, 0)
        os.close(self._descriptor)
        self._descriptor = -1

    def _write(self, holder: dict[str, object]) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(holder).encode(), 0)


def served_at(folder: Path) -> str:
    """Return the address at which the holder of a folder serves it; "" if it does not say so."""
    try:
        holder = json.loads((folder / LOCK_FILE).read_bytes())
        return str(holder.get("url", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def _describe(content: bytes) -> str:
    try:
        holder = json.loads(content)
        return f"process {holder['pid']} on {holder['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
