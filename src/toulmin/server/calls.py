"""One RPC in flight: runs its handler on a worker thread and brings the result to the event loop.

The handler is synchronous and cannot be interrupted. When the caller hangs up or the time is up,
the caller's side ends at once and `CallContext.is_cancelled` tells the handler to stop; its thread
is free again when it does. The handler sees the context variables of the request's task.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial
from typing import Final, TypeVar

from toulmin.apis.aip.access import project_of
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.aip.status import INTERNAL_MESSAGE
from toulmin.apis.schema import Rpc, Schema
from toulmin.callers import CURRENT, Caller
from toulmin.errors import Cancelled, DeadlineExceeded, Internal, ToulminError
from toulmin.server.quotas import Quotas
from toulmin.server.request_log import log_defect
from toulmin.server.workers import Workers

T = TypeVar("T")

# Items that a streaming handler may be ahead of a slow reader.
_STREAM_AHEAD: Final = 8
_POLL_S: Final = 0.25
_END: Final = object()


class Call:
    """State of one RPC that the event loop and the worker thread share.

    Args:
        rpc: What was called.
        caller: Who calls.
        quotas: What it may use.
        schema: Where the message classes come from.
        request_id: The id in the log and in the response.
        deadline: `time.monotonic()` second by which the answer must be there.
        timeout_s: The same as a number of seconds, for messages.
    """

    def __init__(  # noqa: PLR0913 - who calls what, and what they may use
        self,
        rpc: Rpc,
        caller: Caller,
        quotas: Quotas,
        schema: Schema,
        *,
        request_id: str,
        deadline: float,
        timeout_s: float,
    ) -> None:
        self.timeout_s = timeout_s
        self.deadline = deadline
        self.timings: dict[str, float] = {}
        self._ended = threading.Event()
        self.context = CallContext(
            rpc=rpc,
            deadline=self.deadline,
            is_cancelled=self.is_cancelled,
            request_id=request_id,
            timings=self.timings,
            new_message=schema.message_class(rpc.output_type),
            caller=caller,
            charge=self._charge,
        )
        self._quotas = quotas

    def _charge(self, metric: str, amount: int) -> None:
        caller = self.context.caller
        projects = {project_of(name) for name in self.context.names} | {caller.project}
        self._quotas.charge(caller, sorted(projects - {""}), metric, amount)

    def end(self) -> None:
        """Note that nobody waits for the result any more."""
        self._ended.set()

    def is_cancelled(self) -> bool:
        """Return whether the caller has gone or the deadline has passed."""
        return self._ended.is_set() or time.monotonic() > self.deadline

    @asynccontextmanager
    async def within_deadline(self) -> AsyncIterator[None]:
        """Limit the body of an `async with` to the time that is left.

        Raises:
            DeadlineExceeded: The time is up.
        """
        try:
            async with until(self.deadline, self.timeout_s):
                yield
        except DeadlineExceeded:
            self.end()
            raise

    def start_work(self, queued_at: float) -> bool:
        """Note on the worker thread for whom it works now; return whether the work is wanted."""
        CURRENT.set(self.context.caller.id)
        self.timings["queue_ms"] = (time.monotonic() - queued_at) * 1000
        return not self.is_cancelled()


@asynccontextmanager
async def until(deadline: float, timeout_s: float) -> AsyncIterator[None]:
    """Limit the body of an `async with` to a `time.monotonic()` second.

    Args:
        deadline: The second.
        timeout_s: The same as seconds from the start, for the message.

    Raises:
        DeadlineExceeded: The time is up.
    """
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            yield
    except TimeoutError:
        raise _out_of_time(timeout_s) from None


def _out_of_time(timeout_s: float) -> DeadlineExceeded:
    """Return the error for a request that took too long."""
    return DeadlineExceeded(
        f"The request was not finished within {timeout_s:g} seconds; setting request_timeout_s and"
        " the caller's own deadline limit it",
        reason="REQUEST_TIMEOUT",
    )


async def run_unary(workers: Workers, call: Call, work: Callable[[], T]) -> T:
    """Return what `work` returns on a worker thread.

    Raises:
        ResourceExhausted: Too many requests are waiting.
        DeadlineExceeded: The time is up; `work` may go on for a while.
        ToulminError: Whatever `work` raised.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    queued_at = time.monotonic()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def job() -> None:
        if not call.start_work(queued_at):
            return
        try:
            result, error = work(), None
        except Exception as raised:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            result, error = None, _as_reported(raised, call)
        _on_loop(loop, settle, result, error)

    async with call.within_deadline():
        workers.submit(
            partial(copy_context().run, job),
            caller=call.context.caller.id,
            drop=lambda error: _on_loop(loop, settle, None, error),
        )
        return await future


