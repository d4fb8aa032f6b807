"""Sixty-four clients that do everything for ten minutes: is the memory flat, do answers stay quick?

`python -m benchmarks.reliability.attacks --only crowd-10-minutes`
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np

from benchmarks.measurement import busy_share
from benchmarks.reliability.attacked import attacked, memory, others
from benchmarks.reliability.documents import BRANCH, data, document_id
from benchmarks.reliability.mixed_clients import (
    STORED,
    TIMEOUT_S,
    Calls,
    Client,
    Grpc,
    Rest,
    latency,
)
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import ServerProcess

_EVERY_S = 10.0
_STEEPEST = 3.0
"""Megabytes more in a minute that still count as flat: what is read of /proc goes up and down."""
_MIX: tuple[tuple[Callable[[Client], None], int], ...] = (
    (Client.check, 6),
    (Client.search, 4),
    (Client.ask, 2),
    (Client.write, 3),
    (Client.take_in, 1),
)
"""Of sixteen clients, half over REST and half over gRPC, how many do what."""


def long_crowd(place: Path, *, clients: int, seconds: float) -> Outcome:
    """Clients of all kinds, one call after the other: none fails, memory stays flat."""
    outcome = Outcome(
        f"{clients} clients for {seconds:.0f} s that check, search, ask, write, import and delete,"
        " over REST and gRPC"
    )
    outcome.figures["busy_share_before"] = busy_share()
    # Longer than by default: all ask at once and without a pause, whatever the machine can do.
    with attacked(place, outcome, "--request-timeout-s", str(TIMEOUT_S)) as server:
        _fill(server)
        calls = Calls()
        end = calls.began + seconds
        threads = _started(server, clients, calls, end)
        series = [memory(server)]
        while time.monotonic() < end:
            time.sleep(min(_EVERY_S, max(0.1, end - time.monotonic())))
            series.append(memory(server))
        for thread in threads:
            thread.join()
        _noted(outcome, calls, series)
        outcome.figures["others_after_ms"] = others(server)
        outcome.figures["memory_after_mb"] = memory(server)
        outcome.wrong([f"in the log: {line}" for line in server.defects()])
    return outcome


def slope(series: list[int]) -> float:
    """Return how many megabytes more each minute the last half of a series has, as a line."""
    half = series[len(series) // 2 :]
    minutes = np.arange(len(half)) * (_EVERY_S / 60)
    return round(float(np.polyfit(minutes, half, 1)[0]), 2)


def _fill(server: ServerProcess) -> None:
    """Import the documents that are searched, and wait for them."""
    server.create_store()
    for begin in range(0, STORED, 100):
        items = [{"id": document_id(n), "structData": data(n)} for n in range(begin, begin + 100)]
        body = {"inlineSource": {"documents": items}}
        status, operation = server.call("POST", f"{BRANCH}/documents:import", body)
        if status != 200:
            raise RuntimeError(f"{status} {operation}")
        server.wait_for_operation(operation["name"])


def _started(
    server: ServerProcess, clients: int, calls: Calls, end: float
) -> list[threading.Thread]:
    """Let the clients begin, those of each kind half over REST and half over gRPC."""
    kinds = cycle([what for what, number in _MIX for _ in range(number) for _ in range(2)])
    threads = []
    for number, what in zip(range(clients), kinds, strict=False):
        transport = Grpc(server) if number % 2 else Rest(server)
        client = Client(number, transport, calls, end)
        threads.append(threading.Thread(target=client.run, args=(what,)))
    for thread in threads:
        thread.start()
    return threads


def _noted(outcome: Outcome, calls: Calls, series: list[int]) -> None:
    steep, errors = slope(series), calls.errors()
    outcome.figures |= {
        "answers": {
            f"{kind} over {transport}": count
            for (kind, transport, code), count in sorted(calls.said.items())
            if code == "OK"
        },
        "errors": errors,
        "messages": calls.messages,
        "latency_by_minute": [latency(times) for _, times in sorted(calls.minutes.items())],
        "latency_by_kind": {kind: latency(times) for kind, times in sorted(calls.kinds.items())},
        "memory_every_10_s_mb": series,
        "memory_most_mb": max(series),
        "memory_slope_of_the_last_half_mb_a_minute": steep,
    }
    outcome.check(not errors, f"answered {errors}")
    outcome.check(steep < _STEEPEST, f"{steep} MB more each minute")
