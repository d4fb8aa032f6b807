"""Connections to PostgreSQL on which no answer comes: is the server still at it?

A server whose processes stand still, and a proxy that forwards nothing any more, keep their
connections open: the system is content with them, and who waits for an answer waits for as long as
that lasts. A statement may take long, so time alone says nothing. Therefore the server is asked,
over a connection of its own. Where it is not at the statement, or cannot be asked, the connection
is cut: who waits is told that the database is away, and the next one gets another connection.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

AskBusy: TypeAlias = Callable[[], Collection[int] | None]
"""Returns the processes of the server that are at a statement, by number; None: they cannot be
known, as behind a pooler. Raises an OSError if the server does not answer."""

BUSY = (
    "SELECT pid, pid = pg_backend_pid() FROM pg_stat_activity"
    " WHERE state = 'active' OR pid = pg_backend_pid()"
)
"""What a server is asked: its processes that are at a statement, and which is the asker's."""

_SILENT_S = 10.0
_EVERY_S = 1.0

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Wait:
    """An answer that is waited for.

    Attributes:
        server: Which server it is to come from.
        connection: On which connection of the driver.
        ask: Asks that server.
        began: Since when, by the monotonic clock.
        doubted: Whether the server has said once that it is not at it.
    """

    server: object
    connection: Any
    ask: AskBusy
    began: float
    doubted: bool = False


class SilenceWatch:
    """Watches connections, of all databases of a process, in one thread. Threads may share it.

    Args:
        silent_s: Seconds without an answer after which a server is asked.
    """

    def __init__(self, *, silent_s: float = _SILENT_S) -> None:
        self._silent_s = silent_s
        self._every_s = min(_EVERY_S, silent_s / 2)
        self._lock = threading.Lock()
        self._waits: dict[int, _Wait] = {}
        self._thread: threading.Thread | None = None

    def watch(self, connection: Any, server: object, ask: AskBusy) -> None:
        """Watch a connection of the driver from now on, until it is closed."""
        handle = connection.handle_messages  # reads the answer to whatever was sent

        def handle_and_note(context: Any) -> None:
            wait = _Wait(server, connection, ask, time.monotonic())
            with self._lock:
                self._waits[id(connection)] = wait
            try:
                handle(context)
            finally:
                with self._lock:
                    del self._waits[id(connection)]

        connection.handle_messages = handle_and_note
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="postgresql-silence", daemon=True
                )
                self._thread.start()

    def _work(self) -> None:
        while True:
            time.sleep(self._every_s)
            try:
                self._look()
            except Exception:  # a defect of ours must not end the thread
                logger.exception("Connections to PostgreSQL could not be watched")

    def _look(self) -> None:
        """Ask each server from which answers have not come for long, and cut what is dead."""
        latest = time.monotonic() - self._silent_s
        by_server: dict[object, list[_Wait]] = defaultdict(list)
        with self._lock:
            for wait in self._waits.values():
                if wait.began < latest:
                    by_server[wait.server].append(wait)
        for waits in by_server.values():
            try:
                busy = waits[0].ask()
            except OSError as error:
                logger.warning("PostgreSQL does not answer: %s", error)
                for wait in waits:
                    self._cut(wait)
                continue
            for wait in waits:
                if busy is None or process_of(wait.connection) in busy:
                    wait.doubted = False
                elif wait.doubted:  # twice: an answer may have been under way
                    self._cut(wait)
                else:
                    wait.doubted = True

    def _cut(self, wait: _Wait) -> None:
        with self._lock:
            opened = wait.connection._usock
            if self._waits.get(id(wait.connection)) is not wait or opened is None:
                return  # the answer has come
            if _has_bytes(opened):  # the answer is there, and is being read
                wait.doubted = False
                return
            logger.warning("A connection to PostgreSQL is dead and was cut")
            with contextlib.suppress(OSError):  # it was cut from the other side, just now
                socket.socket.shutdown(opened, socket.SHUT_RDWR)  # TLS has one that is polite


def _has_bytes(opened: socket.socket) -> bool:
    with selectors.DefaultSelector() as selector:  # `select` ends at file 1,023
        selector.register(opened, selectors.EVENT_READ)
        return bool(selector.select(0))


def process_of(connection: Any) -> int:
    """Return the number of the server's process behind a connection of the driver."""
    return int.from_bytes(connection._backend_key_data[:4])


def ask_busy(connection: Any) -> Collection[int] | None:
    """Return what `AskBusy` does, over a connection of the driver; close it."""
    try:
        cursor = connection.cursor()
        cursor.execute(BUSY)
        rows = cursor.fetchall()
    finally:
        connection.close()
    (own,) = (pid for pid, is_own in rows if is_own)
    # A pooler gives numbers of its own: those of the server say nothing about its connections.
    return {pid for pid, _ in rows} if own == process_of(connection) else None


WATCH = SilenceWatch()
