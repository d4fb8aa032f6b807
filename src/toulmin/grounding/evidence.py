"""Which parts of the facts to read a claim against: the best few for each claim, verbatim.

In: claims and facts. Out: for each claim, pieces of evidence, best first. Windows (chunking) are
scored (ranking) and the best are taken. Facts are mixed on purpose, so that each fact that supports
a claim can be cited; one piece may join sentences from several places when no window holds all that
the claim says. What was tried and lost: docs/decisions/0003-evidence-selection.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.chunking import WINDOW_WORDS, ChunkPlan, plan_chunks
from toulmin.grounding.ranking import Ranking, rank_windows
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.text.languages import find_language
from toulmin.work import UNLIMITED, Work

FloatArray = NDArray[np.float32]

_SAME_FACT_PENALTY = 0.05
_JOINED_FROM = 10
_JOIN_WHEN_BELOW = 0.95
_LEAST_GAIN = 0.05
_JOIN_GAIN = 0.1
_TOLD_BY = 200
"""Characters of each fact that tell its language."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text to read a claim against.

    Attributes:
        chunks: One chunk, or several of one or several facts; in order of fact and place.
    """

    chunks: tuple[FactChunk, ...]


@dataclass(frozen=True, slots=True)
class EvidenceBudget:
    """How much to read for each claim.

    Attributes:
        pairs_per_claim: Most windows for a claim of many; a joined piece comes on top.
        pairs_for_few: A few claims share this many, and have up to twice `pairs_per_claim` each.
        pairs_in_all: Many claims share this many, and have at least two each.
        read_all: Read every window when all facts have no more than this many.
        window_words: Length of a window.
        joined_words: Length of a joined piece.
        relative_floor: A window that scores less than this share of the best is not read.
        whole_words: A fact of no more words than this is read whole, as one window.
        strange: Windows for a claim in another language than the facts, which has few words in
            common with what it is about; 0: as many as for any.
    """

    pairs_per_claim: int = 3
    pairs_for_few: int = 15
    pairs_in_all: int = 480
    read_all: int = 4
    window_words: int = WINDOW_WORDS
    joined_words: int = 110
    relative_floor: float = 0.5
    whole_words: int = 0
    strange: int = 0

    def share(self, claims: int) -> int:
        """Return how many windows each of `claims` claims may have."""
        usual = self.pairs_per_claim
        few = min(2 * usual, max(usual, self.pairs_for_few // max(claims, 1)))
        return max(2, min(few, self.pairs_in_all // max(claims, 1)))


DEFAULT_BUDGET = EvidenceBudget()


# What the grounding model reads for up to so many claims: whole short facts for few, windows for
# many. A check is to stay within its time (docs/benchmarks.md), and a text is read once for all.
_PACK_BUDGETS = (
    (2, EvidenceBudget(3, 12, 480, 3, 160, 200, 0.35, 300, strange=20)),
    (8, EvidenceBudget(2, 10, 480, 2, 140, 200, 0.55, 300, strange=12)),
    (40, EvidenceBudget(2, 10, 480, 2, 110, 160, 0.7, strange=4)),
)
_PACK_BUDGET_OF_MANY = EvidenceBudget(1, 10, 200, 1, 60, 90, 0.8)


def budget_of_packs(claims: int) -> EvidenceBudget:
    """Return how much the grounding model reads for each of so many claims."""
    return next((budget for most, budget in _PACK_BUDGETS if claims <= most), _PACK_BUDGET_OF_MANY)


def select_evidence(
    claims: Sequence[Claim],
    facts: Sequence[Fact],
    *,
    embedder: StaticEmbedder,
    budget: EvidenceBudget = DEFAULT_BUDGET,
    work: Work = UNLIMITED,
) -> list[list[Evidence]]:
    """Return the evidence to read each claim against.

    Args:
        claims: The answer's claims; those that need no check get no evidence.
        facts: What may support or contradict them.
        embedder: Embeds claims and windows.
        budget: How much to read.
        work: Asked before every fact and every claim.

    Raises:
        Cancelled: Nobody waits any more.

    Returns:
        One list per claim: single windows, best first, then at most one joined piece. A claim
        that shares no word with any fact still gets the nearest windows. Lists are empty only
        for claims that need no check, or when no fact has any text.
    """
    wanted = [claim for claim in claims if claim.needs_check]
    plan = plan_chunks(
        facts,
        window_words=budget.window_words,
        whole_words=budget.whole_words,
        work=work,
    )
    if not wanted or not len(plan.window_units):
        return [[] for _ in claims]
    ranking = rank_windows(wanted, plan, embedder=embedder)
    share = budget.share(len(wanted))
    around = find_language(" ".join(fact.text[:_TOLD_BY] for fact in facts))
    rows = iter(range(len(wanted)))
    found: list[list[Evidence]] = []
    for claim in claims:
        work.check()
        if not claim.needs_check:
            found.append([])
        elif budget.strange and find_language(claim.text, fallback=around) != around:
            strange = replace(budget, read_all=budget.strange, relative_floor=0.0)
            found.append(_choose(ranking, next(rows), max(share, budget.strange), strange))
        else:
            found.append(_choose(ranking, next(rows), share, budget))
    return found


def _choose(ranking: Ranking, row: int, share: int, budget: EvidenceBudget) -> list[Evidence]:
    """Return one claim's evidence, best first."""
    scores = ranking.scores[row]
    order = _best(scores, max(_JOINED_FROM, 6 * share))
    if len(scores) <= budget.read_all:
        singles = order
    else:
        singles = list(_mix_facts(ranking, row, order, share, budget.relative_floor))
    chosen = [Evidence((ranking.plan.window(window),)) for window in singles]
    joined = _join(ranking, row, order[:_JOINED_FROM], singles, budget)
    return [*chosen, joined] if joined else chosen


