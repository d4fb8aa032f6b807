"""One HTTP/2 connection: streams that are read and written at the pace of their ends.

What a client sends before its request is whole costs it more than the server: bytes are counted
against the server's budget as they arrive, a stream holds no more unread than its window, and a
connection that only keeps streams open counts as idle.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    PingReceived,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings
from hyperframe.frame import Frame, GoAwayFrame

from toulmin.errors import Cancelled
from toulmin.server.connection import Connection
from toulmin.server.http2_stream import Headers, Stream
from toulmin.server.limits import Allowance, ByteBudget
from toulmin.server.unsent import UnsentBytes

_MAX_STREAMS: Final = 100
_STREAM_WINDOW: Final = 256 * 1024
_CONNECTION_WINDOW: Final = 1024 * 1024
_DEFAULT_WINDOW: Final = 65_535
_MAX_NUISANCES: Final = 1_000
"""Pings, settings and resets between two answers; more come from nobody who wants one."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Http2Limits:
    """What a connection may cost.

    Attributes:
        budget: Bytes of requests, shared with all connections.
        unsent: Bytes of responses that were not taken yet, shared likewise.
        stream_bytes: Most bytes of a stream's request that are held at a time.
        header_bytes: Most bytes of a request's headers.
        greeting_s: Longest time until the client has said that it speaks HTTP/2.
        idle_s: Seconds after which a connection without streams is closed.
        write_s: Longest wait for a client that does not read.
    """

    budget: ByteBudget
    unsent: UnsentBytes
    stream_bytes: int
    header_bytes: int
    greeting_s: float
    idle_s: float
    write_s: float


