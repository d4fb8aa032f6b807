import threading
from contextlib import suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest

from tests.patience import PATIENCE_S, wait_for
from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document
from toulmin.domain import NO_FIELDS
from toulmin.errors import Aborted, Cancelled, InvalidArgument, NotFound, Unavailable
from toulmin.stores.records import (
    OperationError,
    OperationRunner,
    Progress,
    RecordStore,
    operation_runner,
)
from toulmin.stores.records.operations import Operations

LEASE = timedelta(seconds=60)


def create(store, kind="import", **request):
    with store.write() as transaction:
        return transaction.operations.create(parent="p/branches/0", kind=kind, request=request)


def claim(store, owner, lease=LEASE):
    with store.write() as transaction:
        return transaction.operations.claim(kinds=["import"], owner=owner, lease=lease)


def get(store, operation):
    with store.read() as transaction:
        return transaction.operations.get(operation.name)


@pytest.fixture
def runner(store):
    runners = []

    def start(handler, **more):
        more.setdefault("lease_s", 5.0)
        runners.append(OperationRunner(store, {"import": handler}, **more))
        runners[-1].start()
        return runners[-1]

    yield start
    for started in runners:
        started.close()


def test_an_operation_is_claimed_once_and_taken_over_when_its_lease_is_over(store):
    first, second = create(store), create(store)
    create(store, kind="other")
    assert claim(store, "a", lease=timedelta(0)).name == first.name
    taken = claim(store, "b")
    assert taken.name == first.name
    assert taken.attempts == 2
    assert claim(store, "c").name == second.name
    assert claim(store, "d") is None


def set_lease(store, operation, *, ends_in):
    """Let a lease end so long from now, as after a jump of the clock."""
    with store.write() as transaction:
        transaction.operations.renew(operation, lease=ends_in)


@pytest.mark.parametrize("years", [-10, 1, 10])
def test_a_lease_of_another_clock_holds_nothing_up(store, years):
    create(store)
    set_lease(store, claim(store, "dead"), ends_in=timedelta(days=365 * years))
    taken = claim(store, "b")
    assert taken.lease_owner == "b"
    assert claim(store, "c") is None, "the new lease is one of this clock"


def test_a_lease_that_is_a_little_long_by_a_correction_of_the_clock_holds(store):
    create(store)
    set_lease(store, claim(store, "alive"), ends_in=LEASE + timedelta(seconds=30))
    assert claim(store, "b") is None


def test_a_lost_claim_rolls_its_batch_back(store):
    make_branch(store)
    create(store)
    old = claim(store, "a", lease=timedelta(0))
    new = claim(store, "b")

    def go_on():
        with store.write() as transaction:
            transaction.documents.upsert(BRANCH, [make_document("d1")])
            transaction.operations.advance(old, Progress(cursor={"n": 1}), lease=LEASE)

    with pytest.raises(Aborted, match="taken over"):
        go_on()
    assert ids(store) == []
    with store.write() as transaction:
        advanced = transaction.operations.advance(
            new, Progress(cursor={"n": 1}, success=2, failure=1, total=9), lease=LEASE
        )
    assert advanced.cursor == {"n": 1}
    assert (advanced.success_count, advanced.failure_count, advanced.total_count) == (2, 1, 9)


def test_error_samples_are_bounded(store):
    create(store)
    operation = claim(store, "a")
    errors = [OperationError(3, "bad", f"d{n}") for n in range(70)]
    with store.write() as transaction:
        for _ in range(2):
            progress = Progress(cursor={}, failure=70, errors=errors)
            found = transaction.operations.advance(operation, progress, lease=LEASE)
    assert (len(found.error_samples), found.failure_count) == (100, 140)
    assert found.error_samples[:2] == tuple(errors[:2])


