"""Toulmin and what a user would pick instead, on the same collections, one after the other.

    python -m benchmarks.peers install --environments FOLDER [--only NAME...]
    python -m benchmarks.peers run --data DATA --environments FOLDER [--only NAME...] [--questions N]
        [--timed N] [--sample X]

`install` makes a virtual environment for each peer from its requirements.txt (torch first, so that
the CPU build is taken). `run` imports each collection into each system in a new process, opens what
was kept in another one, and asks every query. It writes benchmarks/results/peers.json. With `--timed N`
only the import of the first N documents is timed; whole collections are then imported with vectors
that are computed once for all peers, which changes no result and saves hours on a busy machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.measurement import REPOSITORY, circumstances, machine_ticks, write_result
from benchmarks.peers import material, server, statistics
from benchmarks.retrieval_collections import Collection

HERE = Path(__file__).resolve().parent
OURS = "toulmin serve, REST, chunks"
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    # Threads of torch that wait do not spin: else a peer is a hundred times slower when another
    # program has one of the cores for a moment, and the comparison says how busy the machine was.
    "OMP_WAIT_POLICY": "PASSIVE",
}
_LONGEST_S = 1800


@dataclass(frozen=True, slots=True)
class System:
    """What is measured: a class of a peer's module, or the server, in one or more modes."""

    name: str
    peer: str
    key: str
    modes: tuple[str, ...] = ("",)


_MODES = ("CHUNKS", "DOCUMENTS")
SYSTEMS = (
    System("toulmin serve, REST", "toulmin", "server", _MODES),
    System("toulmin in process", "toulmin", "in-process", _MODES),
    System("haystack, in memory", "haystack", "memory"),
    System("haystack, chroma", "haystack", "chroma"),
    System("llamaindex", "llamaindex", "index", ("default", "fusion")),
    System("txtai, hybrid", "txtai", "hybrid"),
    System("bm25s", "bm25s", "words"),
)
PEERS = tuple(dict.fromkeys(system.peer for system in SYSTEMS if system.peer != "toulmin"))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["install", "run"])
    parser.add_argument("--environments", type=Path, required=True, help="outside the repository")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="+", default=[], help="peers, or toulmin")
    parser.add_argument("--sample", type=float, default=1.0, help="share of the queries")
    parser.add_argument("--questions", type=int, default=material.QUESTIONS)
    parser.add_argument("--timed", type=int, help="time the import of so many documents only")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.action == "install":
        for peer in PEERS:
            if not given.only or peer in given.only:
                install(peer, given.environments)
        return
    if given.data is None:
        parser.error("run needs --data")
    run(given)


def install(peer: str, environments: Path) -> None:
    """Make the environment of a peer."""
    folder = environments / peer
    venv.create(folder, with_pip=True)
    requirements = HERE / peer / "requirements.txt"
    lines = requirements.read_text(encoding="utf-8").split()
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q"]
    for torch in (line for line in lines if line.startswith("torch==")):
        subprocess.run([*pip, torch], check=True)
    subprocess.run([*pip, "-r", str(requirements)], check=True)


def run(given: argparse.Namespace) -> None:
    """Measure everything and write the result file."""
    where = circumstances()
    where["command"] = "python -m benchmarks.peers run --data DATA --environments FOLDER"
    for name, usual in (("sample", 1.0), ("questions", material.QUESTIONS), ("timed", None)):
        if getattr(given, name) != usual:
            where["command"] += f" --{name} {getattr(given, name)}"
    systems = [system for system in SYSTEMS if not given.only or system.peer in given.only]
    result: dict[str, Any] = {
        "circumstances": where,
        "versions": {peer: _versions(peer) for peer in PEERS},
        "results_asked_for": 10,
        "imports_timed": given.timed or "all documents",
        "collections": {},
    }
    chosen = material.collections(given.data, questions=given.questions, sample=given.sample)
    for collection in chosen:
        print(collection.name, len(collection.documents), len(collection.queries), flush=True)
        rows: dict[str, Any] = {}
        result["collections"][collection.name] = {
            "documents": len(collection.documents),
            "queries": len(collection.queries),
            "systems": rows,
        }
        with tempfile.TemporaryDirectory(prefix="toulmin-peers-") as folder:
            place = Run(given.environments, Path(folder), given.timed)
            compare(
                collection,
                systems,
                place,
                rows,
                lambda: write_result("peers", result, out=given.out),
            )


