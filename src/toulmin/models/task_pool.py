"""Runs a request's tasks on a bounded number of threads that all requests share.

This is for calls over the network; embedded models share the cores in `pool`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from toulmin.errors import Unavailable
from toulmin.work import UNLIMITED, Work

Item = TypeVar("Item")
Result = TypeVar("Result")

_POLL_S = 0.05


class TaskPool:
    """A pool of worker threads; safe to use from several threads.

    Args:
        workers: Tasks at the same time, of all requests together; at least 1.
        name: Of the threads.
    """

    def __init__(self, *, workers: int, name: str) -> None:
        self._workers = workers
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix=name)

    def run(
        self,
        task: Callable[[Item, Work], Result],
        items: Sequence[Item],
        *,
        work: Work = UNLIMITED,
    ) -> list[Result]:
        """Return `task(item, its_work)` of each item, in order.

        No request has more tasks waiting than there are workers, so that a large one does not
        hold up a small one. `its_work` is over when nobody waits for the result.

        Args:
            task: The work; called on a worker thread.
            items: What to work on.
            work: Asked every 50 ms; what it raises ends the wait.

        Raises:
            Cancelled: Nobody waits any more.
            Unavailable: The pool is closed.
            Exception: What the first failing task raised; the rest is abandoned.
        """
        results: dict[int, Result] = {}
        running: dict[Future[Result], int] = {}
        abandoned = threading.Event()
        try:
            for index, item in enumerate(items):
                while len(running) >= self._workers:
                    _collect(running, results, work)
                running[self._submit(task, item, abandoned)] = index
            while running:
                _collect(running, results, work)
        finally:
            abandoned.set()
            for future in running:
                future.cancel()
        return [results[index] for index in range(len(items))]

    def close(self) -> None:
        """Take no more work; what runs is finished in the background."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _submit(
        self,
        task: Callable[[Item, Work], Result],
        item: Item,
        abandoned: threading.Event,
    ) -> Future[Result]:
        try:
            return self._executor.submit(task, item, Work("the call", is_gone=abandoned.is_set))
        except RuntimeError as error:
            raise Unavailable("the model is unloaded; the server is shutting down") from error


def _collect(
    running: dict[Future[Result], int],
    results: dict[int, Result],
    work: Work,
) -> None:
    """Move what is done from `running` to `results`, after a short wait for some of it."""
    work.check()
    done, _ = wait(running, timeout=_POLL_S, return_when=FIRST_COMPLETED)
    for future in sorted(done, key=running.__getitem__):
        index = running.pop(future)
        results[index] = future.result()
