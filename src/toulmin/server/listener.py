"""The one port: looks at the first bytes of a connection and hands it to HTTP or gRPC.

HTTP/2 begins with "PRI"; here only gRPC speaks it. HTTP/1.1 connections are given to their
protocol for good and cost nothing more. gRPC's library accepts no foreign sockets, so its bytes
are copied to its own socket, which only this user can reach.
"""

from __future__ import annotations

import asyncio
import ssl
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

_HTTP2_START: Final = b"PRI"

# Rounds of the event loop in which both ends of a copied connection open or close.
_ROUNDS: Final = 5

Connect = Callable[[Callable[[], asyncio.Protocol]], Awaitable[Any]]


class Connection(asyncio.Protocol):
    """One client's connection."""

    @abstractmethod
    def abort(self) -> None:
        """Close the connection at once."""


@dataclass(frozen=True, slots=True)
class Routes:
    """Where connections go.

    Attributes:
        new_http: Returns the protocol of a new HTTP/1.1 connection; its argument is to be called
            when the connection is gone.
        connect_grpc: Connects a protocol to the gRPC server.
    """

    new_http: Callable[[Callable[[Connection], None]], Connection]
    connect_grpc: Connect


class Listener:
    """Accepts connections.

    Args:
        routes: Where they go.
        max_connections: Most open connections; more are closed at once.
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
        """Count a connection; return False when there are too many."""
        if len(self._open) >= self._max_connections:
            return False
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
            self._hand_over(_ToGrpc(self._listener))
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


class _Copy(Connection):
    """One end of a copied connection; reading stops while the other end cannot write."""

    def __init__(self) -> None:
        self.transport: Any = None
        self.other: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def abort(self) -> None:
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self.other.write(data)

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.resume_reading()

    def eof_received(self) -> None:
        if self.other is not None:
            self.other.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        if self.other is not None:
            self.other.close()


class _ToGrpc(_Copy):
    """The client's end: keeps what comes until the gRPC server is connected."""

    def __init__(self, listener: Listener) -> None:
        super().__init__()
        self._listener = listener
        self._early: list[bytes] = []
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.pause_reading()
        self._connecting = asyncio.get_running_loop().create_task(self._connect())

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self._early.append(data)
        else:
            self.other.write(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        super().connection_lost(_exc)
        self._listener.forget(self)

    async def _connect(self) -> None:
        inner = _Copy()
        inner.other = self.transport
        try:
            await self._listener.routes.connect_grpc(lambda: inner)
        except OSError:
            self.transport.abort()
            return
        if self.transport.is_closing():
            inner.transport.close()
            return
        self.other = inner.transport
        self.other.writelines(self._early)
        self._early.clear()
        self.transport.resume_reading()


async def _let_others_run() -> None:
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)
