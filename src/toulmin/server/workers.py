"""The threads that handlers run in, and the queue in front of them, both bounded.

Threads are daemons and start when needed: a handler that never ends cannot keep the process alive.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from toulmin.errors import ResourceExhausted, Unavailable


class Workers:
    """Runs jobs on at most `threads` threads; at most `max_queue` more may wait.

    Args:
        threads: Most jobs at the same time.
        max_queue: Most jobs waiting; one more is refused.
    """

    def __init__(self, *, threads: int, max_queue: int) -> None:
        self._threads = threads
        self._max_queue = max_queue
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._started = 0
        self._in_flight = 0
        self._stopped = False

    @property
    def in_flight(self) -> int:
        """Return how many jobs are running or waiting."""
        return self._in_flight

    def submit(self, job: Callable[[], None]) -> None:
        """Queue a job, which must raise nothing.

        Raises:
            ResourceExhausted: The queue is full.
            Unavailable: `stop` was called.
        """
        with self._lock:
            if self._stopped:
                raise Unavailable("The server is shutting down; try another one or try again later")
            if self._in_flight >= self._threads + self._max_queue:
                raise ResourceExhausted(
                    f"{self._in_flight} requests are running or waiting, as many as settings"
                    f" worker_threads ({self._threads}) and max_queue ({self._max_queue}) allow;"
                    " try again later",
                    reason="SERVER_BUSY",
                )
            self._in_flight += 1
            start_one = self._started < min(self._in_flight, self._threads)
            self._started += start_one
        if start_one:
            threading.Thread(target=self._work, name="toulmin-worker", daemon=True).start()
        self._jobs.put(job)

    def stop(self) -> None:
        """Refuse new jobs and end each thread after the jobs queued so far."""
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            started = self._started
        for _ in range(started):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            finally:
                with self._lock:
                    self._in_flight -= 1
