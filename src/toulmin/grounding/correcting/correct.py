"""The steps of correcting: propose for what is not borne out, check all of it, choose, check again.

A proposal is checked as a claim in the place of the one that it changes. What is chosen stands in
the answer then, and the whole answer is checked once more: only what is still borne out there is
offered, and nothing where that would cost another claim its support.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.claims import split_claims
from toulmin.grounding.correcting.proposing import propose
from toulmin.grounding.correcting.proving import Verdict, choose, is_proven
from toulmin.grounding.correcting.replacing import Proposal, Replacement
from toulmin.grounding.support import PairScore

Check = Callable[[Sequence[Claim]], list[Verdict]]
"""Says how well the facts bear claims out."""

MAX_CORRECTED = 24
"""Claims of one answer that a correction is looked for; those behind them get none."""
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Correction:
    """What the facts say instead of a claim.

    Attributes:
        text: The claim with a few of its words replaced by a fact's own.
        score: Support of it in [0, 1], in its place in the answer.
        replacements: What was replaced by what, in order; places are characters of the answer.
    """

    text: str
    score: float
    replacements: tuple[Replacement, ...]


def correct_claims(
    answer: str,
    claims: Sequence[Claim],
    scores: Sequence[Sequence[PairScore]],
    facts: Sequence[Fact],
    *,
    check: Check,
    threshold: float,
) -> list[Correction | None]:
    """Return a correction for each claim that is not borne out, None where none is proven.

    Args:
        answer: The text that was checked.
        claims: Its claims.
        scores: For each claim, the scores of its evidence.
        facts: The facts.
        check: Checks claims against these facts.
        threshold: Least support of a citation, in [0, 1].
    """
    was = [max((pair.support for pair in pairs), default=0.0) for pairs in scores]
    wanting = [
        place
        for place, claim in enumerate(claims)
        if claim.needs_check and scores[place] and was[place] < threshold
    ][:MAX_CORRECTED]
    proposals = {
        place: propose(claims[place].text, _chunks(scores[place]), facts) for place in wanting
    }
    changed = [(place, proposal) for place, found in proposals.items() for proposal in found]
    if not changed:
        return [None] * len(claims)
    verdicts = check([_put(claims[place], proposal) for place, proposal in changed])
    proven: dict[int, list[tuple[Proposal, Verdict]]] = {}
    for (place, proposal), now in zip(changed, verdicts, strict=True):
        if is_proven(proposal, was[place], now, threshold):
            proven.setdefault(place, []).append((proposal, now))
    chosen = {
        place: best[0] for place, found in proven.items() if (best := choose(found)) is not None
    }
    return _confirmed(answer, claims, was, chosen, check=check, threshold=threshold)


def _chunks(pairs: Sequence[PairScore]) -> list[FactChunk]:
    """Return what was read for a claim, each chunk once, the likeliest first."""
    ordered = sorted(pairs, key=lambda pair: -max(pair.support, pair.contradiction))
    return list(dict.fromkeys(chunk for pair in ordered for chunk in pair.evidence.chunks))


def _put(claim: Claim, proposal: Proposal) -> Claim:
    return replace(claim, text=proposal.text, end=claim.start + len(proposal.text))


def _confirmed(
    answer: str,
    claims: Sequence[Claim],
    was: Sequence[float],
    chosen: Mapping[int, Proposal],
    *,
    check: Check,
    threshold: float,
) -> list[Correction | None]:
    """Return those of the chosen that the check bears out in the corrected answer."""
    nothing: list[Correction | None] = [None] * len(claims)
    if not chosen:
        return nothing
    again = split_claims(_corrected(answer, claims, chosen))
    texts = [chosen[i].text if i in chosen else claim.text for i, claim in enumerate(claims)]
    if [claim.text for claim in again] != texts:
        return nothing
    verdicts = check(again)
    if any(
        claim.needs_check and i not in chosen and verdicts[i].support < threshold <= was[i]
        for i, claim in enumerate(claims)
    ):
        return nothing
    return [
        _correction(claim, chosen[i], verdicts[i])
        if i in chosen and is_proven(chosen[i], was[i], verdicts[i], threshold)
        else None
        for i, claim in enumerate(claims)
    ]


def _corrected(answer: str, claims: Sequence[Claim], chosen: Mapping[int, Proposal]) -> str:
    parts, position = [], 0
    for place, proposal in sorted(chosen.items()):
        parts += [answer[position : claims[place].start], proposal.text]
        position = claims[place].end
    return "".join([*parts, answer[position:]])


def _correction(claim: Claim, proposal: Proposal, verdict: Verdict) -> Correction:
    moved = tuple(
        replace(change, start=claim.start + change.start, end=claim.start + change.end)
        for change in proposal.replacements
    )
    return Correction(proposal.text, round(verdict.support, _DECIMALS), moved)
