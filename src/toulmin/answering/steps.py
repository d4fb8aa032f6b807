"""What was done on the way to an answer: steps to show, and milliseconds to log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager

from toulmin.answering.answer import Step
from toulmin.errors import Cancelled


class StepLog:
    """Keeps the steps of one turn and times them.

    Args:
        timings: Milliseconds by name are added to it.
        should_stop: Whether the caller is gone; asked before each step.

    Attributes:
        timings: The same mapping.
        should_stop: The same function.
    """

    def __init__(
        self, timings: MutableMapping[str, float], should_stop: Callable[[], bool]
    ) -> None:
        self.timings = timings
        self.should_stop = should_stop
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far, in order."""
        return tuple(self._steps)

    def note(self, step: Step) -> None:
        """Add a step to those that are shown."""
        self._steps.append(step)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time the body of a `with`.

        Raises:
            Cancelled: The caller is gone.
        """
        if self.should_stop():
            raise Cancelled("the caller is gone; the answer is not finished")
        started = time.perf_counter()
        yield
        self.timings[name] = self.timings.get(name, 0.0) + (time.perf_counter() - started) * 1000
