"""A wall clock that is set years off while the server works, back, off again, and right again.

Looked at is all that has a time to hold: the leases of operations, keys that expire, quotas, what
callers know of keys, conversations, events, and what is kept for so long. Deleting what has had its
time happens at the start and every hour; what it does about such a clock is tested with clocks of
the test's own (`tests/stores/records/test_steady_clock.py`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.reliability.clocks import clock, works
from benchmarks.reliability.documents import (
    BRANCH,
    STORE,
    document_id,
    import_request,
    write_lines,
)
from benchmarks.reliability.kills import create
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.processes import ServerProcess, opened, operations_of, prepare
from toulmin.callers import Role

_YEAR_S = 365 * 86_400
_JUMPS = {
    "15 years forward, beyond 2038": 15 * _YEAR_S,
    "15 years back": -15 * _YEAR_S,
    "50 years back": -50 * _YEAR_S,
    "a year forward": _YEAR_S,
    "a year back": -_YEAR_S,
}
_PER_MINUTE = 120
_BURST = 60
_FRESH_S = 1.5
"""Longer than the server goes by keys that it has read."""
_OK, _EXPIRED, _TOO_MANY = 200, 401, 429


@dataclass(frozen=True, slots=True)
class _Keys:
    """An editor's that holds for ever, one that holds for a month, one that asks too much."""

    editor: str
    month: str
    greedy: str


def far_jumps(place: Path, *, documents: int, trials: int) -> Outcome:
    """Set the clock years off during an import, right, off again and right, and look each time.

    Raises:
        FileNotFoundError: libfaketime is not installed.
    """
    outcome = Outcome("the wall clock is set years off while the server works, and right again")
    root = place / "in"
    path = write_lines(root / "documents.jsonl", range(documents))
    flags = ("--import-roots", str(root), "--key-requests-per-minute", str(_PER_MINUTE))
    for name, seconds in list(_JUMPS.items())[:trials]:
        outcome.trials += 1
        outcome.count("jumps", name)
        folder = place / f"data{outcome.trials}"
        (operation,) = prepare(folder, ("import-documents", import_request(path)))
        keys = _make_keys(folder)
        with clock(place / "clock") as jump, ServerProcess(folder, *flags) as server:
            server.key = keys.editor
            server.wait_until_up()
            session = _talk(outcome, server, name)
            _use_up(outcome, server, keys.greedy, name)
            jump(seconds)
            _quota(outcome, server, keys.greedy, name)
            works(outcome, server, name, operation, documents)
            _key_holds(outcome, server, keys.month, name, wanted=seconds < 0)
            jump(0)
            _holds(outcome, server, keys, session, f"{name}, and right again")
            jump(seconds)
            status, answer = create(server, documents + 1)
            outcome.check(status == _OK, f"{name}, a second time: {status} {answer}")
            jump(0)
            _holds(outcome, server, keys, session, f"{name}, a second time, and right again")
            code, took = server.stop()
            outcome.check(code == 0, f"{name}: ended with {code}")
            outcome.most("longest_stop_s", took)
        _afterwards(outcome, folder, flags, keys, session, name)
        _has_all(outcome, folder, documents + 2, name)
    return outcome


def _make_keys(folder: Path) -> _Keys:
    month = datetime.now(UTC) + timedelta(days=30)
    with opened(folder) as store, store.write() as transaction:
        make = transaction.api_keys.create
        return _Keys(
            editor=make(display_name="editor", role=Role.ADMIN)[1],
            month=make(display_name="month", role=Role.VIEWER, expire_time=month)[1],
            greedy=make(display_name="greedy", role=Role.VIEWER)[1],
        )


def _talk(outcome: Outcome, server: ServerProcess, name: str) -> str:
    """Make a session and write an event; return the session's name."""
    status, session = server.call("POST", f"{STORE}/sessions", {"userPseudoId": "u"})
    outcome.check(status == _OK, f"{name}: a session: {status} {session}")
    event = {"eventType": "search", "userPseudoId": "u", "searchInfo": {"searchQuery": "pump"}}
    status, answer = server.call("POST", f"{STORE}/userEvents:write", event)
    outcome.check(status == _OK, f"{name}: an event: {status} {answer}")
    return str(session.get("name"))


