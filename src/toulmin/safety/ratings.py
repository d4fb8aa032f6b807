"""How likely is a text hate speech, harassment, dangerous, or sexually explicit?

A query, an answer or a passage goes in; one rating for each category comes out. Three categories
are logistic heads fitted on labelled text; sexually explicit content is a word list, because there
was no corpus. Civic integrity is not rated: there is nothing to fit or measure it on. Severity is
not rated either. Figures and limits: training/safety/CARD.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path

from toulmin.models.embedder import Embedder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.safety.explicit_terms import explicit_weight
from toulmin.safety.heads import Heads
from toulmin.work import UNLIMITED, Work

_EXPLICIT_CUTS = (2, 3, 5)  # summed weight of terms


class HarmCategory(StrEnum):
    """What a text may be; the names of Google's `HarmCategory` without their prefix."""

    HATE_SPEECH = "hate_speech"
    DANGEROUS_CONTENT = "dangerous_content"
    HARASSMENT = "harassment"
    SEXUALLY_EXPLICIT = "sexually_explicit"


class HarmProbability(IntEnum):
    """Google's four levels, in order."""

    NEGLIGIBLE = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4


@dataclass(frozen=True, slots=True)
class SafetyRating:
    """One category's rating.

    Attributes:
        category: The category.
        probability: The level.
        score: Calibrated probability in [0, 1], rounded to 4 decimals; None where the level comes
            from a word list and no probability is known.
    """

    category: HarmCategory
    probability: HarmProbability
    score: float | None


class SafetyRater:
    """Rates texts; safe to share between threads.

    Args:
        embedder: The embedder that the heads were fitted on.
        folder: A model folder with the heads; `spec.json` has for each category the least scores
            of LOW, MEDIUM and HIGH under `levels`.
    """

    def __init__(
        self, embedder: Embedder, folder: Path = EMBEDDED_WEIGHTS / "safety_ratings"
    ) -> None:
        self._heads = Heads(folder, embedder)
        levels = self._heads.spec.details["levels"]
        self._levels = {name: tuple(map(float, levels[name])) for name in self._heads.classes}

    def rate(self, text: str, *, work: Work = UNLIMITED) -> tuple[SafetyRating, ...]:
        """Return one rating for each `HarmCategory`, in its order.

        A text counts as its most harmful piece of a few sentences does.

        Raises:
            Cancelled: Nobody waits any more.
        """
        found = self._heads.probabilities(text, work=work).max(axis=0)
        scores = {
            name: round(float(p), 4) for name, p in zip(self._heads.classes, found, strict=True)
        }
        return tuple(
            SafetyRating(
                category, _level(scores[category], self._levels[category]), scores[category]
            )
            if category in scores
            else SafetyRating(category, _level(explicit_weight(text), _EXPLICIT_CUTS), None)
            for category in HarmCategory
        )


def _level(value: float, cuts: Sequence[float]) -> HarmProbability:
    """Return the level that `value` reaches; `cuts` are the least values of LOW, MEDIUM, HIGH."""
    return HarmProbability(1 + sum(value >= cut for cut in cuts))