def _best(scores: FloatArray, count: int) -> list[int]:
    """Return the windows with the highest scores, best first; equal ones in reading order."""
    if count < len(scores):
        least = np.partition(scores, -count)[-count]
        among = np.flatnonzero(scores >= least)
    else:
        among = np.arange(len(scores))
    ordered: list[int] = among[np.argsort(-scores[among], kind="stable")].tolist()
    return ordered[:count]


def _mix_facts(
    ranking: Ranking, row: int, order: Sequence[int], count: int, floor: float
) -> Iterator[int]:
    """Yield up to `count` windows, best first, each less likely the more its fact has had.

    Windows that share half of their units with one already taken are passed over.
    """
    scores, plan = ranking.scores[row], ranking.plan
    left = {window: float(scores[window]) for window in order}
    least = floor * max(left[order[0]], 0.0)
    while left and count > 0:
        window = max(left, key=lambda w: (left[w], -w))
        if float(scores[window]) < least and window != order[0]:
            return
        yield window
        count -= 1
        del left[window]
        first, last = plan.window_units[window].tolist()
        for other in list(left):
            if plan.window_facts[other] != plan.window_facts[window]:
                continue
            low, high = plan.window_units[other].tolist()
            if 2 * (min(high, last) - max(low, first)) >= min(high - low, last - first):
                del left[other]
            else:
                left[other] -= _SAME_FACT_PENALTY


def _join(
    ranking: Ranking, row: int, order: Sequence[int], singles: Sequence[int], budget: EvidenceBudget
) -> Evidence | None:
    """Return sentences from several places that together hold more of the claim than any window."""
    weights = ranking.claim_terms[row]
    total = sum(weights.values())
    alone = max((_window_gain(ranking, w, weights) for w in singles), default=0.0)
    if not total or alone >= _JOIN_WHEN_BELOW * total:
        return None
    units, gained = _cover(ranking, order, weights, budget.joined_words)
    if gained < alone + _JOIN_GAIN * total:
        return None
    return Evidence(tuple(_merge(ranking.plan, units)))


def _window_gain(ranking: Ranking, window: int, weights: dict[int, float]) -> float:
    held = set(ranking.fact_terms[int(ranking.plan.window_facts[window])])
    for unit in range(*ranking.plan.window_units[window].tolist()):
        held |= ranking.terms_of(unit)
    return sum(weight for term, weight in weights.items() if term in held)


def _cover(
    ranking: Ranking, order: Sequence[int], weights: dict[int, float], words: float
) -> tuple[list[int], float]:
    """Pick units greedily by the weight of terms they add, within `words`.

    Returns:
        The units, and the weight of the claim's terms that they and their facts' attributes hold.
    """
    plan, total = ranking.plan, sum(weights.values())
    candidates: dict[int, int] = {}
    for place, window in enumerate(order):
        for unit in range(*plan.window_units[window].tolist()):
            candidates.setdefault(unit, place)
    missing, taken, gained, room = dict(weights), [], 0.0, words
    while candidates and missing:
        best, gain = -1, 0.0
        for unit, place in candidates.items():
            held = ranking.terms_of(unit) | ranking.fact_terms[int(plan.unit_facts[unit])]
            adds = sum(missing[term] for term in held if term in missing)
            adds *= 1.0 - 0.02 * place
            if adds > gain + 1e-6 and plan.unit_costs[unit] <= room:
                best, gain = unit, adds
        if gain < _LEAST_GAIN * total:
            break
        held = ranking.terms_of(best) | ranking.fact_terms[int(plan.unit_facts[best])]
        gained += sum(missing.pop(term) for term in held if term in missing)
        del candidates[best]
        taken.append(best)
        room -= plan.unit_costs[best]
    return _explain(plan, taken, room), gained


def _explain(plan: ChunkPlan, units: Sequence[int], room: float) -> list[int]:
    """Return the units in reading order, with the ones before those that lean back, if they fit."""
    every = set(units)
    for unit in units:
        if unit - 1 not in every and plan.leans_back(unit) and plan.unit_costs[unit - 1] <= room:
            every.add(unit - 1)
            room -= plan.unit_costs[unit - 1]
    return sorted(every)


def _merge(plan: ChunkPlan, units: Sequence[int]) -> Iterator[FactChunk]:
    """Yield the units as chunks; neighbours of one fact make one chunk."""
    first = 0
    for at in range(1, len(units) + 1):
        follows = at < len(units) and units[at] == units[at - 1] + 1
        if follows and plan.unit_facts[units[at]] == plan.unit_facts[units[first]]:
            continue
        yield plan.chunk(units[first], units[at - 1] + 1)
        first = at
