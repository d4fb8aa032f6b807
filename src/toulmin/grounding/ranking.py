"""How well does each window of the facts fit each claim? By terms and by embedding.

A window's score is the share of the claim's terms, by weight, that it or its fact's attributes
hold, plus what neighbouring terms earn, plus the cosine of the static embeddings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Claim
from toulmin.grounding.chunking import ChunkPlan
from toulmin.grounding.lexical import TELLING_WEIGHT, ClaimTerms
from toulmin.models.static_embedder import StaticEmbedder, unit_rows
from toulmin.text.words import scan_words

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]

EMBEDDING_SHARE = 0.5
_PAIR_SHARE = 0.3
_CONTEXT_WEIGHT = 0.4
_ATTRIBUTES_SHARE = 0.5
_NONE: IntArray = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every window scored for every claim.

    Attributes:
        plan: Units and windows.
        scores: Shape (claims, windows); higher is better.
        coverage: Share of each claim's terms that each window holds, by weight, shape
            (claims, windows), in [0, 1].
        claim_terms: For each claim, the weight of each of its telling terms, by term number.
        word_terms: Term number of every word of the facts, -1 for the rest, shape (words,).
        fact_terms: For each fact, the terms that its attributes hold.
    """

    plan: ChunkPlan
    scores: FloatArray
    coverage: FloatArray
    claim_terms: list[dict[int, float]]
    word_terms: IntArray
    fact_terms: list[frozenset[int]]
    unit_terms: dict[int, frozenset[int]] = field(default_factory=dict)

    def terms_of(self, unit: int) -> frozenset[int]:
        """Return the terms that a unit holds."""
        found = self.unit_terms.get(unit)
        if found is None:
            words = slice(*self.plan.unit_words[unit : unit + 2].tolist())
            found = frozenset(self.word_terms[words].tolist()) - {-1}
            self.unit_terms[unit] = found
        return found


def rank_windows(
    claims: Sequence[Claim],
    plan: ChunkPlan,
    *,
    embedder: StaticEmbedder,
    embedding_share: float = EMBEDDING_SHARE,
) -> Ranking:
    """Score every window for every claim, by terms and by embedding."""
    attributes = [" \n".join(fact.attributes.values()) for fact in plan.facts]
    texts = [claim.text for claim in claims]
    terms = ClaimTerms([*texts, *(claim.context for claim in claims)])
    word_terms = terms.match(plan.stream)
    fact_words = [terms.match(scan_words(text)) if text else _NONE for text in attributes]
    telling = np.append(terms.priors, 0.0) > TELLING_WEIGHT  # the last stands for -1
    word_terms = np.where(telling[word_terms], word_terms, -1)
    fact_words = [words[telling[words]] for words in fact_words]
    postings = _postings(plan, word_terms, fact_words, len(terms.terms))
    coverage, claim_terms = _coverage(terms, postings, len(claims), plan)
    scores = coverage
    if embedding_share:
        windows = _embed_windows(plan, embedder, attributes)
        queries = embedder.embed([_query(claim) for claim in claims])
        scores = coverage + np.float32(embedding_share) * (queries @ windows.T)
    return Ranking(
        plan=plan,
        scores=scores,
        coverage=coverage,
        claim_terms=claim_terms,
        word_terms=word_terms,
        fact_terms=[frozenset(words.tolist()) - {-1} for words in fact_words],
    )


def _query(claim: Claim) -> str:
    return f"{claim.context} {claim.text} {claim.text}" if claim.context else claim.text


@dataclass(frozen=True, slots=True)
class _Postings:
    """Which windows hold which term, and which pair of neighbouring terms.

    Attributes:
        windows: Windows, sorted by term, shape (postings,).
        bounds: Where each term's windows begin, shape (terms + 1,).
        pair_keys: first term * terms + second term, sorted, shape (pair postings,).
        pair_windows: The window of each, shape (pair postings,).
    """

    windows: IntArray
    bounds: IntArray
    pair_keys: IntArray
    pair_windows: IntArray


