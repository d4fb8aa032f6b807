"""A wall clock that jumps while the server works: forward, back, and far.

The clock is libfaketime's (package `faketime`), preloaded into the server; the monotonic clock goes
on as it does when an operator or a time server sets the wall clock.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.reliability.documents import (
    BRANCH,
    document_id,
    import_request,
    words,
    write_lines,
)
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import ServerProcess, operations_of, prepare

_LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
_DAY_S = 86_400
_JUMPS = {
    "an hour back": -3_600,
    "a day forward": _DAY_S,
    "a day back": -_DAY_S,
    "ten years forward": 3_650 * _DAY_S,
    "two years back": -730 * _DAY_S,
}
_SEARCH = f"{BRANCH.rpartition('/branches/')[0]}/servingConfigs/default_search:search"
_OK = 200
_FOUND_S = 30.0
_KEPT_S = -30 * _DAY_S


def clock_jumps(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Let the clock jump during an import, write, search, stop; start again without the jump.

    Raises:
        FileNotFoundError: libfaketime is not installed.
    """
    if not _LIBRARIES:
        raise FileNotFoundError("libfaketime is not there: apt-get install faketime")
    outcome = Outcome("the wall clock jumps while the server works")
    chosen = random.Random(seed)
    root = place / "in"
    path = write_lines(root / "documents.jsonl", range(documents))
    for name, seconds in list(_JUMPS.items())[:trials]:
        outcome.trials += 1
        outcome.count("jumps", name)
        folder = place / f"data{outcome.trials}"
        (operation,) = prepare(folder, ("import-documents", import_request(path)))
        with (
            clock(place / "clock") as jump,
            ServerProcess(folder, "--import-roots", str(root)) as server,
        ):
            server.wait_until_up()
            time.sleep(chosen.uniform(0, 1.0))
            jump(seconds)
            works(outcome, server, name, operation, documents)
            code, took = server.stop()
            outcome.check(code == 0, f"{name}: ended with {code}")
            outcome.most("longest_stop_s", took)
        with ServerProcess(folder, "--import-roots", str(root)) as server:
            server.wait_until_up()
            for number in (0, documents - 1, documents):
                status, _ = server.call("GET", f"{BRANCH}/documents/{document_id(number)}")
                outcome.check(status == _OK, f"{name}: document {number} afterwards: {status}")
            status, answer = create(server, documents + 1)
            outcome.check(status == _OK, f"{name}: a write afterwards: {status} {answer}")
            server.stop()
        left = operations_of(folder)
        for found in left:
            outcome.check(found.state == "SUCCEEDED", f"{name}: {found.state} {found.error}")
        # Ended so long ago, by the clock of then, that it is not kept any more.
        outcome.check(left or seconds < _KEPT_S, f"{name}: the operation is forgotten")
    return outcome


def works(
    outcome: Outcome, server: ServerProcess, name: str, operation: str, documents: int
) -> None:
    """Check what a server does after the jump: the import, a write, and a search that sees it."""
    began = time.monotonic()
    status, answer = create(server, documents)
    outcome.check(status == _OK, f"{name}: a write: {status} {answer}")
    outcome.most("longest_write_s", time.monotonic() - began)
    done = server.wait_for_operation(operation, every_s=0.5)
    count = int(done.get("metadata", {}).get("successCount", 0))
    outcome.check("error" not in done and count == documents, f"{name}: {done}")
    deadline = time.monotonic() + _FOUND_S
    wanted, found = document_id(documents), False
    while not found and time.monotonic() < deadline:
        status, answer = server.call("POST", _SEARCH, {"query": " ".join(words(documents))})
        found = any(row["id"] == wanted for row in answer.get("results", ()))
    outcome.check(found, f"{name}: the document written after it is not found: {status}")


@contextmanager
def clock(path: Path) -> Iterator[Callable[[int], None]]:
    """Preload a clock into what is started in the block; yield what makes it jump by seconds."""

    def jump(seconds: int) -> None:
        part = path.with_suffix(".part")
        part.write_text(f"{seconds:+d}\n", encoding="utf-8")
        part.replace(path)

    jump(0)
    wanted = {
        "LD_PRELOAD": str(_LIBRARIES[0]),
        "FAKETIME_TIMESTAMP_FILE": str(path),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    before = dict(os.environ)
    os.environ.update(wanted)
    try:
        yield jump
    finally:
        os.environ.clear()
        os.environ.update(before)
