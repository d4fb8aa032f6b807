import threading

import pytest

from tests.patience import PATIENCE_S
from toulmin.errors import ResourceExhausted, Unavailable
from toulmin.server.workers import Workers


def names():
    return [thread for thread in threading.enumerate() if thread.name == "toulmin-worker"]


def test_jobs_run_side_by_side_up_to_the_limit():
    workers = Workers(threads=2, max_queue=10)
    together, done = threading.Barrier(2), threading.Semaphore(0)
    for _ in range(2):
        workers.submit(lambda: (together.wait(PATIENCE_S), done.release()))
    assert done.acquire(timeout=PATIENCE_S)
    assert done.acquire(timeout=PATIENCE_S)
    workers.stop()


def test_threads_start_when_needed_and_end_when_stopped():
    before = set(names())  # those of earlier tests may still be ending

    def new():
        return [thread for thread in names() if thread not in before]

    workers = Workers(threads=50, max_queue=0)
    assert not new()
    done = threading.Event()
    workers.submit(done.set)
    assert done.wait(PATIENCE_S)
    assert len(new()) == 1
    workers.stop()
    for thread in new():
        thread.join(PATIENCE_S)
    assert not new()


def test_one_more_than_threads_and_queue_is_refused_and_room_comes_back():
    workers = Workers(threads=1, max_queue=1)
    release, done = threading.Event(), threading.Semaphore(0)
    for _ in range(2):
        workers.submit(lambda: (release.wait(PATIENCE_S), done.release()))
    with pytest.raises(ResourceExhausted, match="max_queue"):
        workers.submit(done.release)
    release.set()
    assert done.acquire(timeout=PATIENCE_S)
    assert done.acquire(timeout=PATIENCE_S)
    while workers.in_flight:
        pass
    workers.submit(done.release)
    assert done.acquire(timeout=PATIENCE_S)
    workers.stop()


def test_nothing_is_taken_after_stop_and_queued_jobs_still_run():
    workers = Workers(threads=1, max_queue=5)
    release, done = threading.Event(), threading.Semaphore(0)
    for _ in range(3):
        workers.submit(lambda: (release.wait(PATIENCE_S), done.release()))
    workers.stop()
    workers.stop()
    with pytest.raises(Unavailable):
        workers.submit(done.release)
    release.set()
    assert all(done.acquire(timeout=PATIENCE_S) for _ in range(3))


def run_in_turn(workers, callers):
    """Queue a job for each caller while one thread is busy; return in which order they ran."""
    release, order, done = threading.Event(), [], threading.Semaphore(0)
    workers.submit(lambda: release.wait(PATIENCE_S), caller="busy")
    for number, caller in enumerate(callers):
        workers.submit(
            lambda name=f"{caller}{number}": (order.append(name), done.release()),
            caller=caller,
            drop=lambda _error, name=f"{caller}{number}": order.append(f"-{name}"),
        )
    release.set()
    for _ in range(len(callers) - sum(name.startswith("-") for name in order)):
        assert done.acquire(timeout=PATIENCE_S)
    workers.stop()
    return order


def test_a_caller_with_much_to_do_waits_for_itself():
    workers = Workers(threads=1, max_queue=10)
    order = run_in_turn(workers, ["a", "a", "a", "a", "b", "c", "b"])
    assert order == ["a0", "b4", "c5", "a1", "b6", "a2", "a3"]


def test_the_longest_queue_gives_way_to_others_when_there_is_no_room():
    workers = Workers(threads=1, max_queue=4)
    order = run_in_turn(workers, ["a", "a", "a", "a", "b"])
    assert order == ["-a3", "a0", "b4", "a1", "a2"]


def test_nobody_gives_way_to_the_one_that_has_most():
    workers = Workers(threads=1, max_queue=2)
    release = threading.Event()
    workers.submit(lambda: release.wait(PATIENCE_S), caller="a")
    for _ in range(2):
        workers.submit(release.wait, caller="a", drop=lambda _error: None)
    with pytest.raises(ResourceExhausted, match="max_queue"):
        workers.submit(release.wait, caller="a", drop=lambda _error: None)
    release.set()
    workers.stop()


def test_the_caller_with_the_fewest_running_is_next():
    workers = Workers(threads=2, max_queue=10)
    first, second, order = threading.Event(), threading.Event(), []
    done = threading.Semaphore(0)
    for event in (first, second):
        workers.submit(lambda event=event: event.wait(PATIENCE_S), caller="a")
    for caller in "ab":
        workers.submit(lambda name=caller: (order.append(name), done.release()), caller=caller)
    first.set()
    assert done.acquire(timeout=PATIENCE_S)
    assert order[0] == "b"
    second.set()
    assert done.acquire(timeout=PATIENCE_S)
    workers.stop()


def test_idle_is_waited_for():
    workers = Workers(threads=1, max_queue=1)
    entered, release = threading.Event(), threading.Event()

    def hold():
        entered.set()
        release.wait()

    assert workers.becomes_idle(0.0)
    workers.submit(hold)
    assert entered.wait(PATIENCE_S)
    assert not workers.becomes_idle(0.0)
    release.set()
    assert workers.becomes_idle(PATIENCE_S)
    workers.stop()
