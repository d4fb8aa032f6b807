"""Reads a request body: never more than the limit in memory, whatever the headers claim."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final

from toulmin.errors import Cancelled, InvalidArgument
from toulmin.server.limits import Allowance, too_large

Receive = Callable[[], Awaitable[dict[str, Any]]]

GZIP: Final = 16 + zlib.MAX_WBITS
_INFLATE_STEP: Final = 128 * 1024  # others wait for each; a hundred requests take turns


class BodyReader:
    """Reads the body of one HTTP request.

    Args:
        receive: ASGI's receive.
        headers: Lower-case names.
        allowance: Counts what is kept.

    Attributes:
        bytes_in: Bytes that came over the network so far.
        complete: Whether the client has sent everything.
    """

    def __init__(self, receive: Receive, headers: Mapping[str, str], allowance: Allowance) -> None:
        self._receive = receive
        self._headers = headers
        self._allowance = allowance
        self.bytes_in = 0
        self.complete = False

    async def read(self) -> bytes:
        """Return the body, decompressed.

        Raises:
            InvalidArgument: It is larger than allowed, or not what Content-Encoding says.
            ResourceExhausted: The server holds too many bodies already.
            Cancelled: The client went away.
        """
        length = self._headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._allowance.limit:
            raise too_large(self._allowance.limit)
        encoding = self._headers.get("content-encoding", "identity").strip().lower()
        if encoding in ("identity", ""):
            return await self._read_plain()
        if encoding in ("gzip", "x-gzip"):
            return await self._read_gzip()
        raise InvalidArgument(
            f"Content-Encoding {encoding[:40]!r} is not supported; send gzip or identity",
            reason="UNSUPPORTED_ENCODING",
        )

    async def discard(self) -> None:
        """Read and drop what the client still sends, so that it gets to read the response."""
        while not self.complete:
            await self._next()

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.complete = True
            raise Cancelled("The client went away while sending")
        self.complete = not message.get("more_body", False)
        body: bytes = message.get("body", b"")
        self.bytes_in += len(body)
        return body

    async def _read_plain(self) -> bytes:
        parts: list[bytes] = []
        while not self.complete:
            part = await self._next()
            self._allowance.take(len(part))
            parts.append(part)
        return b"".join(parts)

    async def _read_gzip(self) -> bytes:
        parts: list[bytes] = []
        inflate = zlib.decompressobj(GZIP)
        try:
            while not self.complete:
                part = await self._next()
                while part:
                    if inflate.eof:
                        inflate = zlib.decompressobj(GZIP)
                    async for piece in inflated(inflate, part):
                        self._allowance.take(len(piece))
                        parts.append(piece)
                    part = inflate.unused_data
        except zlib.error:
            raise _not_gzip() from None
        if self.bytes_in and not inflate.eof:
            raise _not_gzip()
        return b"".join(parts)


async def inflated(inflate: Any, data: bytes) -> AsyncIterator[bytes]:
    """Yield decompressed pieces of bounded size, letting other requests run in between."""
    while True:
        piece = inflate.decompress(data, _INFLATE_STEP)
        yield piece
        data = inflate.unconsumed_tail
        if inflate.eof or (not data and len(piece) < _INFLATE_STEP):
            return  # at its end, what is left over is in `unused_data` too, for ever
        await asyncio.sleep(0)


def _not_gzip() -> InvalidArgument:
    return InvalidArgument(
        "The body is not valid gzip, although Content-Encoding says so", reason="INVALID_ENCODING"
    )
