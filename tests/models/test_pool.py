"""The pool of all models: how many runs are under way, whose turn it is, who is let go."""

import threading

import pytest

from tests.patience import PATIENCE_S
from toulmin.errors import Cancelled, Unavailable
from toulmin.models.pool import ModelPool, ModelTurns
from toulmin.work import UNLIMITED, Work

SIZES = {"size": lambda _: 0, "work": UNLIMITED}


class Runs:
    """Runs that end when the gate is open; remembers which there were, and the most at once."""

    def __init__(self):
        self.seen = []
        self.most = 0
        self.gate = threading.Event()
        self.begun = threading.Semaphore(0)
        self._under_way = 0
        self._lock = threading.Lock()

    def __call__(self, item):
        with self._lock:
            self.seen.append(item)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        self.begun.release()
        assert self.gate.wait(20)
        with self._lock:
            self._under_way -= 1
        return item


class Asker(threading.Thread):
    """A request on a thread of its own."""

    def __init__(self, ask):
        super().__init__(daemon=True)
        self._ask, self.found, self.failure = ask, None, None
        self.start()

    def run(self):
        try:
            self.found = self._ask()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.failure = error


def wait_for_jobs(pool, count):
    while len(pool._jobs) < count:
        threading.Event().wait(0.001)


@pytest.fixture
def runs():
    made = Runs()
    yield made
    made.gate.set()


@pytest.mark.parametrize("workers", [1, 2])
def test_three_models_have_no_more_runs_under_way_than_the_pool_has_threads(runs, workers):
    pool = ModelPool(workers)
    models = [ModelTurns(pool, 0) for _ in range(3)]
    # Of each model a large request and single runs, which callers' own threads may do.
    asked = [
        Asker(lambda m=model, n=count: m.run(runs, [f"run {n}"] * n, **SIZES))
        for model in models
        for count in (1, 6, 1)
    ]
    for _ in range(workers):
        assert runs.begun.acquire(timeout=20), "all threads are used"
    wait_for_jobs(pool, 1)
    assert not runs.begun.acquire(timeout=0.05)
    runs.gate.set()
    for asker in asked:
        asker.join(20)
        assert asker.failure is None
    assert runs.most == workers
    assert len(runs.seen) == 24
    pool.close()


def test_two_requests_to_two_models_share_turns_run_by_run(runs):
    pool = ModelPool(1)
    one, other = ModelTurns(pool, 0), ModelTurns(pool, 0)
    first = Asker(lambda: one.run(runs, ["large"] * 9, **SIZES))
    assert runs.begun.acquire(timeout=20)
    second = Asker(lambda: other.run(runs, ["small"] * 3, **SIZES))
    wait_for_jobs(pool, 2)
    runs.gate.set()
    first.join(20)
    second.join(20)
    # What stood in the queue first goes on once; from then on they alternate.
    assert runs.seen[1:8] == ["large", *["small", "large"] * 3]
    assert runs.seen.count("large") == 9
    pool.close()


def test_a_single_run_is_done_on_the_callers_thread_while_a_place_is_free():
    pool = ModelPool(1)
    assert pool.run(lambda _: threading.current_thread(), [0]) == [threading.current_thread()]
    pool.close()


def test_a_callers_own_run_hands_its_place_on(runs):
    pool = ModelPool(1)
    alone = Asker(lambda: pool.run(runs, ["alone"]))
    assert runs.begun.acquire(timeout=20)
    others = Asker(lambda: pool.run(runs, ["a", "b"]))
    wait_for_jobs(pool, 1)
    runs.gate.set()
    alone.join(20)
    others.join(20)
    assert (alone.found, others.found) == (["alone"], ["a", "b"])
    assert runs.most == 1
    pool.close()


def test_a_run_that_asks_the_pool_again_does_not_wait_for_itself():
    pool = ModelPool(1)
    asker = Asker(lambda: pool.run(lambda n: pool.run(str, [n, n]), [1, 2]))
    asker.join(20)
    assert asker.found == [["1", "1"], ["2", "2"]]
    pool.close()


def test_the_largest_go_first_and_results_keep_their_order():
    pool, seen = ModelPool(1), []
    texts = ["a", "ccc", "bb"]
    found = pool.run(lambda text: seen.append(text) or text.upper(), texts, size=len)
    assert seen == ["ccc", "bb", "a"]
    assert found == ["A", "CCC", "BB"]
    pool.close()


def test_who_is_gone_does_not_wait_for_a_run_that_takes_long(runs):
    pool, gone = ModelPool(1), threading.Event()
    asker = Asker(lambda: pool.run(runs, ["a", "b", "c"], work=Work(is_gone=gone.is_set)))
    assert runs.begun.acquire(timeout=20)
    gone.set()
    asker.join(20)
    assert isinstance(asker.failure, Cancelled)
    runs.gate.set()
    assert pool.run(str, [1, 2]) == ["1", "2"], "the thread goes on"
    assert runs.seen == ["a"]
    pool.close()


def test_closing_waits_for_a_run_that_nobody_waits_for_any_more(runs):
    pool, gone = ModelPool(1), threading.Event()
    asker = Asker(lambda: pool.run(runs, ["a", "b"], work=Work(is_gone=gone.is_set)))
    assert runs.begun.acquire(timeout=20)
    gone.set()
    asker.join(20)
    pool.close()
    assert pool._under_way == 1, "without being told to, it does not wait"
    closer = Asker(lambda: pool.close(wait_s=PATIENCE_S) or runs.gate.is_set())
    closer.join(0.05)
    runs.gate.set()
    closer.join(PATIENCE_S)
    assert closer.found is True
    assert pool._under_way == 0


def test_a_failing_run_fails_its_own_request_only():
    pool = ModelPool(2)
    with pytest.raises(ZeroDivisionError):
        pool.run(lambda n: 1 // n, [3, 0, 2])
    with pytest.raises(ZeroDivisionError):
        pool.run(lambda n: 1 // n, [0])
    assert pool.run(lambda n: 1 // n, [1, 1]) == [1, 1]
    pool.close()


def test_a_closed_model_leaves_the_pool_to_others_and_a_closed_pool_to_none(runs):
    pool = ModelPool(1)
    one, other = ModelTurns(pool, 0), ModelTurns(pool, 0)
    taken = Asker(lambda: other.run(runs, ["a", "b"], **SIZES))
    assert runs.begun.acquire(timeout=20)
    one.close()
    with pytest.raises(Unavailable):
        one.run(str, [1], **SIZES)
    pool.close()
    with pytest.raises(Unavailable):
        other.run(str, [1], **SIZES)
    runs.gate.set()
    taken.join(20)
    assert taken.found == ["a", "b"], "what was taken is done"