class Http2Connection(Connection):
    """Serves the streams of one client.

    Args:
        answer: Answers a stream; ends it, too.
        limits: What the connection may cost.
        on_lost: Called once when the connection is gone.
    """

    def __init__(
        self,
        answer: Callable[[Stream], Awaitable[None]],
        limits: Http2Limits,
        on_lost: Callable[[Connection], None],
    ) -> None:
        self._answer = answer
        self._limits = limits
        self._on_lost = on_lost
        self._transport: Any = None
        self._streams: dict[int, tuple[Stream, asyncio.Task[None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._nuisances = 0
        self._moved = asyncio.Event()
        self._can_write = True
        self._leaving = False
        self.active_at = time.monotonic()
        self._h2 = _H2(H2Configuration(client_side=False, header_encoding="latin-1"))
        self._h2.local_settings = Settings(
            client=False,
            initial_values={
                SettingCodes.MAX_CONCURRENT_STREAMS: _MAX_STREAMS,
                SettingCodes.INITIAL_WINDOW_SIZE: _STREAM_WINDOW,
                SettingCodes.MAX_HEADER_LIST_SIZE: limits.header_bytes,
            },
        )
        self._h2.decoder.max_header_list_size = limits.header_bytes

    @property
    def is_working(self) -> bool:
        """Return whether somebody waits for an answer to a whole request."""
        return any(stream.is_working for stream, _ in self._streams.values())

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """Return those that answer streams."""
        return [task for _, task in self._streams.values()]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet the client."""
        self._transport = transport
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(_CONNECTION_WINDOW - _DEFAULT_WINDOW)
        self._flush()
        self._set_timer(self._limits.greeting_s)

    def data_received(self, data: bytes) -> None:
        """Read frames."""
        self.active_at = time.monotonic()
        try:
            for event in self._h2.receive_data(data):
                self._take(event)
        except (H2Error, ValueError):
            self._flush()
            self._transport.close()
            return
        self._flush()
        if self._nuisances > _MAX_NUISANCES:
            self._say_goodbye(ErrorCodes.ENHANCE_YOUR_CALM)
            self._transport.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        """End the work for all streams."""
        self._set_timer(None)
        self._move()
        for _, task in self._streams.values():
            task.cancel()
        self._on_lost(self)

    def pause_writing(self) -> None:
        """Take nothing more from a client that does not read."""
        self._can_write = False
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on."""
        self._can_write = True
        self._transport.resume_reading()
        self._move()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def shutdown(self) -> None:
        """Tell the client to send new requests elsewhere; close when its last stream has ended."""
        if not self._leaving and not self._transport.is_closing():
            self._leaving = True
            self._say_goodbye(ErrorCodes.NO_ERROR)
            if not self._streams:
                self._transport.close()

    def new_allowance(self) -> Allowance:
        """Return what a stream may hold."""
        return Allowance(self._limits.stream_bytes, self._limits.budget)

    def acknowledge(self, stream: Stream, length: int) -> None:
        """Let the client send so many bytes more."""
        if length and not self._transport.is_closing():
            self._h2.acknowledge_received_data(length, stream.number)
            self._flush()

    async def send_headers(self, stream: Stream, headers: Headers, *, end: bool) -> None:
        """Send a stream's headers or trailers."""
        await self._until(lambda: self._can_write)
        with _gone():
            self._h2.send_headers(stream.number, headers, end_stream=end)
        self._flush()

    async def send_data(self, stream: Stream, data: bytes) -> None:
        """Send a part of a stream's body."""
        with self._limits.unsent.hold(len(data), self._transport.abort):
            await self._send_parts(stream, memoryview(data))

    async def _send_parts(self, stream: Stream, rest: memoryview) -> None:
        while rest:
            with _gone():
                window = self._h2.local_flow_control_window(stream.number)
            size = min(window, self._h2.max_outbound_frame_size, len(rest))
            if size <= 0 or not self._can_write:
                await self._until_moved()
                continue
            with _gone():
                self._h2.send_data(stream.number, bytes(rest[:size]))
            self._flush()
            rest = rest[size:]

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            await self._until_moved()

    async def _until_moved(self) -> None:
        """Wait until the client has made room.

        Raises:
            Cancelled: It is gone, or did not for too long.
        """
        try:
            async with asyncio.timeout(self._limits.write_s):
                await self._moved.wait()
        except TimeoutError:
            self._transport.abort()
            raise Cancelled("The client does not read the response") from None
        if self._transport.is_closing():
            raise Cancelled("The client is gone")

    def _move(self) -> None:
        """Wake who waits for room."""
        self._moved.set()
        self._moved = asyncio.Event()

    def _take(self, event: Event) -> None:
        match event:
            case RequestReceived(stream_id=int(number), headers=headers):
                self._open(number, headers or [])
            case DataReceived(stream_id=int(number), data=data, flow_controlled_length=length):
                self._nuisances += not data
                self._feed(number, data or b"", length or 0)
            case StreamEnded(stream_id=int(number)) if number in self._streams:
                self._streams[number][0].end_input()
            case StreamReset(stream_id=int(number)):
                self._nuisances += 1
                if number in self._streams:
                    self._streams[number][1].cancel()
            case _:
                self._take_for_all(event)

    def _take_for_all(self, event: Event) -> None:
        """Take what is said of the connection or of its windows."""
        match event:
            case RemoteSettingsChanged():
                self._nuisances += 1
                if not self._streams:
                    self._set_timer(self._limits.idle_s)
                self._move()
            case WindowUpdated():
                self._move()
            case PingReceived():
                self._nuisances += 1
            case ConnectionTerminated(error_code=code):
                self._leaving = True
                if code != ErrorCodes.NO_ERROR or not self._streams:
                    self._transport.close()
            case _:
                pass

    def _open(self, number: int, headers: Any) -> None:
        self._set_timer(None)
        stream = Stream(self, number, headers)
        task = asyncio.get_running_loop().create_task(self._run(stream))
        self._streams[number] = stream, task

    def _feed(self, number: int, data: bytes, length: int) -> None:
        if number in self._streams:
            self._streams[number][0].feed(data, length)
        elif length:
            self._h2.acknowledge_received_data(length, number)

    async def _run(self, stream: Stream) -> None:
        try:
            await self._answer(stream)
        except (asyncio.CancelledError, Cancelled):
            pass
        except Exception:
            logger.exception("A stream ended by a defect")
        finally:
            self._close(stream)

    def _close(self, stream: Stream) -> None:
        """Forget a stream; end it where it is not ended yet."""
        del self._streams[stream.number]
        left = stream.let_go()
        if self._transport.is_closing():
            return
        if stream.has_ended:
            self._nuisances = 0
        code = ErrorCodes.NO_ERROR if stream.has_ended else ErrorCodes.CANCEL
        try:
            self.acknowledge(stream, left)
            if not (stream.has_ended and stream.client_ended):
                self._h2.reset_stream(stream.number, code)
        except H2Error:  # the client has ended it
            pass
        self._flush()
        if not self._streams:
            self._set_timer(self._limits.idle_s)
            if self._leaving:
                self._transport.close()

    def _say_goodbye(self, code: ErrorCodes) -> None:
        # h2 can only say it when no stream may go on.
        frame = GoAwayFrame(0, last_stream_id=self._h2.highest_inbound_stream_id, error_code=code)
        self._transport.write(frame.serialize())

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if seconds is None else loop.call_later(seconds, self._time_out)

    def _time_out(self) -> None:
        self._say_goodbye(ErrorCodes.NO_ERROR)
        self._transport.close()

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        if data and not self._transport.is_closing():
            self._transport.write(data)


class _H2(H2Connection):
    """h2's connection, but a client that says goodbye still gets its answers.

    GOAWAY says that it takes no more streams of ours; its own go on (RFC 9113, 6.8), and clients
    that shut down in order wait for them. h2 takes both sides for gone.
    """

    def _receive_goaway_frame(self, frame: GoAwayFrame) -> tuple[list[Frame], list[Event]]:
        before = self.state_machine.state
        found = super()._receive_goaway_frame(frame)
        if frame.error_code == ErrorCodes.NO_ERROR:
            self.state_machine.state = before
        return found


class _gone:  # noqa: N801 - used as a function
    """Turn h2's word for a stream that the client has ended into ours."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, H2Error):
            raise Cancelled("The client is gone") from error
