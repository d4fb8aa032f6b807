"""How far the files are that an import reads now, while an operation counts only whole documents.

Kept in this process alone, for whoever watches: nothing is resumed from it, and an import that
another process does is not here.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Embedded:
    """How much of the documents that are made together is embedded, nearly all of an import's work.

    Attributes:
        done: Texts that have their vector.
        total: Texts in all, at least 1.
    """

    done: int
    total: int


class ProgressBoard:
    """What each running import has said last; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: dict[str, Embedded] = {}

    def say(self, operation: str, done: int, total: int) -> None:
        """Keep how far the operation of that name is."""
        with self._lock:
            self._said[operation] = Embedded(done, total)

    def forget(self, operation: str) -> None:
        """Drop what it said: these documents are made."""
        with self._lock:
            self._said.pop(operation, None)

    def of(self, operation: str) -> Embedded | None:
        """Return what it said last; None: it embeds nothing now, or not in this process."""
        with self._lock:
            return self._said.get(operation)


IMPORTS = ProgressBoard()
"""The process's imports, as its metrics are the process's."""
