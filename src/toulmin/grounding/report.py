"""From pair scores to the report: claim scores, citations, anti-citations, overall scores.

A claim's support is that of its best evidence, never a sum: a claim is grounded only if it is
wholly entailed, and two half-proofs are none. Evidence that needs several chunks is scored
joined, so it arrives here as one pair with several chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from toulmin.domain import Claim, FactChunk
from toulmin.grounding.conflicting.conflicts import Conflict, rests_on
from toulmin.grounding.correcting.correct import Correction
from toulmin.grounding.spans import ClaimSpan
from toulmin.grounding.support import PairScore

# Several chunks together are cited only if they double the odds of the best single one; otherwise
# that one says it all.
JOINED_ODDS = 2.0
# A second source that lacks a word of the claim must still have half the odds of the best.
SECOND_SOURCE_ODDS = 0.5

_Key = Callable[[PairScore], float]

# Scores are rounded so that the last bits of floating point, which differ between processors,
# do not reach the caller.
SCORE_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim with its verdict.

    Attributes:
        text: The sentence, verbatim.
        start: First character in the answer.
        end: One past its last character.
        needs_check: False when it states nothing to check; then there are no scores or citations.
        score: Calibrated probability in [0, 1] that the facts entail the claim.
        contradiction_score: Calibrated probability in [0, 1] that the facts contradict it.
        citations: Indices into `GroundingReport.cited_chunks` of what supports it, best first.
        anti_citations: Indices into the same list of what contradicts it.
        spans: Which words are borne out by what; only when explanations were asked for.
        correction: What the facts say instead, proven by the check; only when corrections were
            asked for, and None where there is none.
        conflicts: Indices into `GroundingReport.conflicts` of those that it rests on one side of;
            only when conflicts were asked for.
    """

    text: str
    start: int
    end: int
    needs_check: bool
    score: float | None = None
    contradiction_score: float | None = None
    citations: tuple[int, ...] = ()
    anti_citations: tuple[int, ...] = ()
    spans: tuple[ClaimSpan, ...] = ()
    correction: Correction | None = None
    conflicts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GroundingReport:
    """What a check found.

    Attributes:
        support_score: Mean support of the claims that need a check, in [0, 1]; 1.0 when none
            does, since nothing is said that the facts would have to bear out; 0.0 for an answer
            without a letter or digit.
        claims: All claims of the answer, in order.
        cited_chunks: Exactly the chunks that some claim cites or anti-cites, in order of first use.
        contradiction_score: Mean contradiction over the same claims; None unless asked for.
        helpfulness_score: How well the answer serves the prompt, in [0, 1]; None without one.
        conflicts: Facts that cannot both be right; only when conflicts were asked for.
    """

    support_score: float
    claims: tuple[CheckedClaim, ...]
    cited_chunks: tuple[FactChunk, ...] = ()
    contradiction_score: float | None = None
    helpfulness_score: float | None = None
    conflicts: tuple[Conflict, ...] = ()


@dataclass(slots=True)
class _CitedChunks:
    """Chunks in order of first use; one entry for each."""

    chunks: list[FactChunk] = field(default_factory=list)

    def index(self, chunk: FactChunk) -> int:
        if chunk not in self.chunks:
            self.chunks.append(chunk)
        return self.chunks.index(chunk)


def compose_report(
    claims: Sequence[Claim],
    pair_scores: Sequence[Sequence[PairScore]],
    spans: Sequence[tuple[ClaimSpan, ...]],
    *,
    citation_threshold: float,
    anti_citation_threshold: float | None,
) -> GroundingReport:
    """Return the report on `claims`, without a helpfulness score.

    Args:
        claims: Claims of the answer, in order.
        pair_scores: For each claim, the scores of its evidence; empty where nothing was scored.
        spans: For each claim, its explained words.
        citation_threshold: Least support of a cited chunk, in [0, 1].
        anti_citation_threshold: Least contradiction of an anti-cited chunk, in [0, 1]; None when
            anti-citations were not asked for.
    """
    cited = _CitedChunks()
    checked = []
    for claim, pairs, claim_spans in zip(claims, pair_scores, spans, strict=True):
        if not claim.needs_check:
            checked.append(CheckedClaim(claim.text, claim.start, claim.end, needs_check=False))
            continue
        score, contradiction = verdict_of(pairs)
        pairs = [_given_support(pair, score) for pair in pairs]
        supporting = _supporting_chunks(pairs, citation_threshold)
        contradicting = (
            _contradicting_chunks(pairs, anti_citation_threshold)
            if anti_citation_threshold is not None
            else []
        )
        checked.append(
            CheckedClaim(
                claim.text,
                claim.start,
                claim.end,
                needs_check=True,
                score=round(score, SCORE_DECIMALS),
                contradiction_score=round(contradiction, SCORE_DECIMALS),
                citations=tuple(cited.index(chunk) for chunk in supporting),
                anti_citations=tuple(cited.index(chunk) for chunk in contradicting),
                spans=claim_spans,
            )
        )
    scored = [claim for claim in checked if claim.needs_check]
    return GroundingReport(
        support_score=_mean(
            [claim.score or 0.0 for claim in scored], empty=1.0 if _says_anything(claims) else 0.0
        ),
        claims=tuple(checked),
        cited_chunks=tuple(cited.chunks),
        contradiction_score=(
            None
            if anti_citation_threshold is None
            else _mean([claim.contradiction_score or 0.0 for claim in scored], empty=0.0)
        ),
    )


