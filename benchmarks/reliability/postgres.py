"""Records in PostgreSQL: Toulmin killed, PostgreSQL killed and started again, or failing over."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.postgres_load import GONE, Call, Load
from benchmarks.reliability.postgres_servers import Postgres, postgres_servers, url_of
from benchmarks.reliability.processes import ServerProcess

_LONGEST_S = 30.0
"""An answer later than this is a hang."""
_BACK_S = 30.0
"""By then calls of each kind must have succeeded again, on a machine that others use, too."""
_PATIENCE_S = 120.0
_WARM_S = 5.0
_KINDS = {"write", "import", "operation", "turn", "answer", "read", "check"}


def killed_toulmin(place: Path, *, kills: int, seed: int) -> Outcome:
    """Kill `toulmin serve` in the middle of imports, turns and other calls, again and again."""
    outcome = Outcome(
        "PostgreSQL: kill -9 of `toulmin serve` during imports, turns and other calls"
    )
    chosen = random.Random(seed)
    load = Load()
    with postgres_servers(1) as servers:
        url = url_of(servers)
        for number in range(kills):
            outcome.trials += 1
            with _toulmin(place, url) as server:
                if not number:
                    load.prepare(server)
                began = time.monotonic()
                load.start(server)
                _wait_until(
                    lambda since=began: {"turn", "import"} <= load.first_successes(since).keys()
                )
                time.sleep(chosen.uniform(0, 3))
                server.kill()
                load.stop()
        _end(outcome, place, url, load, seed=seed)
    said = load.answered()
    outcome.check(set(said) <= {"OK", GONE}, f"answered {said}")
    return outcome


def killed_postgres(place: Path, *, kills: int, seed: int) -> Outcome:
    """End PostgreSQL at once under load, by `immediate` and by SIGKILL, and start it after a while."""
    outcome = Outcome("PostgreSQL ended at once under load, and started again after some seconds")
    chosen = random.Random(seed)

    def fail(servers: list[Postgres], number: int) -> float:
        (server,) = servers
        server.stop_at_once() if number % 2 else server.kill()
        time.sleep(chosen.uniform(2, 8))
        server.start()
        return time.monotonic()

    return _disturbed(outcome, place, fail, kills=kills, seed=seed)


def failed_over(place: Path, *, kills: int, seed: int) -> Outcome:
    """Kill the primary under load and promote its synchronous standby; both are in the URL."""
    outcome = Outcome("PostgreSQL: the primary killed under load, its standby promoted")

    def fail(servers: list[Postgres], _: int) -> float:
        primary, standby = servers
        primary.kill()
        time.sleep(1.0)
        standby.promote()
        servers.reverse()
        return time.monotonic()

    def mend(servers: list[Postgres]) -> None:
        primary, standby = servers
        standby.follow(primary)

    return _disturbed(outcome, place, fail, kills=kills, seed=seed, mend=mend)


def _disturbed(
    outcome: Outcome,
    place: Path,
    fail: Callable[[list[Postgres], int], float],
    *,
    kills: int,
    seed: int,
    mend: Callable[[list[Postgres]], None] | None = None,
) -> Outcome:
    """Let PostgreSQL fail again and again beside one server that is never started anew.

    Args:
        outcome: Where it is noted.
        place: Folder for the trial's data.
        fail: Makes it fail; returns when it was back. It is given how often it failed before.
        kills: How often.
        seed: Chooses what is asked of the index in the end.
        mend: Makes the second server a standby of the first; None: there is one server.
    """
    load = Load()
    with postgres_servers(2 if mend else 1) as servers:
        url = url_of(servers)  # its order stays, whichever is the primary
        if mend:
            mend(servers)
        with _toulmin(place, url) as server:
            load.prepare(server)
            load.start(server)
            try:
                for number in range(kills):
                    outcome.trials += 1
                    _warm(load)
                    began = time.monotonic()
                    back = fail(servers, number)
                    _recovered(outcome, load, back)
                    _answered_meanwhile(outcome, load.ended_since(began))
                    if mend:
                        mend(servers)
            finally:
                load.stop()
            outcome.check(server.process.poll() is None, "the server ended")
            outcome.wrong(list(load.lost(server)))
            outcome.check("Traceback" not in server.log(), "a defect is in the log")
            server.stop()
        _end(outcome, place, url, load, seed=seed)
    return outcome


def _toulmin(place: Path, url: str) -> ServerProcess:
    """Return a server that is up; no key and no TLS, the records in PostgreSQL."""
    server = ServerProcess(place / "data", "--database-url", url)
    server.wait_until_up()
    return server


def _warm(load: Load) -> None:
    """Wait until each client has had an answer of late."""
    began = time.monotonic()
    time.sleep(_WARM_S)
    _wait_until(lambda: load.first_successes(began).keys() >= _KINDS)


def _recovered(outcome: Outcome, load: Load, back: float) -> None:
    """Note how long after PostgreSQL's return calls of each kind succeeded again."""
    deadline = back + _PATIENCE_S
    while time.monotonic() < deadline and not load.first_successes(back).keys() >= _KINDS:
        time.sleep(0.1)
    found = load.first_successes(back)
    outcome.check(found.keys() >= _KINDS, f"no success of {sorted(_KINDS - found.keys())}")
    # With the clients' own pauses, up to a second, and what their calls take on a busy machine.
    for kind, seconds in found.items():
        outcome.most(f"{kind}_again_after_s", seconds)
        outcome.check(seconds < _BACK_S, f"{kind} only after {seconds:.1f} s")


def _answered_meanwhile(outcome: Outcome, calls: list[Call]) -> None:
    refused = [call for call in calls if call.said != "OK"]
    for call in refused:
        outcome.count("refused", f"{call.kind}: {call.said}")
        outcome.check(call.said == "UNAVAILABLE", f"{call.kind}: {call.said}")
        outcome.check(call.retries, f"{call.kind}: {call.said} without Retry-After")
    longest = max((call.took for call in calls), default=0.0)
    outcome.most("longest_answer_s", longest)
    outcome.check(longest < _LONGEST_S, f"an answer took {longest:.1f} s")
    if refused:
        middle = statistics.median(call.took for call in refused)
        outcome.most("median_refusal_s", middle)


def _end(outcome: Outcome, place: Path, url: str, load: Load, *, seed: int) -> None:
    """Start once more, look for all that was acknowledged, stop, and compare index and records."""
    with _toulmin(place, url) as server:
        outcome.wrong(list(load.lost(server)))
        expected = load.expected(server)
        code, _ = server.stop()
        outcome.check(code == 0, f"the server ended with {code}")
    outcome.wrong(disagreements(place / "data", dict.fromkeys(expected, 1), seed=seed, url=url))
    outcome.figures |= {
        "documents": len(expected),
        "acknowledged": {
            "documents": len(load.documents),
            "imports": len(load.operations),
            "turns": sum(map(len, load.turns.values())),
            "answers": len(load.answers),
        },
        "calls": load.answered(),
    }


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError("the clients have no success")
        time.sleep(0.05)
