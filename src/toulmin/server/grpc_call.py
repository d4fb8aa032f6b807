"""One call in gRPC's terms: messages in frames of their own, a deadline, a status in trailers.

Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
"""

from __future__ import annotations

import asyncio
import re
import struct
import time
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn
from urllib.parse import quote

from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    ResourceExhausted,
    Unimplemented,
)
from toulmin.server.body import GZIP, inflated
from toulmin.server.http2_stream import Stream

END: Final = None
"""What `read` returns after the last message."""
_PREFIX: Final = struct.Struct(">BI")
_TIMEOUT: Final = re.compile(r"(\d{1,8})([HMSmun])")
_UNITS: Final = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_CONTENT_TYPE: Final = "application/grpc"
_OPENING: Final = 2
"""Headers of a response that come before the trailers, if there is a message between."""
# Printable ASCII but for "%" goes as it is.
_PLAIN: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


class Ended(Exception):
    """The call was ended with an error; there is nothing more to say."""


class GrpcCall:
    """What a method of the contract knows of the call that it answers.

    Args:
        stream: The HTTP/2 stream.
        max_message_bytes: Longest message, decompressed.
        first_message_s: Longest silence before the first message is whole.
    """

    def __init__(self, stream: Stream, *, max_message_bytes: int, first_message_s: float) -> None:
        self._stream = stream
        self._max_bytes = max_message_bytes
        self._silence_s: float | None = first_message_s
        self._began = time.monotonic()
        self._parts: list[bytes] = []
        self._length = 0
        self._held = 0
        self._headers_sent = False
        self._trailers: Sequence[tuple[str, str | bytes]] = ()

    @property
    def method(self) -> str:
        """Return the path: "/package.Service/Method"."""
        return self._stream.headers.get(":path", "")

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the metadata and the other headers, lower-case names."""
        return self._stream.headers

    @property
    def is_grpc(self) -> bool:
        """Return whether the client speaks gRPC at all."""
        content_type = self.headers.get("content-type", "")
        return self.headers.get(":method") == "POST" and content_type.startswith(_CONTENT_TYPE)

    def time_remaining(self) -> float | None:
        """Return the seconds that the caller still waits; None: it has not said.

        Raises:
            InvalidArgument: It has not said it in gRPC's form.
        """
        said = self.headers.get("grpc-timeout")
        if said is None:
            return None
        found = _TIMEOUT.fullmatch(said)
        if found is None:
            raise InvalidArgument(
                f"Header grpc-timeout is {said[:40]!r}; it must be a number and a unit as in 10S"
            )
        return int(found[1]) * _UNITS[found[2]] - (time.monotonic() - self._began)

    async def read(self) -> bytes | None:
        """Return the next message; `END` after the last.

        Raises:
            DeadlineExceeded: The first one does not come.
            ResourceExhausted: It is longer than allowed, or the server holds too many bytes.
            InvalidArgument: It is cut off, or not compressed as its headers say.
            Unimplemented: It is compressed otherwise than by gzip.
        """
        self._stream.allowance.release(self._held)
        self._held = 0
        if not await self._fill(_PREFIX.size):
            return END
        is_compressed, length = _PREFIX.unpack(self._take(_PREFIX.size))
        if length > self._max_bytes:
            raise self._too_long(length)
        if not await self._fill(length):
            raise _cut_off()
        message = self._take(length)
        self._held = _PREFIX.size + length
        self._silence_s = None
        self._stream.is_working = True
        return await self._decompressed(message) if is_compressed else message

    async def read_one(self) -> bytes:
        """Return the only message of a request.

        Raises:
            ToulminError: As `read`; or there is none.
        """
        message = await self.read()
        if message is END:
            raise InvalidArgument("The request has no message", reason="INVALID_FRAMING")
        return message

    def set_trailing_metadata(self, trailers: Sequence[tuple[str, str]]) -> None:
        """Set what goes with the status."""
        self._trailers = trailers

    async def send(self, message: bytes) -> None:
        """Send a message.

        Raises:
            Cancelled: The client is gone or does not read.
        """
        await self._send_headers()
        await self._stream.send(_PREFIX.pack(0, len(message)) + message)

    async def finish(self) -> None:
        """End a call that went well."""
        await self._send_headers()
        await self._send_status(0, "", self._trailers)

    async def abort(
        self, code: int, message: str, trailers: Sequence[tuple[str, str | bytes]] = ()
    ) -> NoReturn:
        """End a call that failed.

        Raises:
            Ended: Always.
        """
        await self._send_status(code, message, trailers or self._trailers)
        raise Ended

    def close(self) -> None:
        """Drop what is left of the request, which the traceback of an error may hold for long."""
        self._parts.clear()

    async def refuse(self, http_status: int) -> None:
        """Answer a client that does not speak gRPC."""
        await self._stream.send_headers([(":status", str(http_status))], end=True)

    async def _send_headers(self) -> None:
        if not self._headers_sent:
            self._headers_sent = True
            await self._stream.send_headers(
                [
                    (":status", "200"),
                    ("content-type", _CONTENT_TYPE),
                    ("grpc-accept-encoding", "identity,gzip"),
                ]
            )

    async def _send_status(
        self, code: int, message: str, trailers: Sequence[tuple[str, str | bytes]]
    ) -> None:
        headers = refusal_headers(code, message, trailers)
        if self._headers_sent:
            headers = headers[_OPENING:]
        await self._stream.send_headers(headers, end=True)

    async def _fill(self, size: int) -> bool:
        """Wait until so many bytes are there; return False at the end of the request."""
        while self._length < size:
            try:
                async with asyncio.timeout(self._silence_s):
                    part = await self._stream.receive()
            except TimeoutError:
                raise DeadlineExceeded(
                    f"No message came for {self._silence_s:g} s; setting header_timeout_s limits"
                    " the wait",
                    reason="REQUEST_TIMEOUT",
                ) from None
            if not part:
                if self._length:
                    raise _cut_off()
                return False
            self._parts.append(part)
            self._length += len(part)
        return True

    def _take(self, size: int) -> bytes:
        """Return the first so many bytes; parts are joined once, when they are all there."""
        whole = b"".join(self._parts)
        self._parts = [whole[size:]] if len(whole) > size else []
        self._length -= size
        return whole[:size]

    async def _decompressed(self, message: bytes) -> bytes:
        encoding = self.headers.get("grpc-encoding", "identity")
        if encoding != "gzip":
            raise Unimplemented(f"grpc-encoding {encoding[:40]!r} is not supported; use gzip")
        inflate = zlib.decompressobj(GZIP)
        parts: list[bytes] = []
        size = 0
        try:
            async for part in inflated(inflate, message):
                size += len(part)
                if size > self._max_bytes:
                    raise self._too_long(size)
                self._stream.allowance.take(len(part))
                self._held += len(part)
                parts.append(part)
        except zlib.error:
            raise _not_gzip() from None
        if not inflate.eof:
            raise _not_gzip()
        return b"".join(parts)

    def _too_long(self, length: int) -> ResourceExhausted:
        return ResourceExhausted(
            f"A message has {length} bytes or more; setting max_body_bytes allows"
            f" {self._max_bytes}",
            reason="REQUEST_TOO_LARGE",
        )


def refusal_headers(
    code: int, message: str, trailers: Sequence[tuple[str, str | bytes]]
) -> list[tuple[str, str]]:
    """Return the only headers of a call that ends without a message."""
    headers = [(":status", "200"), ("content-type", _CONTENT_TYPE), ("grpc-status", str(code))]
    if message:
        headers.append(("grpc-message", quote(message, safe=_PLAIN)))
    headers += [
        (name, b64encode(value).decode().rstrip("=") if isinstance(value, bytes) else value)
        for name, value in trailers
    ]
    return headers


def details_trailer(status: Any) -> tuple[str, bytes]:
    """Return the trailer in which clients look for a google.rpc.Status."""
    return "grpc-status-details-bin", status.SerializeToString()


def _cut_off() -> InvalidArgument:
    return InvalidArgument("The request ends inside a message", reason="INVALID_FRAMING")


def _not_gzip() -> InvalidArgument:
    return InvalidArgument(
        "A message is not valid gzip, although its headers say so", reason="INVALID_ENCODING"
    )
