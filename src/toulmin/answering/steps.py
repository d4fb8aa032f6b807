"""What was done on the way to an answer: steps to show, and milliseconds to log."""

from __future__ import annotations

from contextlib import AbstractContextManager

from toulmin.answering.answer import Step
from toulmin.work import Work


class StepLog:
    """Keeps the steps of one turn and times them.

    Args:
        work: The answer that is made; asked before each step, which is timed into it.

    Attributes:
        work: The same.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far, in order."""
        return tuple(self._steps)

    def note(self, step: Step) -> None:
        """Add a step to those that are shown."""
        self._steps.append(step)

    def step(self, name: str) -> AbstractContextManager[None]:
        """Time the body of a `with`.

        Raises:
            Cancelled: Nobody waits any more.
        """
        return self.work.step(name)
