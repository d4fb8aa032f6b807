"""Writes the tables of docs/benchmarks.md from results/*.json; the prose around them stays.

    python -m benchmarks.speed.tables [--check]

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
_OURS = "toulmin serve, REST, chunks"
_IMPORT_STEPS = ("prepare", "embed", "store", "rest")
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


def peer_ratios() -> str:
    """Every other system against ours over REST, by collection: above 1 means that ours is ahead."""
    rows = []
    for collection, found in read("peers")["collections"].items():
        systems = found["systems"]
        ours = systems[_OURS]
        for name, theirs in systems.items():
            if name == _OURS:
                continue
            if "failed" in theirs:
                rows.append((collection, name, "failed", *["-"] * 8))
                continue
            more = theirs.get("ours_more_by", {})
            rows.append(
                (
                    collection,
                    name,
                    _times(ours["import"], theirs["import"], "documents_per_s"),
                    _times(ours["import"], theirs["import"], "documents_per_cpu_s"),
                    _times(theirs["ask"]["single_ms"], ours["ask"]["single_ms"], "p50"),
                    _times(theirs["ask"]["single_ms"], ours["ask"]["single_ms"], "p95"),
                    _times(theirs["ask"], ours["ask"], "single_cpu_ms"),
                    _times(ours["ask"], theirs["ask"], "threads_queries_per_s"),
                    _times(theirs["ask"], ours["ask"], "peak_mib"),
                    _between(more.get("ndcg@10")),
                    _between(more.get("recall@5")),
                )
            )
    header = (
        "collection",
        "against",
        "import",
        "import a processor second",
        "p50",
        "p95",
        "processor time a query",
        "8 threads",
        "memory",
        "nDCG@10 ours - theirs",
        "recall@5 ours - theirs",
    )
    return table(header, rows)


def peers() -> str:
    """The figures of each system, by collection."""
    rows = []
    for collection, found in read("peers")["collections"].items():
        for name, row in found["systems"].items():
            if "failed" in row:
                rows.append((collection, name, row["failed"], *["-"] * 10))
                continue
            asked, made = row["ask"], row["import"]
            rows.append(
                (
                    collection,
                    name,
                    number(made["documents_per_s"]),
                    number(asked["single_ms"]["p50"]),
                    number(asked["single_ms"]["p95"]),
                    number(asked["single_cpu_ms"]),
                    number(asked["threads_queries_per_s"]),
                    number(asked["cold_start_s"]),
                    made["peak_mib"],
                    asked["peak_mib"],
                    f"{row['ndcg@10']:.3f}",
                    f"{row['recall@5']:.3f}",
                    f"{row['import_others_busy']:.2f}, {row['ask_others_busy']:.2f}",
                )
            )
    header = (
        "collection",
        "system",
        "documents/s",
        "p50 ms",
        "p95 ms",
        "processor ms a query",
        "queries/s, 8 threads",
        "cold start s",
        "MiB, import",
        "MiB, search",
        "nDCG@10",
        "recall@5",
        "others",
    )
    return table(header, rows)


def ingest() -> str:
    """Imports, and where their time goes."""
    rows = []
    for source, found in read("ingest")["imports"].items():
        for row in found["runs"]:
            steps = row["steps"]["one_after_the_other"]
            rows.append(
                (
                    source,
                    row["parser_processes"],
                    f"{row['documents']:,} + {row['failed']:,} refused",
                    f"{row['chunks']:,}",
                    number(row["seconds"]),
                    number(row["documents_per_s"]),
                    number(row["chunks_per_s"]),
                    number(row["mb_per_s"]),
                    row["cores_used"],
                    *(f"{steps[step]['share']:.0%}" for step in _IMPORT_STEPS),
                    row["others_busy"],
                )
            )
    header = (
        "what",
        "parsers",
        "documents",
        "chunks",
        "s",
        "documents/s",
        "chunks/s",
        "MB/s",
        "cores used",
        "fetch, parse, chunk",
        "embed",
        "store",
        "rest",
        "others",
    )
    return table(header, rows)


def embedder_alone() -> str:
    """The embedder by itself, in several ways."""
    rows = []
    for source, found in read("ingest")["imports"].items():
        for way, row in found["alone"].items():
            if isinstance(row, dict):
                rows.append(
                    (
                        source,
                        way,
                        number(row["texts_per_s"]),
                        number(row["texts_per_cpu_s"]),
                        row["largest_change_of_a_cosine"],
                    )
                )
    header = (
        "texts of",
        "way",
        "texts/s",
        "texts a processor second",
        "largest change of a cosine",
    )
    return table(header, rows)


def _times(above: dict[str, Any], below: dict[str, Any], key: str) -> str:
    if above[key] is None or below[key] is None:
        return "-"
    ratio = above[key] / max(below[key], 1e-9)
    return f"**{number(ratio)} x**" if ratio >= 0.1 else f"1/{number(1 / max(ratio, 1e-9))} x"


def _between(found: dict[str, float] | None) -> str:
    if found is None:
        return "-"
    return f"{found['mean']:+.3f} ({found['from']:+.3f} to {found['to']:+.3f})"


def circumstances() -> str:
    """When, where and what was measured, by result file."""
    rows = []
    for name in ("startup", "latency", "load", "baselines", "peers", "ingest"):
        found = read(name)
        found = found.get("circumstances", found)
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


def metrics_cost() -> str:
    """What recording metrics costs: medians of the pairs' ratios, with their 95 % intervals."""
    rows = []
    for name, found in read("metrics_cost")["cases"].items():
        ratios = (found["throughput_ratio"], found["processor_ratio"])
        shown = (f"{r['median']:.3f} [{r['low']:.3f}, {r['high']:.3f}]" for r in ratios)
        rows.append((name, *shown, number(found["processor_ms_a_request"]["off"]), found["pairs"]))
    header = ("check", "throughput, on/off", "processor time, on/off", "ms a request, off", "pairs")
    return table(header, rows)


TABLES: dict[str, Callable[[], str]] = {
    maker.__name__: maker
    for maker in (
        latency,
        steps,
        curve,
        load,
        startup,
        baselines,
        peer_ratios,
        peers,
        ingest,
        embedder_alone,
        metrics_cost,
        circumstances,
    )
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
