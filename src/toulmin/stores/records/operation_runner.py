"""Threads that do long-running operations.

A handler is a generator: it prepares a batch (read, parse, embed; no transaction is open
meanwhile), yields a function that writes it, and is resumed once that is committed. What it
returns is the operation's result. Begun anew, it looks at `operation.cursor` and goes on there.
Jobs create operations when these have their time: one thread asks them whether something is due.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

from toulmin.domain import JsonObject
from toulmin.errors import Aborted, Cancelled, Internal, NotFound, ToulminError, Unavailable
from toulmin.stores.records.operation import Operation, Progress
from toulmin.stores.records.postgresql_servers import DATABASE_UNAVAILABLE
from toulmin.stores.records.steady_clock import SteadyClock
from toulmin.stores.records.store import RecordStore, Transaction

Batch: TypeAlias = Callable[[Transaction], Progress]
"""Writes one batch and says how far the operation then is. May be run again after a rollback."""

Handler: TypeAlias = Callable[[Operation, threading.Event], Generator[Batch, None, JsonObject]]
"""Does operations of one kind. The event is set when it should stop, whatever the reason; a handler
with long batches looks at it and returns early (what it returns then does not matter)."""

Tidy: TypeAlias = Callable[[Transaction], int]
"""Deletes some of what has had its time and says how many; it is called again until that is 0."""

Job: TypeAlias = Callable[[RecordStore], float]
"""Does what has its time, such as creating operations, and says in how many seconds it is to be
asked again. It is asked by one thread of each process."""

_IDLE_S = 0.5
_WATCH_S = 0.5
_PRUNE_S = 3600.0
_AFTER_FAULT_S = 5.0
_TRIES = 5
_FIRST_PAUSE_S = 0.05

logger = logging.getLogger(__name__)


class _Stopped(Exception):
    """The operation is not ours to go on with; another claim will."""


class OperationRunner:
    """Worker threads that claim operations and do them, until `close`.

    Args:
        store: Where the operations are.
        handlers: What does each kind.
        threads: Operations done at the same time.
        lease_s: Time without a sign of life after which another process may take over.
        retention_s: Time that operations are kept after their end.
        max_attempts: Claims without progress after which an operation fails: it kills its workers.
        tidy: What else is done at the start and every hour, unless the clock has jumped.
        clock_file: Keeps what time it was, so that a clock that is ahead at the start is noticed.
    """

    def __init__(  # noqa: PLR0913 - its limits, by name
        self,
        store: RecordStore,
        handlers: Mapping[str, Handler],
        *,
        threads: int = 1,
        lease_s: float = 30.0,
        retention_s: float = 30 * 24 * 3600.0,
        max_attempts: int = 5,
        tidy: Sequence[Tidy] = (),
        clock_file: Path | None = None,
    ) -> None:
        self._store = store
        self._handlers = handlers
        self._lease = timedelta(seconds=lease_s)
        self._retention = timedelta(seconds=retention_s)
        self._max_attempts = max_attempts
        self._tidy = tidy
        self._clock = SteadyClock(clock_file)
        self._closing = threading.Event()
        self._wake = threading.Condition()
        self._jobs: dict[Job, float] = {}  # and when each is asked again, by the monotonic clock
        # By claim: after a jump of the clock another thread here may have taken an operation over.
        self._running: dict[str, tuple[Operation, threading.Event]] = {}
        self._threads = [
            threading.Thread(target=self._work, name=f"operations-{number}", daemon=True)
            for number in range(threads)
        ]
        self._threads.append(
            threading.Thread(target=self._keep, name="operations-leases", daemon=True)
        )

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def add(self, kind: str, handler: Handler) -> None:
        """Do operations of one more kind from now on."""
        self._handlers = {**self._handlers, kind: handler}

    def add_job(self, job: Job) -> None:
        """Ask a job what has its time, now and whenever it says; never twice at once."""
        self._jobs = {**self._jobs, job: 0.0}

    def hurry(self) -> None:
        """Ask every job anew: called after something was given a time."""
        self._jobs = dict.fromkeys(self._jobs, 0.0)

    def wake(self) -> None:
        """Say that there is something to do: called after an operation was created or cancelled."""
        with self._wake:
            self._wake.notify_all()

    def stop(self) -> None:
        """Begin to stop: say so to what is being done, and do not wait for it."""
        self._closing.set()
        for _, stop in list(self._running.values()):
            stop.set()
        self.wake()

    def close(self, *, timeout_s: float = 30.0) -> None:
        """Stop after the batches in hand; what is unfinished goes on at the next start."""
        self.stop()
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while not self._closing.is_set():
            operation = None
            try:
                operation = self._claim()
                if operation is not None:
                    self._do(operation)
            except ToulminError as error:  # the database is away; the lease runs out
                logger.warning("Operations wait: %s", error.message)
                self._closing.wait(_IDLE_S)
            except Exception:  # a defect of ours must not end the thread
                logger.exception("An operation could not be claimed or ended")
                self._closing.wait(_IDLE_S)
            if operation is None:
                with self._wake:
                    if not self._closing.is_set():
                        self._wake.wait(_IDLE_S)

    def _claim(self) -> Operation | None:
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        kinds = sorted(self._handlers)
        with self._store.write() as transaction:
            return transaction.operations.claim(kinds=kinds, owner=owner, lease=self._lease)

    def _do(self, operation: Operation) -> None:
        stop = threading.Event()
        self._running[operation.lease_owner] = (operation, stop)
        if self._closing.is_set():  # since it was claimed, so `stop` did not see it
            stop.set()
        try:
            result = self._run(operation, stop)
        except _Stopped:
            self._finish(operation, None)
        except ToulminError as error:
            if error.reason == "LEASE_LOST":
                logger.warning("%s", error.message)
            elif error.reason == DATABASE_UNAVAILABLE:  # nothing is wrong with the operation
                logger.warning("%s waits: %s", operation.name, error.message)
                self._finish(operation, None)
            else:
                self._finish(operation, error)
        except Exception:
            logger.exception("%s failed", operation.name)
            self._finish(operation, Internal("The operation failed; the log says why."))
        else:
            self._finish(operation, result)
        finally:
            del self._running[operation.lease_owner]

    def _run(self, operation: Operation, stop: threading.Event) -> JsonObject:
        if operation.attempts > self._max_attempts:
            raise Internal(
                f"The operation was begun {self._max_attempts} times without getting further."
            )
        self._check(operation, stop)
        batches = self._handlers[operation.kind](operation, stop)
        try:
            while True:
                try:
                    batch = next(batches)
                except StopIteration as end:
                    self._check(operation, stop)
                    result: JsonObject = end.value
                    return result
                operation = self._commit(operation, batch)
                self._check(operation, stop)
        finally:
            batches.close()

    def _commit(self, operation: Operation, batch: Batch) -> Operation:
        """Write a batch and the cursor behind it in one transaction; try again if others block.

        Where the database went away during the commit, nobody knows whether that was done: the next
        try looks first, so that nothing is written and counted twice.
        """
        pause = _FIRST_PAUSE_S
        for left in reversed(range(_TRIES)):
            try:
                with self._store.write() as transaction:
                    if left < _TRIES - 1 and (done := self._committed(transaction, operation)):
                        return done
                    progress = batch(transaction)
                    return transaction.operations.advance(operation, progress, lease=self._lease)
            except (Aborted, Unavailable) as error:
                if not left or error.reason == "LEASE_LOST":
                    raise
                if self._closing.wait(pause):
                    raise _Stopped from error
                pause *= 2
        raise AssertionError

    @staticmethod
    def _committed(transaction: Transaction, before: Operation) -> Operation | None:
        """Return the operation as it is if it went on since `before`, by the same claim."""
        now = transaction.operations.get(before.name)
        is_ours = now.lease_owner == before.lease_owner
        return now if is_ours and now.update_time != before.update_time else None

    def _check(self, operation: Operation, stop: threading.Event) -> None:
        if operation.cancel_requested or (stop.is_set() and self._is_to_end(operation)):
            raise Cancelled("The operation was cancelled.")
        if stop.is_set():
            raise _Stopped

    def _finish(self, operation: Operation, outcome: JsonObject | ToulminError | None) -> None:
        """Write how it ended, or give it back; wait for the database if that is away."""
        while True:
            try:
                self._write_end(operation, outcome)
            except ToulminError as error:
                if error.reason == "LEASE_LOST":  # or it had been written when the database went
                    logger.warning("%s", error.message)
                elif error.reason != DATABASE_UNAVAILABLE or self._closing.wait(_IDLE_S):
                    raise
                else:
                    continue
            return

    def _write_end(self, operation: Operation, outcome: JsonObject | ToulminError | None) -> None:
        with self._store.write() as transaction:
            if outcome is None:
                transaction.operations.release(operation)
            elif isinstance(outcome, ToulminError):
                transaction.operations.fail(operation, outcome)
            else:
                transaction.operations.succeed(operation, outcome)

    def _keep(self) -> None:
        """Renew leases, notice cancellations, and forget what ended long ago."""
        lease_s = self._lease.total_seconds()
        next_renewal = next_prune = 0.0
        while not self._closing.wait(min(_WATCH_S, lease_s / 6)):
            now = time.monotonic()
            try:
                for operation, stop in list(self._running.values()):
                    self._watch(operation, stop, renew=now >= next_renewal)
                if now >= next_renewal:
                    next_renewal = now + lease_s / 3
                if now >= next_prune:
                    self._prune()
                    next_prune = now + _PRUNE_S
                self._ask_jobs(now)
            except ToulminError as error:
                logger.warning("Leases could not be renewed: %s", error.message)
            except Exception:  # a defect of ours must not end the thread
                logger.exception("Leases could not be renewed")

    def _ask_jobs(self, now: float) -> None:
        for job, due in list(self._jobs.items()):
            if now < due:
                continue
            # Put off first: one that hurries meanwhile is not forgotten.
            self._jobs[job] = now + _AFTER_FAULT_S
            wait_s = job(self._store)
            self.wake()
            if self._jobs[job]:
                self._jobs[job] = now + wait_s

    def _watch(self, operation: Operation, stop: threading.Event, *, renew: bool) -> None:
        try:
            if renew:
                with self._store.write() as transaction:
                    transaction.operations.renew(operation, lease=self._lease)
            if self._is_to_end(operation):
                stop.set()
        except (Aborted, NotFound) as error:
            if error.reason == "LEASE_LOST" or isinstance(error, NotFound):
                stop.set()

    def _is_to_end(self, operation: Operation) -> bool:
        with self._store.read() as transaction:
            return transaction.operations.get(operation.name).cancel_requested

    def _prune(self) -> None:
        with self._store.write() as transaction:
            if not self._clock.is_steady(
                transaction.now, time.monotonic(), transaction.newest_time
            ):
                return
            transaction.operations.prune(done_before=transaction.now - self._retention)
        for tidy in self._tidy:
            count = 1
            while count and not self._closing.is_set():
                with self._store.write() as transaction:
                    count = tidy(transaction)
