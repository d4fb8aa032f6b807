"""What recording metrics costs: throughput with it and without it, in turns, in one process.

    python -m benchmarks.speed.metrics_cost --data DIR [--pairs N] [--serve=--NAME=VALUE]

A pair is a block of requests with recording and one without, one after the other, in an order drawn
for each pair; so whatever else the machine does falls on both. Of the pairs' ratios the median is
given, with a 95 % interval by bootstrap: of throughput by the clock, and of processor time a request,
which other programs disturb less.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from benchmarks.live_server import CheckClient
from benchmarks.measurement import busy_share, circumstances, summary, write_result
from benchmarks.speed.inputs import SIZES, load_passages, make_inputs

AIM_SHARE: Final = 0.02
_DRAWS: Final = 4_000
_SEED: Final = 0
_SCRAPES: Final = 50
# No model reads it: the cheapest check there is, so what recording can cost at most.
_NO_CLAIM: Final = {
    "answerCandidate": "Thank you!",
    "facts": [{"factText": "The bridge opened in 1998."}],
}


@dataclass(frozen=True, slots=True)
class Block:
    """Requests in one state of the switch, added up.

    Attributes:
        seconds: By the clock.
        processor_s: Of the server, all threads.
    """

    seconds: float
    processor_s: float


class SwitchedServer:
    """The server in a process of its own, and its switch."""

    def __init__(self, flags: Sequence[str]) -> None:
        command = [sys.executable, "-m", "benchmarks.speed.switched_server", *flags]
        self._log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed by exit
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self.port = int(self._line())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._log.close()

    def tell(self, word: str) -> float:
        """Switch, and return the processor seconds used so far."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            ended = self._process.wait()
            self._log.seek(0)
            raise RuntimeError(f"the server ended with {ended}:\n{self._log.read()[-2000:]}")
        return line


def block(server: SwitchedServer, state: str, bodies: Sequence[bytes], clients: int) -> Block:
    """Send every body once, by so many callers at a time; return what it took."""
    shares = [bodies[first::clients] for first in range(clients)]
    callers = [CheckClient(server.port) for _ in shares]
    failures: list[int] = []

    def call(caller: CheckClient, share: Sequence[bytes]) -> None:
        failures.extend(status for status, _, _ in map(caller.check, share) if status != 200)

    threads = [
        threading.Thread(target=call, args=pair) for pair in zip(callers, shares, strict=True)
    ]
    processor_before, started = server.tell(state), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    processor_s = server.tell(state) - processor_before
    for caller in callers:
        caller.close()
    if failures:
        raise RuntimeError(f"{len(failures)} requests failed, first with HTTP {failures[0]}")
    return Block(seconds, processor_s)


def compare(
    server: SwitchedServer, bodies: Sequence[bytes], *, pairs: int, size: int, clients: int
) -> dict[str, Any]:
    """Return how recording and not recording compare over so many pairs of blocks."""
    draw = random.Random(_SEED)
    block(server, "on", bodies, clients)  # warm
    blocks: dict[str, list[Block]] = {"on": [], "off": []}
    for pair in range(pairs):
        sent = [bodies[(pair * size + at) % len(bodies)] for at in range(size)]
        for state in draw.sample(["on", "off"], 2):
            blocks[state].append(block(server, state, sent, clients))
    on, off = blocks["on"], blocks["off"]
    return {
        "pairs": pairs,
        "requests_a_block": size,
        "clients": clients,
        "requests_per_s": {
            state: round(size * pairs / sum(one.seconds for one in found), 2)
            for state, found in blocks.items()
        },
        "processor_ms_a_request": {
            state: round(1000 * sum(one.processor_s for one in found) / size / pairs, 4)
            for state, found in blocks.items()
        },
        # Above 1: faster with recording.
        "throughput_ratio": ratio([b.seconds / a.seconds for a, b in zip(on, off, strict=True)]),
        # Above 1: more work with recording.
        "processor_ratio": ratio(
            [a.processor_s / b.processor_s for a, b in zip(on, off, strict=True)]
        ),
    }


def ratio(values: Sequence[float]) -> dict[str, float]:
    """Return the median of the ratios and its 95 % interval by bootstrap over pairs."""
    array = np.asarray(values)
    picks = np.random.default_rng(_SEED).integers(0, len(array), (_DRAWS, len(array)))
    low, high = np.percentile(np.median(array[picks], axis=1), [2.5, 97.5])
    median = float(np.median(array))
    return {"median": round(median, 4), "low": round(float(low), 4), "high": round(float(high), 4)}


def main() -> None:
    """Measure; write results/metrics_cost.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds qa/train")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of blocks of each request")
    parser.add_argument("--clients", type=int, default=2, help="callers at the same time")
    parser.add_argument("--serve", action="append", default=[], help="option of `toulmin serve`")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    inputs = make_inputs(SIZES["small"], load_passages(options.data))
    cases = {
        "no claim": ([json.dumps(_NO_CLAIM).encode()], 40),
        "small": ([one.body() for one in inputs], 2),
    }
    result = circumstances() | {"aim_share": AIM_SHARE, "serve": options.serve, "cases": {}}
    with SwitchedServer(options.serve) as server:
        for name, (bodies, size) in cases.items():
            found = compare(server, bodies, pairs=options.pairs, size=size, clients=options.clients)
            result["cases"][name] = found
            print(name, json.dumps(found))
        result["scrape_ms"] = summary(scrapes(server))
    result["busy_share_after"] = busy_share()
    print(write_result("metrics_cost", result, out=options.out))


def scrapes(server: SwitchedServer) -> list[float]:
    """Return the processor milliseconds of writing /metrics once, several times."""
    times, before = [], server.tell("on")
    for _ in range(_SCRAPES):
        after = server.tell("page")
        times.append(1000 * (after - before))
        before = after
    return times


if __name__ == "__main__":
    main()
