"""Answers that nobody waits for: made a few at a time, on threads that end when nothing is left."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from toulmin.errors import ResourceExhausted

WORKERS: Final = 2
MOST_WAITING: Final = 256
LONGEST_S: Final = 600.0
"""Longest time for one answer, and from then on an unfinished one counts as failed: the process
that worked on it may have ended."""


class AnswersLater:
    """Does work in the order it came, `workers` at a time.

    The threads do not keep the process from ending; what is unfinished then stays so.

    Args:
        workers: At least 1.
        most_waiting: Further work is refused.
    """

    def __init__(self, *, workers: int = WORKERS, most_waiting: int = MOST_WAITING) -> None:
        self._workers = workers
        self._most_waiting = most_waiting
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = 0

    def check_room(self) -> None:
        """Refuse what there is no room for.

        Raises:
            ResourceExhausted: Too much is waiting.
        """
        with self._lock:
            if len(self._waiting) >= self._most_waiting:
                raise ResourceExhausted(
                    f"{self._most_waiting} answers are waiting to be made; try again later"
                )

    def submit(self, work: Callable[[], None]) -> None:
        """Do `work`, which raises nothing, when its turn has come."""
        with self._lock:
            self._waiting.append(work)
            if self._running == self._workers:
                return
            self._running += 1
        threading.Thread(target=self._run, name="answers-later", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                work = self._waiting.popleft()
            work()
