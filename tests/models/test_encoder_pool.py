import threading
from dataclasses import dataclass

import numpy as np
import pytest

from toulmin.errors import Cancelled, Unavailable
from toulmin.models.encoder_pool import EncoderPool
from toulmin.work import Work


@dataclass
class Sequence:
    ids: list[int]
    types: list[int]


def sequence_of(length, *, first):
    return Sequence([first] * length, [0] * (length - 1) + [1])


class FakeEncoder:
    """Answers with the first id and the number of tokens; can be held up; remembers the order."""

    def __init__(self):
        self.seen = []
        self.gate = threading.Event()
        self.gate.set()

    def run(self, ids, mask, types):
        self.gate.wait()
        self.seen.append(int(ids[0, 0]))
        if ids[0, 0] == 13:
            raise RuntimeError("unlucky")
        classes = np.stack([ids[:, 0], mask.sum(1), types.sum(1)], axis=1).astype(np.float32)
        return classes, ids.astype(np.float32)


@pytest.fixture
def encoder():
    return FakeEncoder()


@pytest.fixture(params=[1, 3])
def pool(encoder, request):
    pool = EncoderPool(encoder, workers=request.param)
    yield pool
    encoder.gate.set()
    pool.close()


def test_results_come_back_in_the_order_of_the_input_whatever_the_lengths(pool):
    lengths = [3, 40, 7, 25, 3, 64, 1]
    results = pool.run([sequence_of(n, first=i) for i, n in enumerate(lengths)])
    assert [int(r.classes[0]) for r in results] == list(range(len(lengths)))
    assert [int(r.classes[1]) for r in results] == lengths
    assert [len(r.words) for r in results] == lengths


def test_nothing_in_gives_nothing_out(pool):
    assert pool.run([]) == []


def test_work_whose_caller_is_gone_stops_before_the_next_run(encoder):
    pool = EncoderPool(encoder, workers=1)
    with pytest.raises(Cancelled):
        pool.run(
            [sequence_of(10, first=i) for i in range(5)],
            work=Work(is_gone=lambda: len(encoder.seen) == 2),
        )
    assert len(encoder.seen) == 2
    assert len(pool.run([sequence_of(10, first=0)])) == 1, "the workers go on"
    pool.close()


def test_a_failing_run_fails_its_own_request_only(pool):
    with pytest.raises(RuntimeError, match="unlucky"):
        pool.run([sequence_of(5, first=i) for i in (1, 13, 2)])
    assert len(pool.run([sequence_of(5, first=3)])) == 1


def test_timings_say_how_long_a_request_waited_and_ran(pool):
    timings = {}
    pool.run([sequence_of(10, first=0)], work=Work(timings=timings))
    assert set(timings) == {"turn_ms", "infer_ms"}
    assert all(value >= 0 for value in timings.values())


def test_many_callers_at_once_get_their_own_results(pool):
    answers = {}

    def ask(caller):
        answers[caller] = pool.run([sequence_of(1 + i, first=caller) for i in range(8)])

    threads = [threading.Thread(target=ask, args=(caller,)) for caller in range(20, 32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for caller, results in answers.items():
        assert {int(r.classes[0]) for r in results} == {caller}
        assert [int(r.classes[1]) for r in results] == list(range(1, 9))


def test_a_closed_pool_refuses_work_instead_of_keeping_it_waiting(encoder):
    pool = EncoderPool(encoder, workers=1)
    pool.close()
    with pytest.raises(Unavailable):
        pool.run([sequence_of(5, first=1)])