async def run_stream(
    workers: Workers, call: Call, work: Callable[[], Iterable[T]]
) -> AsyncGenerator[T]:
    """Yield what the iterable of `work` yields, all of it made on one worker thread.

    The thread is at most a few items ahead of the reader. Close the iterator (`aclose`) to stop it.

    Raises:
        ResourceExhausted: Too many requests are waiting.
        DeadlineExceeded: The time is up.
        ToulminError: Whatever `work` or its iterable raised.
    """
    loop = asyncio.get_running_loop()
    items: asyncio.Queue[object] = asyncio.Queue()
    ahead = threading.Semaphore(_STREAM_AHEAD)
    queued_at = time.monotonic()

    def job() -> None:
        end: object = _END
        try:
            if call.start_work(queued_at):
                for item in _closing(work()):
                    if not _acquire(ahead, call):
                        break
                    _on_loop(loop, items.put_nowait, item)
        except Exception as raised:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            end = _Failure(_as_reported(raised, call))
        _on_loop(loop, items.put_nowait, end)

    workers.submit(
        partial(copy_context().run, job),
        caller=call.context.caller.id,
        drop=lambda error: _on_loop(loop, items.put_nowait, _Failure(error)),
    )
    try:
        while True:
            async with call.within_deadline():
                item = await items.get()
            if item is _END:
                return
            if isinstance(item, _Failure):
                raise item.error
            ahead.release()
            yield item  # type: ignore[misc]
    finally:
        call.end()


def pull(
    read: Callable[[], Awaitable[T]], *, end: object, loop: asyncio.AbstractEventLoop, call: Call
) -> Iterator[T]:
    """Yield on a worker thread what `read` returns on the event loop, until it returns `end`.

    Raises:
        Cancelled: The caller went away, or the time is up, while this waited.
    """
    while True:
        future = asyncio.run_coroutine_threadsafe(_awaited(read), loop)
        while True:
            if call.is_cancelled():
                future.cancel()
                raise Cancelled("The caller is gone or out of time")
            try:
                item = future.result(_POLL_S)
            except FutureTimeout:
                continue
            except FutureCancelled:
                raise Cancelled("The caller is gone") from None
            break
        if item is end:
            return
        yield item


class _Failure:
    def __init__(self, error: ToulminError) -> None:
        self.error = error


async def _awaited(read: Callable[[], Awaitable[T]]) -> T:
    return await read()


def _closing(items: Iterable[T]) -> Iterator[T]:
    """Yield from `items` and close it, as a `for` loop that is left early does not."""
    try:
        yield from items
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()


def _acquire(ahead: threading.Semaphore, call: Call) -> bool:
    """Wait until the reader has caught up; return False when nobody reads any more."""
    while not call.is_cancelled():
        if ahead.acquire(timeout=_POLL_S):
            return not call.is_cancelled()
    return False


def _as_reported(error: Exception, call: Call) -> ToulminError:
    """Return the error to report; log it when it is a defect of ours."""
    if isinstance(error, ToulminError):
        return error
    log_defect(error, request_id=call.context.request_id, rpc=call.context.rpc.full_name)
    return Internal(INTERNAL_MESSAGE)


def _on_loop(
    loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: object
) -> None:
    """Call a function on the event loop; do nothing when the loop has ended meanwhile."""
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        if not loop.is_closed():
            raise
