"""Do two texts say the same? Without a language model: by meaning, and by their numbers.

The scale is that of the API's `SemanticSimilarityResult`: 4 fully consistent, 3 mostly, 2
partially, 1 largely inconsistent, 0 contradictory or about something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

FULLY: Final = 4
MOSTLY: Final = 3
_STEPS: Final = ((0.8, 4), (0.5, 3), (0.35, 2), (0.2, 1))
_LABELS: Final = (
    "Contradictory",
    "Largely Inconsistent",
    "Partially Consistent",
    "Mostly Consistent",
    "Fully Consistent",
)
_WITHOUT_NUMBERS: Final = 2
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are.

    Attributes:
        score: 0 to 4.
        explanation: Why.
    """

    score: int
    explanation: str

    @property
    def label(self) -> str:
        """The score in words."""
        return _LABELS[self.score]


class Similarity:
    """Compares texts.

    Args:
        embed: Returns a unit vector for each text.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Any]) -> None:
        self._embed = embed

    def of(self, wanted: str, found: str) -> Likeness:
        """Return how well a text says what is wanted.

        The cosine of the two gives 4 from .8 on, 3 from .5, 2 from .35 and 1 from .2; a number that
        is wanted and not found lets it be 2 at most.
        """
        if _folded(wanted) == _folded(found):
            return Likeness(FULLY, "the same text")
        if not wanted.strip() or not found.strip():
            return Likeness(0, "one of the texts is empty")
        first, second = self._embed([wanted, found])
        cosine = float(first @ second)
        score = next((score for least, score in _STEPS if cosine >= least), 0)
        missing = missing_numbers(wanted, found)
        if missing:
            why = f"cosine {cosine:.2f}; not found: {', '.join(missing)}"
            return Likeness(min(score, _WITHOUT_NUMBERS), why)
        return Likeness(score, f"cosine {cosine:.2f}")


def missing_numbers(wanted: str, found: str) -> list[str]:
    """Return the numbers of a text that another one has not."""
    return sorted(_numbers(wanted) - _numbers(found))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in _NUMBER.findall(text)}
