"""A disk that is full when an index is made compact, and when a question's answer is to be kept."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.disk import fill_up, go_on, grow, small_disk
from benchmarks.reliability.documents import STORE, import_request, words, write_lines
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import Child, ServerProcess, prepare

_OK, _TOO_MANY = 200, 429
_NOTICED_S = 60.0
_WAITS = "The search index waits"
_ANSWER = f"{STORE}/servingConfigs/default_search:answer"


def full_disk_merge(place: Path, base: Path, *, documents: int, trials: int, seed: int) -> Outcome:
    """Replace every document; fill the disk as soon as the index is being made compact.

    Every second trial the process that met the full disk is killed before there is room.
    """
    outcome = Outcome("the disk is full while an index is made compact")
    path = write_lines(place / "in" / "second.jsonl", range(documents), version=2)
    root = Path(path).parent
    size = 2 + 4 * sum(file.stat().st_size for file in base.rglob("*") if file.is_file()) // 2**20
    for _ in range(trials):
        outcome.trials += 1
        with small_disk(place / f"disk{outcome.trials}", size) as folder:
            shutil.copytree(base, folder, dirs_exist_ok=True)
            prepare(folder, ("import-documents", import_request(path)))
            _fill_at_merge(outcome, folder, root, is_killed=outcome.trials % 2 == 0)
            go_on(outcome, folder, path)
            expected = dict.fromkeys(range(documents), 2)
            outcome.wrong(disagreements(folder, expected, seed=seed))
            builds = list((folder / "index").glob("store-*/build-*"))
            outcome.check(len(builds) == 1, f"{len(builds)} builds are left")
    return outcome


def _fill_at_merge(outcome: Outcome, folder: Path, root: Path, *, is_killed: bool) -> None:
    child = Child(folder, root)
    outcome.check(child.wait_for(lambda report: report.get("builds", 0) > 1), "it does not begin")
    filler = folder / "filler"
    fill_up(filler)
    said = _comes(lambda: _WAITS in child.log() or bool(child.reports[-1].get("done")))
    outcome.check(said, "the full disk was not noticed")
    outcome.count("met by", "the index" if _WAITS in child.log() else "nobody: it was done before")
    outcome.check("Traceback" not in child.log(), "a defect is in the log")
    if is_killed:
        child.kill()
    filler.unlink()
    grow(folder)
    if is_killed:
        child = Child(folder, root)
    outcome.check(child.is_done(), "the process did not get over it")


def _comes(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _NOTICED_S
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.1)
    return False


def full_disk_answers(place: Path, *, trials: int) -> Outcome:
    """Fill the disk beside a server that answers in a session: no turn is kept by half."""
    outcome = Outcome("the disk is full: questions in a session, and events")
    with small_disk(place / "data", 64) as folder, ServerProcess(folder) as server:
        server.wait_until_up()
        server.create_store()
        for number in range(5):
            create(server, number)
        status, session = server.call("POST", f"{STORE}/sessions", {"userPseudoId": "u"})
        outcome.check(status == _OK, f"a session: {status} {session}")
        name, kept = str(session["name"]), 0
        for _ in range(trials):
            outcome.trials += 1
            kept += _asks(outcome, server, name, _OK)
            filler = folder / "filler"
            fill_up(filler)
            refused = 0
            while refused < 3:  # what is left in files that are there takes some
                done = _asks(outcome, server, name, _TOO_MANY)
                kept += done
                refused += not done
                fill_up(filler)
            status, answer = server.call("POST", _ANSWER, _question())
            outcome.check(status == _OK, f"a question outside of a session: {status} {answer}")
            event = {"eventType": "search", "userPseudoId": "u", "searchInfo": {"searchQuery": "x"}}
            status, answer = server.call("POST", f"{STORE}/userEvents:write", event)
            said = answer.get("error", {}).get("status", "OK")
            outcome.check(said in ("RESOURCE_EXHAUSTED", "OK"), f"an event: {status} {answer}")
            outcome.count("events", said)
            _check_turns(outcome, server, name, kept)
            filler.unlink()
            kept += _asks(outcome, server, name, _OK)
            _check_turns(outcome, server, name, kept)
        code, _ = server.stop()
        outcome.check(code == 0, f"the server ended with {code}")
    outcome.figures["turns_kept"] = kept
    return outcome


def _question() -> dict[str, dict[str, str]]:
    return {"query": {"text": f"What has {words(1)[0]}?"}}


def _asks(outcome: Outcome, server: ServerProcess, session: str, expected: int) -> bool:
    """Ask in a session; return whether it was answered."""
    status, answer = server.call("POST", _ANSWER, {**_question(), "session": session})
    said = answer.get("error", {}).get("status", "OK")
    outcome.check(status in {_OK, expected}, f"a question: {status} {answer}")
    outcome.count("questions", said)
    return status == _OK


def _check_turns(outcome: Outcome, server: ServerProcess, session: str, expected: int) -> None:
    """Check that each turn that was answered is there with its answer, and no other."""
    status, found = server.call("GET", session)
    turns = found.get("turns", [])
    outcome.check(len(turns) == expected, f"{status}: {len(turns)} turns of {expected}")
    for turn in turns:
        status, answer = server.call("GET", str(turn.get("answer")))
        outcome.check(status == _OK, f"the answer of a turn: {status} {answer}")
