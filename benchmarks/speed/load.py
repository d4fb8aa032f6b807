"""Throughput, latency and memory when several callers ask at once (typical size, 127.0.0.1).

python -m benchmarks.speed.load --data DIR [--clients 1 4 16 64] [--seconds 20]
"""

from __future__ import annotations

import argparse
import collections
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.live_server import CheckClient, LiveServer
from benchmarks.measurement import circumstances, summary, write_result
from benchmarks.speed.inputs import SIZES, load_passages, make_inputs

_SAMPLE_S = 0.1


@dataclass
class Tally:
    """What the callers of one level saw.

    Attributes:
        seconds: Duration of each answered call.
        statuses: Number of answers by HTTP status; "error" for a broken connection.
    """

    seconds: list[float] = field(default_factory=list)
    statuses: collections.Counter[str] = field(default_factory=collections.Counter)


class Calls:
    """Hands out the calls of one level: at most `limit` of them, none after `seconds`."""

    def __init__(self, bodies: Sequence[bytes], *, limit: int, seconds: float) -> None:
        self._bodies = bodies
        self._left = limit
        self._end = time.perf_counter() + seconds
        self._lock = threading.Lock()

    def take(self) -> bytes | None:
        """Return the next body, or None when the level is over."""
        with self._lock:
            if self._left == 0 or time.perf_counter() > self._end:
                return None
            self._left -= 1
            return self._bodies[self._left % len(self._bodies)]


def call_until_over(port: int, calls: Calls, tally: Tally, lock: threading.Lock) -> None:
    """One caller: asks again as soon as it has an answer."""
    client = CheckClient(port)
    while (body := calls.take()) is not None:
        try:
            status, _, seconds = client.check(body)
        except OSError:
            with lock:
                tally.statuses["error"] += 1
            client.close()
            client = CheckClient(port)
            continue
        with lock:
            tally.statuses[str(status)] += 1
            if status == 200:
                tally.seconds.append(seconds)
    client.close()


def level(
    server: LiveServer, bodies: Sequence[bytes], clients: int, limits: tuple[int, float]
) -> dict[str, Any]:
    """Return the figures with `clients` callers.

    Args:
        server: The running server.
        bodies: The requests to go round.
        clients: Callers at the same time.
        limits: Most calls, most seconds.
    """
    tally, lock = Tally(), threading.Lock()
    calls = Calls(bodies, limit=limits[0], seconds=limits[1])
    threads = [
        threading.Thread(target=call_until_over, args=(server.port, calls, tally, lock))
        for _ in range(clients)
    ]
    others_busy = server.others_busy()
    started, processor_before = time.perf_counter(), server.processor_s()
    for thread in threads:
        thread.start()
    memory = [server.rss_mib()]
    while any(thread.is_alive() for thread in threads):
        time.sleep(_SAMPLE_S)
        memory.append(server.rss_mib())
    elapsed = time.perf_counter() - started
    if not tally.seconds:
        raise RuntimeError(f"no call of {clients} callers succeeded: {dict(tally.statuses)}")
    return {
        "clients": clients,
        "others_busy_share": others_busy(),
        "seconds": round(elapsed, 2),
        "statuses": dict(tally.statuses),
        "requests_per_s": round(len(tally.seconds) / elapsed, 2),
        "latency_ms": summary([value * 1000 for value in tally.seconds]),
        "rss_mib": {"max": max(memory), "end": memory[-1]},
        "server_cores_used": round((server.processor_s() - processor_before) / elapsed, 2),
    }


def main() -> None:
    """Measure; write results/load.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds qa/train")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--seconds", type=float, default=20.0, help="per number of clients")
    parser.add_argument("--calls", type=int, default=2_000, help="most calls per number of clients")
    parser.add_argument("--serve", action="append", default=[], help="option of `toulmin serve`")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    size = SIZES["typical"]
    inputs = make_inputs(size, load_passages(options.data))
    bodies = [item.body() for item in inputs]
    result = circumstances()
    result["input"] = inputs[0].description()
    with LiveServer(*options.serve) as server:
        time.sleep(1.0)
        result["idle_rss_mib"] = server.rss_mib()
        level(server, bodies, 1, (len(bodies), options.seconds))
        result["levels"] = []
        for clients in options.clients:
            found = level(server, bodies, clients, (options.calls, options.seconds))
            result["levels"].append(found)
            print(found)
        time.sleep(1.0)
        result["rss_mib_a_second_after"] = server.rss_mib()
    print(write_result("load", result, out=options.out))


if __name__ == "__main__":
    main()
