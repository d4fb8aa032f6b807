import threading
from dataclasses import dataclass

import numpy as np
import pytest

from toulmin.errors import Cancelled
from toulmin.models.batcher import FairTurns, TokenBatcher


@dataclass
class Sequence:
    ids: list[int]
    types: list[int]


def sequence_of(length, *, first):
    return Sequence([first] * length, [0] * (length - 1) + [1])


class FakeEncoder:
    """Answers with the first id and the number of real tokens, and remembers batch shapes."""

    def __init__(self):
        self.shapes = []

    def run(self, ids, mask, types):
        self.shapes.append(ids.shape)
        classes = np.stack([ids[:, 0], mask.sum(1), types.sum(1)], axis=1).astype(np.float32)
        return classes, ids.astype(np.float32)


def test_results_come_back_in_the_order_of_the_input_whatever_the_lengths():
    batcher = TokenBatcher(FakeEncoder(), max_batch_tokens=64)
    lengths = [3, 40, 7, 25, 3, 64, 1]
    results = batcher.run([sequence_of(n, first=i) for i, n in enumerate(lengths)])
    assert [int(r.classes[0]) for r in results] == list(range(len(lengths)))
    assert [int(r.classes[1]) for r in results] == lengths
    assert [len(r.words) for r in results] == lengths


def test_a_batch_never_exceeds_its_token_budget_except_for_one_long_sequence():
    encoder = FakeEncoder()
    TokenBatcher(encoder, max_batch_tokens=64).run(
        [sequence_of(n, first=0) for n in [100, 30, 30, 30, 5, 5, 5, 5]]
    )
    assert all(rows == 1 or rows * width <= 64 for rows, width in encoder.shapes)
    assert sum(rows for rows, _ in encoder.shapes) == 8


def test_nothing_in_gives_nothing_out():
    assert TokenBatcher(FakeEncoder(), max_batch_tokens=64).run([]) == []


def test_work_whose_caller_is_gone_stops_before_the_next_batch():
    encoder = FakeEncoder()
    batcher = TokenBatcher(encoder, max_batch_tokens=10)
    with pytest.raises(Cancelled):
        batcher.run(
            [sequence_of(10, first=i) for i in range(5)],
            should_stop=lambda: len(encoder.shapes) == 2,
        )
    assert len(encoder.shapes) == 2
    assert len(batcher.run([sequence_of(10, first=0)])) == 1, "the turn was given back"


def test_timings_say_how_long_a_request_waited_and_ran():
    timings = {}
    TokenBatcher(FakeEncoder(), max_batch_tokens=10).run(
        [sequence_of(10, first=0)], timings=timings
    )
    assert set(timings) == {"turn_ms", "infer_ms"}
    assert all(value >= 0 for value in timings.values())


def test_turns_are_given_in_the_order_of_asking():
    turns, order, queued = FairTurns(), [], []

    def take(name):
        queued.append(name)
        with turns.turn():
            order.append(name)

    threads = []
    with turns.turn():
        for name in "abcdef":
            thread = threading.Thread(target=take, args=(name,))
            thread.start()
            threads.append(thread)
            while len(turns._waiting) < len(threads):
                pass
    for thread in threads:
        thread.join()
    assert order == queued == list("abcdef")
