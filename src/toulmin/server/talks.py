"""BidiRunSession over WebSocket, at the address that the makers' own clients use.

    /ws/google.cloud.ces.v1.SessionService/BidiRunSession/locations/{location}

Each message is a `BidiSessionClientMessage` as JSON, in a text or a binary frame, each answer a
`BidiSessionServerMessage`. A turn is a call of its own, with a time limit of its own and on a
worker thread; an open talk holds none. What fails is told as `{"error": ...}`, as over REST, and
ends the talk with a close frame whose reason begins `generic::invalid_argument: `.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import aclosing
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.status import (
    INTERNAL_MESSAGE,
    error_body,
    grpc_status_name,
    http_status,
    to_status,
)
from toulmin.apis.ces.talk import Talk
from toulmin.apis.schema import Rpc
from toulmin.callers import Caller
from toulmin.errors import (
    Cancelled,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ShuttingDown,
    ToulminError,
    Unauthenticated,
    Unimplemented,
)
from toulmin.server.browser import BrowserRules
from toulmin.server.calls import Call, run_stream
from toulmin.server.exchange import request_id_of
from toulmin.server.gate import Gate
from toulmin.server.request_log import RequestRecord, log_defect, log_request
from toulmin.server.state import ServerState
from toulmin.server.websocket import END, WebSocketConnection, library
from toulmin.server.workers import Workers
from toulmin.settings import Settings

_ADDRESS: Final = re.compile(
    r"/ws/(google\.cloud\.ces\.v1(?:beta)?\.SessionService/BidiRunSession)/locations/([^/]{1,100})"
)
_GOODBYE: Final = 1000
_CLOSE_CODES: Final = (
    (ShuttingDown, 1012),
    (InvalidArgument, 1007),
    (Unauthenticated, 1008),
    (PermissionDenied, 1008),
)
_OTHERWISE: Final = 1011
_QUERY_KEYS: Final = ("key", "access_token")
"""Where a browser puts its key or chat token: it can set no header on a WebSocket."""


def is_address(raw_path: str) -> bool:
    """Return whether a path, without its query, is that of a talk."""
    return _ADDRESS.fullmatch(raw_path) is not None


def refuse_plain(headers: dict[str, str]) -> None:
    """Say what is missing where a talk's address is asked for and there is no WebSocket.

    Raises:
        Unimplemented: A WebSocket was asked for, and the extra is not installed.
        InvalidArgument: None was asked for.
    """
    if library() is None and headers.get("upgrade", "").lower() == "websocket":
        raise Unimplemented(
            "BidiRunSession over WebSocket needs the extra websocket: pip install"
            " 'toulmin[websocket]'",
            reason="EXTRA_MISSING",
        )
    raise InvalidArgument("This address takes WebSockets only (Upgrade: websocket)")


class TalkApp:
    """Answers WebSockets.

    Args:
        registry: The handlers.
        settings: Time limits, allowed pages.
        state: Whether the server stays.
        workers: Where turns run.
        gate: What every call passes.
    """

    def __init__(
        self,
        registry: Registry,
        settings: Settings,
        *,
        state: ServerState,
        workers: Workers,
        gate: Gate,
    ) -> None:
        self._registry = registry
        self._state, self._workers, self._gate = state, workers, gate
        self._browsers = BrowserRules.from_settings(settings)
        self._timeout_s = settings.request_timeout_s
        self._first_s = settings.header_timeout_s
        self._silence_s = settings.talk_idle_s

    async def __call__(self, connection: WebSocketConnection) -> None:
        """Talk until the client goes; every failure becomes an HTTP response, or its last word."""
        record = RequestRecord(request_id_of(connection.headers), "websocket")
        try:
            rpc, location = self._addressed(connection.path)
            record.rpc = rpc.full_name
            if self._gate.telemetry is not None:
                self._gate.telemetry.begin(record, connection.headers)
            caller = await self._caller(connection)
            record.caller = caller.id
        except ToulminError as error:
            _refuse(connection, error, record)
        except asyncio.CancelledError:
            _refuse(connection, ShuttingDown(), record)
        else:
            connection.accept(record.request_id)
            await self._talk(connection, Talk(self._registry, rpc, location), rpc, caller, record)
        finally:
            record.bytes_in, record.bytes_out = connection.bytes_in, connection.bytes_out
            log_request(record)
            self._gate.audit.request(record)

    def _addressed(self, path: str) -> tuple[Rpc, str]:
        raw_path = path.partition("?")[0]
        found = _ADDRESS.fullmatch(raw_path)
        rpc = found and self._registry.schema.rpcs.get(f"/{found[1]}")
        if not found or not rpc:
            raise NotFound(
                f"No WebSocket is at {raw_path[:200]}; BidiRunSession is at"
                " /ws/google.cloud.ces.v1.SessionService/BidiRunSession/locations/LOCATION",
                reason="METHOD_NOT_FOUND",
            )
        return rpc, unquote(found[2])

    async def _caller(self, connection: WebSocketConnection) -> Caller:
        if self._state.draining:
            raise ShuttingDown
        authenticator = self._gate.authenticator
        is_open = await authenticator.is_open()
        self._browsers.check(connection.headers, is_open=is_open)
        query = parse_qs(connection.path.partition("?")[2])
        presented = [value for name in _QUERY_KEYS for value in query.get(name, [])]
        return await authenticator.check(
            connection.headers, query_key=presented[0] if presented else ""
        )

    async def _talk(
        self,
        connection: WebSocketConnection,
        talk: Talk,
        rpc: Rpc,
        caller: Caller,
        record: RequestRecord,
    ) -> None:
        wait = (self._first_s, "header_timeout_s")
        try:
            while (message := await connection.read(*wait)) is not END:
                wait = (self._silence_s, "talk_idle_s")
                call = self._call(rpc, caller, record)
                connection.is_working = True
                await _unless_gone(connection, self._answer(connection, talk, message, call))
                connection.is_working = False
                connection.done()
                if self._state.draining:
                    await _end(connection, ShuttingDown(), record)
                    return
            connection.close(_GOODBYE, "")
        except asyncio.CancelledError:
            await _end(connection, ShuttingDown(), record)
        except Cancelled:
            record.code = "CANCELLED"
        except ToulminError as error:
            await _end(connection, error, record)
        except Exception as defect:  # noqa: BLE001 - a defect must reach the caller as INTERNAL
            log_defect(defect, request_id=record.request_id, rpc=record.rpc)
            await _end(connection, Internal(INTERNAL_MESSAGE), record)

    def _call(self, rpc: Rpc, caller: Caller, record: RequestRecord) -> Call:
        call = Call(
            rpc,
            caller,
            self._gate.quotas,
            self._registry.schema,
            request_id=record.request_id,
            deadline=time.monotonic() + self._timeout_s,
            timeout_s=self._timeout_s,
        )
        record.names = record.names or call.context.names
        return call

    async def _answer(
        self, connection: WebSocketConnection, talk: Talk, message: bytes, call: Call
    ) -> None:
        try:
            parts = run_stream(self._workers, call, lambda: talk.answers(message, call.context))
            async with aclosing(parts):
                async for part in parts:
                    await connection.send(part)
        finally:
            call.end()


async def _unless_gone(connection: WebSocketConnection, work: Any) -> None:
    """Wait for the work; cancel it when the client goes first.

    Raises:
        Cancelled: It went.
    """
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(connection.gone())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise Cancelled("The client is gone")
        tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _refuse(connection: WebSocketConnection, error: ToulminError, record: RequestRecord) -> None:
    """Answer the request for a WebSocket with an error, as any other request."""
    record.code, record.reason = grpc_status_name(error.code), error.reason
    record.http_status = http_status(error.code)
    headers = [
        ("Content-Type", "application/json; charset=UTF-8"),
        ("X-Request-Id", record.request_id),
    ]
    if isinstance(error, Unauthenticated):
        headers.append(("WWW-Authenticate", "Bearer"))
    connection.refuse(record.http_status, error_body(to_status(error)), headers)


async def _end(connection: WebSocketConnection, error: ToulminError, record: RequestRecord) -> None:
    """Say what went wrong and end the talk."""
    record.code, record.reason = grpc_status_name(error.code), error.reason
    code = next((code for kind, code in _CLOSE_CODES if isinstance(error, kind)), _OTHERWISE)
    try:
        await connection.send(error_body(to_status(error)))
    except Cancelled:
        return
    connection.close(code, f"generic::{record.code.lower()}: {error.message}")
