"""How likely is it that the passages hold the answer?

The encoder's margin between the best span and "no answer" is joined with what its other heads say
of the question (does the passage bear its words out?) and with words that the passage lacks, in a
logistic regression (fitted by training/reader/calibrate.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.answering.reading.spans import Candidate
from toulmin.answering.reading.windows import Window
from toulmin.errors import FailedPrecondition
from toulmin.grounding.lexical import FEATURE_NAMES as LEXICAL_NAMES
from toulmin.grounding.lexical import lexical_features
from toulmin.models.reader_model import SpanLogits

CALIBRATION_FILE = Path(__file__).parent / "data" / "answerability.json"
LEXICAL_USED = (
    "terms_found",
    "numbers_missing",
    "names_missing",
    "heaviest_missing",
    "negation_differs",
    "tightness",
)
FEATURE_NAMES = (
    "margin",  # best span minus "no answer", logits
    "log_share",  # of the best span in its window
    "null_log_share",  # of "no answer" in that window
    "lead",  # best margin minus the second best, capped at 10; 10 if there is no other
    "log_windows",  # log of the number of windows read
    "support",  # log probability that the window supports the question, read as a claim
    "contradiction",  # log probability that it contradicts it
    "doubted_word",  # highest logit of a question token that is not borne out
    "doubted_words",  # mean of the three highest
    *LEXICAL_USED,  # question against the window of the best span
)
_MOST_LEAD = 10.0
_BEFORE_QUESTION = 2  # [CLS] and the first [SEP]
LEXICAL_PLACES = [LEXICAL_NAMES.index(name) for name in LEXICAL_USED]


@dataclass(frozen=True, slots=True)
class Answerability:
    """A logistic regression over what a reader saw.

    Attributes:
        weights: Shape (features,).
        bias: Intercept.
    """

    weights: NDArray[np.float64]
    bias: float

    def probability(self, features: NDArray[np.float64]) -> float:
        """Return the probability in [0, 1] that the passages hold the answer.

        Args:
            features: Shape (features,), in the order that the reader names them in.
        """
        return float(1.0 / (1.0 + np.exp(-(features @ self.weights + self.bias))))


@dataclass(frozen=True, slots=True)
class Heads:
    """What the encoder's heads for claims say of the question in the window of the best span.

    Attributes:
        support: Log probability that the window supports it.
        contradiction: Log probability that the window contradicts it.
        doubted_word: Highest logit of a question token that the window does not bear it out.
        doubted_words: Mean of the three highest.
    """

    support: float
    contradiction: float
    doubted_word: float
    doubted_words: float

    @classmethod
    def of_window(cls, window: Window, logits: SpanLogits) -> Heads:
        """Return what the heads say of the question in `window`."""
        classes = np.asarray(logits.classes, dtype=np.float64)
        classes = classes - classes.max()
        shares = classes - np.log(np.exp(classes).sum())
        first = len(window.offsets) + _BEFORE_QUESTION
        doubts = np.sort(np.asarray(logits.words[first:-1], dtype=np.float64))[::-1]
        if not len(doubts):
            doubts = np.zeros(1)
        return cls(float(shares[0]), float(shares[1]), float(doubts[0]), float(doubts[:3].mean()))


def load_answerability(
    path: Path = CALIBRATION_FILE, names: Sequence[str] = FEATURE_NAMES
) -> Answerability:
    """Return the regression in a JSON file.

    Args:
        path: The file.
        names: The features that it must be for.

    Raises:
        FailedPrecondition: The file does not fit this version's features.
    """
    raw = json.loads(path.read_text(encoding="utf-8"))
    if tuple(raw["features"]) != tuple(names):
        raise FailedPrecondition(
            f"{path} is for the features {raw['features']}, this version has {tuple(names)}: "
            "fit the calibration again"
        )
    return Answerability(np.array(raw["weights"], dtype=np.float64), float(raw["bias"]))


def answerability_features(
    question: str, ranked: Sequence[Candidate], text: str, *, heads: Heads, windows: int
) -> NDArray[np.float64]:
    """Return the features of `FEATURE_NAMES`, shape (features,).

    Args:
        question: The question.
        ranked: Candidates of all windows, best first, without overlaps; at least one.
        text: The passage text of the window that the best one was found in.
        heads: What the other heads say in that window.
        windows: How many windows were read.
    """
    best = ranked[0]
    lead = best.margin - ranked[1].margin if len(ranked) > 1 else _MOST_LEAD
    encoder = (
        best.margin,
        best.log_share,
        best.null_log_share,
        min(lead, _MOST_LEAD),
        float(np.log(windows)),
        heads.support,
        heads.contradiction,
        heads.doubted_word,
        heads.doubted_words,
    )
    return np.concatenate((encoder, lexical_features(question, text)[LEXICAL_PLACES]))