def _postings(
    plan: ChunkPlan, word_terms: IntArray, fact_words: Sequence[IntArray], terms: int
) -> _Postings:
    at = np.flatnonzero(word_terms >= 0)
    held = word_terms[at]
    neighbours = np.flatnonzero(np.diff(at) == 1)
    keys = held[neighbours] * terms + held[neighbours + 1]
    count = len(plan.window_units)
    windows, words = _windows_of_words(plan, at)
    codes = held[words] * count + windows
    if any(len(words) for words in fact_words):
        codes = np.concatenate((codes, _attribute_codes(plan, fact_words, count)))
    codes = _sorted_set(codes)
    pair_windows, pair_words = _windows_of_words(plan, at[neighbours])
    pair_codes = _sorted_set(keys[pair_words] * count + pair_windows)
    return _Postings(
        windows=codes % count,
        bounds=np.searchsorted(codes // count, np.arange(terms + 1)),
        pair_keys=pair_codes // count,
        pair_windows=pair_codes % count,
    )


def _sorted_set(codes: IntArray) -> IntArray:
    """Return the distinct codes, sorted; `np.unique` hashes them first, which takes far longer."""
    codes = np.sort(codes)
    fresh = np.ones(len(codes), dtype=np.bool_)
    fresh[1:] = codes[1:] != codes[:-1]
    return codes[fresh]


def _windows_of_words(plan: ChunkPlan, at: IntArray) -> tuple[IntArray, IntArray]:
    """Return (window, index into `at`) for every window that each of the sorted words lies in."""
    first = np.searchsorted(at, plan.unit_words[plan.window_units[:, 0]])
    last = np.searchsorted(at, plan.unit_words[plan.window_units[:, 1]])
    lengths = last - first
    windows = np.repeat(np.arange(len(lengths)), lengths)
    shifts = np.repeat(first - (np.cumsum(lengths) - lengths), lengths)
    return windows, np.arange(len(windows)) + shifts


def _attribute_codes(plan: ChunkPlan, fact_words: Sequence[IntArray], count: int) -> IntArray:
    """Return term * count + window for the terms of each fact's attributes."""
    bounds = np.searchsorted(plan.window_facts, np.arange(len(fact_words) + 1))
    codes = [_NONE]
    for fact, words in enumerate(fact_words):
        held = np.unique(words[words >= 0])
        windows = np.arange(bounds[fact], bounds[fact + 1])
        codes.append((held[:, None] * count + windows).ravel())
    return np.concatenate(codes)


def _coverage(
    terms: ClaimTerms, postings: _Postings, claims: int, plan: ChunkPlan
) -> tuple[FloatArray, list[dict[int, float]]]:
    """Return each window's share of each claim's terms, and the terms' weights per claim."""
    count = len(plan.window_units)
    frequencies = np.diff(postings.bounds)
    weights = terms.priors * _rarity(frequencies, count)
    coverage = np.zeros((claims, count), dtype=np.float32)
    per_claim: list[dict[int, float]] = []
    for row in range(claims):
        sequence = terms.texts[row]
        weighed = _weigh(sequence, terms.texts[claims + row], weights, terms.priors)
        total = sum(weighed.values())
        for term, weight in weighed.items():
            held = postings.windows[postings.bounds[term] : postings.bounds[term + 1]]
            coverage[row, held] += weight / total
        if len(sequence) > 1 and total:
            _add_pairs(coverage[row], sequence, weights, postings, _PAIR_SHARE / total)
        per_claim.append(weighed)
    return coverage, per_claim


def _rarity(frequencies: IntArray, windows: int) -> FloatArray:
    """Return a factor in (0, 1] for each term: rare ones high; all near 1 for few windows."""
    spread = np.log1p(windows / (frequencies + 1.0)) / np.log1p(windows)
    blended: FloatArray = ((spread * windows + 10.0) / (windows + 10.0)).astype(np.float32)
    return blended


def _weigh(
    sequence: IntArray, context: IntArray, weights: FloatArray, priors: FloatArray
) -> dict[int, float]:
    """Return the weight of each telling term of a claim and, lower, of its context."""
    weighed: dict[int, float] = {}
    for term in context.tolist():
        if priors[term] > TELLING_WEIGHT:
            weighed[term] = _CONTEXT_WEIGHT * float(weights[term])
    for term in sequence.tolist():
        if priors[term] > TELLING_WEIGHT:
            weighed[term] = float(weights[term])
    return weighed


def _add_pairs(
    row: FloatArray, sequence: IntArray, weights: FloatArray, postings: _Postings, scale: float
) -> None:
    """Add to `row` what each window earns by neighbouring terms of the claim, in place."""
    terms = len(postings.bounds) - 1
    keys, where = np.unique(sequence[:-1] * terms + sequence[1:], return_index=True)
    bounds = np.searchsorted(postings.pair_keys, np.stack((keys, keys + 1)))
    worth = np.minimum(weights[sequence[where]], weights[sequence[where + 1]]) * np.float32(scale)
    for at in np.flatnonzero(bounds[1] > bounds[0]).tolist():
        row[postings.pair_windows[bounds[0, at] : bounds[1, at]]] += worth[at]


def _embed_windows(
    plan: ChunkPlan, embedder: StaticEmbedder, attributes: Sequence[str]
) -> FloatArray:
    """Return one unit row for each window, its fact's attributes mixed in, (windows, dim)."""
    sums = embedder.sum_spans(plan.stream, plan.unit_words)
    padded = np.concatenate((sums, np.zeros((1, embedder.dim), dtype=np.float32)))
    windows: FloatArray = np.add.reduceat(padded, plan.window_units.ravel(), axis=0)[::2]
    if any(attributes):
        lengths = np.linalg.norm(windows, axis=1, keepdims=True)
        named = embedder.embed(attributes)[plan.window_facts]
        windows = windows + np.float32(_ATTRIBUTES_SHARE) * lengths * named
    return unit_rows(windows)
