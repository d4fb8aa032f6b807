"""The token of one piece of work: when it raises what, and what its steps add to."""

from __future__ import annotations

import time

import pytest

from toulmin.errors import Cancelled, DeadlineExceeded
from toulmin.work import UNLIMITED, Work


def test_work_without_limits_goes_on():
    Work().check()
    UNLIMITED.check()


def test_who_is_gone_is_told_so():
    with pytest.raises(Cancelled, match="the caller is gone; the search was stopped"):
        Work("the search", is_gone=lambda: True).check()


def test_time_that_is_up_comes_before_a_caller_that_is_gone():
    work = Work("the search", deadline=time.monotonic() - 1, is_gone=lambda: True)
    with pytest.raises(DeadlineExceeded, match="the search was not done in the time allowed"):
        work.check()


def test_what_asking_raises_is_raised():
    def is_gone() -> bool:
        raise DeadlineExceeded("no time")

    with pytest.raises(DeadlineExceeded, match="no time"):
        Work(is_gone=is_gone).check()


def test_a_step_adds_to_the_mapping_that_was_given():
    timings = {"read_ms": 1000.0}
    with Work(timings=timings).step("read_ms"):
        pass
    assert timings["read_ms"] > 1000


def test_a_step_is_not_begun_when_nobody_waits_and_leaves_no_time_when_it_fails():
    timings: dict[str, float] = {}
    with pytest.raises(Cancelled), Work(is_gone=lambda: True, timings=timings).step("a_ms"):
        pytest.fail("begun")
    with pytest.raises(ValueError, match="b"), Work(timings=timings).step("b_ms"):
        raise ValueError("b")
    assert timings == {}


def test_what_is_timed_asks_nobody_and_leaves_a_time_when_it_fails():
    timings: dict[str, float] = {}
    work = Work(is_gone=lambda: True, timings=timings)
    with pytest.raises(ValueError, match="b"), work.timed("a_ms"):
        raise ValueError("b")
    assert set(timings) == {"a_ms"}


def test_how_much_time_is_left():
    assert 50 < Work(deadline=time.monotonic() + 60).seconds_left <= 60
    assert Work(deadline=time.monotonic() - 60).seconds_left < 0
    assert UNLIMITED.seconds_left > 10**9


def test_a_part_ends_with_the_whole_but_is_not_timed_and_has_no_time_of_its_own():
    timings: dict[str, float] = {}
    part = Work("the search", deadline=time.monotonic() - 1, timings=timings).part()
    assert part.seconds_left > 10**9
    with part.timed("a_ms"):
        pass
    assert timings == {}
    with pytest.raises(DeadlineExceeded, match="the search was not done"):
        part.check()
    with pytest.raises(Cancelled, match="the search was stopped"):
        Work("the search", is_gone=lambda: True).part().check()
