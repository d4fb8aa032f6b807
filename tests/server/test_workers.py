import threading

import pytest

from toulmin.errors import ResourceExhausted, Unavailable
from toulmin.server.workers import Workers


def names():
    return [thread for thread in threading.enumerate() if thread.name == "toulmin-worker"]


def test_jobs_run_side_by_side_up_to_the_limit():
    workers = Workers(threads=2, max_queue=10)
    together, done = threading.Barrier(2), threading.Semaphore(0)
    for _ in range(2):
        workers.submit(lambda: (together.wait(5), done.release()))
    assert done.acquire(timeout=5)
    assert done.acquire(timeout=5)
    workers.stop()


def test_threads_start_when_needed_and_end_when_stopped():
    before = set(names())  # those of earlier tests may still be ending

    def new():
        return [thread for thread in names() if thread not in before]

    workers = Workers(threads=50, max_queue=0)
    assert not new()
    done = threading.Event()
    workers.submit(done.set)
    assert done.wait(5)
    assert len(new()) == 1
    workers.stop()
    for thread in new():
        thread.join(5)
    assert not new()


def test_one_more_than_threads_and_queue_is_refused_and_room_comes_back():
    workers = Workers(threads=1, max_queue=1)
    release, done = threading.Event(), threading.Semaphore(0)
    for _ in range(2):
        workers.submit(lambda: (release.wait(5), done.release()))
    with pytest.raises(ResourceExhausted, match="max_queue"):
        workers.submit(done.release)
    release.set()
    assert done.acquire(timeout=5)
    assert done.acquire(timeout=5)
    while workers.in_flight:
        pass
    workers.submit(done.release)
    assert done.acquire(timeout=5)
    workers.stop()


def test_nothing_is_taken_after_stop_and_queued_jobs_still_run():
    workers = Workers(threads=1, max_queue=5)
    release, done = threading.Event(), threading.Semaphore(0)
    for _ in range(3):
        workers.submit(lambda: (release.wait(5), done.release()))
    workers.stop()
    workers.stop()
    with pytest.raises(Unavailable):
        workers.submit(done.release)
    release.set()
    assert all(done.acquire(timeout=5) for _ in range(3))
