"""A data folder that may be read and not written: said at the start, by name, and left as it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.reliability.documents import import_request, write_lines
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import TOULMIN, prepare, run_to_end, toulmin

_WITHOUT = "-dac_override,-dac_read_search"


def read_only_folder(place: Path, *, trials: int) -> Outcome:
    """Start on a file system that is mounted for reading, and in folders without permission."""
    outcome = Outcome("the data folder may not be written to")
    folder, root = place / "data", place / "in"
    path = write_lines(root / "documents.jsonl", range(100))
    prepare(folder, ("import-documents", import_request(path)))
    run_to_end(folder, root)
    for _ in range(trials):
        outcome.trials += 1
        with _mounted_for_reading(folder, place / "mounted") as mounted:
            _check(outcome, "a mount for reading", mounted, TOULMIN)
            empty = mounted / "new"
            _check(outcome, "a new folder in it", empty, TOULMIN)
        before = _names(folder)
        folder.chmod(0o500)
        try:
            under = _as_anybody()
            for file in folder.iterdir():
                if file.is_file():
                    file.chmod(0o400)
            _check(outcome, "no permission", folder, (*under, *TOULMIN))
        finally:
            folder.chmod(0o700)
            for file in folder.iterdir():
                if file.is_file():
                    file.chmod(0o600)
        outcome.check(_names(folder) == before, "files were made or lost")
        report = toulmin("backup", "--data-dir", str(folder), str(place / f"c{outcome.trials}.db"))
        outcome.check(report.returncode == 0, f"afterwards: {report.stderr}")
    return outcome


def _check(outcome: Outcome, what: str, folder: Path, program: tuple[str, ...]) -> None:
    command = [*program, "serve", "--port", "0", "--data-dir", str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    message = (ended.stderr.strip().splitlines() or [""])[-1]
    outcome.check(ended.returncode not in (0, 1), f"{what}: ended with {ended.returncode}")
    outcome.check(str(folder) in message, f"{what}: {message}")
    outcome.check("Traceback" not in ended.stderr, f"{what}: {ended.stderr[-500:]}")
    said = message.replace(str(folder), "DATA_DIR")
    outcome.count(what, said)


@contextmanager
def _mounted_for_reading(folder: Path, target: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        raise PermissionError("only root can mount")
    target.mkdir(exist_ok=True)
    subprocess.run(["mount", "--bind", folder, target], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", target], check=True)
        yield target
    finally:
        subprocess.run(["umount", "-l", target], check=True)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix not in (".db-shm",))


def _as_anybody() -> tuple[str, ...]:
    """Return what makes a process mind permissions, as root's does not."""
    if os.geteuid() != 0:
        return ()
    return ("setpriv", "--inh-caps", _WITHOUT, "--bounding-set", _WITHOUT)
