"""How long one check takes over REST, warm, one caller, and in which step.

python -m benchmarks.speed.latency --data DIR [--sizes small typical] [--no-curve]
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.live_server import CheckClient, LiveServer
from benchmarks.measurement import circumstances, summary, write_result
from benchmarks.speed.inputs import (
    SEED,
    SIZES,
    CheckInput,
    Size,
    load_passages,
    make_input,
    make_inputs,
)

REPETITIONS = {"small": 200, "typical": 100, "large": 40, "limit": 8}
WARM_UP = {"small": 20, "typical": 10, "large": 4, "limit": 2}
# The limits of the issue, p50 and p95 in milliseconds; None where none is set.
TARGETS: dict[str, tuple[int | None, int | None]] = {
    "small": (None, None),
    "typical": (100, 200),
    "large": (400, 600),
    "limit": (4_000, None),
}
STEPS = ("claims_ms", "select_ms", "score_ms")  # one after the other
INSIDE_SCORE = ("infer_ms", "ask_ms", "turn_ms")
CURVE_REPETITIONS = 3
CURVE = (
    *(Size(f"{n} claims", n, 200, 10_000) for n in (1, 5, 20, 50, 100, 150)),
    *(Size(f"{n} facts", 20, n, 10_000) for n in (1, 10, 50, 100)),
)


def measure(server: LiveServer, client: CheckClient, bodies: Sequence[bytes], count: int) -> Any:
    """Return (seconds of each call, log line of each call) of `count` calls round `bodies`."""
    seen = len(server.check_log())
    seconds = []
    for body in itertools.islice(itertools.cycle(bodies), count):
        status, payload, elapsed = client.check(body)
        if status != 200:
            raise RuntimeError(f"HTTP {status}: {payload[:500]!r}")
        seconds.append(elapsed)
    return seconds, server.wait_for_checks(seen + count)[seen:]


def breakdown(lines: Sequence[dict[str, Any]], seconds: Sequence[float]) -> dict[str, Any]:
    """Return the statistics of each step that the request log has, in milliseconds.

    `other_ms` is the server's time outside the steps (parsing, conversion, response);
    `outside_server_ms` is the rest of what the caller waits (socket, client).
    """
    names = [name for name in (*STEPS, *INSIDE_SCORE) if any(name in line for line in lines)]
    steps = {name: summary([line.get(name, 0.0) for line in lines]) for name in names}
    durations = [line["duration_ms"] for line in lines]
    inside = [sum(line.get(name, 0.0) for name in STEPS) for line in lines]
    steps["server_ms"] = summary(durations)
    steps["other_ms"] = summary([d - i for d, i in zip(durations, inside, strict=True)])
    steps["outside_server_ms"] = summary(
        [s * 1000 - d for s, d in zip(seconds, durations, strict=True)]
    )
    return steps


def size_result(
    server: LiveServer, client: CheckClient, inputs: Sequence[CheckInput], counts: tuple[int, int]
) -> dict[str, Any]:
    """Return the figures of one size.

    Args:
        server: The running server.
        client: A connection to it.
        inputs: The requests to go round.
        counts: Calls to warm up with, calls to measure.
    """
    bodies = [item.body() for item in inputs]
    warm_up, count = counts
    measure(server, client, bodies, warm_up)
    others_busy = server.others_busy()
    seconds, lines = measure(server, client, bodies, count)
    return {
        "input": inputs[0].description(),
        "variants": len(inputs),
        "latency_ms": summary([value * 1000 for value in seconds]),
        "steps": breakdown(lines, seconds),
        "rss_mib_after": server.rss_mib(),
        "others_busy_share": others_busy(),
    }


def curve(server: LiveServer, client: CheckClient, passages: Sequence[str]) -> list[dict[str, Any]]:
    """Return the latency of some sizes below the limit, few calls each."""
    points = []
    for size in CURVE:
        item = make_input(size, passages, random.Random(f"{SEED} curve {size.name}"))
        found = size_result(server, client, [item], (1, CURVE_REPETITIONS))
        medians = {name: step["p50"] for name, step in found["steps"].items()}
        points.append({**found["input"], "p50_ms": found["latency_ms"]["p50"], "steps": medians})
    return points


def main() -> None:
    """Measure; write results/latency.json."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds qa/train")
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--no-curve", action="store_true")
    for name, count in REPETITIONS.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N", help="calls")
    parser.add_argument("--serve", action="append", default=[], help="option of `toulmin serve`")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    passages = load_passages(options.data)
    result = circumstances()
    result["sizes"] = {}
    with LiveServer(*options.serve) as server:
        client = CheckClient(server.port)
        for name in options.sizes:
            inputs = make_inputs(SIZES[name], passages)
            counts = (WARM_UP[name], getattr(options, name))
            found = size_result(server, client, inputs, counts)
            p50, p95 = TARGETS[name]
            result["sizes"][name] = {**found, "target_ms": {"p50": p50, "p95": p95}}
            print(name, found["latency_ms"], {k: v["p50"] for k, v in found["steps"].items()})
        if not options.no_curve:
            result["curve"] = curve(server, client, passages)
        client.close()
        result["peak_rss_mib"] = server.peak_rss_mib()
    print(write_result("latency", result, out=options.out))


if __name__ == "__main__":
    main()
