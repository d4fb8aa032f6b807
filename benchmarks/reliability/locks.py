"""A database that another process holds, and a data folder that two processes want."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.documents import BRANCH, document_id, import_request, write_lines
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import (
    TOULMIN,
    Child,
    ServerProcess,
    operations_of,
    prepare,
)

_LOCKER = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
other.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
other.execute("ROLLBACK")
"""
_HELD_S = 14.0
"""Longer than the 10 s for which a writer waits."""


def locked_calls(place: Path, *, trials: int) -> Outcome:
    """Hold the database for longer than calls wait: they are told so, and then all is well."""
    outcome = Outcome("another process holds the database for 14 s: calls by REST")
    folder = place / "data"
    with ServerProcess(folder) as server:
        server.wait_until_up()
        server.create_store()
        create(server, 0)
        for trial in range(1, trials + 1):
            outcome.trials += 1
            with _held(folder):
                began = time.monotonic()
                status, answer = create(server, trial)
                outcome.most("refused_after_s", time.monotonic() - began)
                said = answer.get("error", {}).get("status")
                outcome.check(said in ("ABORTED", "UNAVAILABLE"), f"{status} {answer}")
                outcome.count("refused with", str(said))
                status, _ = server.call("GET", f"{BRANCH}/documents/{document_id(0)}")
                outcome.check(status == 200, f"reading meanwhile: {status}")
            status, answer = create(server, trial)
            outcome.check(status == 200, f"afterwards: {status} {answer}")
        code, _ = server.stop()
        outcome.check(code == 0, f"the server ended with {code}")
    return outcome


def locked_import(place: Path, *, documents: int, trials: int) -> Outcome:
    """Hold the database in the middle of an import: it goes on afterwards and ends right."""
    outcome = Outcome("another process holds the database for 14 s: an import")
    for trial in range(1, trials + 1):
        outcome.trials += 1
        folder, root = place / f"data{trial}", place / "in"
        path = write_lines(root / "documents.jsonl", range(documents))
        prepare(folder, ("import-documents", import_request(path)))
        child = Child(folder, root)
        child.wait_for(lambda report: report.get("success", 0) > 0)
        with _held(folder):
            pass
        outcome.check(child.is_done(), "the process failed")
        (operation,) = operations_of(folder)
        outcome.check(operation.state == "SUCCEEDED", f"{operation.state} {operation.error}")
        outcome.check(operation.success_count == documents, f"{operation.success_count} counted")
        outcome.wrong(disagreements(folder, dict.fromkeys(range(documents), 1), seed=trial))
    return outcome


def two_processes(place: Path, *, trials: int) -> Outcome:
    """Start a second server on the folder of a running one, and other verbs."""
    outcome = Outcome("a second process on one data folder")
    folder = place / "data"
    with ServerProcess(folder) as server:
        server.wait_until_up()
        server.create_store()
        for trial in range(trials):
            outcome.trials += 1
            command = [*TOULMIN, "serve", "--port", "0", "--data-dir", str(folder)]
            second = subprocess.run(
                command, capture_output=True, text=True, timeout=120, check=False
            )
            message = second.stderr.strip().splitlines()[-1:] or [""]
            outcome.check(second.returncode != 0, "the second one runs")
            outcome.check(f"in use by process {server.process.pid} " in message[0], message)
            outcome.figures["message"] = (
                message[0].replace(str(folder), "DATA_DIR").replace(str(server.process.pid), "PID")
            )
            outcome.check(create(server, trial)[0] == 200, "the first one was disturbed")
        server.stop()
    return outcome


class _held:  # noqa: N801 - a context manager, used as a function
    """Another process has the database for a while; at the end of the block it has not."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LOCKER, str(folder / "records.db"), str(_HELD_S)],
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> None:
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
