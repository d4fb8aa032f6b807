"""The ASGI application: health pages, the console, then keys, then the RPC that is meant."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, MutableMapping
from typing import Any, Final

import orjson

from toulmin.apis.aip.access import check_no_chat
from toulmin.apis.aip.registry import Registry
from toulmin.apis.aip.status import (
    INTERNAL_MESSAGE,
    error_body,
    grpc_status_name,
    http_status,
    to_status,
)
from toulmin.apis.aip.transcoding import RouteMatch, Router
from toulmin.errors import (
    Cancelled,
    Internal,
    NotFound,
    QuotaExceeded,
    ResourceExhausted,
    ShuttingDown,
    ToulminError,
    Unauthenticated,
    Unavailable,
)
from toulmin.evaluation.calibrating import Calibrator
from toulmin.server import calibration, chat, console, metrics_page, rest, talks
from toulmin.server.about import About
from toulmin.server.body import BodyReader, Receive
from toulmin.server.browser import BrowserRules
from toulmin.server.calls import until
from toulmin.server.exchange import Exchange
from toulmin.server.gate import Gate
from toulmin.server.limits import Allowance, ByteBudget
from toulmin.server.method_override import body_as_query, meant_method
from toulmin.server.request_log import log_defect, log_request
from toulmin.server.responses import JSON, Send
from toulmin.server.state import ServerState
from toulmin.server.unsent import UnsentBytes
from toulmin.server.workers import Workers
from toulmin.settings import Settings

_HEALTH: Final = ("/healthz", "/readyz")

# Longest time to read what a refused client still sends.
_MAX_LINGER_S: Final = 5.0


class HttpApp:
    """Answers HTTP requests. Call it as an ASGI application.

    Args:
        registry: The handlers.
        settings: Limits, allowed pages.
        state: For the health pages.
        workers: Where handlers run.
        gate: What every call passes.
        budget: Bytes of all requests together.
        unsent: Bytes of all responses that clients have not taken yet.
        about: What the server says of itself.
        calibrator: Fits calibrations for admins; None: nobody is offered that.
    """

    def __init__(  # noqa: PLR0913 - all that a request may need
        self,
        registry: Registry,
        settings: Settings,
        *,
        state: ServerState,
        workers: Workers,
        gate: Gate,
        budget: ByteBudget,
        unsent: UnsentBytes,
        about: About,
        calibrator: Calibrator | None = None,
    ) -> None:
        self._registry = registry
        self._router = Router(registry.schema)
        self._state = state
        self._workers = workers
        self._gate = gate
        self._browsers = BrowserRules.from_settings(settings)
        self._max_body_bytes = settings.max_body_bytes
        self._budget = budget
        self._unsent = unsent
        self._about = about
        self._calibrator = calibrator
        self._timeout_s = settings.request_timeout_s
        self._metrics_open = settings.metrics_open
        self._linger_s = min(settings.header_timeout_s, _MAX_LINGER_S)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; every failure becomes a response or, too late for one, an end."""
        exchange = Exchange.from_scope(scope, send, timeout_s=self._timeout_s, unsent=self._unsent)
        exchange.record.path = f"{exchange.method} {self._router.known_words(exchange.raw_path)}"
        allowance = Allowance(self._max_body_bytes, self._budget)
        reader = BodyReader(receive, exchange.headers, allowance)
        try:
            await self._answer(exchange, reader, receive)
        except asyncio.CancelledError:
            await self._fail(exchange, ShuttingDown(), None)
        except ToulminError as failure:
            await self._fail(exchange, failure, reader)
        except Exception as defect:  # noqa: BLE001 - a defect must not take the connection down
            log_defect(defect, request_id=exchange.request_id, rpc=exchange.record.rpc)
            await self._fail(exchange, Internal(INTERNAL_MESSAGE), reader)
        finally:
            allowance.give_back()
            exchange.record.bytes_in = reader.bytes_in
            exchange.record.bytes_out = exchange.response.bytes_out
            exchange.record.http_status = exchange.response.status
            log_request(exchange.record)
            self._gate.audit.request(exchange.record)

    async def _answer(self, exchange: Exchange, reader: BodyReader, receive: Receive) -> None:
        if exchange.raw_path in _HEALTH and exchange.method in ("GET", "HEAD"):
            await self._answer_health(exchange)
            return
        if exchange.raw_path == metrics_page.PATH and exchange.method in ("GET", "HEAD"):
            await self._answer_metrics(exchange)
            return
        if self._gate.telemetry is not None:
            self._gate.telemetry.begin(exchange.record, exchange.headers)
        exchange.response.headers += self._browsers.response_headers(exchange.headers)
        exchange.shorten_deadline()
        async with until(exchange.deadline, exchange.timeout_s):
            is_open = await self._gate.authenticator.is_open()
        self._browsers.check(exchange.headers, is_open=is_open)
        file = console.console_file(exchange)
        if file is not None:
            await console.answer(exchange, file)
            return
        if exchange.method == "OPTIONS":
            await self._answer_options(exchange)
            return
        match = self._match(exchange)
        if match is not None:  # noted before it is known who calls: a refusal says of what
            exchange.record.rpc, exchange.record.path = match.rpc.full_name, ""
        async with until(exchange.deadline, exchange.timeout_s):
            exchange.caller = await self._gate.authenticator.check(
                exchange.headers, query_key=exchange.query_value("key")
            )
        exchange.record.caller = exchange.caller.id
        work = self._work_for(exchange, match)
        if work is None:
            await self._answer_about(exchange)
            return
        async with until(exchange.deadline, exchange.timeout_s):
            body = await reader.read()
        await _unless_gone(asyncio.ensure_future(work(body)), receive)

    def _work_for(
        self, exchange: Exchange, match: RouteMatch | None
    ) -> Callable[[bytes], Coroutine[Any, Any, None]] | None:
        """Return what answers a request once its body is there; None: nothing of these."""
        rooms: dict[str, Any] = {"workers": self._workers, "quotas": self._gate.quotas}
        registry, path = self._registry, exchange.raw_path
        if match is not None:
            return lambda body: rest.answer(
                exchange, match, body_as_query(exchange, body), registry=registry, **rooms
            )
        check_no_chat(exchange.caller, path[:200])  # its RPCs are checked where all are
        if exchange.method != "POST":
            return None
        if path in chat.PATHS:
            rooms |= {"router": self._router, "registry": registry}
            return lambda body: chat.answer(exchange, body, **rooms)
        calibrator = self._calibrator
        if calibrator is not None and path in calibration.PATHS:
            schema = registry.schema
            return lambda body: calibration.answer(
                exchange, body, calibrator, schema=schema, **rooms
            )
        return None

    def _match(self, exchange: Exchange) -> RouteMatch | None:
        return self._router.match(meant_method(exchange), exchange.raw_path)

    def _not_found(self, exchange: Exchange) -> NotFound:
        allowed = self._router.allowed_methods(exchange.raw_path)
        if allowed:
            exchange.response.headers.append((b"allow", ", ".join(allowed).encode()))
            hint = f"this path takes {', '.join(allowed)}"
        else:
            hint = "no API has this path"
        return NotFound(
            f"Method not found: {meant_method(exchange)} {exchange.raw_path[:200]}; {hint}",
            reason="METHOD_NOT_FOUND",
        )

    async def _answer_about(self, exchange: Exchange) -> None:
        if talks.is_address(exchange.raw_path):
            talks.refuse_plain(exchange.headers)
        if not self._about.knows(exchange.method, exchange.raw_path):
            raise self._not_found(exchange)
        exchange.record.path = f"{exchange.method} {self._about.shown(exchange.raw_path)}"
        content = await self._about.answer(exchange.raw_path, exchange.caller)
        await exchange.response.whole(200, content)

    async def _answer_health(self, exchange: Exchange) -> None:
        why_not = self._state.why_not_ready() if exchange.raw_path == "/readyz" else ""
        body = orjson.dumps({"status": why_not or "ok"})
        exchange.record.code = "UNAVAILABLE" if why_not else "OK"
        await exchange.response.whole(503 if why_not else 200, body)

    async def _answer_metrics(self, exchange: Exchange) -> None:
        if not self._metrics_open:
            is_open = await self._gate.authenticator.is_open()
            self._browsers.check(exchange.headers, is_open=is_open)
            caller = await self._gate.authenticator.check(
                exchange.headers, query_key=exchange.query_value("key")
            )
            exchange.record.caller = caller.id
            metrics_page.require_reader(caller)
        body = await asyncio.to_thread(metrics_page.metrics_page)
        await exchange.response.whole(200, body, metrics_page.CONTENT_TYPE)

    async def _answer_options(self, exchange: Exchange) -> None:
        allowed = self._router.allowed_methods(exchange.raw_path)
        if not allowed:
            raise self._not_found(exchange)
        methods = ", ".join([*allowed, "OPTIONS"]).encode()
        headers = exchange.response.headers
        headers.append((b"allow", methods))
        preflight = self._browsers.preflight_headers(exchange.headers)
        if preflight:
            headers += [*preflight, (b"access-control-allow-methods", methods)]
        await exchange.response.whole(204, b"")

    async def _fail(
        self, exchange: Exchange, error: ToulminError, reader: BodyReader | None
    ) -> None:
        """Answer with an error, if nothing was sent yet."""
        exchange.record.code, exchange.record.reason = grpc_status_name(error.code), error.reason
        response = exchange.response
        if response.status:
            return
        if isinstance(error, ResourceExhausted | Unavailable):
            response.headers += _retry_after(error)
        if isinstance(error, Unauthenticated):
            response.headers.append((b"www-authenticate", b"Bearer"))
        status, body = http_status(error.code), error_body(to_status(error))
        try:
            if reader is None or reader.complete:
                await response.whole(status, body)
            else:
                await self._fail_while_sending(exchange, status, body, reader)
        except ToulminError:
            return

    async def _fail_while_sending(
        self, exchange: Exchange, status: int, body: bytes, reader: BodyReader
    ) -> None:
        """Answer a client that still sends, then read on for a while.

        Closing a socket with unread bytes makes the kernel drop what the client has not read.
        """
        response = exchange.response
        response.headers.append((b"connection", b"close"))
        await response.start(status, JSON, length=len(body))
        await response.write(body, more=True)
        try:
            async with asyncio.timeout(self._linger_s):
                await reader.discard()
        except TimeoutError:
            pass
        await response.write(b"", more=False)


def _retry_after(error: ToulminError) -> list[tuple[bytes, bytes]]:
    if not isinstance(error, QuotaExceeded):
        return [(b"retry-after", b"1")]
    return [] if error.retry_s is None else [(b"retry-after", b"%d" % math.ceil(error.retry_s))]


async def _unless_gone(work: asyncio.Future[None], receive: Receive) -> None:
    """Wait for the work; cancel it when the client hangs up first.

    Raises:
        Cancelled: The client hung up.
    """
    gone = asyncio.ensure_future(_hang_up(receive))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Cancelled("The client hung up")
        work.result()
    finally:
        for task in (work, gone):
            task.cancel()
        await asyncio.gather(work, gone, return_exceptions=True)


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
