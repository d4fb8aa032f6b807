"""The one port: looks at the first bytes of a connection and hands it to HTTP or gRPC.

HTTP/2 begins with "PRI"; here only gRPC speaks it. A connection is given to its protocol for good
and costs nothing more. When there are too many, the one that has been without work for longest
makes room: open connections alone must not keep others out.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

_HTTP2_START: Final = b"PRI"

# Rounds of the event loop in which both ends of a copied connection open or close.
_ROUNDS: Final = 5


class Connection(asyncio.Protocol):
    """One client's connection.

    Attributes:
        active_at: `time.monotonic()` second at which the client last said something.
    """

    active_at: float

    @property
    @abstractmethod
    def is_working(self) -> bool:
        """Return whether somebody waits on it for an answer to a whole request."""

    @abstractmethod
    def abort(self) -> None:
        """Close the connection at once."""


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
        max_connections: Most open connections. One more takes the place of the one that has been
            without work for longest; when all are at work, it is closed at once.
        first_bytes_timeout_s: Longest silence at the start.
    """

    def __init__(
        self, routes: Routes, *, max_connections: int, first_bytes_timeout_s: float
    ) -> None:
        self.routes = routes
        self.first_bytes_timeout_s = first_bytes_timeout_s
        self._max_connections = max_connections
        self._open: set[Connection] = set()
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """Return how many connections are open."""
        return len(self._open)

    @property
    def open(self) -> list[Connection]:
        """Return the open connections."""
        return list(self._open)

    async def start(self, host: str, port: int, *, tls: ssl.SSLContext | None) -> int:
        """Listen, and return the port.

        Raises:
            OSError: The address is taken or not ours.
        """
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _FirstBytes(self),
            host,
            port,
            ssl=tls,
            backlog=1024,
            ssl_handshake_timeout=self.first_bytes_timeout_s if tls else None,
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
        for connection in list(self._open):
            if isinstance(connection, _FirstBytes):
                connection.abort()

    async def end(self) -> None:
        """Close every connection that is left; return when they are gone."""
        for connection in list(self._open):
            connection.abort()
        await _let_others_run()

    def admit(self, connection: Connection) -> bool:
        """Count a connection; return False when there are too many, all at work."""
        if len(self._open) >= self._max_connections:
            unused = [other for other in self._open if not other.is_working]
            if not unused:
                return False
            longest = min(unused, key=lambda other: other.active_at)
            self._open.discard(longest)
            longest.abort()
        self._open.add(connection)
        return True

    def replace(self, old: Connection, new: Connection) -> None:
        """Count `new` in the place of `old`."""
        self._open.discard(old)
        self._open.add(new)

    def forget(self, connection: Connection) -> None:
        """Note that a connection is gone."""
        self._open.discard(connection)


class _FirstBytes(Connection):
    """A connection that has not said yet what it speaks."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._transport: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._seen = b""
        self.active_at = time.monotonic()

    @property
    def is_working(self) -> bool:
        return False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        if not self._listener.admit(self):
            self.abort()
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._listener.first_bytes_timeout_s, self.abort)

    def data_received(self, data: bytes) -> None:
        self._seen += data
        if len(self._seen) < len(_HTTP2_START) and _HTTP2_START.startswith(self._seen):
            return
        self._stop_timer()
        if self._seen.startswith(_HTTP2_START):
            self._hand_over(self._listener.routes.new_http2(self._listener.forget))
        else:
            self._hand_over(self._listener.routes.new_http(self._listener.forget))

    def connection_lost(self, _exc: Exception | None) -> None:
        self._stop_timer()
        self._listener.forget(self)

    def abort(self) -> None:
        """Close the connection at once."""
        self._stop_timer()
        self._transport.abort()

    def _hand_over(self, protocol: Connection) -> None:
        self._listener.replace(self, protocol)
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
