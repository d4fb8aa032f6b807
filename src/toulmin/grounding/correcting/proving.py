"""Of what a claim could have been, the one that the check proves: clearly, and alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.grounding.correcting.replacing import Proposal

MARGIN = 0.2
"""Support that a correction must have over the claim, beside that of a citation."""
MARGIN_ELSEWHERE = 0.35
"""The same where the fact does not say the rest in the claim's own words."""
MOST_CONTRADICTION = 0.3
CLEAR = 0.1
"""How much more support than another one the chosen correction has."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says of a text: support and contradiction, each in [0, 1]."""

    support: float
    contradiction: float


def is_proven(proposal: Proposal, was: float, now: Verdict, threshold: float) -> bool:
    """Return whether the check bears a proposal out, and clearly better than the claim.

    Args:
        proposal: The changed claim.
        was: Support of the claim, in [0, 1].
        now: What it says of the changed one.
        threshold: Least support of a citation.
    """
    margin = MARGIN if proposal.aligned else MARGIN_ELSEWHERE
    return (
        now.support >= threshold
        and now.support >= was + margin
        and now.contradiction <= MOST_CONTRADICTION
    )


def choose(proven: Sequence[tuple[Proposal, Verdict]]) -> tuple[Proposal, Verdict] | None:
    """Return the proposal that is meant, None where that is not plain.

    Those where the fact says the rest in the claim's own words come before all others. Of several
    that are borne out nearly as well, the one that is part of all others is chosen: the rest of
    their changes is not needed. Else the one that all others are part of; else none.
    """
    pool = [item for item in proven if item[0].aligned] or list(proven)
    if not pool:
        return None
    best = max(verdict.support for _, verdict in pool)
    close = [item for item in pool if item[1].support >= best - CLEAR]
    sets = [_changes(proposal) for proposal, _ in close]
    for item, mine in zip(close, sets, strict=True):
        if all(mine <= other for other in sets):
            return item
    for item, mine in zip(close, sets, strict=True):
        if all(other <= mine for other in sets):
            return item
    return None


def _changes(proposal: Proposal) -> frozenset[tuple[int, int, str]]:
    return frozenset((c.start, c.end, c.text) for c in proposal.replacements)