def test_list_newest_first_and_prune(store):
    made = [create(store) for _ in range(3)]
    with store.read() as transaction:
        first = transaction.operations.list("p/branches/0", page_size=2)
        rest = transaction.operations.list(
            "p/branches/0", page_size=2, page_token=first.next_page_token
        )
    assert [op.name for op in (*first.items, *rest.items)] == [op.name for op in reversed(made)]
    with store.write() as transaction:
        transaction.operations.cancel(made[0].name)
        assert transaction.operations.prune(done_before=transaction.now) == 0
    with store.write() as transaction:
        later = transaction.now + timedelta(seconds=1)
        assert transaction.operations.prune(done_before=later) == 1
        transaction.operations.delete(made[1].name)
        with pytest.raises(NotFound):
            transaction.operations.get(made[1].name)


def importer(total, *, size=2, seen=None, hold=None):
    """A handler that stores documents d0, d1, ... in batches."""

    def handle(operation, stop):
        def write_from(start):
            def write(transaction):
                documents = [make_document(f"d{n:02}") for n in range(start, start + size)]
                transaction.documents.upsert(BRANCH, documents)
                return Progress(cursor={"next": start + size}, success=size, total=total)

            return write

        for start in range(operation.cursor.get("next", 0), total, size):
            if hold is not None and start >= 4:
                hold(stop)
                if stop.is_set():
                    break
            if seen is not None:
                seen.append(start)
            yield write_from(start)
        return {"documents": total}

    return handle


def test_the_runner_does_it_to_the_end(store, runner):
    make_branch(store)
    runner(importer(6))
    operation = create(store)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    done = get(store, operation)
    assert done.state == "SUCCEEDED"
    assert done.result == {"documents": 6}
    assert (done.success_count, done.total_count, done.cursor) == (6, 6, {"next": 6})
    assert done.done_time is not None
    assert len(ids(store)) == 6


def test_a_stopped_runner_gives_back_what_the_next_one_finishes(store, runner):
    make_branch(store)
    reached = threading.Event()

    def hold(stop):
        reached.set()
        stop.wait(PATIENCE_S)

    first, second = [], []
    operation = create(store)
    one = runner(importer(8, seen=first, hold=hold))
    assert reached.wait(PATIENCE_S)
    one.close()
    paused = get(store, operation)
    assert (paused.state, paused.cursor, paused.lease_owner) == ("PENDING", {"next": 4}, "")
    runner(importer(8, seen=second))
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    assert (first, second) == ([0, 2], [4, 6])
    assert get(store, operation).success_count == 8


def test_cancelling_a_running_operation(store, runner):
    make_branch(store)
    reached = threading.Event()

    def hold(stop):
        reached.set()
        assert stop.wait(PATIENCE_S)

    operation = create(store)
    runner(importer(8, hold=hold))
    assert reached.wait(PATIENCE_S)
    with store.write() as transaction:
        transaction.operations.cancel(operation.name)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    done = get(store, operation)
    assert (done.state, done.error.code) == ("CANCELLED", Cancelled.code)
    assert len(ids(store)) == 4  # what was committed stays


def test_cancelling_before_anybody_is_at_it(store):
    operation = create(store)
    with store.write() as transaction:
        transaction.operations.cancel(operation.name)
    assert get(store, operation).state == "CANCELLED"
    assert claim(store, "a") is None


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InvalidArgument("The file is not JSON."), 3, "The file is not JSON."),
        (ZeroDivisionError("secret"), 13, "The operation failed; the log says why."),
    ],
)
def test_a_failing_handler_fails_the_operation(store, runner, error, code, message):
    def handle(operation, stop):
        yield lambda transaction: Progress(cursor={"n": 1}, success=1)
        raise error

    runner(handle)
    operation = create(store)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    done = get(store, operation)
    assert (done.state, done.error) == ("FAILED", OperationError(code, message))
    assert done.success_count == 1


def test_an_operation_that_kills_its_workers_fails(store, runner):
    operation = create(store)
    for number in range(2):
        claim(store, f"dead-{number}", lease=timedelta(0))
    runner(importer(2), max_attempts=2)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    assert "without getting further" in get(store, operation).error.message


