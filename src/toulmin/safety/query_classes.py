"""What kind of query is this? Chit-chat, no clear intent, adversarial, jailbreak, or none of them.

A query goes in; a probability in [0, 1] for each class comes out, and which classes apply. They
are the query classes of Discovery Engine's `QueryClassificationSpec` (its user-defined class
apart). Figures and limits: training/query_classes/CARD.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from toulmin.models.embedder import Embedder
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.safety.network import Network
from toulmin.work import UNLIMITED, Work


class QueryClass(StrEnum):
    """A reason not to look for an answer."""

    CHIT_CHAT = "chit_chat"
    NO_CLEAR_INTENT = "no_clear_intent"
    ADVERSARIAL = "adversarial"
    JAILBREAK = "jailbreak"


# Harm anywhere in a text counts; a text is empty talk only if all of it is.
_ANYWHERE = frozenset((QueryClass.ADVERSARIAL, QueryClass.JAILBREAK))


@dataclass(frozen=True, slots=True)
class QueryClasses:
    """How likely each class is, and which apply.

    Attributes:
        probabilities: In [0, 1], rounded to 4 decimals; they do not add up to 1.
        positive: The classes whose probability reaches their threshold, surest first.
    """

    probabilities: Mapping[QueryClass, float]
    positive: tuple[QueryClass, ...]


class QueryClassifier:
    """Classifies queries; safe to share between threads.

    Args:
        embedder: The embedder that the network was fitted on.
        folder: A model folder with the network; `spec.json` has a threshold for each class.
    """

    def __init__(
        self, embedder: Embedder, folder: Path = EMBEDDED_WEIGHTS / "query_classes"
    ) -> None:
        self._network = Network(folder, embedder)
        self._classes = tuple(QueryClass(name) for name in self._network.classes)
        thresholds = self._network.spec.details["thresholds"]
        self._thresholds = {c: float(thresholds[c.value]) for c in self._classes}

    def classify(self, query: str, *, work: Work = UNLIMITED) -> QueryClasses:
        """Return the classes of `query`.

        Raises:
            Cancelled: Nobody waits any more.
        """
        found = self._network.probabilities(query, work=work)
        probabilities = {
            c: round(float(found[:, i].max() if c in _ANYWHERE else found[:, i].min()), 4)
            for i, c in enumerate(self._classes)
        }
        margins = {c: p - self._thresholds[c] for c, p in probabilities.items()}
        positive = sorted((c for c, m in margins.items() if m >= 0), key=lambda c: -margins[c])
        return QueryClasses(probabilities, tuple(positive))
