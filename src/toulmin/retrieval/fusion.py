"""One ranking out of several: by ranks, or by scores.

`fuse_scores` is what retrieval uses; it was measured against `reciprocal_rank_fusion` in
docs/decisions/0008-embedder.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key")

RANK_CONSTANT = 60
VECTOR_WEIGHT = 0.5  # of words and vectors together; measured best or nearly so on both collections


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Key]],
    *,
    weights: Sequence[float] | None = None,
    constant: int = RANK_CONSTANT,
) -> list[tuple[Key, float]]:
    """Return every ranked key with the sum of weight / (constant + rank), best first.

    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods", SIGIR 2009; ranks count from 1. Ties keep the order in which keys are first
    met, ranking by ranking.

    Args:
        rankings: Keys of each search, best first; a key at most once in each.
        weights: Weight of each search, 1 if not given.
        constant: How little the first places stand out.

    Raises:
        ValueError: There are not as many weights as rankings.
    """
    scores: dict[Key, float] = {}
    shares = [1.0] * len(rankings) if weights is None else weights
    for ranking, weight in zip(rankings, shares, strict=True):
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + weight / (constant + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def fuse_scores(
    scores: Sequence[Mapping[Key, float]], *, weights: Sequence[float]
) -> list[tuple[Key, float]]:
    """Return every scored key with the weighted sum of its scaled scores, best first.

    Each search's scores are scaled to standard deviations above its worst (`above_worst`). A key
    that a search did not return gets that search's 0, as if it were its worst. Ties keep the order
    in which keys are first met.

    Args:
        scores: For each search, the score of each key that it returned; higher is better. Give as
            many keys of each search as there are, up to a hundred or so: the scale comes from them.
        weights: Weight of each search.

    Raises:
        ValueError: There are not as many weights as searches.
    """
    fused: dict[Key, float] = {}
    for found, weight in zip(scores, weights, strict=True):
        scaled = above_worst(np.fromiter(found.values(), dtype=np.float64, count=len(found)))
        for key, value in zip(found, scaled.tolist(), strict=True):
            fused[key] = fused.get(key, 0.0) + weight * value
    return sorted(fused.items(), key=lambda item: -item[1])


def above_worst(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many standard deviations each value lies above the least; zeros if all alike."""
    if not len(values):
        return values
    distances: NDArray[np.float64] = values - values.min()
    spread = float(values.std())
    if spread <= 0.0:
        return np.zeros_like(values)
    scaled: NDArray[np.float64] = distances / spread
    return scaled