def _ask(server: ServerProcess, key: str) -> tuple[int, Any]:
    return server.call("GET", f"{BRANCH}/documents?pageSize=1", key=key)


def _use_up(outcome: Outcome, server: ServerProcess, key: str, name: str) -> None:
    for _ in range(20 * _PER_MINUTE):
        if _ask(server, key)[0] == _TOO_MANY:
            return
    outcome.check(False, f"{name}: the quota does not end")  # noqa: FBT003


def _quota(outcome: Outcome, server: ServerProcess, key: str, name: str) -> None:
    """Check that a quota that is used up neither fills by the jump nor stays empty for years."""
    began = time.monotonic()
    answered, waits = 0, [0.0]
    for _ in range(_BURST):
        status, answer = _ask(server, key)
        answered += status == _OK
        waits += [
            float(detail["retryDelay"].removesuffix("s"))
            for detail in answer.get("error", {}).get("details", ())
            if "retryDelay" in detail
        ]
    due = (time.monotonic() - began) * _PER_MINUTE / 60 + 2
    outcome.check(answered <= due, f"{name}: {answered} requests answered, {due:.0f} were due")
    outcome.check(max(waits) <= 60, f"{name}: is told to wait {max(waits)} s")
    outcome.most("longest_retry_delay_s", max(waits))
    time.sleep(max(waits) + 1)
    status, _ = _ask(server, key)
    outcome.check(status == _OK, f"{name}: {status} when the wait is over")


def _key_holds(
    outcome: Outcome, server: ServerProcess, key: str, name: str, *, wanted: bool
) -> None:
    time.sleep(_FRESH_S)
    status, answer = _ask(server, key)
    outcome.check(status == (_OK if wanted else _EXPIRED), f"{name}: key for a month: {status}")
    if status == _EXPIRED:
        reasons = [detail.get("reason") for detail in answer["error"].get("details", ())]
        outcome.check("API_KEY_EXPIRED" in reasons, f"{name}: {reasons}")
    outcome.count("key for a month", "holds" if status == _OK else "has expired")


def _holds(outcome: Outcome, server: ServerProcess, keys: _Keys, session: str, name: str) -> None:
    """Check that with the right time all is as it was."""
    _key_holds(outcome, server, keys.month, name, wanted=True)
    status, _ = server.call("GET", session)
    outcome.check(status == _OK, f"{name}: the session: {status}")
    status, _ = _ask(server, keys.greedy)
    outcome.check(status == _OK, f"{name}: the key that asked too much: {status}")


def _afterwards(
    outcome: Outcome,
    folder: Path,
    flags: tuple[str, ...],
    keys: _Keys,
    session: str,
    name: str,
) -> None:
    """Start again with the right time and check what is left."""
    with ServerProcess(folder, *flags) as server:
        server.key = keys.editor
        server.wait_until_up()
        _holds(outcome, server, keys, session, f"{name}, started again")
        server.stop()
    with opened(folder) as store, store.read() as transaction:
        _, events = transaction.user_events.position(1)
    outcome.check(events == 1, f"{name}: {events} events are left of 1")
    for found in operations_of(folder):
        outcome.check(found.state == "SUCCEEDED", f"{name}: {found.state} {found.error}")


def _has_all(outcome: Outcome, folder: Path, count: int, name: str) -> None:
    """Check that documents 0 to `count` - 1 are there, each once, and no others."""
    with opened(folder) as store, store.read() as transaction:
        found = transaction.documents.scan(after_key=0, limit=2 * count)
    ids = sorted(stored.document.id for stored in found)
    wanted = [document_id(number) for number in range(count)]
    outcome.check(ids == wanted, f"{name}: {len(ids)} documents of {count}")
