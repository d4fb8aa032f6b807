"""The targets of the wire: a connection of the real server, without a socket, fed with any bytes.

Handlers run where the server's threads would, so that the same bytes always do the same. What must
hold: no defect is logged, nothing is raised into the event loop, and when the client has gone no
task, no byte of a budget and no connection is left.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from hpack import Encoder
from hyperframe.frame import (
    DataFrame,
    Frame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)
from uvicorn.server import ServerState as HttpState

from toulmin.apis.aip.registry import Registry
from toulmin.apis.schema import load_schema
from toulmin.errors import NotFound
from toulmin.server.about import About
from toulmin.server.audit import AuditLog
from toulmin.server.auth import Authenticator
from toulmin.server.gate import Gate
from toulmin.server.grpc import GrpcApp
from toulmin.server.http import HttpApp
from toulmin.server.http2 import Http2Connection, Http2Limits
from toulmin.server.http_protocol import HttpConnection, uvicorn_config
from toulmin.server.limits import ByteBudget
from toulmin.server.listener import Listener, Routes, _FirstBytes
from toulmin.server.open_connections import OpenConnections
from toulmin.server.quotas import Quotas
from toulmin.server.state import ServerState
from toulmin.server.talks import TalkApp
from toulmin.server.unsent import UnsentBytes
from toulmin.server.websocket import WebSocketConnection, WebSocketLimits, library
from toulmin.server.workers import Workers
from toulmin.settings import load_settings

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SERVICE = "/google.cloud.discoveryengine.v1.GroundedGenerationService/"
_PATHS = (
    f"{_SERVICE}CheckGrounding",
    "/google.cloud.discoveryengine.v1.ConversationalSearchService/StreamAnswerQuery",
    "/grpc.health.v1.Health/Check",
    f"{_SERVICE}None",
)
_HELLO = (
    b"GET /ws/google.cloud.ces.v1.SessionService/BidiRunSession/locations/global HTTP/1.1\r\n"
    b"Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_MOST_BYTES = 200_000
_ROUNDS = 30


def http1(data: bytes) -> None:
    """Bytes of an HTTP/1.1 client; the first one says how they are cut."""
    if data:
        asyncio.run(_spoken(_cut(data[1:], data[0]), slow=data[0] & 1))


def websocket(data: bytes) -> None:
    """Bytes of a WebSocket client after its greeting, cut as those of `http1`.

    Where the extra `websocket` is not installed, they follow a refusal.
    """
    if data:
        asyncio.run(_spoken([_HELLO, *_cut(data[1:], data[0])], slow=data[0] & 1))


def http2(data: bytes) -> None:
    """Frames of a gRPC client; see `_frames`."""
    if data:
        asyncio.run(_spoken(_cut(_PREFACE + _frames(data[1:]), data[0] | 0x80), slow=data[0] & 1))


def _cut(data: bytes, how: int) -> list[bytes]:
    size = max(1, (how >> 1) ** 2)
    return [data[start : start + size] for start in range(0, len(data), size)]


def _frames(data: bytes) -> bytes:
    """Return frames made of commands: a byte that says which, one for the stream, one length.

    The length is of what the frame carries. Kind 7 is bytes as they are, for frames that no
    library would make.
    """
    encoder, made, at = Encoder(), b"", 0
    while at + 2 < len(data):
        command, where, length = data[at : at + 3]
        inside = data[at + 3 : at + 3 + length]
        at += 3 + len(inside)
        made += _frame(command, where, inside, encoder)
    return made


def _frame(command: int, where: int, inside: bytes, encoder: Encoder) -> bytes:
    stream, ends = (where % 8) * 2 + 1, ["END_STREAM"] if command & 8 else []
    number = int.from_bytes(inside[:4], "big") & 0x7FFFFFFF
    frame: Frame
    match command & 7:
        case 0:
            head = encoder.encode(_call(where >> 3, inside))
            frame = HeadersFrame(stream, data=head, flags=["END_HEADERS", *ends])
        case 1:
            frame = DataFrame(stream, data=inside, flags=ends)
        case 2:
            message = bytes([command >> 7]) + len(inside).to_bytes(4, "big") + inside
            frame = DataFrame(stream, data=message, flags=ends)
        case 3:
            frame = RstStreamFrame(stream, error_code=number)
        case 4:
            frame = WindowUpdateFrame(stream if where & 8 else 0, window_increment=number or 1)
        case 5:
            frame = SettingsFrame(0, settings={where: number})
        case 6:
            frame = PingFrame(0, opaque_data=inside[:8].ljust(8, b"\0"))
        case _:
            return inside
    return frame.serialize()


def _call(how: int, inside: bytes) -> list[tuple[bytes, bytes]]:
    """Return the headers of a call, and one more, "name: value", out of what a frame carries."""
    name, _, value = inside.partition(b":")
    headers = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", _PATHS[how % len(_PATHS)].encode()),
        (b":authority", b"localhost"),
        (b"content-type", b"application/grpc"),
        (b"grpc-encoding", b"gzip" if how & 4 else b"identity"),
    ]
    return [*headers, (name.lower(), value.strip())] if name else headers


class _Defects(logging.Handler):
    """Collects what the log calls an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        columns = getattr(record, "columns", {})
        said = logging.Formatter().format(record)
        self.found.append(f"{said} {columns.get('error', '')} {columns.get('trace', '')}")


class _Inline(Workers):
    """Runs each job at once, on the event loop's thread."""

    def submit(self, run: Callable[[], None], **_: Any) -> None:
        run()


