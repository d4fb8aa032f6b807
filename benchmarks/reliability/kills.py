"""kill -9 at random moments, then a start, then a count of what is there."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.documents import (
    BRANCH,
    COLOURS,
    data,
    document_id,
    import_request,
    write_lines,
)
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import (
    TOULMIN,
    Child,
    ServerProcess,
    copied,
    operations_of,
    prepare,
    run_to_end,
    toulmin,
)

_CLIENTS = 4


def killed_import(place: Path, *, documents: int, kills: int, seed: int) -> Outcome:
    """Kill one import again and again until it ends; most of the moments are within the work."""
    outcome = Outcome(f"kill -9 during an import of {documents:,} documents, again and again")
    chosen = random.Random(seed)
    folder, root = place / "data", place / "in"
    path = write_lines(root / "documents.jsonl", range(documents))
    prepare(folder, ("import-documents", import_request(path)))
    # One in five dies while it starts, that is while it repairs what the one before it left.
    early = [chosen.random() < 0.2 for _ in range(kills)]
    places = iter(sorted(chosen.randrange(documents) for is_early in early if not is_early))
    for is_early in early:
        outcome.trials += 1
        child = Child(folder, root, stays=True)  # a fast machine may have done all by then
        if is_early:
            time.sleep(chosen.uniform(0, 4))
        else:
            wanted = next(places)
            child.wait_for(lambda report, n=wanted: report.get("success", -1) >= n)
            time.sleep(chosen.uniform(0, 1))
        outcome.check(not child.has_ended, "it ended by itself")
        said = child.kill().get("success", 0)
        kept, counted = _kept(folder)
        outcome.count("killed", "while it started" if is_early else "at work")
        outcome.check(kept >= said, f"{said} documents acknowledged, {kept} there")
        outcome.check(kept == counted, f"the operation counts {counted}, {kept} are there")
    outcome.check(run_to_end(folder, root), "the last start failed")
    _check_import(outcome, folder, documents)
    outcome.figures["indexes_built_anew"] = _built_anew(folder)
    outcome.wrong(disagreements(folder, dict.fromkeys(range(documents), 1), seed=seed))
    return outcome


def _built_anew(folder: Path) -> int:
    """Return how often a child said so; a kill alone should not make it necessary."""
    log = folder.with_name(f"{folder.name}.log")
    return log.read_text(encoding="utf-8", errors="replace").count("built anew")


def _check_import(outcome: Outcome, folder: Path, documents: int) -> None:
    (operation,) = operations_of(folder)
    outcome.check(operation.state == "SUCCEEDED", f"the operation is {operation.state}")
    outcome.check(operation.success_count == documents, f"it counts {operation.success_count}")
    outcome.check(operation.failure_count == 0, f"it counts {operation.failure_count} failures")
    with closing(_read_only(folder)) as connection:
        query = "SELECT count(*), max(generation) FROM documents"
        found = connection.execute(query).fetchone()
    outcome.check(found == (documents, 1), f"{found}: number of documents, most writes of one")
    outcome.figures["documents"] = documents


def _kept(folder: Path) -> tuple[int, int]:
    """Return how many documents are there and how many the operation counts, as the kill left it.

    Read without opening the store, which would repair it.
    """
    with closing(_read_only(folder)) as connection:
        connection.execute("BEGIN")
        (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
        (counted,) = connection.execute("SELECT sum(success_count) FROM operations").fetchone()
    return documents, counted


def _read_only(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{folder / 'records.db'}?mode=ro", uri=True)


@dataclass(frozen=True, slots=True)
class Job:
    """Something that a child does in a prepared folder, to be killed once and done again.

    Attributes:
        fault: What it is called.
        base: The folder, copied for each trial.
        root: Where imports may read.
        begins: Says of a report that the part to be disturbed begins.
        expected: Numbers of the documents that must be there at the end -> version.
        result: What the last operation must say at the end.
        prepares: What is done to a copy first.
    """

    fault: str
    base: Path
    root: Path
    begins: Callable[[dict[str, Any]], bool]
    expected: Mapping[int, int]
    result: Mapping[str, Any]
    prepares: Callable[[Path], None] = lambda _: None


def killed_once(job: Job, *, trials: int, seed: int) -> Outcome:
    """Kill the job at a random moment, start again, and see whether it ends as if undisturbed."""
    outcome = Outcome(job.fault)
    chosen = random.Random(seed)
    took = _undisturbed(outcome, job)
    for _ in range(trials):
        outcome.trials += 1
        folder = copied(job.base, job.base.with_name("trial"))
        job.prepares(folder)
        child = Child(folder, job.root)
        child.wait_for(job.begins)
        time.sleep(chosen.uniform(0, took))
        had_ended = child.has_ended
        last = child.kill()
        outcome.count("killed", "when all was done" if had_ended or last.get("done") else "at work")
        _end(outcome, job, folder, seed + outcome.trials)
    outcome.figures["indexes_built_anew"] = _built_anew(job.base.with_name("trial"))
    return outcome


def _undisturbed(outcome: Outcome, job: Job) -> float:
    """Do the job once without a kill, check it, and return how long the part takes."""
    folder = copied(job.base, job.base.with_name("trial"))
    job.prepares(folder)
    child = Child(folder, job.root)
    child.wait_for(job.begins)
    began = time.monotonic()
    child.wait_for(lambda report: bool(report.get("done")))
    took = time.monotonic() - began
    child.is_done()
    _end(outcome, job, folder, 0)
    outcome.figures["undisturbed_s"] = round(took, 2)
    return took


def _end(outcome: Outcome, job: Job, folder: Path, seed: int) -> None:
    run_to_end(folder, job.root)
    if job.result:
        operation = operations_of(folder)[0]
        said = {key: (operation.result or {}).get(key) for key in job.result}
        outcome.check(operation.state == "SUCCEEDED", f"the operation is {operation.state}")
        outcome.check(said == job.result, f"the result is {operation.result}")
    outcome.wrong(disagreements(folder, job.expected, seed=seed))


def base_folder(place: Path, documents: int) -> Path:
    """Return a data folder with documents 0, 1, ... imported and the index up to date."""
    folder = place / "base"
    path = write_lines(place / "in" / "all.jsonl", range(documents))
    prepare(folder, ("import-documents", import_request(path)))
    run_to_end(folder, place / "in")
    return folder


def sweep(place: Path, base: Path, documents: int) -> Job:
    """A FULL import that has a tenth of the documents: the rest is deleted."""
    kept = range(0, documents, 10)
    path = write_lines(place / "in" / "tenth.jsonl", kept)
    return Job(
        fault="kill -9 during a FULL reconciliation that deletes nine tenths of the documents",
        base=base,
        root=place / "in",
        begins=lambda report: report.get("phase") == "sweep" or "success" in report,
        expected=dict.fromkeys(kept, 1),
        result={"success_count": len(kept), "deleted_count": documents - len(kept)},
        prepares=lambda folder: _ask(folder, "import-documents", import_request(path, full=True)),
    )


def purge(place: Path, base: Path, documents: int) -> Job:
    """A purge by filter of half of the documents."""
    kept = [n for n in range(documents) if COLOURS[n % len(COLOURS)] not in ("red", "blue")]
    request = {"filter": 'colour: ANY("red", "blue")', "force": True}
    return Job(
        fault="kill -9 during a purge of half of the documents",
        base=base,
        root=place / "in",
        begins=lambda report: "success" in report,
        expected=dict.fromkeys(kept, 1),
        result={"purge_count": documents - len(kept)},
        prepares=lambda folder: _ask(folder, "purge-documents", request),
    )


def compaction(place: Path, base: Path, documents: int) -> Job:
    """Every document replaced, so that half of the index is dead and it is made compact."""
    path = write_lines(place / "in" / "second.jsonl", range(documents), version=2)
    return Job(
        fault="kill -9 while an index is made compact",
        base=base,
        root=place / "in",
        begins=lambda report: report.get("builds", 0) > 1 or bool(report.get("done")),
        expected=dict.fromkeys(range(documents), 2),
        result={"success_count": documents},
        prepares=lambda folder: _ask(folder, "import-documents", import_request(path)),
    )


def rebuild(place: Path, base: Path, documents: int) -> Job:
    """No index at the start: it is built from the records."""

    def lose_index(folder: Path) -> None:
        for path in sorted((folder / "index").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    return Job(
        fault="kill -9 while an index is built anew from the records",
        base=base,
        root=place / "in",
        begins=lambda _: True,
        expected=dict.fromkeys(range(documents), 1),
        result={},
        prepares=lose_index,
    )


def _ask(folder: Path, kind: str, request: dict[str, Any]) -> None:
    prepare(folder, (kind, request))


def killed_backup(place: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Kill `toulmin backup` while an import runs; what is there afterwards is whole or nothing."""
    outcome = Outcome("kill -9 during `toulmin backup`, beside a running import")
    chosen = random.Random(seed)
    folder, root, copies = place / "data", place / "in", place / "copies"
    copies.mkdir()
    path = write_lines(root / "documents.jsonl", range(documents))
    prepare(folder, ("import-documents", import_request(path)))
    child = Child(folder, root)
    child.wait_for(lambda report: report.get("success", 0) > 0)
    arguments = ["backup", "--data-dir", str(folder)]
    for _ in range(trials):
        outcome.trials += 1
        target = copies / f"{outcome.trials}.db"
        process = subprocess.Popen(
            [*TOULMIN, *arguments, str(target)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _wait_for_copy(process, copies, target)
        time.sleep(chosen.uniform(0, 0.25))
        process.kill()
        process.wait()
        outcome.count("killed", "after the copy was there" if target.exists() else "before")
        if target.exists():
            _check_copy(outcome, place, target, seed)
    finished = copies / "finished.db"
    report = toulmin(*arguments, str(finished))
    outcome.check(report.returncode == 0, f"a backup after that fails: {report.stderr}")
    _check_copy(outcome, place, finished, seed)
    outcome.check(child.is_done(), "the import beside it failed")
    _check_import(outcome, folder, documents)
    outcome.wrong(disagreements(folder, dict.fromkeys(range(documents), 1), seed=seed))
    outcome.figures["files_left_over"] = len(list(copies.glob("*.part*")))
    return outcome


def _wait_for_copy(process: subprocess.Popen[bytes], copies: Path, target: Path) -> None:
    before = set(copies.glob("*.part*"))
    while process.poll() is None and not target.exists():
        if set(copies.glob("*.part*")) - before:
            return
        time.sleep(0.005)


def _check_copy(outcome: Outcome, place: Path, copy: Path, seed: int) -> None:
    """Restore a copy elsewhere and let the import in it go on to its end."""
    folder = place / "restored"
    report = toulmin("restore", "--data-dir", str(folder), "--yes", str(copy))
    outcome.check(report.returncode == 0, f"the copy cannot be restored: {report.stderr}")
    kept, counted = _kept(folder)
    outcome.check(kept == counted, f"the copy has {kept} documents and counts {counted}")
    outcome.count("copies", "restored")
    run_to_end(folder, place / "in")
    documents = len((place / "in" / "documents.jsonl").read_text().splitlines())
    _check_import(outcome, folder, documents)
    outcome.wrong(disagreements(folder, dict.fromkeys(range(documents), 1), seed=seed))


def killed_calls(place: Path, *, kills: int, seed: int) -> Outcome:
    """Kill `toulmin serve` while clients create documents; what was answered with 200 is there."""
    outcome = Outcome("kill -9 of `toulmin serve` during CreateDocument calls by REST")
    chosen = random.Random(seed)
    folder = place / "data"
    numbers = iter(range(10**9))
    calls = _Calls(numbers)
    for _ in range(kills):
        outcome.trials += 1
        with ServerProcess(folder) as server:
            server.wait_until_up()
            server.create_store()
            began = time.monotonic()
            with ThreadPoolExecutor(_CLIENTS) as pool:
                for _ in range(_CLIENTS):
                    pool.submit(calls.make, server)
                time.sleep(chosen.uniform(0.05, 2))
                server.kill()
            outcome.most("longest_life_s", time.monotonic() - began)
    kept, _ = _kept(folder)
    outcome.figures |= {"acknowledged": len(calls.acknowledged), "documents": kept}
    outcome.figures |= {"unanswered": len(calls.unanswered)}
    outcome.wrong([f"answered with {code}" for code in calls.others])
    with ServerProcess(folder) as server:
        server.wait_until_up()
        for number in calls.acknowledged:
            status, answer = server.call("GET", f"{BRANCH}/documents/{document_id(number)}")
            is_same = answer.get("structData") == data(number)
            outcome.check(status == 200 and is_same, f"{number} was acknowledged: {status}")
        status, answer = server.call("GET", f"{BRANCH}/documents?pageSize=1")
        code, _ = server.stop()
        outcome.check(code == 0, f"the server ended with {code}")
    there = set(calls.acknowledged) | {n for n in calls.unanswered if _is_there(folder, n)}
    outcome.check(kept == len(there), f"{kept} documents, {len(there)} were sent and are there")
    return outcome


class _Calls:
    """CreateDocument calls from several threads, and what became of them."""

    def __init__(self, numbers: Any) -> None:
        self._numbers = numbers
        self._lock = threading.Lock()
        self.acknowledged: list[int] = []
        self.unanswered: list[int] = []
        self.others: list[int] = []

    def make(self, server: ServerProcess) -> None:
        """Call until there is no answer."""
        while True:
            with self._lock:
                number = next(self._numbers)
            try:
                status, _ = create(server, number)
            except (OSError, HTTPException, ValueError):
                self.unanswered.append(number)
                return
            (self.acknowledged if status == 200 else self.others).append(
                number if status == 200 else status
            )


def create(server: ServerProcess, number: int, **more: Any) -> tuple[int, Any]:
    """Make one CreateDocument call."""
    path = f"{BRANCH}/documents?documentId={document_id(number)}"
    return server.call("POST", path, {"structData": data(number)}, **more)


def _is_there(folder: Path, number: int) -> bool:
    with closing(_read_only(folder)) as connection:
        query = "SELECT count(*) FROM documents WHERE id = ?"
        return bool(connection.execute(query, (document_id(number),)).fetchone()[0])
