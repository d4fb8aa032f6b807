"""All trials, or some: `python -m benchmarks.reliability [--only NAMES] [--trials N]`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measurement import RESULTS, busy_share, commit, machine
from benchmarks.reliability import (
    clocks,
    damage,
    disk,
    files,
    kills,
    locks,
    logs,
    postgres,
    readonly,
    small_disk,
    stops,
    years,
)
from benchmarks.reliability.outcome import Outcome

_SEED = 4
_BASE = 4_000
_SMALL = 1_000


def _job(kind: Callable[[Path, Path, int], kills.Job]) -> Callable[[Path, int], Outcome]:
    def run(place: Path, trials: int) -> Outcome:
        base = kills.base_folder(place, _BASE)
        return kills.killed_once(kind(place, base, _BASE), trials=trials, seed=_SEED)

    return run


def _damaged(
    what: Callable[..., Outcome],
) -> Callable[[Path, int], Outcome]:
    return lambda p, n: what(kills.base_folder(p, _SMALL), trials=n, seed=_SEED)


TRIALS: dict[str, tuple[int, Callable[[Path, int], Outcome]]] = {
    "import": (20, lambda p, n: kills.killed_import(p, documents=100_000, kills=n, seed=_SEED)),
    "calls": (20, lambda p, n: kills.killed_calls(p, kills=n, seed=_SEED)),
    "sweep": (20, _job(kills.sweep)),
    "purge": (20, _job(kills.purge)),
    "compaction": (20, _job(kills.compaction)),
    "rebuild": (20, _job(kills.rebuild)),
    "backup": (20, lambda p, n: kills.killed_backup(p, documents=6_000, trials=n, seed=_SEED)),
    "full-disk": (4, lambda p, n: disk.full_disk(p, documents=6_000, trials=n, seed=_SEED)),
    "full-disk-calls": (5, lambda p, n: disk.full_disk_calls(p, trials=n)),
    "full-disk-merge": (
        4,
        lambda p, n: small_disk.full_disk_merge(
            p, kills.base_folder(p, _BASE), documents=_BASE, trials=n, seed=_SEED
        ),
    ),
    "full-disk-answers": (3, lambda p, n: small_disk.full_disk_answers(p, trials=n)),
    "read-only": (3, lambda p, n: readonly.read_only_folder(p, trials=n)),
    "clock": (5, lambda p, n: clocks.clock_jumps(p, documents=500, trials=n, seed=_SEED)),
    "clock-years": (5, lambda p, n: years.far_jumps(p, documents=100, trials=n)),
    "damaged-index": (300, _damaged(damage.damaged_index)),
    "damaged-records": (300, _damaged(damage.damaged_records)),
    "damaged-log": (200, lambda p, n: logs.damaged_log(p, documents=4_000, trials=n, seed=_SEED)),
    "old-copy": (10, lambda p, n: damage.old_copy(p, documents=_SMALL, trials=n, seed=_SEED)),
    "locked-calls": (3, lambda p, n: locks.locked_calls(p, trials=n)),
    "locked-import": (3, lambda p, n: locks.locked_import(p, documents=3_000, trials=n)),
    "two-processes": (5, lambda p, n: locks.two_processes(p, trials=n)),
    "changing-files": (10, lambda p, n: files.changing_files(p, trials=n)),
    "vanishing-files": (10, lambda p, n: files.vanishing_files(p, trials=n, seed=_SEED)),
    "forbidden-folder": (3, lambda p, n: files.forbidden_folder(p, trials=n)),
    "killed-parsers": (5, lambda p, n: files.killed_parsers(p, trials=n, seed=_SEED)),
    "stopped-import": (
        10,
        lambda p, n: stops.stopped_import(p, documents=800, trials=n, seed=_SEED),
    ),
    "stopped-calls": (10, lambda p, n: stops.stopped_calls(p, trials=n, seed=_SEED)),
    "postgres-killed-toulmin": (
        10,
        lambda p, n: postgres.killed_toulmin(p, kills=n, seed=_SEED),
    ),
    "postgres-killed": (8, lambda p, n: postgres.killed_postgres(p, kills=n, seed=_SEED)),
    "postgres-fail-over": (5, lambda p, n: postgres.failed_over(p, kills=n, seed=_SEED)),
    "postgres-frozen": (4, lambda p, n: postgres.frozen(p, kills=n, seed=_SEED)),
    "postgres-cut-off": (4, lambda p, n: postgres.cut_off(p, kills=n, seed=_SEED)),
    "stopped-parser": (3, lambda p, n: stops.stopped_parser(p, trials=n)),
}
"""Name -> how many trials, and what does that many in a folder."""


def main() -> None:
    """Run the trials and write what came out; those that were not run keep their figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parser.add_argument("--only", default=",".join(TRIALS), help=f"of {', '.join(TRIALS)}")
    parser.add_argument("--place", type=Path, help="folder for the trials' data")
    parser.add_argument("--trials", type=int, help="how many of each, instead of its own number")
    parser.add_argument("--out", type=Path, default=RESULTS / "reliability.json")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.only.split(","):
        outcome = _run(name, arguments.trials, arguments.place)
        failed = failed or bool(outcome["failures"])
        _write(arguments.out, name, outcome)
        print(f"{name}: {outcome['trials']} trials, {len(outcome['failures'])} failures")
        for failure in outcome["failures"][:20]:
            print(f"  {failure}")
    sys.exit(1 if failed else 0)


def _run(name: str, trials: int | None, place: Path | None) -> dict[str, Any]:
    usual, run = TRIALS[name]
    number = usual if trials is None else trials
    fewer = "" if number == usual else f" --trials {number}"
    around = {
        "command": f"python -m benchmarks.reliability --only {name}{fewer}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "busy_share_before": busy_share(),
        "seed": _SEED,
    }
    folder = Path(tempfile.mkdtemp(prefix=f"reliability-{name}-", dir=place))
    outcome = run(folder, number).as_json()
    if not outcome["failures"]:
        shutil.rmtree(folder)
    return outcome | around


def _write(path: Path, name: str, outcome: dict[str, Any]) -> None:
    content: dict[str, Any] = {"machine": machine(), "trials": {}}
    if path.exists():
        content["trials"] = json.loads(path.read_text(encoding="utf-8"))["trials"]
    content["trials"][name] = outcome
    content["trials"] = {key: content["trials"][key] for key in TRIALS if key in content["trials"]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
