import math
from types import SimpleNamespace

import pytest

from toulmin.errors import ResourceExhausted
from toulmin.grounding import pace as pace_module
from toulmin.grounding.pace import Pace


def pace_of(pairs, seconds, monkeypatch):
    pace = Pace()
    clock = iter([100.0, 100.0 + seconds])
    with monkeypatch.context() as patched:
        patched.setattr(pace_module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        with pace.measured(pairs):
            pass
    return pace


def test_nothing_is_refused_before_anything_was_measured():
    Pace().refuse_if_too_long(10**9, 1)


def test_what_cannot_be_done_in_time_is_refused_and_told_why(monkeypatch):
    pace = pace_of(100, 1.0, monkeypatch)
    pace.refuse_if_too_long(1500, 10)  # 15 s on average, perhaps 10
    with pytest.raises(ResourceExhausted, match=r"4,000 pieces .* about 40 s; 10 s are") as caught:
        pace.refuse_if_too_long(4000, 10)
    assert caught.value.reason == "TOO_MUCH_WORK"
    pace.refuse_if_too_long(4000, math.inf)
    pace.refuse_if_too_long(10, 0)


def test_small_checks_tell_nothing(monkeypatch):
    pace = pace_of(3, 100.0, monkeypatch)
    pace.refuse_if_too_long(10**6, 1)


def test_a_check_that_fails_tells_nothing():
    pace = Pace()
    with pytest.raises(ValueError, match="x"), pace.measured(1000):
        raise ValueError("x")
    pace.refuse_if_too_long(10**9, 0)
