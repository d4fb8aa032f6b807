"""A data folder on a disk that is full, until somebody makes room."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.documents import BRANCH, document_id, import_request, write_lines
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import (
    Child,
    ServerProcess,
    operations_of,
    prepare,
    run_to_end,
    toulmin,
)

_RESOURCE_EXHAUSTED = 8
_NOTICED_S = 60.0
_SAID = "The disk with the data folder is full"
_ROOM_MIB = 400


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[Path]:
    """Make a folder a file system of its own, in memory.

    Raises:
        PermissionError: Only root can do so.
    """
    if os.geteuid() != 0:
        raise PermissionError("only root can mount a small disk")
    folder.mkdir(parents=True, exist_ok=True)
    options = f"size={mib}m,mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def grow(folder: Path, mib: int = _ROOM_MIB) -> None:
    """Make room."""
    subprocess.run(["mount", "-o", f"remount,size={mib}m", folder], check=True)


def full_disk(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Import until the disk is full; then make room, and the import must end right.

    Every second trial the process that met the full disk is killed before there is room.
    """
    outcome = Outcome("the disk with the data folder is full in the middle of an import")
    chosen = random.Random(seed)
    path = write_lines(place / "in" / "documents.jsonl", range(documents))
    for _ in range(trials):
        outcome.trials += 1
        with small_disk(place / f"disk{outcome.trials}", chosen.randrange(6, 12)) as folder:
            prepare(folder, ("import-documents", import_request(path)))
            _fill(outcome, folder, Path(path).parent, is_killed=outcome.trials % 2 == 0)
            go_on(outcome, folder, path)
            expected = dict.fromkeys(range(documents), 1)
            outcome.wrong(disagreements(folder, expected, seed=seed))
    return outcome


def _fill(outcome: Outcome, folder: Path, root: Path, *, is_killed: bool) -> None:
    """Import until the disk is full and it was said; then make room."""
    child = Child(folder, root)
    deadline = time.monotonic() + _NOTICED_S
    said = ""
    while not said and time.monotonic() < deadline:
        last = child.reports[-1] if child.reports else {}
        if last.get("errors") == [_RESOURCE_EXHAUSTED]:
            said = "the operation failed with RESOURCE_EXHAUSTED"
        elif _SAID in child.log():
            said = "the log; there was no room to end the operation, so it waits"
        time.sleep(0.2)
    outcome.check(said, f"the full disk was not noticed: {child.reports[-1:]}")
    outcome.count("said by", said)
    if is_killed:
        child.kill()
    grow(folder)
    if not is_killed:
        outcome.check(child.is_done(), "the process did not get over it")


def go_on(outcome: Outcome, folder: Path, path: str) -> None:
    """Start again with room, and import again if the operation had to end."""
    root = Path(path).parent
    run_to_end(folder, root)
    before = operations_of(folder)[0]
    outcome.count("when there is room", "it goes on" if before.error is None else "asked again")
    if before.error is None:
        return
    outcome.check(before.error.code == _RESOURCE_EXHAUSTED, before.error)
    prepare(folder, ("import-documents", import_request(path)))
    run_to_end(folder, root)
    again = operations_of(folder)[0]
    outcome.check(again.state == "SUCCEEDED", f"the second import is {again.state}")
    unchanged = (again.result or {}).get("unchanged_count")
    outcome.check(unchanged == before.success_count, f"{unchanged} documents were there already")


def full_disk_calls(place: Path, *, trials: int) -> Outcome:
    """Fill the disk beside a server: writes are refused, reads answered, until there is room."""
    outcome = Outcome("the disk is full: calls by REST, and `toulmin backup`")
    with small_disk(place / "data", 64) as folder, ServerProcess(folder) as server:
        server.wait_until_up()
        server.create_store()
        kept = []
        number = 0
        for _ in range(trials):
            outcome.trials += 1
            filler = folder / "filler"
            fill_up(filler)
            refused = 0
            while refused < 3:
                number += 1
                status, answer = create(server, number)
                if status == 200:
                    kept.append(number)
                    fill_up(filler)
                    continue
                refused += 1
                said = answer.get("error", {}).get("status")
                outcome.check(said == "RESOURCE_EXHAUSTED", f"{status} {answer}")
                outcome.count("refused with", str(said))
            for known in kept:
                status, _ = server.call("GET", f"{BRANCH}/documents/{document_id(known)}")
                outcome.check(status == 200, f"reading meanwhile: {status}")
            report = toulmin("backup", "--data-dir", str(folder), str(folder / "copy.db"))
            outcome.check(report.returncode != 0, "a backup without room succeeded")
            outcome.check("full" in report.stderr, f"backup: {report.stderr.strip()}")
            outcome.check(not list(folder.glob("copy.db*")), "a part of a copy is left over")
            filler.unlink()
            number += 1
            status, answer = create(server, number)
            outcome.check(status == 200, f"with room: {status} {answer}")
            kept.append(number)
        code, _ = server.stop()
        outcome.check(code == 0, f"the server ended with {code}")
        outcome.figures["acknowledged"] = len(kept)
    return outcome


def fill_up(path: Path) -> None:
    """Let a file grow until nothing more fits."""
    with path.open("ab", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
