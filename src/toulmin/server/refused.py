"""Connections that are refused, and are told why in the words of what they speak."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any, Final

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived
from h2.exceptions import H2Error

from toulmin.apis.aip.status import error_body, to_status
from toulmin.errors import TooManyConnections
from toulmin.server.connection import Connection
from toulmin.server.grpc_call import details_trailer, refusal_headers
from toulmin.server.responses import JSON

_LINGER_S: Final = 1.0
"""How long a client may take to read why; bytes that were not read would take the answer back."""


class RefusedConnection(Connection):
    """Answers a client's first request with an error, and closes.

    Args:
        error: Why.
        is_http2: Whether the client speaks HTTP/2, which here is gRPC.
        on_lost: Called once when the connection is gone.
    """

    is_working = False

    def __init__(
        self,
        error: TooManyConnections,
        *,
        is_http2: bool,
        on_lost: Callable[[Connection], None],
    ) -> None:
        self._error = error
        self._on_lost = on_lost
        self._transport: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._h2 = H2Connection(H2Configuration(client_side=False)) if is_http2 else None
        self.active_at = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say it at once over HTTP/1.1, and how HTTP/2 begins."""
        self._transport = transport
        self._timer = asyncio.get_running_loop().call_later(_LINGER_S, self.abort)
        if self._h2 is None:
            self._transport.write(self._response())
            self._finish()
        else:
            self._h2.initiate_connection()
            self._transport.write(self._h2.data_to_send())

    def data_received(self, data: bytes) -> None:
        """Answer calls over HTTP/2; read and drop all else."""
        if self._h2 is None or self._transport.is_closing():
            return
        status = to_status(self._error)
        headers = refusal_headers(status.code, status.message, [details_trailer(status)])
        try:
            calls = [e for e in self._h2.receive_data(data) if isinstance(e, RequestReceived)]
            for call in calls:
                self._h2.send_headers(call.stream_id or 0, headers, end_stream=True)
            if calls:
                self._h2.close_connection(ErrorCodes.ENHANCE_YOUR_CALM)
        except (H2Error, ValueError):
            self.abort()
            return
        self._transport.write(self._h2.data_to_send())
        if calls:
            self._h2 = None
            self._finish()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Note that it is gone."""
        if self._timer is not None:
            self._timer.cancel()
        self._on_lost(self)

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def _finish(self) -> None:
        """Say that no more will come; the client closes, or the time runs out."""
        if self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()

    def _response(self) -> bytes:
        body = error_body(to_status(self._error))
        lines = (
            b"HTTP/1.1 429 Too Many Requests",
            b"content-type: " + JSON,
            b"content-length: %d" % len(body),
            b"retry-after: %d" % math.ceil(self._error.retry_s),
            b"connection: close",
        )
        return b"\r\n".join(lines) + b"\r\n\r\n" + body
