"""Records in PostgreSQL: Toulmin killed, PostgreSQL killed, failing over, frozen or cut off."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path

from benchmarks.reliability.agreement import disagreements
from benchmarks.reliability.between import Between
from benchmarks.reliability.outcome import Outcome
from benchmarks.reliability.postgres_load import GONE, HURRIED_S, Call, Health, Load
from benchmarks.reliability.postgres_servers import Postgres, postgres_servers, url_of
from benchmarks.reliability.processes import ServerProcess

_LONGEST_S = 30.0
"""An answer later than this is a hang."""
_BACK_S = 30.0
"""By then calls of each kind must have succeeded again, on a machine that others use, too."""
_PATIENCE_S = 120.0
_AWAY_S = 20.0
_LATE = ("UNAVAILABLE", "DEADLINE_EXCEEDED")
_HEALTHY_S = 2.0
"""Of `/healthz`, which asks nothing of the database, on a machine that others use, too."""
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


def frozen(place: Path, *, kills: int, seed: int) -> Outcome:
    """Stop all processes of PostgreSQL under load (SIGSTOP), and let them go on after a while."""
    outcome = Outcome(f"PostgreSQL: SIGSTOP under load, SIGCONT after {_AWAY_S:.0f} s")

    def fail(servers: list[Postgres], _: int) -> float:
        (server,) = servers
        server.freeze()
        time.sleep(_AWAY_S)
        server.thaw()
        return time.monotonic()

    return _disturbed(outcome, place, fail, kills=kills, seed=seed, allowed=_LATE)


def cut_off(place: Path, *, kills: int, seed: int) -> Outcome:
    """Let nothing through to PostgreSQL for a while, without a word to either side.

    Every other time the connections of before stay dead and open for good, as after a change of the
    network; else what was held back goes on.
    """
    outcome = Outcome(
        f"PostgreSQL cut off under load for {_AWAY_S:.0f} s, connections staying open; every"
        " other time those of before stay dead"
    )
    with ExitStack() as stack:
        proxies: list[Between] = []

        def put_between(servers: list[Postgres]) -> str:
            proxies.append(stack.enter_context(Between(servers[0].port)))
            return url_of(proxies)

        def fail(_: list[Postgres], number: int) -> float:
            (proxy,) = proxies
            proxy.cut()
            time.sleep(_AWAY_S)
            proxy.restore(forget=bool(number % 2))
            return time.monotonic()

        return _disturbed(
            outcome, place, fail, kills=kills, seed=seed, allowed=_LATE, url=put_between
        )


def _disturbed(  # noqa: PLR0913 - what differs from trial to trial, by name
    outcome: Outcome,
    place: Path,
    fail: Callable[[list[Postgres], int], float],
    *,
    kills: int,
    seed: int,
    mend: Callable[[list[Postgres]], None] | None = None,
    allowed: Collection[str] = ("UNAVAILABLE",),
    url: Callable[[list[Postgres]], str] = url_of,
) -> Outcome:
    """Let PostgreSQL fail again and again beside one server that is never started anew.

    Args:
        outcome: Where it is noted.
        place: Folder for the trial's data.
        fail: Makes it fail; returns when it was back. It is given how often it failed before.
        kills: How often.
        seed: Chooses what is asked of the index in the end.
        mend: Makes the second server a standby of the first; None: there is one server.
        allowed: Codes of the refusals.
        url: Returns where Toulmin finds them.
    """
    load = Load(is_hurried="DEADLINE_EXCEEDED" in allowed)
    with postgres_servers(2 if mend else 1) as servers:
        where = url(servers)  # its order stays, whichever is the primary
        if mend:
            mend(servers)
        with _toulmin(place, where) as server:
            load.prepare(server)
            load.start(server)
            health = Health(server)
            try:
                for number in range(kills):
                    outcome.trials += 1
                    _warm(load)
                    began = time.monotonic()
                    back = fail(servers, number)
                    _recovered(outcome, load, back)
                    _answered_meanwhile(outcome, load.ended_since(began), allowed)
                    if mend:
                        mend(servers)
            finally:
                load.stop()
                health.stop()
            outcome.most("longest_healthz_s", health.longest_s)
            outcome.check(not health.wrong, f"/healthz: {health.wrong[:3]}")
            outcome.check(health.longest_s < _HEALTHY_S, f"/healthz took {health.longest_s:.1f} s")
            outcome.check(server.process.poll() is None, "the server ended")
            outcome.wrong(list(load.lost(server)))
            outcome.wrong([f"in the log: {line}" for line in server.defects()])
            server.stop()
        _end(outcome, place, where, load, seed=seed)
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


def _answered_meanwhile(outcome: Outcome, calls: list[Call], allowed: Collection[str]) -> None:
    refused = [call for call in calls if call.said != "OK"]
    for call in refused:
        outcome.count("refused", f"{call.kind}: {call.said}")
        outcome.check(call.said in allowed, f"{call.kind}: {call.said}")
        is_late = call.said == "DEADLINE_EXCEEDED"
        outcome.check(is_late or call.retries, f"{call.kind}: {call.said} without Retry-After")
    hurried = max((call.took for call in calls if call.kind == "hurried"), default=0.0)
    outcome.check(hurried < HURRIED_S + _HEALTHY_S, f"one who waits {HURRIED_S} s: {hurried:.1f}")
    if hurried:
        outcome.most("longest_answer_to_the_hurried_s", hurried)
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
