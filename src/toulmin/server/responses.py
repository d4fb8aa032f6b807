"""Writes one HTTP response: status, headers, body in one piece or in parts, counted and timed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from functools import lru_cache
from typing import Any, Final

from toulmin.errors import Cancelled
from toulmin.server.unsent import PIECE, UnsentBytes

Send = Callable[[dict[str, Any]], Awaitable[None]]

JSON: Final = b"application/json; charset=UTF-8"
EVENT_STREAM: Final = b"text/event-stream; charset=UTF-8"


class Response:
    """The response to one request.

    Args:
        send: ASGI's send.
        request_id: Sent as header x-request-id.
        write_timeout_s: Longest wait for a client that does not read.
        abort: Ends the connection without waiting for the client.
        unsent: Counts what the client has not taken yet.

    Attributes:
        status: HTTP status once started, 0 before.
        bytes_out: Length of the body so far.
        headers: Further headers of this response, set before it starts.
    """

    def __init__(
        self,
        send: Send,
        *,
        request_id: str,
        write_timeout_s: float,
        abort: Callable[[], None],
        unsent: UnsentBytes,
    ) -> None:
        self._send = send
        self._request_id = request_id
        self._write_timeout_s = write_timeout_s
        self._abort = abort
        self._unsent = unsent
        self.status = 0
        self.bytes_out = 0
        self.headers: list[tuple[bytes, bytes]] = []

    async def start(self, status: int, content_type: bytes, *, length: int | None = None) -> None:
        """Send status and headers.

        Args:
            status: HTTP status.
            content_type: Value of Content-Type; empty for a response without a body.
            length: Length of the body; None when it is not known yet.
        """
        self.status = status
        headers = [
            (b"date", _http_date(int(time.time()))),
            (b"x-request-id", self._request_id.encode("ascii")),
            (b"x-content-type-options", b"nosniff"),
            *self.headers,
        ]
        if content_type:
            headers.append((b"content-type", content_type))
        if length is not None:
            headers.append((b"content-length", b"%d" % length))
        await self._timed({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, part: bytes, *, more: bool) -> None:
        """Send a part of the body, as fast as the client takes it.

        Raises:
            Cancelled: The client does not read.
        """
        self.bytes_out += len(part)
        last = max(0, len(part) - 1) // PIECE * PIECE
        with self._unsent.hold(len(part), self._abort):
            for start in range(0, last + 1, PIECE):
                piece = part[start : start + PIECE] if last else part
                is_more = more or start < last
                await self._timed(
                    {"type": "http.response.body", "body": piece, "more_body": is_more}
                )

    async def whole(self, status: int, body: bytes, content_type: bytes = JSON) -> None:
        """Send a response whose body is known."""
        await self.start(status, content_type if body else b"", length=len(body))
        await self.write(body, more=False)

    async def _timed(self, message: dict[str, Any]) -> None:
        try:
            async with asyncio.timeout(self._write_timeout_s):
                await self._send(message)
        except TimeoutError:
            self._abort()
            raise Cancelled("The client does not read the response") from None


@lru_cache(maxsize=1)
def _http_date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode("ascii")
