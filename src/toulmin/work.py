"""The token of one piece of work: is it still wanted, and how long did its steps take?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager

from toulmin.errors import Cancelled, DeadlineExceeded


class Work:
    """Handed down from who asks to what runs, so that all of it ends when nobody waits any more.

    `UNLIMITED` is for what nobody limits: nobody goes away, no time runs out, nothing is timed.

    Args:
        what: What is done, for the errors: "the search".
        deadline: `time.monotonic()` second by which it must be done; None: whenever.
        is_gone: Whether nobody waits for it any more; called in any thread. What it raises is
            raised by who asks.
        timings: Receives the milliseconds of each step.
    """

    def __init__(
        self,
        what: str = "the work",
        *,
        deadline: float | None = None,
        is_gone: Callable[[], bool] = lambda: False,
        timings: MutableMapping[str, float] | None = None,
    ) -> None:
        self._what = what
        self._deadline = math.inf if deadline is None else deadline
        self._is_gone = is_gone
        self._timings = timings

    @property
    def seconds_left(self) -> float:
        """How much time is left; infinity without a deadline, less than 0 when it is up."""
        return self._deadline - time.monotonic()

    def check(self) -> None:
        """Return if the work is still wanted.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        if self.seconds_left < 0:
            raise DeadlineExceeded(f"{self._what} was not done in the time allowed; it was stopped")
        if self._is_gone():
            raise Cancelled(f"the caller is gone; {self._what} was stopped")

    def part(self) -> Work:
        """Return what is handed to a part of the work, which ends when all of it does.

        The steps of the part are not timed one by one, and it does not know how much time is left:
        that is not for it alone.
        """

        def is_gone() -> bool:
            self.check()
            return False

        return Work(self._what, is_gone=is_gone)

    def add(self, name: str, milliseconds: float) -> None:
        """Add to the time of a step."""
        if self._timings is not None:
            self._timings[name] = self._timings.get(name, 0.0) + milliseconds

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the milliseconds of the body of a `with` to those of the name; check before it.

        A step that fails leaves no time: it was not done.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        self.check()
        started = time.perf_counter()
        yield
        self.add(name, (time.perf_counter() - started) * 1000)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add the milliseconds of the body of a `with`, however it ends, and ask nothing."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - started) * 1000)


UNLIMITED = Work()