def test_a_conflict_is_tried_again(store, runner):
    tries = []

    def handle(operation, stop):
        def write(transaction):
            tries.append(1)
            if len(tries) < 3:
                raise Aborted("busy")
            return Progress(cursor={"n": 1}, success=1)

        yield write
        return NO_FIELDS

    runner(handle)
    operation = create(store)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    assert (get(store, operation).state, get(store, operation).success_count) == ("SUCCEEDED", 1)
    assert len(tries) == 3


def test_a_long_batch_keeps_its_lease(store, runner, monkeypatch):
    make_branch(store)
    started, go_on = threading.Event(), threading.Event()

    renewed, renew = threading.Semaphore(0), Operations.renew

    def told(self, operation, **more):
        renew(self, operation, **more)
        renewed.release()

    monkeypatch.setattr(Operations, "renew", told)

    def handle(operation, stop):
        started.set()
        assert go_on.wait(PATIENCE_S)
        yield lambda transaction: Progress(cursor={"n": 1})
        return {}

    operation = create(store)
    runner(handle, lease_s=3.0)
    assert started.wait(PATIENCE_S)
    for _ in range(4):  # once in a third of the lease
        assert renewed.acquire(timeout=PATIENCE_S)
    assert claim(store, "thief") is None
    go_on.set()
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    assert get(store, operation).state == "SUCCEEDED"


def test_waiting_ends_in_time(store):
    operation = create(store)
    assert not store.wait_for_operation(operation.name, timeout_s=0.05)
    with pytest.raises(NotFound):
        store.wait_for_operation("p/operations/none", timeout_s=1)


def test_several_workers_do_each_operation_once(store, runner):
    done, lock = [], threading.Lock()

    def handle(operation, stop):
        with lock:
            done.append(operation.name)
        yield lambda transaction: Progress(cursor={"n": 1})
        return {}

    made = [create(store).name for _ in range(8)]
    runner(handle, threads=3)
    for name in made:
        assert store.wait_for_operation(name, timeout_s=PATIENCE_S)
    assert sorted(done) == sorted(made)


def test_reopening_sqlite_ends_the_leases_of_the_dead(tmp_path):
    store = RecordStore(tmp_path)
    operation = create(store)
    claim(store, "dead")
    assert claim(store, "b") is None
    store.close()
    store = RecordStore(tmp_path)
    assert claim(store, "b").name == operation.name
    store.close()


def test_an_operation_taken_over_in_the_same_process_is_still_watched(store, runner):
    """A jump forward ends a lease; another thread goes on while the first one is still at it."""
    begun, may_go_on = threading.Semaphore(0), threading.Event()
    claims = []

    def handle(operation, stop):
        if operation.request:
            claims.append(operation)
            begun.release()
            if len(claims) == 1:
                assert may_go_on.wait(PATIENCE_S)
                yield lambda transaction: Progress(cursor={"n": 1})
            assert stop.wait(PATIENCE_S), "the second thread was not told of the end"
        return {}

    operation = create(store, is_long=True)
    runner(handle, threads=2, lease_s=600.0)
    assert begun.acquire(timeout=PATIENCE_S)

    def is_taken_over():
        with suppress(Aborted):  # the runner renews the lease now and then
            set_lease(store, claims[0], ends_in=timedelta(days=-1))
        return begun.acquire(timeout=0.1)

    wait_for(is_taken_over)
    may_go_on.set()
    short = create(store)  # done by the first thread, once it has let go of the other one
    assert store.wait_for_operation(short.name, timeout_s=PATIENCE_S)
    with store.write() as transaction:
        transaction.operations.cancel(operation.name)
    assert store.wait_for_operation(operation.name, timeout_s=PATIENCE_S)
    assert get(store, operation).state == "CANCELLED"


