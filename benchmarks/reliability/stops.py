"""SIGTERM while `toulmin serve` has something to do."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from benchmarks.reliability.documents import BRANCH, data, document_id, write_lines
from benchmarks.reliability.files import parsers_of
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import ServerProcess

_TIMEOUT_S = 10.0
"""The setting shutdown_timeout_s of these trials."""
_MARGIN_S = 5.0
"""What ending a process and its libraries may take on a busy machine."""
_CLIENTS = 4


def _server(folder: Path, root: Path) -> ServerProcess:
    return ServerProcess(
        folder, "--import-roots", str(root), "--shutdown-timeout-s", f"{_TIMEOUT_S:g}"
    )


def stopped_import(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Stop the server in an import: it ends in time; the next start goes on to the end."""
    outcome = Outcome("SIGTERM during an import (real embedder)")
    chosen = random.Random(seed)
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / "in"
        path = write_lines(root / "documents.jsonl", range(documents))
        with _server(folder, root) as server:
            server.wait_until_up()
            server.create_store()
            name = _begin(server, path, "custom")
            _wait_for_progress(server, name, chosen.randrange(1, documents // 2))
            time.sleep(chosen.uniform(0, 1))
            _stop(outcome, server)
        with _server(folder, root) as server:
            server.wait_until_up()
            operation = server.wait_for_operation(name)
            metadata = operation.get("metadata", {})
            outcome.check("error" not in operation, operation.get("error"))
            outcome.check(metadata.get("successCount") == str(documents), metadata)
            outcome.check(_count(server) == documents, "documents are missing")
            _stop(outcome, server)
    return outcome


def stopped_calls(place: Path, *, trials: int, seed: int) -> Outcome:
    """Stop the server under load: every call is answered, or was not taken; 200 means kept."""
    outcome = Outcome("SIGTERM with CreateDocument calls in flight")
    chosen = random.Random(seed)
    folder, root = place / "data", place / "in"
    load = _Load(outcome)
    for _ in range(trials):
        outcome.trials += 1
        with _server(folder, root) as server, ThreadPoolExecutor(_CLIENTS) as pool:
            server.wait_until_up()
            server.create_store()
            load.stopping.clear()
            for _ in range(_CLIENTS):
                pool.submit(load.call, server)
            time.sleep(chosen.uniform(0.3, 2))
            load.stopping.set()
            _stop(outcome, server)
    with _server(folder, root) as server:
        server.wait_until_up()
        for number in load.kept:
            status, answer = server.call("GET", f"{BRANCH}/documents/{document_id(number)}")
            same = status == 200 and answer.get("structData") == data(number)
            outcome.check(same, f"document {number} was acknowledged: {status}")
        _stop(outcome, server)
    return outcome


class _Load:
    """CreateDocument calls from several threads until the server is gone."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self.kept: list[int] = []

    def call(self, server: ServerProcess) -> None:
        """Call until there is no connection."""
        while True:
            with self._lock:
                number = next(self._numbers)
            try:
                status, answer = create(server, number)
            except (OSError, HTTPException) as error:
                refused = isinstance(error, ConnectionRefusedError)
                how = "not connected" if refused else f"no answer ({type(error).__name__})"
                self._note(f"{how}, after SIGTERM")
                if not self.stopping.is_set():
                    self._outcome.check(False, f"before SIGTERM: {error!r}")  # noqa: FBT003
                return
            self._note(f"answered {status}")
            if status == 200:
                self.kept.append(number)
            else:
                self._outcome.check(status == 503, f"{status} {answer}")

    def _note(self, what: str) -> None:
        with self._lock:
            self._outcome.count("calls", what)


def stopped_parser(place: Path, *, trials: int) -> Outcome:
    """Stop the server while a parser hangs (SIGSTOP): it ends in time all the same."""
    outcome = Outcome("SIGTERM while a parser hangs")
    for _ in range(trials):
        outcome.trials += 1
        folder, root = place / f"data{outcome.trials}", place / "files"
        root.mkdir(exist_ok=True)
        for number in range(300):
            (root / f"{number:03}.txt").write_text(f"file {number}\n" * 50)
        with _server(folder, root) as server:
            server.wait_until_up()
            server.create_store(content=True)
            name = _begin(server, str(root), "content")
            hung = _hang(server)
            outcome.check(hung, "no parser was caught")
            time.sleep(1)
            _stop(outcome, server)
            for pid in hung:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    outcome.count("hung parsers", "left over")
        with _server(folder, root) as server:
            server.wait_until_up()
            operation = server.wait_for_operation(name)
            metadata = operation.get("metadata", {})
            outcome.check(metadata.get("successCount") == "300", metadata)
            _stop(outcome, server)
    return outcome


def _hang(server: ServerProcess) -> list[int]:
    for _ in range(1000):
        if found := parsers_of(server.process.pid):
            for pid in found:
                os.kill(pid, signal.SIGSTOP)
            return found
        time.sleep(0.01)
    return []


def _begin(server: ServerProcess, path: str, schema: str) -> str:
    body: dict[str, Any] = {
        "gcsSource": {"inputUris": [f"file://{path}"], "dataSchema": schema},
        "reconciliationMode": "INCREMENTAL",
    }
    if schema == "custom":
        body["idField"] = "_id"
    status, answer = server.call("POST", f"{BRANCH}/documents:import", body)
    if status != 200:
        raise RuntimeError(f"{status} {answer}")
    return str(answer["name"])


def _wait_for_progress(server: ServerProcess, name: str, wanted: int) -> None:
    while True:
        _, answer = server.call("GET", name)
        if answer.get("done") or int(answer["metadata"].get("successCount", 0)) >= wanted:
            return
        time.sleep(0.02)


def _count(server: ServerProcess) -> int:
    found, token = 0, ""
    while True:
        path = f"{BRANCH}/documents?pageSize=1000&pageToken={token}"
        _, answer = server.call("GET", path)
        found += len(answer.get("documents", ()))
        token = answer.get("nextPageToken", "")
        if not token:
            return found


def _stop(outcome: Outcome, server: ServerProcess) -> None:
    code, took = server.stop()
    outcome.most("longest_stop_s", took)
    outcome.check(code == 0, f"it ended with {code}")
    outcome.check(took <= _TIMEOUT_S + _MARGIN_S, f"it took {took:.1f} s to end")
