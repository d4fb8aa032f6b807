"""What the handling of one REST request carries along."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from toulmin.callers import NOBODY, Caller
from toulmin.errors import InvalidArgument
from toulmin.server.request_log import RequestRecord
from toulmin.server.responses import Response, Send
from toulmin.server.unsent import UnsentBytes

_SAFE_ID: Final = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")


def request_id_of(headers: Mapping[str, str]) -> str:
    """Return the caller's x-request-id when it is harmless, else a new one."""
    given = headers.get("x-request-id", "")
    return given if _SAFE_ID.fullmatch(given) else uuid.uuid4().hex


@dataclass(slots=True)
class Exchange:
    """One REST request and its response.

    Attributes:
        method: HTTP method.
        raw_path: Path, percent-encoded as it came, without the query.
        query: Query string, percent-encoded.
        headers: Lower-case names.
        request_id: In the log and in the response.
        deadline: `time.monotonic()` second by which the request must be done.
        timeout_s: The same as seconds from the start.
        response: Where the answer goes.
        record: What the log will say.
        caller: Who calls, once that was checked.
    """

    method: str
    raw_path: str
    query: str
    headers: dict[str, str]
    request_id: str
    deadline: float
    timeout_s: float
    response: Response
    record: RequestRecord
    caller: Caller = NOBODY

    @classmethod
    def from_scope(
        cls, scope: Mapping[str, Any], send: Send, *, timeout_s: float, unsent: UnsentBytes
    ) -> Exchange:
        """Return the exchange of an ASGI scope.

        Args:
            scope: ASGI's; its state has `abort`, which ends the connection at once.
            send: ASGI's.
            timeout_s: The server's own limit for a request.
            unsent: Counts what clients have not taken yet.
        """
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        request_id = request_id_of(headers)
        record = RequestRecord(request_id, "rest")
        raw_path = scope["raw_path"].decode("latin-1")
        return cls(
            method=scope["method"],
            raw_path=raw_path,
            query=scope["query_string"].decode("latin-1"),
            headers=headers,
            request_id=request_id,
            deadline=record.started + timeout_s,
            timeout_s=timeout_s,
            response=Response(
                send,
                request_id=request_id,
                write_timeout_s=timeout_s,
                abort=scope["state"]["abort"],
                unsent=unsent,
            ),
            record=record,
        )

    def query_value(self, name: str) -> str:
        """Return the first value of a query parameter, or an empty string."""
        if name not in self.query:
            return ""
        return parse_qs(self.query).get(name, [""])[0]

    def shorten_deadline(self) -> None:
        """Honour X-Server-Timeout, the caller's own limit in seconds.

        Raises:
            InvalidArgument: It is not a positive number.
        """
        wanted = self.headers.get("x-server-timeout")
        if wanted is None:
            return
        try:
            seconds = float(wanted)
        except ValueError:
            seconds = 0.0
        if not seconds > 0:
            raise InvalidArgument(
                f"Header X-Server-Timeout is {wanted[:40]!r}; it must be a number of seconds"
                " above 0"
            )
        if seconds < self.timeout_s:
            self.timeout_s = seconds
            self.deadline = self.record.started + seconds