class _Wire(asyncio.Transport):
    """What a client sends and takes, without a socket; as strict as a real one."""

    def __init__(self, *, slow: bool) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.protocol: Any = None
        self.sent = bytearray()
        self.reads = True
        self.slow = slow
        self._closing = self._ended = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self.protocol  # type: ignore[no-any-return]

    def write(self, data: Any) -> None:
        if self._ended:
            raise RuntimeError("Cannot call write() after write_eof()")
        if not self._closing:
            self.sent += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._ended = True

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            asyncio.get_running_loop().call_soon(lambda: self.protocol.connection_lost(None))

    abort = close

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True


class _Rig:
    """A server without threads and sockets, of which every connection is made anew."""

    def __init__(self) -> None:
        settings = load_settings(
            flags={"max_body_bytes": _MOST_BYTES, "max_buffered_bytes": 4 * _MOST_BYTES},
            environment={},
        )
        registry = _registry()
        state, workers = ServerState(lambda: True), _Inline(threads=1, max_queue=1)
        authenticator = Authenticator(settings.api_keys, None, None, None)
        quotas, audit = Quotas.from_settings(settings), AuditLog.from_settings(settings)
        shared: dict[str, Any] = {
            "state": state,
            "workers": workers,
            "gate": Gate(authenticator, quotas, audit, None),
        }
        self.budget, self.unsent = ByteBudget(4 * _MOST_BYTES), UnsentBytes(4 * _MOST_BYTES)
        budgets: dict[str, Any] = {"budget": self.budget, "unsent": self.unsent}
        about = About(
            settings,
            state,
            workers,
            connections=lambda: 0,
            stored_keys=None,
            is_open=authenticator.is_open,
        )
        app = HttpApp(registry, settings, **shared, **budgets, about=about)
        config, self.http_state = uvicorn_config(app, idle_timeout_s=9), HttpState()
        talk = TalkApp(registry, settings, **shared)
        talks = WebSocketLimits(**budgets, message_bytes=_MOST_BYTES, write_s=9)
        limits = Http2Limits(
            **budgets,
            stream_bytes=2 * _MOST_BYTES,
            header_bytes=settings.max_header_bytes,
            greeting_s=9,
            idle_s=9,
            write_s=9,
        )
        grpc = GrpcApp(registry, settings, **shared)

        def new_talk(http: HttpConnection) -> WebSocketConnection:
            return WebSocketConnection(talk, talks, on_heard=http.heard, on_lost=http.talk_lost)

        def new_http(on_lost: Callable[[Any], None]) -> HttpConnection:
            return HttpConnection(
                config,
                self.http_state,
                header_timeout_s=9,
                max_header_bytes=settings.max_header_bytes,
                on_lost=on_lost,
                new_talk=new_talk if library() else None,
            )

        routes = Routes(new_http, lambda on_lost: Http2Connection(grpc, limits, on_lost))
        self.connections = OpenConnections(9, 9)
        self.listener = Listener(routes, self.connections, first_bytes_timeout_s=9)


@cache
def _rig() -> _Rig:
    return _Rig()


def _registry() -> Registry:
    registry = Registry(load_schema())
    for service, method, handler in (
        ("GroundedGenerationService", "CheckGrounding", _check),
        ("ConversationalSearchService", "StreamAnswerQuery", _stream),
    ):
        registry.register("discoveryengine", service, method, handler)
    registry.register("ces", "SessionService", "BidiRunSession", _talk, versions=["v1"])
    return registry


def _check(request: Any, context: Any) -> Any:
    response = context.new_message()
    for fact in request.facts:
        response.cited_chunks.add(chunk_text=fact.fact_text)
    return response


def _stream(request: Any, context: Any) -> Any:
    for word in request.query.text.split():
        message = context.new_message()
        message.answer.answer_text = word
        yield message
    if request.query.text.endswith("?"):
        raise NotFound("There is no answer")


def _talk(requests: Any, context: Any) -> Any:
    for request in requests:
        message = context.new_message()
        message.session_output.text = request.realtime_input.text
        yield message


async def _spoken(parts: list[bytes], *, slow: int) -> None:
    """Send parts over a new connection, hang up, and see that nothing of it is left."""
    rig, loop = _rig(), asyncio.get_running_loop()
    raised: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _loop, context: raised.append(context))
    defects, log = _Defects(), logging.getLogger()
    log.addHandler(defects)
    wire = _Wire(slow=bool(slow))
    wire.protocol = _FirstBytes(rig.listener)
    before = asyncio.all_tasks()
    try:
        wire.protocol.connection_made(wire)
        for number, part in enumerate(parts):
            if wire.is_closing() or not wire.reads:
                break
            wire.protocol.data_received(part)
            if slow and number % 4 == 1:
                wire.protocol.pause_writing()
            await _rounds(3)
            if slow and number % 4 == 1 and not wire.is_closing():
                wire.protocol.resume_writing()
        await _rounds(_ROUNDS)
        if not wire.is_closing():
            wire.protocol.eof_received()
            wire.close()
        await _rounds(_ROUNDS)
    finally:
        log.removeHandler(defects)
    assert not defects.found, defects.found
    assert not raised, raised
    left = [task for task in asyncio.all_tasks() - before if not task.done()]
    assert not left, left
    assert not rig.budget.held
    assert not rig.unsent.total
    assert not len(rig.connections)
    assert not rig.http_state.connections


async def _rounds(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)