def test_nothing_is_forgotten_because_the_clock_has_jumped(store, monkeypatch):
    """Years forward, everything is old: it stays until the clock has gone on so for a day."""
    kept = create(store)
    with store.write() as transaction:
        transaction.operations.cancel(kept.name)
        now = transaction.now
    tidied = []
    runner = OperationRunner(store, {}, tidy=[lambda transaction: len(tidied.append(1) or ())])

    def prune_at(days, *, after_h):
        moment = now + timedelta(days=days, hours=after_h)
        monkeypatch.setattr(store._database, "now", lambda connection: moment)
        # Only the runner's clock: threads of other stores wait by the real one.
        clock = SimpleNamespace(monotonic=lambda: after_h * 3600.0)
        monkeypatch.setattr(operation_runner, "time", clock)
        runner._prune()

    prune_at(0, after_h=0)
    prune_at(3650, after_h=1)
    prune_at(3650, after_h=24)
    assert (get(store, kept).state, len(tidied)) == ("CANCELLED", 1)
    prune_at(3650, after_h=25)
    with pytest.raises(NotFound):
        get(store, kept)
    assert len(tidied) == 2


def test_nothing_is_forgotten_by_a_start_with_a_clock_far_ahead(store, tmp_path, monkeypatch):
    kept = create(store)
    with store.write() as transaction:
        transaction.operations.cancel(kept.name)
        now = transaction.now
    monkeypatch.setattr(store._database, "now", lambda connection: now + timedelta(days=3650))
    for file in (None, tmp_path / "clock.json"):
        OperationRunner(store, {}, clock_file=file)._prune()
    assert get(store, kept).state == "CANCELLED"


def test_an_operation_that_was_done_at_once(store):
    with store.write() as transaction:
        done = transaction.operations.create_done(
            parent="p", kind="import", request={"a": 1}, result={"b": 2}
        )
    assert get(store, done) == done
    assert done.done
    assert (done.state, done.request, done.result) == ("SUCCEEDED", {"a": 1}, {"b": 2})
    assert done.done_time == done.create_time is not None
    assert claim(store, "a") is None
    assert store.wait_for_operation(done.name, timeout_s=0)


def test_operations_of_resources_beneath(store):
    names = []
    for parent in ("p", "p/a/b", "p0", "p.x", "pp/a", "p/a", "o"):
        with store.write() as transaction:
            names.append(transaction.operations.create(parent=parent, kind="import").name)
    with store.read() as transaction:
        operations = transaction.operations
        first = operations.list("p", page_size=2, under=True)
        rest = operations.list("p", page_size=2, page_token=first.next_page_token, under=True)
        alone = operations.list("p", page_size=2)
        with pytest.raises(InvalidArgument, match="page_token"):
            operations.list("p", page_size=2, page_token=first.next_page_token)
    assert [item.name for item in (*first.items, *rest.items)] == [names[5], names[1], names[0]]
    assert rest.next_page_token == ""
    assert [item.name for item in alone.items] == [names[0]]


def test_a_job_is_asked_until_the_runner_closes_and_at_once_after_a_hurry(store):
    """It asks for an hour's rest; only a hurry brings it back before that."""
    asked = []
    again = threading.Event()

    def job(given):
        asked.append(given)
        if len(asked) == 2:
            again.set()
        return 3600.0

    runner = OperationRunner(store, {})
    runner.add_job(job)
    runner.start()
    try:
        wait_for(lambda: asked)
        runner.hurry()
        assert again.wait(PATIENCE_S)
    finally:
        runner.close()
    assert asked == [store, store]


def test_a_job_that_fails_is_asked_again_and_stops_nothing(store, monkeypatch):
    monkeypatch.setattr("toulmin.stores.records.operation_runner._AFTER_FAULT_S", 0.01)
    asked = []

    def job(_given):
        asked.append(None)
        raise Unavailable("the database is away")

    runner = OperationRunner(store, {})
    runner.add_job(job)
    runner.start()
    try:
        wait_for(lambda: len(asked) > 1)
    finally:
        runner.close()
