"""The token of one piece of work: is it still wanted, and how long did its steps take?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager

from toulmin.errors import Cancelled, DeadlineExceeded


class Work:
    """Handed down from who asks to what runs, so that all of it ends when nobody waits any more.

    `Work()` has no limits: nobody goes away, no time runs out, nobody reads the timings.

    Args:
        what: What is done, for the errors: "the search".
        deadline: `time.monotonic()` second by which it must be done; None: whenever.
        is_gone: Whether nobody waits for it any more. Called in any thread.
        timings: Receives the milliseconds of each step.

    Attributes:
        timings: The same mapping.
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
        self._deadline = deadline
        self._is_gone = is_gone
        self.timings = {} if timings is None else timings

    def is_over(self) -> bool:
        """Return whether nobody waits any more.

        The bridge to rooms that still ask a function `should_stop`.

        Raises:
            DeadlineExceeded: The time is up.
        """
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise DeadlineExceeded(f"{self._what} was not done in the time allowed; it was stopped")
        return self._is_gone()

    def check(self) -> None:
        """Return if the work is still wanted.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        if self.is_over():
            raise Cancelled(f"the caller is gone; {self._what} was stopped")

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
        taken = (time.perf_counter() - started) * 1000
        self.timings[name] = self.timings.get(name, 0.0) + taken
