"""Starts the server on an event loop in its own thread, and stops it without losing requests."""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from uvicorn.server import ServerState as HttpState

from toulmin.apis.aip.registry import Registry
from toulmin.errors import FailedPrecondition
from toulmin.server.auth import require_safe_address
from toulmin.server.grpc import GrpcApp, start_grpc
from toulmin.server.http import HttpApp
from toulmin.server.http_protocol import HttpConnection, uvicorn_config
from toulmin.server.listener import Listener, Routes
from toulmin.server.state import ServerState
from toulmin.server.tls import tls_context
from toulmin.server.workers import Workers
from toulmin.settings import Settings

# For telling callers that their requests were ended.
_LAST_WORDS_S: Final = 1.0
# Longest path of a unix socket on every system, with room for the file name.
_MAX_FOLDER: Final = 90

logger = logging.getLogger(__name__)


class Server:
    """A server that can be started once and stopped once.

    Args:
        registry: The handlers.
        settings: Address, limits, keys.
        is_ready: Asked by the health checks; quick and never raising.
    """

    def __init__(
        self, registry: Registry, settings: Settings, is_ready: Callable[[], bool]
    ) -> None:
        require_safe_address(settings)
        self._registry = registry
        self._settings = settings
        self._tls = tls_context(settings)
        self._state = ServerState(is_ready)
        self._workers = Workers(threads=settings.worker_threads, max_queue=settings.max_queue)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._stop: asyncio.Event | None = None
        self._shutdown_timeout_s = settings.shutdown_timeout_s
        self._port = settings.port
        self._listener: Listener | None = None

    @property
    def port(self) -> int:
        """Return the port; the one taken when the settings say 0."""
        return self._port

    @property
    def url(self) -> str:
        """Return the address for people and clients: "http://127.0.0.1:8080"."""
        host = self._settings.host
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._tls else 'http'}://{shown}:{self._port}"

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
        return self._workers.in_flight == 0

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # noqa: BLE001 - whoever called start must see it
            self._failure = error
        finally:
            self._workers.stop()
            self._started.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        folder = _private_folder()
        try:
            await self._serve_until(self._stop, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _serve_until(self, stop: asyncio.Event, folder: Path) -> None:
        settings = self._settings
        shared: dict[str, Any] = {"state": self._state, "workers": self._workers}
        path = folder / "grpc.sock"
        grpc_server = await start_grpc(
            GrpcApp(self._registry, settings, **shared), settings, f"unix:{path}"
        )
        http_state = HttpState()
        config = uvicorn_config(
            HttpApp(self._registry, settings, **shared), idle_timeout_s=settings.idle_timeout_s
        )
        loop = asyncio.get_running_loop()
        listener = self._listener = Listener(
            Routes(
                new_http=lambda on_lost: HttpConnection(
                    config,
                    http_state,
                    header_timeout_s=settings.header_timeout_s,
                    max_header_bytes=settings.max_header_bytes,
                    on_lost=on_lost,
                ),
                connect_grpc=lambda new: loop.create_unix_connection(new, str(path)),
            ),
            max_connections=settings.max_connections,
            first_bytes_timeout_s=settings.header_timeout_s,
        )
        try:
            self._port = await listener.start(settings.host, settings.port, tls=self._tls)
            self._started.set()
            await stop.wait()
            self._state.draining = True
            await listener.close()
            await self._drain(http_state, grpc_server)
        finally:
            await grpc_server.stop(None)
            await listener.end()

    async def _drain(self, http_state: HttpState, grpc_server: Any) -> None:
        """Let requests finish within the time for it, then end those that are left."""
        for connection in list(http_state.connections):
            connection.shutdown()
        grpc_stopped = asyncio.ensure_future(grpc_server.stop(self._shutdown_timeout_s))
        await _wait_for(http_state.tasks, self._shutdown_timeout_s)
        left = list(http_state.tasks)
        for task in left:
            task.cancel()
        if left:
            logger.warning("%d requests did not finish in time and were ended", len(left))
            await _wait_for(left, _LAST_WORDS_S)
        await grpc_stopped


async def _wait_for(tasks: Iterable[asyncio.Task[None]], timeout_s: float) -> None:
    pending = list(tasks)
    if pending:
        await asyncio.wait(pending, timeout=timeout_s)


def create_server(registry: Registry, settings: Settings, is_ready: Callable[[], bool]) -> Server:
    """Return a server that is not started yet.

    Args:
        registry: The handlers.
        settings: Address, limits, keys.
        is_ready: Whether the models are loaded.

    Raises:
        FailedPrecondition: Others could use the server without a key and nobody said so, or an
            extra is missing.
        InvalidArgument: The certificate cannot be used.
    """
    return Server(registry, settings, is_ready)


def _private_folder() -> Path:
    """Return a new folder that only this user can enter, short enough for a socket's path."""
    folder = Path(tempfile.mkdtemp(prefix="toulmin-"))
    if len(str(folder)) > _MAX_FOLDER and hasattr(socket, "AF_UNIX"):
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="toulmin-", dir="/tmp"))
    return folder
