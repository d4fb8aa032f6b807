"""Files that change, vanish or may not be read while they are imported; parsers that are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.reliability.documents import BRANCH, import_request
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import Child, opened, operations_of, prepare, run_to_end
from toulmin.domain import Branch, Document
from toulmin.stores.records import Operation

_FILES = 60
_LINES = 400
_NOT_FOUND = 5

_REWRITER = """
import random, sys
from pathlib import Path
folder, lines = Path(sys.argv[1]), int(sys.argv[2])
chosen, version = random.Random(1), 0
print("begun", flush=True)
while True:
    version += 1
    path = chosen.choice(sorted(folder.iterdir()))
    with path.open("r+") as file:  # in place, a line at a time: as bad as a writer can be
        for _ in range(lines):
            file.write(f"version{version % 9} of this file\\n")
            file.flush()
"""


def changing_files(place: Path, *, trials: int) -> Outcome:
    """Rewrite files in place while they are read: each is stored as it was at one moment."""
    outcome = Outcome(f"{_FILES} files are rewritten in place, without a pause, while imported")
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / f"in{outcome.trials}"
        _write_files(root)
        prepare(
            folder, ("import-documents", import_request(str(root), schema="content")), content=True
        )
        with _running(_REWRITER, str(root), str(_LINES)):
            run_to_end(folder, root)
        (operation,) = operations_of(folder)
        _check_counts(outcome, operation)
        for text in _texts(folder):
            versions = {line for line in text.splitlines() if line}
            outcome.check(len(versions) == 1, f"a mixture was stored: {sorted(versions)}")
        outcome.figures["stored"] = outcome.figures.get("stored", 0) + operation.success_count
        outcome.figures["refused"] = outcome.figures.get("refused", 0) + operation.failure_count
        for error in operation.error_samples:
            outcome.check("changed while it was read" in error.message, error.message)
    return outcome


def vanishing_files(place: Path, *, trials: int, seed: int) -> Outcome:
    """Delete files between listing and reading, also in a FULL import: each is said to be gone."""
    outcome = Outcome("files vanish between listing and reading")
    chosen = random.Random(seed)
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / f"in{outcome.trials}"
        _write_files(root)
        request = import_request(str(root), schema="content", full=True)
        prepare(folder, ("import-documents", request), content=True)
        run_to_end(folder, root)
        before = len(_texts(folder))
        prepare(folder, ("import-documents", request | {"force_refresh": True}))
        gone = chosen.sample(sorted(root.iterdir())[_FILES // 2 :], 10)
        child = Child(folder, root)
        child.wait_for(lambda report: report.get("phase") == "read" or _is_claimed(report))
        for path in gone:
            path.unlink()
        outcome.check(child.is_done(), "the process failed")
        operation = operations_of(folder)[0]
        _check_counts(outcome, operation)
        samples = operation.error_samples
        missed = sum(error.code == _NOT_FOUND for error in samples)
        outcome.check(missed == operation.failure_count, [e.message for e in samples][:2])
        outcome.count("trials in which", "some were gone" if missed else "all were read before")
        outcome.figures["gone"] = outcome.figures.get("gone", 0) + missed
        deleted = (operation.result or {}).get("deleted_count", 0)
        outcome.check(before - deleted == len(_texts(folder)), "counts do not fit")
    return outcome


def _is_done(report: dict[str, Any]) -> bool:
    return bool(report.get("done"))


def _is_claimed(report: dict[str, Any]) -> bool:
    return "RUNNING" in report.get("states", ())


def forbidden_folder(place: Path, *, trials: int) -> Outcome:
    """Import a tree with a folder and a file that may not be read; nothing of it is swept."""
    outcome = Outcome("a folder and a file without permission, in a FULL import")
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / f"in{outcome.trials}"
        _write_files(root / "open")
        _write_files(root / "shut")
        request = import_request(str(root), schema="content", full=True)
        prepare(folder, ("import-documents", request), content=True)
        run_to_end(folder, root)
        shut = [root / "shut", root / "open" / "file000.txt"]
        for path in shut:
            path.chmod(0)
        prepare(folder, ("import-documents", request | {"force_refresh": True}))
        try:
            child = Child(folder, root, under=_as_anybody())
            outcome.check(child.is_done(), "the process failed")
        finally:
            for path in shut:
                path.chmod(0o700)
        operation = operations_of(folder)[0]
        outcome.check(operation.state == "SUCCEEDED", f"it is {operation.state}")
        outcome.check(operation.success_count == _FILES - 1, f"{operation.success_count} read")
        outcome.check(len(_texts(folder)) == 2 * _FILES, "documents were lost")
        messages = sorted(e.message.replace(str(root), "ROOT") for e in operation.error_samples)
        outcome.figures["messages"] = messages
        for path in shut:
            said = [message for message in messages if path.name in message]
            outcome.check(len(said) == 1, f"{path.name}: {messages}")
    return outcome


def _as_anybody() -> tuple[str, ...]:
    """Return what makes a process mind permissions, as root's does not."""
    if os.geteuid() != 0:
        return ()
    without = "-dac_override,-dac_read_search"
    return ("setpriv", "--inh-caps", without, "--bounding-set", without)


def killed_parsers(place: Path, *, trials: int, seed: int) -> Outcome:
    """Kill parsers from outside: a file fails with why, the others do not; again, and it is there."""
    outcome = Outcome("parsers are killed from outside (SIGKILL) during an import of files")
    chosen = random.Random(seed)
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / f"in{outcome.trials}"
        _write_files(root, count=4 * _FILES)
        request = import_request(str(root), schema="content")
        prepare(folder, ("import-documents", request), content=True)
        child = Child(folder, root)
        child.wait_for(_is_claimed)
        killed = 0
        while not child.wait_for(_is_done, timeout_s=chosen.uniform(0.3, 1.5)):
            if child.has_ended:
                break
            for pid in parsers_of(child.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
                killed += 1
        outcome.check(child.is_done(), "the process failed")
        (operation,) = operations_of(folder)
        _check_counts(outcome, operation)
        for error in operation.error_samples:
            outcome.check("SIGKILL" in error.message, error.message)
        outcome.figures["killed"] = outcome.figures.get("killed", 0) + killed
        outcome.figures["failed"] = outcome.figures.get("failed", 0) + operation.failure_count
        prepare(folder, ("import-documents", request), content=True)
        run_to_end(folder, root)
        outcome.check(len(_texts(folder)) == 4 * _FILES, "files are missing after a second import")
    return outcome


def parsers_of(pid: int) -> list[int]:
    """Return the parsers that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            stat = (path / "stat").read_text().rpartition(")")[2].split()
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat[1]) == pid and b"toulmin.ingestion.parsing.worker" in command:
            found.append(int(path.name))
    return sorted(found)


def _check_counts(outcome: Outcome, operation: Operation) -> None:
    outcome.check(operation.state == "SUCCEEDED", f"it is {operation.state} {operation.error}")
    total = operation.success_count + operation.failure_count
    outcome.check(total == operation.total_count, f"{total} of {operation.total_count} counted")


def _texts(folder: Path) -> list[str]:
    branch = Branch(BRANCH.rpartition("/branches/")[0])
    with opened(folder) as records, records.read() as transaction:
        documents: tuple[Document, ...] = transaction.documents.list(branch, page_size=5000).items
        return [transaction.documents.text(branch, document.id) for document in documents]


def _write_files(root: Path, count: int = _FILES) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (root / f"file{number:03}.txt").write_text("version0 of this file\n" * _LINES)


@contextmanager
def _running(program: str, *arguments: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.communicate()
