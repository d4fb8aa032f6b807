"""What a series of trials came to."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Outcome:
    """Trials of one fault.

    Attributes:
        fault: What is done.
        trials: How often it was done.
        failures: What was not as promised, one line each; there should be none.
        figures: What else was counted or measured.
    """

    fault: str
    trials: int = 0
    failures: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def check(self, is_right: object, otherwise: object) -> None:
        """Note `otherwise` as a failure unless `is_right`."""
        if not is_right:
            self.failures.append(f"trial {self.trials}: {otherwise}")

    def wrong(self, found: list[str]) -> None:
        """Note failures."""
        self.failures += [f"trial {self.trials}: {what}" for what in found]

    def count(self, name: str, kind: str) -> None:
        """Count one more of `kind` under `name`."""
        counted = self.figures.setdefault(name, Counter())
        counted[kind] += 1

    def most(self, name: str, value: float) -> None:
        """Keep the greatest value under `name`."""
        self.figures[name] = round(max(value, self.figures.get(name, value)), 3)

    def as_json(self) -> dict[str, Any]:
        """Return it for the result file."""
        return {
            "fault": self.fault,
            "trials": self.trials,
            "failures": self.failures,
            "seconds": round(time.monotonic() - self._began, 1),
            **self.figures,
        }
