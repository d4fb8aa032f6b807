"""One system in a process of its own: imports a collection, or opens what was kept and answers.

    python -m benchmarks.peers.worker import|ask --peer NAME --system KEY --collection FILE
        --folder FOLDER --out FILE --started SECONDS [--mode MODE] [--first N] [--vectors FILE]

Runs in a peer's environment: nothing but the standard library and the peer is imported.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.model import remember_vectors

LIMIT = 10
WARM_UP = 20
THREADS = 8

Search = Callable[[str, int], list[int]]


def main() -> None:
    """Do one phase and write what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phase", choices=["import", "ask"])
    parser.add_argument("--peer", required=True)
    parser.add_argument("--system", required=True)
    parser.add_argument("--mode", default="")
    parser.add_argument("--collection", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--started", type=float, required=True, help="Unix time of the start")
    parser.add_argument("--first", type=int, help="import only so many documents")
    parser.add_argument("--vectors", type=Path, help="embed nothing twice: not to be timed")
    given = parser.parse_args()
    save = remember_vectors(given.vectors) if given.vectors else None
    module = importlib.import_module(f"benchmarks.peers.{given.peer}.peer")
    system = module.SYSTEMS[given.system](given.folder)
    if given.mode:
        system.mode = given.mode
    collection = json.loads(given.collection.read_text(encoding="utf-8"))
    if given.phase == "import":
        result = imported(system, collection["documents"][: given.first], given.started)
        if save:
            save()
    else:
        result = asked(system, collection["queries"], given.started)
    given.out.write_text(json.dumps(result), encoding="utf-8")


def imported(system: Any, documents: Sequence[str], started: float) -> dict[str, Any]:
    """Import everything and keep it."""
    system.prepare()
    result: dict[str, Any] = {"load_s": time.time() - started, "documents": len(documents)}
    before = tree_cpu_s(os.getpid())
    result["import_s"] = seconds(lambda: system.add(documents))
    result["import_cpu_s"] = tree_cpu_s(os.getpid()) - before
    result["keep_s"] = seconds(system.keep)
    result["peak_mib"] = tree_peak_mib(os.getpid())
    system.close()
    return result


def asked(system: Any, queries: Sequence[str], started: float) -> dict[str, Any]:
    """Open, answer one query, warm up, then all queries singly and by threads."""
    system.open()
    system.search(reversed_words(queries[0]), LIMIT)
    cold = time.time() - started
    result = answers(system.search, queries, cpu_s=time.process_time)
    result["cold_start_s"] = cold
    result["peak_mib"] = tree_peak_mib(os.getpid())
    system.close()
    return result


def answers(
    search: Search, queries: Sequence[str], *, cpu_s: Callable[[], float]
) -> dict[str, Any]:
    """Ask all queries one at a time, then all of them again, in other words, by 8 threads.

    Again means with the words in reverse, so that no system that remembers a query has an
    advantage; what is asked to warm up is in reverse too.
    """
    for query in queries[:WARM_UP]:
        search(reversed_words(query), LIMIT)
    rankings, single = [], []
    cpu = cpu_s()
    for query in queries:
        began = time.perf_counter()
        rankings.append(search(query, LIMIT))
        single.append(1e3 * (time.perf_counter() - began))
    cpu = cpu_s() - cpu
    others = [reversed_words(query) + " ?" for query in queries]
    together, wall = by_threads(search, others)
    return {
        "rankings": rankings,
        "single_ms": single,
        "single_cpu_ms": 1e3 * cpu / len(queries),
        "threads": THREADS,
        "threads_ms": together,
        "threads_queries_per_s": len(queries) / wall if together else None,
    }


def by_threads(search: Search, queries: Sequence[str]) -> tuple[list[float], float]:
    """Return milliseconds of each query and seconds of all; no milliseconds: it cannot be done."""
    took: list[float] = []
    failures: list[BaseException] = []
    turns = Turns(queries)

    def work() -> None:
        try:
            for query in turns:
                began = time.perf_counter()
                search(query, LIMIT)
                took.append(1e3 * (time.perf_counter() - began))
        except Exception as error:  # noqa: BLE001 - whatever a library cannot do in threads
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    wall = seconds(lambda: ([t.start() for t in threads], [t.join() for t in threads]))
    if failures:
        print(f"threads: {failures[0]!r}", flush=True)
        return [], wall
    return took, wall


class Turns:
    """Gives each query to whichever thread asks next."""

    def __init__(self, queries: Sequence[str]) -> None:
        self._rest = iter(queries)
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        while (query := self._take()) is not None:
            yield query

    def _take(self) -> str | None:
        with self._lock:
            return next(self._rest, None)


def reversed_words(query: str) -> str:
    """Return other text of the same words."""
    return " ".join(reversed(query.split()))


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def tree_peak_mib(pid: int) -> float:
    """Return the most resident memory of a process and of the children that it has now, in MiB."""
    return round(sum(_peak_mib(number) for number in (pid, *descendants(pid))), 1)


def tree_cpu_s(pid: int) -> float:
    """Return processor seconds of a process, its children now, and those that ended."""
    return sum(_cpu_s(number) for number in (pid, *descendants(pid)))


def descendants(pid: int) -> list[int]:
    """Return the children of a process, theirs, and so on."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(path.name))
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(path.name))
    found: list[int] = []
    rest = [pid]
    while rest:
        children = parents.get(rest.pop(), [])
        found += children
        rest += children
    return found


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def _cpu_s(pid: int) -> float:
    """User and system seconds, of ended children too."""
    return sum(map(int, _stat(pid)[11:15])) / os.sysconf("SC_CLK_TCK")


def _peak_mib(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) / 1024 for row in lines if row.startswith("VmHWM")), 0.0)


if __name__ == "__main__":
    main()
