"""One HTTP/1.1 connection: uvicorn's protocol, with limits on headers and time that it lacks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import httptools
import orjson
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from toulmin.apis.aip.status import error_value, to_status
from toulmin.errors import InvalidArgument
from toulmin.server.connection import Connection
from toulmin.server.responses import JSON
from toulmin.server.websocket import WebSocketConnection

_MAX_HEADERS: Final = 256


class HttpConnection(HttpToolsProtocol, Connection):
    """Parses requests and runs the ASGI application for each.

    A client must send the headers of a request within `header_timeout_s` and `max_header_bytes`.
    The same limit holds for what the application never sees: chunk headers and trailers.

    Args:
        config: uvicorn's, with the application.
        state: uvicorn's list of connections and tasks.
        header_timeout_s: Longest time for the headers of a request.
        max_header_bytes: Most bytes of request line and headers.
        on_lost: Called once when the connection is gone.
        new_talk: Makes a WebSocket of a connection that asks for one; None: there are none.
    """

    def __init__(
        self,
        config: Config,
        state: ServerState,
        *,
        header_timeout_s: float,
        max_header_bytes: int,
        on_lost: Callable[[Connection], None],
        new_talk: Callable[[HttpConnection], WebSocketConnection] | None = None,
    ) -> None:
        super().__init__(config=config, server_state=state, app_state={})
        self._header_timeout_s = header_timeout_s
        self._max_header_bytes = max_header_bytes
        self._on_lost = on_lost
        self._new_talk = new_talk
        self._talk: WebSocketConnection | None = None
        self._header_timer: asyncio.TimerHandle | None = None
        self._unseen_bytes = 0
        self._refusal = ""
        self._hosts = 0
        self._is_deaf = False
        self.active_at = time.monotonic()

    @property
    def is_working(self) -> bool:
        """Return whether somebody waits for an answer to a whole request."""
        if self._talk is not None:
            return self._talk.is_working
        return self._is_busy() and not self.cycle.more_body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to serve a connection."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self.app_state["abort"] = self.transport.abort
        self._start_header_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer and tell the listener."""
        self._stop_header_timer()
        super().connection_lost(exc)
        self._on_lost(self)

    def abort(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    def heard(self) -> None:
        """Note that the client says something, on the WebSocket that this has become."""
        self.active_at = time.monotonic()

    def talk_lost(self) -> None:
        """Note that the WebSocket that this has become is gone."""
        self.connections.discard(self._talk)
        self._on_lost(self)

    def handle_websocket_upgrade(self) -> None:
        """Become a WebSocket: this stays what is counted, the bytes are the WebSocket's.

        Who asks for one before earlier requests are answered gets these answers, and no more: they
        would be written into the WebSocket.
        """
        if self._new_talk is None:
            return
        self._progress()
        if self._is_busy():
            self._is_deaf = True
            self.cycle.keep_alive = False  # the last request's; its answer closes the connection
            return
        lines = [b"%s %s HTTP/1.1" % (self.scope["method"].encode(), self.url)]
        lines += [b"%s: %s" % header for header in self.scope["headers"]]
        talk = self._talk = self._new_talk(self)
        self.connections.discard(self)
        self.connections.add(talk)  # type: ignore[arg-type]
        talk.begin(self.transport, b"\r\n".join([*lines, b"", b""]))
        if talk.task is not None:
            self.tasks.add(talk.task)
            talk.task.add_done_callback(self.tasks.discard)

    def _should_upgrade_to_ws(self) -> bool:
        return self._new_talk is not None

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing in the log: the response does."""

    def data_received(self, data: bytes) -> None:
        """Parse bytes; refuse too many that belong to no body."""
        if self.transport.is_closing() or self._is_deaf or self.parser is None:
            return
        self.active_at = time.monotonic()
        self._unseen_bytes += len(data)
        if self._header_timer is None and not self._is_busy():
            self._start_header_timer()
        super().data_received(data)
        if self._unseen_bytes > self._max_header_bytes and not self.transport.is_closing():
            self._refuse_headers()
            self.send_400_response(self._refusal)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; raising makes the parser give up."""
        if len(self.headers) >= _MAX_HEADERS:
            self._refuse_headers()
            raise httptools.HttpParserError(self._refusal)
        if name.lower() == b"host":
            self._hosts += 1
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the application."""
        if sum(len(name) + len(value) for name, value in self.headers) > self._max_header_bytes:
            self._refuse_headers()
            raise httptools.HttpParserError(self._refusal)
        hosts, self._hosts = self._hosts, 0
        if hosts > 1:  # whoever stands in front may have read the other
            raise httptools.HttpParserError("more than one Host header")
        self._progress()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass a part of the body on."""
        self._progress()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._progress()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request; do not wait for ever for a client that does not read."""
        super().on_response_complete()
        if self.transport.is_closing() and self.transport.get_write_buffer_size():
            self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        """End a connection without requests, even if the client did not read the last answer."""
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request in the shape of every other error, and close."""
        if self._is_busy() and self.cycle.response_started:
            self.transport.close()
            return
        status = 431 if self._refusal else 400
        error = InvalidArgument(self._refusal or msg, reason="INVALID_HTTP")
        value: Any = error_value(to_status(error))
        value["error"]["code"] = status
        body = orjson.dumps(value)
        phrase = b"Request Header Fields Too Large" if self._refusal else b"Bad Request"
        head = b"HTTP/1.1 %d %s\r\ncontent-type: %s\r\ncontent-length: %d\r\nconnection: close"
        self.transport.write(head % (status, phrase, JSON, len(body)) + b"\r\n\r\n" + body)
        self.transport.close()

    def _refuse_headers(self) -> None:
        self._refusal = (
            f"The request line and headers exceed the limit: {self._max_header_bytes} bytes or"
            f" {_MAX_HEADERS} headers"
        )

    def _is_busy(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _progress(self) -> None:
        self._unseen_bytes = 0
        self._stop_header_timer()

    def _start_header_timer(self) -> None:
        self._header_timer = self.loop.call_later(self._header_timeout_s, self._too_slow)

    def _stop_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _too_slow(self) -> None:
        self._header_timer = None
        if not self.transport.is_closing():
            self.transport.abort()


def uvicorn_config(app: Any, *, idle_timeout_s: float) -> Config:
    """Return uvicorn's configuration for connections that somebody else accepts.

    Args:
        app: ASGI application.
        idle_timeout_s: Seconds after which a connection without requests is closed.
    """
    config = Config(
        app,
        http=HttpConnection,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=max(1, round(idle_timeout_s)),
    )
    config.load()
    return config
