"""How long checks take just now, so that one that cannot be done in time is refused at once.

A pair is a claim and one piece of evidence. What it takes depends on the model, the machine and
who else asks, so it is measured: the mean of the latest checks, older ones counting less and less.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from toulmin.errors import ResourceExhausted

_KEPT = 0.9
"""What a check counts after the next one, as a share."""
_DOUBT = 0.5
"""The share of the mean that is believed: the rush may be over, and a text may be short."""
_FEW_PAIRS = 64
"""So many are never refused, nor believed to tell what many take."""


class Pace:
    """Seconds for a pair; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pairs = 0.0
        self._seconds = 0.0

    @contextmanager
    def measured(self, pairs: int) -> Iterator[None]:
        """Measure the body of a `with`, which reads so many pairs; one that fails tells nothing."""
        started = time.monotonic()
        yield
        if pairs >= _FEW_PAIRS:
            with self._lock:
                self._pairs = _KEPT * self._pairs + pairs
                self._seconds = _KEPT * self._seconds + time.monotonic() - started

    def refuse_if_too_long(self, pairs: int, seconds_left: float) -> None:
        """Return if so many pairs may be read in the seconds that are left.

        Raises:
            ResourceExhausted: They would take clearly longer; the message says how long.
        """
        with self._lock:
            mean = self._seconds / self._pairs if self._pairs else 0.0
        if pairs < _FEW_PAIRS or not mean:
            return
        if mean * _DOUBT * pairs > seconds_left:
            left = max(seconds_left, 0)
            raise ResourceExhausted(
                f"The answer's claims have {pairs:,} pieces of evidence to be read, which now takes"
                f" about {mean * pairs:.0f} s; {left:.0f} s are left. Send a shorter"
                " answer, fewer facts, or allow more time",
                reason="TOO_MUCH_WORK",
            )