def with_corrections(
    report: GroundingReport, corrections: Sequence[Correction | None]
) -> GroundingReport:
    """Return the report with a correction, or none, for each of its claims."""
    claims = tuple(
        replace(claim, correction=correction)
        for claim, correction in zip(report.claims, corrections, strict=True)
    )
    return replace(report, claims=claims)


def with_conflicts(report: GroundingReport, conflicts: Sequence[Conflict]) -> GroundingReport:
    """Return the report with conflicts between facts, each claim with those that it rests on."""
    claims = tuple(
        replace(
            claim,
            conflicts=tuple(
                place
                for place, conflict in enumerate(conflicts)
                if rests_on(
                    claim.text, [report.cited_chunks[at] for at in claim.citations], conflict
                )
            ),
        )
        for claim in report.claims
    )
    return replace(report, claims=claims, conflicts=tuple(conflicts))


def verdict_of(pairs: Sequence[PairScore]) -> tuple[float, float]:
    """Return a claim's support and contradiction, each in [0, 1], from those of its evidence."""
    support = max((pair.support for pair in pairs), default=0.0)
    against = [_given_support(pair, support).contradiction for pair in pairs]
    return support, max(against, default=0.0)


def _says_anything(claims: Sequence[Claim]) -> bool:
    return any(character.isalnum() for claim in claims for character in claim.text)


def _given_support(pair: PairScore, support: float) -> PairScore:
    """Return the pair with its contradiction discounted by the claim's support.

    A claim is not both borne out and contradicted: with the two read as independent estimates,
    what remains is contradicted c (1 - s), borne out s (1 - c), or neither (1 - s) (1 - c), and
    contradiction's share follows. A fact that merely speaks of another date no longer counts
    against a claim that the next fact states word for word.
    """
    contradicted = pair.contradiction * (1 - support)
    against = contradicted / max(contradicted + 1 - pair.contradiction, 1e-9)
    return replace(pair, contradiction=against)


def _supporting_chunks(pairs: Sequence[PairScore], threshold: float) -> list[FactChunk]:
    """Return the chunks to cite: the best of each fact that bears the claim out as a whole.

    Which pairs may be cited does not depend on the threshold: a higher one never adds a citation.
    A claim whose score reaches the threshold has one: where several chunks together only add a
    little to the best single one, that one is cited on the strength of them all.
    """
    alone = [pair for pair in pairs if len(pair.evidence.chunks) == 1]
    joined = [pair for pair in pairs if len(pair.evidence.chunks) > 1]
    best = max(alone, key=lambda pair: pair.support, default=None)
    worthy = [pair for pair in alone if best and _is_as_good_a_source(pair, best)]
    cited = _best_of_each_fact(
        [pair for pair in worthy if pair.support >= threshold], key=lambda pair: pair.support
    )
    for pair in joined:
        if pair.support >= threshold:
            needed = best is None or _odds(pair) > JOINED_ODDS * _odds(best)
            says_it = pair.evidence if needed or best is None else best.evidence
            cited.extend(chunk for chunk in says_it.chunks if chunk not in cited)
    return cited


def _is_as_good_a_source(pair: PairScore, best: PairScore) -> bool:
    """Return whether a second source says about as much, or as surely, as the best one.

    "James Cameron's Titanic" makes it likely that he directed it; next to a fact that says so, it
    is no source for it.
    """
    return pair.coverage >= best.coverage or _odds(pair) >= SECOND_SOURCE_ODDS * _odds(best)


def _odds(pair: PairScore) -> float:
    return pair.support / max(1 - pair.support, 1e-9)


def _contradicting_chunks(pairs: Sequence[PairScore], threshold: float) -> list[FactChunk]:
    passing = [
        pair for pair in pairs if pair.contradiction >= threshold and len(pair.evidence.chunks) == 1
    ]
    return _best_of_each_fact(passing, key=lambda pair: pair.contradiction)


def _best_of_each_fact(pairs: Sequence[PairScore], *, key: _Key) -> list[FactChunk]:
    best: dict[int, FactChunk] = {}
    for pair in sorted(pairs, key=key, reverse=True):
        chunk = pair.evidence.chunks[0]
        best.setdefault(chunk.fact_index, chunk)
    return list(best.values())


def _mean(values: Sequence[float], *, empty: float) -> float:
    return round(sum(values) / len(values), SCORE_DECIMALS) if values else empty
