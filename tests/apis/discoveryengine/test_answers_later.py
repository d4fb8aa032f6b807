"""Work that nobody waits for: all of it is done, a few at a time, and too much is refused."""

from __future__ import annotations

import threading

import pytest

from tests.patience import PATIENCE_S, wait_for
from toulmin.apis.discoveryengine.answers_later import AnswersLater
from toulmin.errors import ResourceExhausted


def test_all_is_done_and_no_more_than_so_many_at_once():
    later = AnswersLater(workers=2, most_waiting=100)
    lock, at_once, most, done = threading.Lock(), [0], [0], []
    both = threading.Barrier(2, timeout=PATIENCE_S)

    def work(number):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        both.wait()
        with lock:
            at_once[0] -= 1
            done.append(number)

    for number in range(10):
        later.submit(lambda number=number: work(number))
    wait_for(lambda: len(done) == 10)
    assert sorted(done) == list(range(10))
    assert most == [2]


def test_threads_come_again_after_they_ended():
    later, done = AnswersLater(workers=1), []
    for number in range(3):
        later.submit(lambda number=number: done.append(number))
        wait_for(lambda number=number: number in done)
    assert done == [0, 1, 2]


def test_too_much_is_refused():
    later, go = AnswersLater(workers=1, most_waiting=2), threading.Event()
    for _ in range(3):
        later.check_room()
        later.submit(lambda: go.wait(PATIENCE_S))
        wait_for(lambda: len(later._waiting) < 3)
    later.submit(lambda: None)
    with pytest.raises(ResourceExhausted, match="2 answers"):
        later.check_room()
    go.set()
    wait_for(lambda: not later._waiting)
    later.check_room()
