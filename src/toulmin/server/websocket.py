"""One WebSocket: what `websockets` makes of its bytes, and limits on size, silence and memory.

`websockets` (extra `websocket`) reads and writes the protocol and has no sockets of its own.
Messages are not compressed: a talk's are short, and what is sent small stays small.

Source: RFC 6455.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

from toulmin.errors import Cancelled, DeadlineExceeded, InvalidArgument, ToulminError
from toulmin.server.limits import Allowance, ByteBudget
from toulmin.server.unsent import UnsentBytes

END: Final = None
"""What `read` returns when the client has gone."""
PING_S: Final = 30.0
"""Who does not answer a ping until the next one is gone."""
MOST_PARTS: Final = 1000
"""Frames that a message may consist of."""
_LONGEST_REASON: Final = 123
_CLOSING_S: Final = 5.0
_SWITCHING: Final = 101
_TOO_BIG: Final = 1009
_TRY_LATER: Final = 1013
_WRONG: Final = (1002, 1007, _TOO_BIG, _TRY_LATER)

# The library's log has what users say.
_QUIET: Final = logging.getLogger("toulmin.websocket.quiet")
_QUIET.disabled = True


@cache
def library() -> ModuleType | None:
    """Return `websockets.server`; None: it is not installed."""
    try:
        return importlib.import_module("websockets.server")
    except ModuleNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class WebSocketLimits:
    """What one WebSocket, and all together, may take.

    Attributes:
        budget: Bytes of all requests being read.
        unsent: Bytes of all responses that clients have not taken yet.
        message_bytes: Longest message.
        write_s: Longest wait for a client that does not read.
    """

    budget: ByteBudget
    unsent: UnsentBytes
    message_bytes: int
    write_s: float


class WebSocketConnection(asyncio.Protocol):
    """A connection that was HTTP until its client asked for a WebSocket.

    Args:
        answer: Talks; called once, with the connection.
        limits: What it may take.
        on_heard: Called when the client says something.
        on_lost: Called once when the connection is gone.

    Attributes:
        path: Path and query that the client asked for, percent-encoded.
        headers: Lower-case names.
        is_working: Whether somebody waits on it for an answer to a whole message.
        task: The talk.
        bytes_in: Length of the messages that came.
        bytes_out: Length of those that were sent.
    """

    def __init__(
        self,
        answer: Callable[[WebSocketConnection], Awaitable[None]],
        limits: WebSocketLimits,
        *,
        on_heard: Callable[[], None],
        on_lost: Callable[[], None],
    ) -> None:
        protocol: Any = library()
        self._protocol: Any = protocol.ServerProtocol(max_size=limits.message_bytes, logger=_QUIET)
        self._answer, self._limits = answer, limits
        self._on_heard, self._on_lost = on_heard, on_lost
        self._allowance = Allowance(2 * limits.message_bytes + 65536, limits.budget)
        self._transport: Any = None
        self._accepted: Any = None
        self._parts: list[bytes] = []
        self._messages: deque[bytes] = deque()
        self._working_on = 0
        self._heard = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._is_lost = False
        self._pinged_at = time.monotonic()
        self._active_at = self._pinged_at
        self._timer: asyncio.TimerHandle | None = None
        self.path = ""
        self.headers: dict[str, str] = {}
        self.is_working = False
        self.task: asyncio.Task[None] | None = None
        self.bytes_in = 0
        self.bytes_out = 0

    def begin(self, transport: Any, request: bytes) -> None:
        """Take the connection over.

        Args:
            transport: That of the HTTP connection.
            request: Request line and headers, as bytes again.
        """
        self._transport = transport
        transport.set_protocol(self)
        self._protocol.receive_data(request)
        events = self._protocol.events_received()
        if not events:  # more headers, or longer ones, than the library reads
            transport.abort()
            return
        self._accepted = self._protocol.accept(events[0])
        if self._accepted.status_code != _SWITCHING:
            self._protocol.send_response(self._accepted)
            self._flush()
            transport.close()
            return
        self.path = events[0].path
        for name, value in events[0].headers.raw_items():
            self.headers.setdefault(name.lower(), value)
        transport.pause_reading()  # frames may come once it is known that they are welcome
        self.task = asyncio.get_running_loop().create_task(self._run())

    def accept(self, request_id: str) -> None:
        """Answer that this is a WebSocket from now on."""
        self._accepted.headers["x-request-id"] = request_id
        self._protocol.send_response(self._accepted)
        self._flush()
        self._go_on_reading()
        self._timer = asyncio.get_running_loop().call_later(PING_S, self._ping)

    def refuse(self, status: int, body: bytes, headers: Sequence[tuple[str, str]]) -> None:
        """Answer that it is none, as HTTP."""
        response = self._protocol.reject(status, "")
        response.body = body
        del response.headers["Content-Length"]
        del response.headers["Content-Type"]
        response.headers["Content-Length"] = str(len(body))
        for name, value in headers:
            response.headers[name] = value
        self._protocol.send_response(response)
        self._flush()
        self._transport.close()

    async def read(self, silence_s: float, setting: str) -> bytes | None:
        """Return the next message; `END` when the client has gone.

        Args:
            silence_s: Longest wait for it to be whole.
            setting: Name of the setting that says so.

        Raises:
            DeadlineExceeded: It does not come.
            ToulminError: What came is no message, or one that is too large.
        """
        try:
            async with asyncio.timeout(silence_s):
                while not self._messages and not self._is_over:
                    self._heard.clear()
                    await self._heard.wait()
        except TimeoutError:
            raise DeadlineExceeded(
                f"No message came for {silence_s:g} s; setting {setting} limits the wait",
                reason="REQUEST_TIMEOUT",
            ) from None
        if not self._messages:
            self._check_ended_well()
            return END
        message = self._messages.popleft()
        self._working_on = len(message)
        self.bytes_in += len(message)
        self._go_on_reading()  # or nobody would notice that the client goes
        return message

    def done(self) -> None:
        """Note that the message that was read last is not held any more."""
        self._working_on = 0
        self._count()
        self._go_on_reading()

    async def gone(self) -> None:
        """Return when the client has gone."""
        while not self._is_over:
            self._heard.clear()
            await self._heard.wait()

    async def send(self, message: bytes) -> None:
        """Send a message, as fast as the client takes it.

        Raises:
            Cancelled: The client is gone, or does not read.
        """
        if self._is_over:
            raise Cancelled("The client is gone")
        self.bytes_out += len(message)
        with self._limits.unsent.hold(len(message), self.abort):
            self._protocol.send_text(message)
            self._flush()
            try:
                async with asyncio.timeout(self._limits.write_s):
                    await self._writable.wait()
            except TimeoutError:
                self.abort()
                raise Cancelled("The client does not read") from None

    def close(self, code: int, reason: str) -> None:
        """Say goodbye, and wait a little for the client to do so."""
        if self._is_over:
            return
        short = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        self._protocol.send_close(code, short)
        self._flush()
        asyncio.get_running_loop().call_later(_CLOSING_S, self.abort)

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def shutdown(self) -> None:
        """End a talk in which nobody waits for an answer; others end with their turn."""
        if not self.is_working and self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        """Read bytes."""
        self._active_at = time.monotonic()
        self._on_heard()
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            self._take(event)
        try:
            self._count()
        except ToulminError as error:  # of one's own, or of the server's
            too_big = isinstance(error, InvalidArgument)
            self._protocol.fail(_TOO_BIG if too_big else _TRY_LATER, error.message[:100])
        self._flush()
        self._heard.set()
        if self._messages and not self._is_over:
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """Note that the client sends nothing more."""
        self._protocol.receive_eof()
        self._flush()
        self._heard.set()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Note that the connection is gone."""
        self._is_lost = True
        if self._timer is not None:
            self._timer.cancel()
        self._allowance.give_back()
        self._heard.set()
        self._writable.set()
        self._on_lost()

    def pause_writing(self) -> None:
        """Wait for the client to read; what it sends meanwhile would be answered in vain."""
        self._writable.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()
        self._go_on_reading()

    @property
    def _is_over(self) -> bool:
        return self._is_lost or self._protocol.state.name in ("CLOSING", "CLOSED")

    def _check_ended_well(self) -> None:
        said, heard = self._protocol.close_sent, self._protocol.close_rcvd
        if said is not None and heard is None and said.code in _WRONG:
            raise InvalidArgument(
                f"The WebSocket was ended with {said.code}: {said.reason}",
                reason="INVALID_WEBSOCKET",
            )

    def _take(self, event: Any) -> None:
        if event.opcode.name not in ("TEXT", "BINARY", "CONT"):
            return  # the library has answered it
        self._parts.append(bytes(event.data))
        if len(self._parts) > MOST_PARTS:
            self._protocol.fail(_TOO_BIG, f"A message has more than {MOST_PARTS} frames")
            self._parts.clear()
        elif event.fin:
            self._messages.append(b"".join(self._parts))
            self._parts.clear()

    def _count(self) -> None:
        """Hold as many bytes of the server's budget as there are here.

        Raises:
            ToulminError: They are too many.
        """
        waiting = sum(map(len, self._messages)) + sum(map(len, self._parts))
        held = len(self._protocol.reader.buffer) + waiting + self._working_on
        if held > self._allowance.held:
            self._allowance.take(held - self._allowance.held)
        else:
            self._allowance.release(self._allowance.held - held)

    def _go_on_reading(self) -> None:
        if not self._messages and self._writable.is_set() and not self._transport.is_closing():
            self._transport.resume_reading()

    def _flush(self) -> None:
        for part in self._protocol.data_to_send():
            if part:
                self._transport.write(part)
            else:
                self._hang_up()

    def _hang_up(self) -> None:
        """Send nothing more; read on for a while, for unread bytes would undo what was sent."""
        if not self._transport.can_write_eof():  # TLS
            self._transport.close()
        elif not self._transport.is_closing():
            self._transport.write_eof()
            self._transport.resume_reading()
            asyncio.get_running_loop().call_later(_CLOSING_S, self.abort)

    def _ping(self) -> None:
        """Ask whether the client is still there, so that proxies see that both are."""
        if self._active_at < self._pinged_at and not self._messages and self._writable.is_set():
            self.abort()
            return
        self._pinged_at = time.monotonic()
        if not self._is_over:
            self._protocol.send_ping(b"")
            self._flush()
        self._timer = asyncio.get_running_loop().call_later(PING_S, self._ping)

    async def _run(self) -> None:
        try:
            await self._answer(self)
        finally:
            if not self._is_over:
                self._transport.close()
