"""Prompt, answer -> how well the one serves the other.

The check-grounding guide calls an answer helpful when it meets the prompt's main intent, is
complete but concise, answers directly, is relevant, clear and simple, and spares details and
jargon. Failing one of these is a feature (`helpfulness_features.py`); their weighted sum goes
through the logistic function. The weights are fitted in `training/helpfulness` on graded synthetic
answers; what the figure means and what it does not is in docs/decisions/0007-helpfulness.md.
"""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path

import numpy as np

from toulmin.errors import FailedPrecondition
from toulmin.grounding.helpfulness_features import FEATURES, FloatArray, describe
from toulmin.models.static_embedder import StaticEmbedder

WEIGHTS_FILE = Path(__file__).parent / "data" / "helpfulness.json"
SCORE_DECIMALS = 4


def helpfulness(prompt: str, answer: str, *, embedder: StaticEmbedder) -> float:
    """Return how helpful `answer` is to who sent `prompt`, in [0, 1], higher is better.

    Whether the answer is true is not asked: a false answer in good form scores high. On held-out
    questions the means are: full and direct 0.91, bare 0.82, buried in text 0.67, off topic 0.24,
    a refusal 0.05 (training/helpfulness/CARD.md). Read it as an order, not as a probability.

    Args:
        prompt: The question or task; read up to 2,000 characters.
        answer: The text to judge, any Unicode; read up to 40,000 characters.
        embedder: For likeness of meaning between the words of both.

    Raises:
        FailedPrecondition: The weights file does not belong to this version of the features.
    """
    weights, bias = load_weights()
    return score_features(describe(prompt, answer, embedder=embedder), weights, bias)


def score_features(values: FloatArray, weights: FloatArray, bias: float) -> float:
    """Return the logistic function of the weighted sum, rounded to 4 decimals."""
    logit = bias + float(values @ weights)
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit)))), SCORE_DECIMALS)


@functools.cache
def load_weights(file: Path = WEIGHTS_FILE) -> tuple[FloatArray, float]:
    """Return (weights in the order of `FEATURES`, bias).

    Raises:
        FailedPrecondition: The file is missing or names other features than the code does.
    """
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        weights: dict[str, float] = raw["weights"]
        bias = float(raw["bias"])
    except (OSError, ValueError, KeyError) as error:
        raise FailedPrecondition(f"{file} holds no helpfulness weights: {error}") from error
    if set(weights) != set(FEATURES):
        raise FailedPrecondition(
            f"{file} has weights for {sorted(weights)}, the code computes {sorted(FEATURES)}: "
            "run training/helpfulness again"
        )
    return np.array([weights[name] for name in FEATURES], dtype=np.float64), bias
