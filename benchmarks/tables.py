"""Writes the tables of docs/benchmarks.md from results/*.json; the prose around them stays.

    python -m benchmarks.tables [--check]

A table stands between `<!-- table NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.measurement import REPOSITORY, RESULTS

PAGE = REPOSITORY / "docs" / "benchmarks.md"
_SLOT = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SHOWN_STEPS = ("claims_ms", "select_ms", "score_ms", "infer_ms", "other_ms", "outside_server_ms")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["--"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def number(value: float | None) -> str:
    """Return three significant digits, thousands with commas; a dash for None."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def read(name: str) -> dict[str, Any]:
    """Return a result file."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


def latency() -> str:
    """Latency by size, beside the limits set for it."""
    rows = []
    for name, found in read("latency")["sizes"].items():
        target, took, made = found["target_ms"], found["latency_ms"], found["input"]
        rows.append(
            (
                name,
                f"{made['claims']} x {made['facts']} x {made['fact_characters']:,}",
                number(took["p50"]),
                number(target["p50"]),
                number(took["p95"]),
                number(target["p95"]),
                took["count"],
                found["others_busy_share"],
            )
        )
    header = (
        "size",
        "claims x facts x characters",
        "p50 ms",
        "aim",
        "p95 ms",
        "aim",
        "calls",
        "others",
    )
    return table(header, rows)


def steps() -> str:
    """Median milliseconds of each step, by size."""
    rows = [
        (name, *(number(found["steps"].get(step, {}).get("p50")) for step in _SHOWN_STEPS))
        for name, found in read("latency")["sizes"].items()
    ]
    return table(("size", *_SHOWN_STEPS), rows)


def curve() -> str:
    """Latency on the way to the limit."""
    rows = [
        (
            point["claims"],
            point["answer_tokens"],
            point["facts"],
            number(point["p50_ms"]),
            *(number(point["steps"].get(step)) for step in _SHOWN_STEPS),
        )
        for point in read("latency").get("curve", [])
    ]
    return table(("claims", "tokens", "facts of 10,000", "p50 ms", *_SHOWN_STEPS), rows)


def load() -> str:
    """Throughput, latency and memory by number of callers."""
    rows = [
        (
            found["clients"],
            number(found["requests_per_s"]),
            number(found["latency_ms"]["p50"]),
            number(found["latency_ms"]["p95"]),
            number(found["rss_mib"]["max"]),
            number(found["server_cores_used"]),
            found["others_busy_share"],
            ", ".join(f"{count} x {status}" for status, count in found["statuses"].items()),
        )
        for found in read("load")["levels"]
    ]
    header = (
        "callers",
        "requests/s",
        "p50 ms",
        "p95 ms",
        "resident MiB",
        "cores used",
        "others",
        "answers",
    )
    return table(header, rows)


def startup() -> str:
    """Time to ready and idle memory."""
    found = read("startup")
    rows = [
        ("exec to /readyz 200, s", number(found["ready_s"]["median"]), found["ready_s"]["runs"]),
        (
            "idle memory, MiB",
            number(found["idle_rss_mib"]["median"]),
            found["idle_rss_mib"]["runs"],
        ),
    ]
    return table(("", "median", "runs"), rows)


def baselines() -> str:
    """Times of the baselines and how many times ours they are."""
    rows = []
    for name, baseline in read("baselines")["baselines"].items():
        for size, found in baseline["sizes"].items():
            mark = " (extrapolated)" if found["extrapolated"] else ""
            rows.append(
                (
                    name,
                    size,
                    f"{found['pairs']:,}",
                    number(found["pairs_per_s"]),
                    number(found["baseline_ms"] / 1000) + mark,
                    number(found["ours_ms"] / 1000),
                    f"**{number(found['times_ours'])} x**",
                )
            )
    header = ("baseline", "size", "pairs", "pairs/s", "seconds", "ours, seconds", "ratio")
    return table(header, rows)


def circumstances() -> str:
    """When, where and what was measured, by result file."""
    rows = []
    for name in ("startup", "latency", "load", "baselines"):
        found = read(name)
        where = found["machine"]
        rows.append(
            (
                f"`results/{name}.json`",
                f"`{found['command']}`",
                found["date"],
                f"{where['cpu']} {where['cpu_family_model']}, {where['cores']} cores",
                found["commit"],
                found["busy_share_before"],
                found["load_average_before"],
            )
        )
    header = ("file", "command", "date", "machine", "commit", "busy before", "load average")
    return table(header, rows)


TABLES: dict[str, Callable[[], str]] = {
    maker.__name__: maker
    for maker in (latency, steps, curve, load, startup, baselines, circumstances)
}


def main() -> int:
    """Rewrite the page; with --check, only say whether it would change."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page is stale")
    check = parser.parse_args().check
    before = PAGE.read_text(encoding="utf-8")
    after = _SLOT.sub(lambda slot: slot[1] + TABLES[slot[2]]() + slot[3], before)
    if not check:
        PAGE.write_text(after, encoding="utf-8")
    return int(check and before != after)


if __name__ == "__main__":
    sys.exit(main())
