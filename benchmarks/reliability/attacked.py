"""What all attacks measure: what another client gets, and what they cost the server."""

from __future__ import annotations

import contextlib
import http.client
import resource
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import HOST, ServerProcess

CHECK = "projects/p/locations/global/groundingConfigs/default_grounding_config:check"
_FACT = {"factText": "The Orion pump ships with a 24-month warranty."}
SMALL = {"answerCandidate": "The Orion pump has a warranty.", "facts": [_FACT]}
_LATENCY_ROOM_S = 0.1
_MEMORY_ROOM_MB = 200
_CPU_ROOM_S = 1.0


@contextmanager
def attacked(place: Path, outcome: Outcome, *flags: str) -> Iterator[ServerProcess]:
    """Yield a server that is up and has answered others; note what they got, and its memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    outcome.trials += 1
    with ServerProcess(place / "data", *flags) as server:
        server.wait_until_up()
        for _ in range(200):
            if server.call("GET", "/readyz", raw=True)[0] == http.HTTPStatus.OK:
                break
            time.sleep(0.1)
        server.call("POST", CHECK, SMALL)
        outcome.figures["others_before_ms"] = others(server)
        outcome.figures["memory_before_mb"] = memory(server)
        yield server


def measure(server: ServerProcess, outcome: Outcome) -> None:
    """Note what others get now, and the memory; compare with before."""
    figures = outcome.figures
    figures["memory_during_mb"] = memory(server)
    try:
        figures["others_during_ms"] = others(server)
    except OSError as error:
        figures["others_during_ms"] = None
        outcome.check(False, f"others are not served: {type(error).__name__}")  # noqa: FBT003
    else:
        slower = figures["others_during_ms"] - figures["others_before_ms"]
        outcome.check(slower < _LATENCY_ROOM_S * 1000, f"others wait {slower:.0f} ms longer")
    figures["memory_during_mb"] = max(figures["memory_during_mb"], memory(server))
    more = figures["memory_during_mb"] - figures["memory_before_mb"]
    outcome.check(more < _MEMORY_ROOM_MB, f"{more} MB more memory")


def others(server: ServerProcess) -> float:
    """Return the median milliseconds of another client's small check, of 15."""
    times = []
    for _ in range(15):
        began = time.monotonic()
        status, answer = server.call("POST", CHECK, SMALL, timeout_s=15)
        if status != http.HTTPStatus.OK:
            raise OSError(f"{status} {answer}")
        times.append((time.monotonic() - began) * 1000)
    return round(statistics.median(times), 1)


def hang_up(server: ServerProcess, path: str, body: Any, outcome: Outcome) -> None:
    """Send a request, go after a second, and note the processor time from a second later on."""
    with contextlib.suppress(OSError):
        server.call("POST", path, body, timeout_s=1.0)
    time.sleep(1.0)
    before = cpu(server)
    time.sleep(5.0)
    used = cpu(server) - before
    outcome.figures["cpu_in_5s_after_s"] = round(used, 2)
    outcome.check(used < _CPU_ROOM_S, f"{used:.1f} s of processor time for nobody")


def cost(outcome: Outcome, used: float, allowed: float) -> None:
    """Note processor time, and whether it is more than allowed."""
    outcome.figures["cpu_s"] = round(used, 2)
    outcome.check(used < allowed, f"{used:.1f} s of processor time")


def post(server: ServerProcess, body: bytes, *, packed: bool = False) -> int:
    """Send a check; return the HTTP status."""
    connection = http.client.HTTPConnection(HOST, server.port, timeout=120)
    headers = {"Content-Type": "application/json"}
    if packed:
        headers["Content-Encoding"] = "gzip"
    try:
        connection.request("POST", f"/v1/{CHECK}", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def memory(server: ServerProcess) -> int:
    """Return the resident megabytes of the server."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0


def cpu(server: ServerProcess) -> float:
    """Return the processor seconds of the server and of its children, ended or alive."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text("utf-8").rpartition(")")[2].split()
            if server.process.pid in (int(stat.parent.name), int(fields[1])):
                mine = int(stat.parent.name) == server.process.pid
                total += sum(map(int, fields[11 : 15 if mine else 13])) / 100
    return total
