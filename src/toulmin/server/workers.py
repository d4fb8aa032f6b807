"""The threads that handlers run in, and the queue in front of them: bounded, and shared fairly.

Each caller has a queue of its own. A free thread takes from the caller that has the fewest jobs
running, in turn; and when there is no room for one more, the caller with most waiting gives way. So
one that sends more than the server can do waits for itself, and the others do not.

Threads are daemons and start when needed: a handler that never ends cannot keep the process alive.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from toulmin.errors import ResourceExhausted, ShuttingDown

Drop: TypeAlias = Callable[[ResourceExhausted], None]


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[], None]
    drop: Drop | None


class Workers:
    """Runs jobs on at most `threads` threads; at most `max_queue` more may wait.

    Args:
        threads: Most jobs at the same time.
        max_queue: Most jobs waiting; one more is refused, or takes the place of another caller's.
    """

    def __init__(self, *, threads: int, max_queue: int) -> None:
        self._threads = threads
        self._max_queue = max_queue
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[_Job]] = {}  # in the order of their turns; none is empty
        self._running: Counter[str] = Counter()
        self._started = 0
        self._in_flight = 0
        self._stopped = False

    @property
    def in_flight(self) -> int:
        """Return how many jobs are running or waiting."""
        return self._in_flight

    @property
    def waiting(self) -> int:
        """Return how many jobs are waiting."""
        with self._changed:
            return sum(map(len, self._waiting.values()))

    def submit(
        self, run: Callable[[], None], *, caller: str = "", drop: Drop | None = None
    ) -> None:
        """Queue a job.

        Args:
            run: The job, which must raise nothing.
            caller: Whose it is.
            drop: Called instead of `run` if the job has to give way to another caller's; None: it
                never does.

        Raises:
            ResourceExhausted: There is no room, and nobody has more waiting than this caller.
            ShuttingDown: `stop` was called.
        """
        dropped: _Job | None = None
        with self._changed:
            if self._stopped:
                raise ShuttingDown
            if self._in_flight >= self._threads + self._max_queue:
                dropped = self._make_room(caller)
            self._in_flight += 1
            self._waiting.setdefault(caller, deque()).append(_Job(run, drop))
            start_one = self._started < min(self._in_flight, self._threads)
            self._started += start_one
            self._changed.notify()
        if start_one:
            threading.Thread(target=self._work, name="toulmin-worker", daemon=True).start()
        if dropped is not None and dropped.drop is not None:
            dropped.drop(self._busy())

    def stop(self) -> None:
        """Refuse new jobs and end each thread after the jobs queued so far."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def becomes_idle(self, within_s: float) -> bool:
        """Return whether no job runs or waits, now or within so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._in_flight == 0, within_s)

    def _make_room(self, caller: str) -> _Job:
        """Take out the newest job of the caller with the most waiting, and return it."""
        longest = max(self._waiting, key=lambda name: len(self._waiting[name]), default=caller)
        queue = self._waiting.get(longest, deque())
        ours = len(self._waiting.get(caller, ()))
        if longest == caller or len(queue) <= ours + 1 or queue[-1].drop is None:
            raise self._busy()
        self._in_flight -= 1
        return queue.pop()

    def _busy(self) -> ResourceExhausted:
        return ResourceExhausted(
            f"{self._in_flight} requests are running or waiting, as many as settings"
            f" worker_threads ({self._threads}) and max_queue ({self._max_queue}) allow;"
            " try again later",
            reason="SERVER_BUSY",
        )

    def _work(self) -> None:
        while (taken := self._next()) is not None:
            caller, job = taken
            try:
                job.run()
            finally:
                with self._changed:
                    self._in_flight -= 1
                    if not self._in_flight:
                        self._changed.notify_all()
                    self._running[caller] -= 1
                    if not self._running[caller]:
                        del self._running[caller]

    def _next(self) -> tuple[str, _Job] | None:
        """Wait for a job and return it with its caller; None: there will be no more."""
        with self._changed:
            while not self._waiting:
                if self._stopped:
                    return None
                self._changed.wait()
            caller = min(self._waiting, key=self._running.__getitem__)  # the first of equals
            queue = self._waiting.pop(caller)
            job = queue.popleft()
            if queue:
                self._waiting[caller] = queue  # behind the others
            self._running[caller] += 1
            return caller, job