def compare(
    collection: Collection,
    systems: Sequence[System],
    place: Run,
    rows: dict[str, Any],
    save: Callable[[], object],
) -> None:
    """Add a row for each system and mode, with quality against ours; save after each system."""
    values: dict[str, Any] = {}
    for system in systems:
        try:
            found = measured(system, collection, place)
        except (subprocess.SubprocessError, RuntimeError, OSError) as error:
            rows[system.name] = {"failed": (str(error).splitlines() or [repr(error)])[-1][:300]}
            print(system.name, rows[system.name], flush=True)
            continue
        for mode, answers in found["ask"].items():
            name = f"{system.name}, {mode.lower()}" if mode else system.name
            values[name] = statistics.by_query(answers["rankings"], collection)
            rows[name] = {
                "import": statistics.import_figures(found["import"]),
                "import_others_busy": found["import"]["others_busy"],
                "ask": statistics.ask_figures(answers),
                "ask_others_busy": answers["others_busy"],
                **{k: round(float(v.mean()), 4) for k, v in values[name].items()},
            }
            if name != OURS and OURS in values:  # ours is measured first
                rows[name]["ours_more_by"] = {
                    measure: statistics.difference(values[OURS][measure], values[name][measure])
                    for measure in statistics.MEASURES
                }
            print(name, json.dumps(rows[name]), flush=True)
        save()


@dataclass(frozen=True, slots=True)
class Run:
    """Where peers are installed, where vectors are kept, and how many documents are timed."""

    environments: Path
    vectors: Path
    timed: int | None


def measured(system: System, collection: Collection, place: Run) -> dict[str, Any]:
    """Import and ask, each in a new process."""
    found: dict[str, Any] = {"ask": {}}
    if place.timed:
        with _folder(collection) as folder:
            found["import"] = _import(system, collection, folder, place)
    with _folder(collection) as folder:
        whole = _import(system, collection, folder, replace(place, timed=None), place.timed)
        found.setdefault("import", whole)
        found["import"]["peak_mib"] = max(found["import"]["peak_mib"], whole["peak_mib"])
        for mode in system.modes:
            busy = _others()
            if system.key == "server":
                made = server.asked(collection, folder, mode)
            else:
                made = _worked(system, "ask", folder, place, ["--mode", mode])
            found["ask"][mode] = made | {"others_busy": busy()}
    return found


def _import(
    system: System, collection: Collection, folder: Path, place: Run, timed: int | None = None
) -> dict[str, Any]:
    """Import into a folder; with `timed`, only what is imported counts, not how fast."""
    busy = _others()
    if system.key == "server":
        made = server.imported(collection, folder, place.timed)
    else:
        more = ["--first", str(place.timed)] if place.timed else []
        if timed and system.peer != "toulmin":
            more += ["--vectors", str(place.vectors / "vectors.npz")]
        made = _worked(system, "import", folder, place, more)
    return made | {"others_busy": busy()}


@contextlib.contextmanager
def _folder(collection: Collection) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="toulmin-peers-") as name:
        material.write(collection, Path(name) / "collection.json")
        yield Path(name)


def _worked(
    system: System, phase: str, folder: Path, place: Run, more: Sequence[str]
) -> dict[str, Any]:
    """Run worker.py in the system's environment."""
    out = folder / "out.json"
    python = Path(sys.executable)
    if system.peer != "toulmin":
        python = place.environments / system.peer / "bin" / "python"
    words = ["--peer", system.peer, "--system", system.key]
    words += ["--collection", str(folder / "collection.json"), "--folder", str(folder)]
    words += ["--out", str(out), "--started", repr(time.time()), *more]
    done = subprocess.run(
        [str(python), "-m", "benchmarks.peers.worker", phase, *words],
        cwd=REPOSITORY,
        env={**os.environ, **_OFFLINE},
        stderr=subprocess.PIPE,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{system.name} {phase}: {done.stderr[-1500:]}")
    made: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return made


def _others() -> Any:
    """Begin to watch; call the result for the share of all cores that others took."""

    def taken() -> tuple[float, float]:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = used.ru_utime + used.ru_stime + time.process_time()
        busy, total = machine_ticks()
        return busy - ours * os.sysconf("SC_CLK_TCK"), total

    before, total_before = taken()

    def share() -> float:
        after, total = taken()
        return round(max(0.0, after - before) / max(1, total - total_before), 3)

    return share


def _versions(peer: str) -> list[str]:
    return (HERE / peer / "requirements.txt").read_text(encoding="utf-8").split()


if __name__ == "__main__":
    main()
