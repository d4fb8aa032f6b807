"""How the cost of something grows with its input, which no machine's speed changes."""

from __future__ import annotations

import time

_SMALLEST_S = 0.004
"""What is faster than this is taken for as long: clocks are coarse, and a first call is slow."""
_TRIES = 5


def assert_linear(run, make, size):
    """Fail if `run(make(n))` costs the square of `n`, for n up to `size`.

    Processor time of this thread at an eighth of the size and at the whole of it: eight times as
    much when it is linear, 64 times when it is the square. A neighbour's work in the same cache
    can make one pair of figures wrong, so that a bad one is taken again; the square is bad each
    time.

    Args:
        run: What is measured.
        make: Returns an input of a size.
        size: Large enough for the square to take minutes; the test's own time limit ends those.
    """
    ratios = []
    for _ in range(_TRIES):
        small, large = (_seconds(run, make(n)) for n in (size // 8, size))
        ratios.append(large / max(small, _SMALLEST_S))
        if ratios[-1] < 24:
            return
    raise AssertionError(f"8 times the input cost {min(ratios):.0f} times as much, at best")


def _seconds(run, given):
    began = time.thread_time()
    run(given)
    return time.thread_time() - began
