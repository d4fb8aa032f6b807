import threading
import time

import pytest

from tests.patience import PATIENCE_S
from toulmin.errors import Cancelled, DeadlineExceeded, Unavailable
from toulmin.models.task_pool import TaskPool
from toulmin.work import Work


@pytest.fixture(params=[1, 3])
def pool(request):
    pool = TaskPool(workers=request.param, name="test")
    yield pool
    pool.close()


def test_results_come_back_in_the_order_of_the_items(pool):
    def slow_first(item, _):
        time.sleep(0.02 if item == 0 else 0)
        return item * 10

    assert pool.run(slow_first, list(range(8))) == [item * 10 for item in range(8)]


def test_nothing_in_gives_nothing_out(pool):
    assert pool.run(lambda item, _: item, []) == []


def test_the_first_failure_is_the_requests_and_the_rest_is_not_begun(pool):
    begun = []

    def task(item, _):
        begun.append(item)
        if item == 2:
            raise ValueError("unlucky")

    with pytest.raises(ValueError, match="unlucky"):
        pool.run(task, list(range(100)))
    assert len(begun) < 20
    assert pool.run(lambda item, _: item, [1]) == [1], "the workers go on"


def test_a_caller_who_is_gone_waits_no_longer_and_running_tasks_are_told(pool):
    gone, told = threading.Event(), threading.Event()

    def task(_item, work):
        gone.set()
        try:
            while True:
                work.check()
                time.sleep(0.01)
        except Cancelled:
            told.set()

    with pytest.raises(Cancelled):
        pool.run(task, list(range(10)), work=Work(is_gone=gone.is_set))
    assert told.wait(PATIENCE_S)


def test_what_asking_raises_ends_the_wait(pool):
    def is_gone():
        raise DeadlineExceeded("too late")

    with pytest.raises(DeadlineExceeded):
        pool.run(lambda item, _: item, [1], work=Work(is_gone=is_gone))


def test_a_small_request_does_not_wait_for_all_of_a_large_one():
    pool = TaskPool(workers=1, name="test")
    gate, finished = threading.Event(), []

    def task(item, _):
        gate.wait(PATIENCE_S)
        finished.append(item)

    callers = []
    for items in (["large"] * 50, ["small"]):
        waits = threading.Event()  # it is asked whether to go on once its first item is queued
        more = {"work": Work(is_gone=lambda waits=waits: waits.set())}
        callers.append(threading.Thread(target=pool.run, args=(task, items), kwargs=more))
        callers[-1].start()
        assert waits.wait(PATIENCE_S)
    gate.set()
    for caller in callers:
        caller.join()
    assert finished.index("small") <= 5
    pool.close()


def test_a_closed_pool_refuses_work(pool):
    pool.close()
    with pytest.raises(Unavailable):
        pool.run(lambda item, _: item, [1])
