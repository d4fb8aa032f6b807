"""One request of an HTTP/2 connection and its response, as whoever answers it sees them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from toulmin.errors import ToulminError
from toulmin.server.limits import Allowance

Headers = Sequence[tuple[str, str]]


class StreamConnection(Protocol):
    """What a stream needs of the connection that it came by."""

    def new_allowance(self) -> Allowance:
        """Return what a stream may hold."""
        ...

    def acknowledge(self, stream: Stream, length: int) -> None:
        """Let the client send so many bytes more."""
        ...

    async def send_headers(self, stream: Stream, headers: Headers, *, end: bool) -> None:
        """Send a stream's headers or trailers."""
        ...

    async def send_data(self, stream: Stream, data: bytes) -> None:
        """Send a part of a stream's body."""
        ...


class Stream:
    """One request and its response.

    Attributes:
        headers: Those of the request, lower-case names; of several of one name, the last.
        allowance: Bytes of the request that are held; whoever lets go of some says so here.
        is_working: Whether the request is whole, so that the server has something to do.
        has_ended: Whether the response is whole.
    """

    def __init__(self, connection: StreamConnection, number: int, headers: Headers) -> None:
        self.headers = dict(headers)
        self.allowance = connection.new_allowance()
        self.is_working = False
        self.has_ended = False
        self.number = number
        self.client_ended = False
        self._connection = connection
        self._parts: deque[tuple[bytes, int]] = deque()
        self._failure: ToulminError | None = None
        self._arrived = asyncio.Event()

    async def receive(self) -> bytes:
        """Return the next bytes of the request; empty at its end.

        Raises:
            ToulminError: They are more than may be held.
        """
        while not self._parts:
            if self._failure is not None:
                raise self._failure
            if self.client_ended:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        part, length = self._parts.popleft()
        self._connection.acknowledge(self, length)
        return part

    async def send_headers(self, headers: Headers, *, end: bool = False) -> None:
        """Send headers or, after data, trailers.

        Raises:
            Cancelled: The client is gone or does not read.
        """
        self.has_ended = end
        await self._connection.send_headers(self, headers, end=end)

    async def send(self, data: bytes) -> None:
        """Send a part of the response's body, as fast as the client takes it.

        Raises:
            Cancelled: The client is gone or does not read.
        """
        await self._connection.send_data(self, data)

    def feed(self, data: bytes, length: int) -> None:
        """Take what arrived; called by the connection."""
        try:
            self.allowance.take(len(data))
        except ToulminError as error:
            self._failure = error
            self._connection.acknowledge(self, length)
        else:
            self._parts.append((data, length))
        self._arrived.set()

    def end_input(self) -> None:
        """Note that the request is whole; called by the connection."""
        self.client_ended = True
        self._arrived.set()

    def let_go(self) -> int:
        """Drop what was not read; return its length for flow control."""
        left = sum(length for _, length in self._parts)
        self._parts.clear()
        self._failure = None  # its traceback holds the stream
        self.allowance.give_back()
        return left
