"""The values of claims, asked for in the evidence that bears each claim out best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toulmin.grounding.asking.agreement import AskingWeights, agreements
from toulmin.grounding.inputs import PairText
from toulmin.grounding.support import FloatArray
from toulmin.models.grounding_encoder import GroundingEncoder
from toulmin.work import UNLIMITED, Work

MOST_ASKED = 4
"""Pieces of evidence of one claim that are asked, one after the other."""
_FROM, _FROM_CONTRADICTION = 0.2, 0.3
"""A claim below both is not asked about: it is not borne out, whatever its values are."""


def ask_best(
    encoder: GroundingEncoder,
    weights: AskingWeights,
    pairs: Sequence[PairText],
    sizes: Sequence[int],
    scores: tuple[FloatArray, FloatArray],
    *,
    work: Work = UNLIMITED,
) -> None:
    """Move support and contradiction of each claim's best evidence by what it answers, in place.

    What lowers the best piece can make another the best, which is then asked, too; when
    `MOST_ASKED` were, the others count no more than the best of these. What becomes of a claim does
    not depend on the others.

    Args:
        encoder: What reads the answers.
        weights: What answers are worth.
        pairs: The claims with their evidence, claim after claim.
        sizes: Pieces of evidence of each claim.
        scores: Probabilities of support and of contradiction, shape (pairs,) each.
        work: Whether anybody still waits.

    Raises:
        Cancelled: Nobody waits any more.
    """
    support, contradiction = scores
    asked: set[int] = set()
    for _ in range(MOST_ASKED):
        places = [
            place
            for place in _best_of_each(sizes, support)
            if place not in asked
            and (support[place] >= _FROM or contradiction[place] >= _FROM_CONTRADICTION)
        ]
        if not places:
            return
        asked.update(places)
        texts = [(pairs[place].claim, pairs[place].evidence) for place in places]
        for place, found in zip(places, agreements(encoder, texts, work=work), strict=True):
            support[place], contradiction[place] = weights.applied(
                float(support[place]), float(contradiction[place]), found
            )
    _hold_unasked(sizes, support, asked)


def _best_of_each(sizes: Sequence[int], support: FloatArray) -> list[int]:
    """Return the place of each claim's best piece of evidence; claims without one have none."""
    best, start = [], 0
    for size in sizes:
        if size:
            best.append(start + int(np.argmax(support[start : start + size])))
        start += size
    return best


def _hold_unasked(sizes: Sequence[int], support: FloatArray, asked: set[int]) -> None:
    """Lower each claim's evidence that would be asked next to the best that was, in place."""
    start = 0
    for size in sizes:
        own = range(start, start + size)
        most = max((support[place] for place in own if place in asked), default=1.0)
        for place in own:
            if place not in asked and support[place] >= _FROM:
                support[place] = min(support[place], most)
        start += size
