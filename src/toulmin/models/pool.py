"""One pool for the embedded models of a process: so many runs at once in all, whichever models.

Every run is one pair, one pack or one text, and uses one core (docs/decisions/0005); more runs than
cores would only slow each other down (docs/decisions/0043). Requests take turns run by run,
whichever model they ask, so a large one does not hold up a small one.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from toulmin.errors import Unavailable
from toulmin.work import UNLIMITED, Work

Item = TypeVar("Item")
Result = TypeVar("Result")

_UNLOADED = "the model is unloaded; the server is shutting down"
_POLL_S = 0.05


@dataclass(slots=True, eq=False)
class _Job:
    """The runs that one request asked for at once."""

    run: Callable[[int], None]
    order: deque[int]
    work: Work
    running: int = 0
    started: float = 0.0
    failure: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def take(self) -> int:
        """Return which run is next; it is under way from here on."""
        self.running += 1
        self.started = self.started or time.perf_counter()
        return self.order.popleft()


class ModelPool:
    """Worker threads that models share; they start when they are first needed.

    Args:
        workers: Runs at the same time, of all models and requests together; 0 takes one for each
            core.
    """

    def __init__(self, workers: int = 0) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._under_way = 0
        self._has_threads = False
        self._closed = False
        self._here = threading.local()

    def run(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        size: Callable[[Item], int] = lambda _item: 0,
        work: Work = UNLIMITED,
    ) -> list[Result]:
        """Return `task(item)` of each item, in the order given.

        Times `turn_ms` (waiting for the first run) and `infer_ms` (from then on); who does not want
        them gives a part of the work.

        Args:
            task: One run of a model. A run that asks the pool again goes on in its own turn.
            items: What to work on.
            size: The largest items go first, so that the workers finish at about the same time.
            work: Asked before every run, on the thread that does it, and every 50 ms while
                the caller waits, who is then not held up by a run that takes long.

        Raises:
            Cancelled: Nobody waits any more.
            Unavailable: The pool is closed.
            Exception: What the first failing task, or `work`, raised; the rest is not done.
        """
        if not items:
            return []
        if getattr(self._here, "runs", False):  # waiting for a turn could mean for its own end
            return [task(item) for item in items]
        results: dict[int, Result] = {}

        def run(index: int) -> None:
            results[index] = task(items[index])

        sizes = [size(item) for item in items]
        order = sorted(range(len(items)), key=lambda i: (-sizes[i], i))
        job = _Job(run, deque(order), work)
        asked = time.perf_counter()
        if self._takes_place(job):
            # One run, and a place is free: on the caller's own thread no time is lost.
            self._run_one(job, job.take())
            self._wake_for_place()
        else:
            self._wait(job)
        if job.failure is not None:
            raise job.failure
        work.add("turn_ms", (job.started - asked) * 1000)
        work.add("infer_ms", (time.perf_counter() - job.started) * 1000)
        return [results[index] for index in range(len(items))]

    def close(self, *, wait_s: float = 0.0) -> None:
        """Take no more work, and end the worker threads once what was taken is done.

        Args:
            wait_s: How long to wait for that, runs included whose callers have gone: a process that
                ends in the middle of one is aborted by the models' own threads.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._jobs and not self._under_way, wait_s)

    def _takes_place(self, job: _Job) -> bool:
        """Return whether the caller is to do the job itself; else it is queued."""
        with self._changed:
            if self._closed:
                raise Unavailable(_UNLOADED)
            if len(job.order) == 1 and not self._jobs and self._under_way < self._workers:
                self._under_way += 1
                return True
            self._start_threads()
            self._jobs.append(job)
            self._changed.notify(min(len(job.order), self._workers))
            return False

    def _wait(self, job: _Job) -> None:
        while not job.done.wait(_POLL_S):
            try:
                job.work.check()
            except BaseException:
                self._drop(job)
                raise

    def _drop(self, job: _Job) -> None:
        """Do nothing more of a job; what is under way ends unheard."""
        with self._changed:
            job.order.clear()
            if job in self._jobs:
                self._jobs.remove(job)

    def _wake_for_place(self) -> None:
        """Wake a worker for the place that a caller's own thread had."""
        with self._changed:
            if self._jobs or self._closed:
                self._changed.notify()

    def _start_threads(self) -> None:
        if not self._has_threads:
            self._has_threads = True
            for number in range(self._workers):
                threading.Thread(target=self._work, name=f"model-{number}", daemon=True).start()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            self._run_one(*taken)
            del taken  # what was read is not kept while nothing is to be done

    def _take(self) -> tuple[_Job, int] | None:
        """Return the next run of the request whose turn it is; None when the pool is closed."""
        with self._changed:
            while not self._jobs or self._under_way >= self._workers:
                if self._closed and not self._jobs:
                    self._changed.notify_all()  # one that waited for a place may end, too
                    return None
                self._changed.wait()
            self._under_way += 1
            job = self._jobs.popleft()
            index = job.take()
            if job.order:
                self._jobs.append(job)
            return job, index

    def _run_one(self, job: _Job, index: int) -> None:
        self._here.runs = True
        failure: BaseException | None = None
        try:
            job.work.check()
            job.run(index)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            failure = error
        finally:
            self._here.runs = False
        with self._changed:
            self._under_way -= 1
            job.running -= 1
            if failure is not None:
                job.failure = job.failure or failure
                self._drop(job)
            if not job.running and not job.order:
                job.done.set()
            if self._closed:
                self._changed.notify_all()


class ModelTurns:
    """One model's way into the pool: it can be closed without closing the pool for others.

    Args:
        pool: Whose turns the runs take; None makes one for this model alone.
        workers: Of the pool that is made.
    """

    def __init__(self, pool: ModelPool | None, workers: int) -> None:
        self._pool = pool or ModelPool(workers)
        self._owns_pool = pool is None
        self._closed = False

    def run(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        size: Callable[[Item], int],
        work: Work,
    ) -> list[Result]:
        """Return `task(item)` of each item: see `ModelPool.run`."""
        self.check_open()
        return self._pool.run(task, items, size=size, work=work)

    def check_open(self) -> None:
        """Raise Unavailable if the model is closed."""
        if self._closed:
            raise Unavailable(_UNLOADED)

    def close(self) -> None:
        """Take no more work; what was taken is done."""
        self._closed = True
        if self._owns_pool:
            self._pool.close()
