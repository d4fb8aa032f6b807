"""`toulmin serve` as a process of its own, and a client that keeps its connection."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.measurement import machine_ticks

HOST = "127.0.0.1"
CHECK_PATH = "/v1/projects/p/locations/global/groundingConfigs/default_grounding_config:check"
_POLL_S = 0.005
_READY_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 40.0
_LOG_TIMEOUT_S = 5.0


class LiveServer:
    """A server on a free port of 127.0.0.1, stopped with SIGTERM at the end of a `with`.

    Attributes:
        port: Where it listens.
        ready_s: Seconds from starting the process to the first 200 of /readyz.
    """

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._folder = tempfile.TemporaryDirectory(prefix="toulmin-benchmark-")
        self._log_path = Path(self._folder.name) / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.ready_s = 0.0

    def __enter__(self) -> Self:
        self.port = _free_port()
        settings = ("--port", str(self.port), "--data-dir", self._folder.name, *self._flags)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TOULMIN_")}
        with self._log_path.open("wb") as log:
            started = time.perf_counter()
            self._process = subprocess.Popen(
                [str(Path(sys.executable).parent / "toulmin"), "serve", *settings],
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=environment,
            )
        try:
            self._wait_until_ready(started)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._running()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._folder.cleanup()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._running().pid

    def rss_mib(self) -> float:
        """Resident memory now, in MiB."""
        return self._memory("VmRSS")

    def peak_rss_mib(self) -> float:
        """Greatest resident memory so far, in MiB."""
        return self._memory("VmHWM")

    def processor_s(self) -> float:
        """Processor seconds used so far, user and system, all threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def others_busy(self) -> Callable[[], float]:
        """Begin to watch the machine; call the result for the share of it that others took.

        Others are all processes but the server and this one; the share is in [0, 1] of all cores.
        """

        def taken() -> tuple[float, float]:
            busy, total = machine_ticks()
            ours = (self.processor_s() + time.process_time()) * os.sysconf("SC_CLK_TCK")
            return busy - ours, total

        others_before, total_before = taken()

        def share() -> float:
            others, total = taken()
            return round(max(0.0, others - others_before) / max(1.0, total - total_before), 3)

        return share

    def check_log(self) -> list[dict[str, Any]]:
        """Return the request log's lines about checks, oldest first."""
        lines = []
        for line in self._log_path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                columns = json.loads(line)
            except ValueError:
                continue
            if columns.get("message") == "request" and "CheckGrounding" in columns.get("rpc", ""):
                lines.append(columns)
        return lines

    def wait_for_checks(self, count: int) -> list[dict[str, Any]]:
        """Return the log lines about checks once there are `count` (they follow the answers)."""
        for _ in range(int(_LOG_TIMEOUT_S / _POLL_S)):
            if len(lines := self.check_log()) >= count:
                return lines
            time.sleep(_POLL_S)
        raise RuntimeError(f"the request log has fewer than {count} checks")

    def _wait_until_ready(self, started: float) -> None:
        while time.perf_counter() - started < _READY_TIMEOUT_S:
            if self._running().poll() is not None:
                raise RuntimeError(f"the server stopped:\n{self._log_tail()}")
            if _is_ready(self.port):
                self.ready_s = time.perf_counter() - started
                return
            time.sleep(_POLL_S)
        raise RuntimeError(f"the server was not ready in time:\n{self._log_tail()}")

    def _log_tail(self) -> str:
        return self._log_path.read_text(encoding="utf-8", errors="replace")[-2000:]

    def _memory(self, row: str) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        value = next(line for line in status.splitlines() if line.startswith(row))
        return round(int(value.split()[1]) / 1024, 1)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process


class CheckClient:
    """One keep-alive connection."""

    def __init__(self, port: int, *, timeout_s: float = 120.0) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=timeout_s)
        self._connection.connect()
        # Without it a body in two segments waits for a delayed acknowledgement.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def check(self, body: bytes) -> tuple[int, bytes, float]:
        """Return HTTP status, response body and seconds from sending to having read all."""
        started = time.perf_counter()
        self._connection.request(
            "POST", CHECK_PATH, body=body, headers={"Content-Type": "application/json"}
        )
        response = self._connection.getresponse()
        payload = response.read()
        return response.status, payload, time.perf_counter() - started

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
