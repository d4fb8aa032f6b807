"""Starts the server on an event loop in its own thread, and stops it without losing requests."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

from uvicorn.server import ServerState as HttpState

from toulmin import metrics
from toulmin.apis.aip.registry import Registry
from toulmin.errors import FailedPrecondition
from toulmin.evaluation.calibrating import Calibrator
from toulmin.server.about import About
from toulmin.server.audit import AuditLog
from toulmin.server.auth import Authenticator, require_safe_address
from toulmin.server.gate import Gate
from toulmin.server.grpc import GrpcApp
from toulmin.server.http import HttpApp
from toulmin.server.http2 import Http2Connection, Http2Limits
from toulmin.server.http_protocol import HttpConnection, uvicorn_config
from toulmin.server.limits import ByteBudget
from toulmin.server.listener import Listener, Routes
from toulmin.server.metrics_page import reading
from toulmin.server.open_connections import OpenConnections
from toulmin.server.quotas import Quotas
from toulmin.server.state import ServerState
from toulmin.server.stored_keys import StoredKeys
from toulmin.server.talks import TalkApp
from toulmin.server.telemetry import Telemetry
from toulmin.server.tls import tls_context
from toulmin.server.tokens import TokenVerifier
from toulmin.server.unsent import UnsentBytes
from toulmin.server.websocket import WebSocketConnection, WebSocketLimits, library
from toulmin.server.workers import Workers
from toulmin.services.chat_tokens import ChatTokens
from toulmin.settings import Settings
from toulmin.stores.records import RecordStore

# For telling callers that their requests were ended.
_LAST_WORDS_S: Final = 1.0
_FLUSH_S: Final = 0.05
# Beside its messages, what a stream may hold of prefixes and of the next message.
_FRAMING: Final = 64 * 1024

_LOCAL: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what stands for all addresses
"""Where a server that listens on every address answers this machine."""

logger = logging.getLogger(__name__)


class Server:
    """A server that can be started once and stopped once.

    Args:
        registry: The handlers.
        settings: Address, limits, keys.
        is_ready: Asked by the health checks; quick and never raising.
        records: Returns the store of the keys that callers present; None: there are none but
            those of the settings.
        calibrator: Fits calibrations for admins; None: nobody is offered that.
    """

    def __init__(
        self,
        registry: Registry,
        settings: Settings,
        is_ready: Callable[[], bool],
        records: Callable[[], RecordStore] | None = None,
        calibrator: Calibrator | None = None,
    ) -> None:
        self._calibrator = calibrator
        self._records = records
        self._stored_keys = None if records is None else StoredKeys(records)
        require_safe_address(settings, self._stored_keys.exist if self._stored_keys else None)
        self._registry = registry
        self._settings = settings
        self._tls = tls_context(settings)
        self._tokens = TokenVerifier.from_settings(settings)
        self._audit = AuditLog.from_settings(settings)
        self._telemetry = Telemetry.from_settings(settings)
        self._state = ServerState(is_ready)
        self._workers = Workers(threads=settings.worker_threads, max_queue=settings.max_queue)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._stop: asyncio.Event | None = None
        self._shutdown_timeout_s = settings.shutdown_timeout_s
        self._port = settings.port
        self._were_ended = False
        self._listener: Listener | None = None

    @property
    def port(self) -> int:
        """Return the port; the one taken when the settings say 0."""
        return self._port

    @property
    def url(self) -> str:
        """Return the address for people and clients: "http://127.0.0.1:8080"."""
        return self._url_of(None)

    def _url_of(self, host: str | None) -> str:
        host = host or self._settings.host
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._tls else 'http'}://{shown}:{self._port}"

    @property
    def asks_for_keys(self) -> bool:
        """Return whether callers need a key now; may read the database."""
        stored = self._stored_keys is not None and self._stored_keys.exist()
        return bool(self._settings.api_keys or self._settings.oidc_issuer) or stored

    @property
    def requests_in_flight(self) -> int:
        """Return how many handlers run or wait for a thread."""
        return self._workers.in_flight

    @property
    def open_connections(self) -> int:
        """Return how many connections are open, of whatever kind."""
        return self._listener.connections if self._listener else 0

    def start(self) -> None:
        """Return when requests are accepted.

        Raises:
            FailedPrecondition: The address cannot be listened on.
        """
        self._thread = threading.Thread(target=self._run, name="toulmin-server", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            raise FailedPrecondition(
                f"Cannot listen on {self._settings.host}:{self._settings.port}: {self._failure}",
                reason="CANNOT_LISTEN",
            ) from self._failure
        if self._records is not None:
            self._records().announce(self._url_of(_LOCAL.get(self._settings.host)))

    def stop(self, *, timeout_s: float | None = None) -> bool:
        """Stop accepting, let requests finish, end the rest; return whether all finished.

        Args:
            timeout_s: Time for requests in flight; by default setting shutdown_timeout_s.
        """
        if self._thread is None or self._loop is None or self._stop is None:
            return True
        if timeout_s is not None:
            self._shutdown_timeout_s = timeout_s
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        # A thread may have given its last answer and not have ended its job yet.
        return self._workers.becomes_idle(0.0 if self._were_ended else _LAST_WORDS_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # noqa: BLE001 - whoever called start must see it
            self._failure = error
        finally:
            self._workers.stop()
            self._audit.close()
            if self._telemetry is not None:
                self._telemetry.close()
            if self._tokens is not None:
                self._tokens.close()
            self._started.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        gauges = (
            (metrics.IN_FLIGHT, lambda: self._workers.in_flight),
            (metrics.WAITING, lambda: self._workers.waiting),
            (metrics.CONNECTIONS, lambda: self.open_connections),
        )
        with reading(gauges):
            await self._serve_until(self._stop)

    async def _serve_until(self, stop: asyncio.Event) -> None:
        settings = self._settings
        authenticator = Authenticator(
            settings.api_keys,
            self._stored_keys,
            self._tokens,
            ChatTokens.from_settings(settings),
        )
        shared: dict[str, Any] = {
            "state": self._state,
            "workers": self._workers,
            "gate": Gate(
                authenticator, Quotas.from_settings(settings), self._audit, self._telemetry
            ),
        }
        about = About(
            settings,
            self._state,
            self._workers,
            connections=lambda: self.open_connections,
            stored_keys=self._stored_keys,
            is_open=authenticator.is_open,
        )
        budget = ByteBudget(settings.max_buffered_bytes)
        unsent = UnsentBytes(settings.max_unsent_bytes)
        grpc_app = GrpcApp(self._registry, settings, **shared)
        http2_limits = Http2Limits(
            budget=budget,
            unsent=unsent,
            stream_bytes=2 * settings.max_body_bytes + _FRAMING,
            header_bytes=settings.max_header_bytes,
            greeting_s=settings.header_timeout_s,
            idle_s=settings.idle_timeout_s,
            write_s=settings.request_timeout_s,
        )
        http_state = HttpState()
        config = uvicorn_config(
            HttpApp(
                self._registry,
                settings,
                **shared,
                budget=budget,
                unsent=unsent,
                about=about,
                calibrator=self._calibrator,
            ),
            idle_timeout_s=settings.idle_timeout_s,
        )
        talk_app = TalkApp(self._registry, settings, **shared)
        talk_limits = WebSocketLimits(
            budget=budget,
            unsent=unsent,
            message_bytes=settings.max_body_bytes,
            write_s=settings.request_timeout_s,
        )

        def new_talk(http: HttpConnection) -> WebSocketConnection:
            return WebSocketConnection(
                talk_app, talk_limits, on_heard=http.heard, on_lost=http.talk_lost
            )

        listener = self._listener = Listener(
            Routes(
                new_http=lambda on_lost: HttpConnection(
                    config,
                    http_state,
                    header_timeout_s=settings.header_timeout_s,
                    max_header_bytes=settings.max_header_bytes,
                    on_lost=on_lost,
                    new_talk=new_talk if library() else None,
                ),
                new_http2=lambda on_lost: Http2Connection(grpc_app, http2_limits, on_lost),
            ),
            OpenConnections(settings.max_connections, settings.max_connections_per_address),
            first_bytes_timeout_s=settings.header_timeout_s,
        )
        try:
            self._port = await listener.start(settings.host, settings.port, tls=self._tls)
            self._started.set()
            await stop.wait()
            self._state.draining = True
            await listener.close()
            await self._drain(http_state, listener)
        finally:
            await listener.end()

    async def _drain(self, http_state: HttpState, listener: Listener) -> None:
        """Let requests finish within the time for it, then tell the rest to come again."""
        for connection in list(http_state.connections):
            connection.shutdown()
        http2 = [one for one in listener.open if isinstance(one, Http2Connection)]
        for one in http2:
            one.shutdown()

        def tasks() -> list[asyncio.Task[None]]:
            return [*http_state.tasks, *(task for one in http2 for task in one.tasks)]

        await _wait_for(tasks(), self._shutdown_timeout_s)
        left = tasks()
        self._state.ending = True
        for task in left:
            task.cancel()
        self._were_ended = bool(left)
        if left:
            logger.warning("%d requests did not finish in time and were ended", len(left))
            await _wait_for(left, _LAST_WORDS_S)
            await asyncio.sleep(_FLUSH_S)


async def _wait_for(tasks: Iterable[asyncio.Task[None]], timeout_s: float) -> None:
    pending = list(tasks)
    if pending:
        await asyncio.wait(pending, timeout=timeout_s)


def create_server(
    registry: Registry,
    settings: Settings,
    is_ready: Callable[[], bool],
    records: Callable[[], RecordStore] | None = None,
    calibrator: Calibrator | None = None,
) -> Server:
    """Return a server that is not started yet.

    Args:
        registry: The handlers.
        settings: Address, limits, keys.
        is_ready: Whether the models are loaded.
        records: Returns the store of the keys that callers present; None: there are none but
            those of the settings.
        calibrator: Fits calibrations for admins; None: nobody is offered that.

    Raises:
        FailedPrecondition: Others could use the server without a key and nobody said so, or an
            extra is missing.
        InvalidArgument: The certificate cannot be used.
    """
    return Server(registry, settings, is_ready, records, calibrator)
