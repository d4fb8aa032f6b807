"""The one port: looks at the first bytes of a connection and hands it to HTTP or gRPC.

HTTP/2 begins with "PRI"; here only gRPC speaks it. A connection is given to its protocol for good
and costs nothing more. It is counted from the moment that it is accepted, before any TLS: a
handshake that is begun and not ended holds a place, and gives it up, like any silent connection.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toulmin import metrics
from toulmin.errors import TooManyConnections
from toulmin.server.connection import Connection, client_of
from toulmin.server.open_connections import Admission, OpenConnections
from toulmin.server.refused import RefusedConnection

_HTTP2_START: Final = b"PRI"

# Rounds of the event loop in which both ends of a copied connection open or close.
_ROUNDS: Final = 5
_NEW_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Routes:
    """Where connections go.

    Attributes:
        new_http: Returns the protocol of a new HTTP/1.1 connection; its argument is to be called
            when the connection is gone.
        new_http2: The same for HTTP/2.
    """

    new_http: Callable[[Callable[[Connection], None]], Connection]
    new_http2: Callable[[Callable[[Connection], None]], Connection]


class Listener:
    """Accepts connections.

    Args:
        routes: Where they go.
        connections: Counts them and says which are too many.
        first_bytes_timeout_s: Longest silence at the start, and longest TLS handshake.
    """

    def __init__(
        self, routes: Routes, connections: OpenConnections, *, first_bytes_timeout_s: float
    ) -> None:
        self.routes = routes
        self.counted = connections
        self.first_bytes_timeout_s = first_bytes_timeout_s
        self.tls: ssl.SSLContext | None = None
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """Return how many connections are open."""
        return len(self.counted)

    @property
    def open(self) -> list[Connection]:
        """Return the open connections."""
        return self.counted.all()

    async def start(self, host: str, port: int, *, tls: ssl.SSLContext | None) -> int:
        """Listen, and return the port.

        Raises:
            OSError: The address is taken or not ours.
        """
        self.tls = tls
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _FirstBytes(self), host, port, backlog=1024
        )
        taken: int = self._server.sockets[0].getsockname()[1]
        return taken

    async def close(self) -> None:
        """Stop accepting, and close connections that have not said what they want."""
        if self._server is not None:
            # Connections accepted in this very round of the loop get their transports in the next,
            # and a server that is closed by then would leak them.
            for listening in self._server.sockets:
                asyncio.get_running_loop().remove_reader(listening.fileno())
            await _let_others_run()
            self._server.close()
        for connection in self.open:
            if isinstance(connection, _FirstBytes):
                connection.abort()

    async def end(self) -> None:
        """Close every connection that is left; return when they are gone."""
        for connection in self.open:
            connection.abort()
        await _let_others_run()


class _FirstBytes(Connection):
    """A connection that has not said yet what it speaks."""

    is_working = False

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._transport: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._encrypting: asyncio.Task[None] | None = None
        self._seen = b""
        self._is_refused = False
        self.active_at = time.monotonic()

    @property
    def is_new(self) -> bool:
        return time.monotonic() - self.active_at < _NEW_S

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        admission = self._listener.counted.admit(self, client_of(transport))
        if admission is Admission.CLOSED:
            metrics.CONNECTIONS_REFUSED.add("all")
            self.abort()
            return
        if admission is Admission.REFUSED:
            metrics.CONNECTIONS_REFUSED.add("address")
            self._is_refused = True
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._listener.first_bytes_timeout_s, self.abort)
        if self._listener.tls is not None:
            loop.call_soon(self._encrypt)  # once the transport has begun to read

    def data_received(self, data: bytes) -> None:
        self._seen += data
        if self._encrypting is None:
            self._look()

    def connection_lost(self, _exc: Exception | None) -> None:
        self._stop_timer()
        self._listener.counted.forget(self)

    def abort(self) -> None:
        """Close the connection at once."""
        self._stop_timer()
        self._transport.abort()

    def _encrypt(self) -> None:
        """Begin the handshake; before any byte is read, for they are all the handshake's."""
        if not self._transport.is_closing():
            self._transport.pause_reading()
            self._encrypting = asyncio.get_running_loop().create_task(self._shake_hands())

    async def _shake_hands(self) -> None:
        loop, seconds = asyncio.get_running_loop(), self._listener.first_bytes_timeout_s
        context = self._listener.tls
        assert context is not None  # noqa: S101 - asked before
        try:
            encrypted = await loop.start_tls(
                self._transport, self, context, server_side=True, ssl_handshake_timeout=seconds
            )
        except OSError:  # ssl.SSLError is one; it is the client's affair
            self.connection_lost(None)
            return
        finally:
            self._encrypting = None
        if encrypted is None or encrypted.is_closing():  # None: cut off meanwhile
            self.connection_lost(None)
            return
        self._transport = encrypted
        self._look()

    def _look(self) -> None:
        """Hand the connection over as soon as it is known what it speaks."""
        if not self._seen or (
            len(self._seen) < len(_HTTP2_START) and _HTTP2_START.startswith(self._seen)
        ):
            return
        self._stop_timer()
        self._hand_over(self._successor(is_http2=self._seen.startswith(_HTTP2_START)))

    def _successor(self, *, is_http2: bool) -> Connection:
        routes, forget = self._listener.routes, self._listener.counted.forget
        if self._is_refused:
            error = TooManyConnections(self._listener.counted.most_of_one)
            return RefusedConnection(error, is_http2=is_http2, on_lost=forget)
        return routes.new_http2(forget) if is_http2 else routes.new_http(forget)

    def _hand_over(self, protocol: Connection) -> None:
        self._listener.counted.replace(self, protocol)
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        protocol.data_received(self._seen)
        self._seen = b""

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


async def _let_others_run() -> None:
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
