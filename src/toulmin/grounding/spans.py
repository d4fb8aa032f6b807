"""Which words of a claim are not borne out, and which words of a fact they conflict with.

The encoder's word head marks both sides at once: words of the claim that the evidence does not
bear out, and words of the evidence that say otherwise ("Brad Pitt" against "Leonardo DiCaprio").
No language model is involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toulmin.domain import Claim, Fact, FactChunk
from toulmin.grounding.inputs import Span
from toulmin.grounding.subjects import resolve_subject
from toulmin.grounding.support import PairReading, PairScore

# A claim that is at least as likely grounded as not is explained as a whole.
SUPPORTED = 0.5


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """Some words of the answer, and the words of a fact that they rest on or conflict with.

    Attributes:
        start: First character in the answer.
        end: One past the last character.
        supported: Whether the facts bear these words out.
        fact_index: The fact they rest on or conflict with; None when no fact speaks of them.
        fact_start: First character in that fact; 0 when there is none.
        fact_end: One past the last character in that fact.
    """

    start: int
    end: int
    supported: bool
    fact_index: int | None = None
    fact_start: int = 0
    fact_end: int = 0


def explain_claims(
    claims: Sequence[Claim],
    scores: Sequence[Sequence[PairScore]],
    facts: Sequence[Fact],
    *,
    explain: bool,
) -> list[tuple[ClaimSpan, ...]]:
    """Return the spans of each claim, in the order of the text; empty unless `explain`.

    A supported claim is one span on the chunk that supports it. In any other claim, the marked
    words are unsupported spans, and what lies between them gets none. Scores of a scorer that
    marks no words explain nothing.
    """
    if not explain:
        return [() for _ in claims]
    return [
        tuple(_explain(claim, pairs, facts)) for claim, pairs in zip(claims, scores, strict=True)
    ]


def _explain(
    claim: Claim, pairs: Sequence[PairScore], facts: Sequence[Fact]
) -> Iterator[ClaimSpan]:
    if not pairs:
        return
    best = max(pairs, key=lambda pair: pair.support)
    if best.support >= SUPPORTED:
        chunk = best.evidence.chunks[0]
        yield ClaimSpan(claim.start, claim.end, True, chunk.fact_index, chunk.start, chunk.end)  # noqa: FBT003
        return
    # The pair that contradicts most shows the conflict; without one, the best support shows
    # what is missing.
    worst = max(pairs, key=lambda pair: pair.contradiction)
    chosen = worst if worst.contradiction >= best.support else best
    if chosen.reading is None:
        return
    wrong = _marked_words(chosen.reading, claim)
    contradicted = chosen.contradiction >= SUPPORTED
    against = _conflicting_words(chosen, chosen.reading, facts) if contradicted else []
    for position, (start, end) in enumerate(wrong or [(0, len(claim.text))]):
        conflict = against[min(position, len(against) - 1)] if against else None
        yield ClaimSpan(
            claim.start + start,
            claim.start + end,
            False,  # noqa: FBT003
            conflict.fact_index if conflict else None,
            conflict.start if conflict else 0,
            conflict.end if conflict else 0,
        )


def _marked_words(reading: PairReading, claim: Claim) -> list[Span]:
    encoded = reading.encoded
    first = encoded.claim_start
    logits = reading.word_logits[first : first + len(encoded.claim_offsets)]
    who = resolve_subject(claim.text, claim.context)  # the encoder read it so
    runs = _word_runs(who.text if who else claim.text, encoded.claim_offsets, logits)
    return [who.original(*run) for run in runs] if who else runs


def _conflicting_words(
    pair: PairScore, reading: PairReading, facts: Sequence[Fact]
) -> list[FactChunk]:
    """Return the marked words of the evidence, as ranges of the facts they stand in."""
    encoded = reading.encoded
    found = []
    for chunk, (start, end) in zip(pair.evidence.chunks, reading.piece_spans, strict=True):
        tokens = [
            (position, (a - start, b - start))
            for position, (a, b) in enumerate(encoded.evidence_offsets)
            if a >= start and b <= end
        ]
        logits = _evidence_logits(reading, [position for position, _ in tokens])
        for a, b in _word_runs(chunk.text, [offsets for _, offsets in tokens], logits):
            text = facts[chunk.fact_index].text[chunk.start + a : chunk.start + b]
            found.append(FactChunk(chunk.fact_index, chunk.start + a, chunk.start + b, text))
    return found


def _evidence_logits(reading: PairReading, positions: Sequence[int]) -> npt.NDArray[np.float32]:
    """Return the word logits of the evidence tokens at `positions`, shape (positions,)."""
    start = reading.encoded.evidence_start
    return reading.word_logits[[start + position for position in positions]]


def _word_runs(text: str, offsets: Sequence[Span], logits: npt.NDArray[np.float32]) -> list[Span]:
    """Join marked tokens to whole words, and neighbouring marked words to runs."""
    runs: list[Span] = []
    for (start, end), members in _grouped(text, offsets):
        if max(float(logits[i]) for i in members) <= 0 or not _has_word(text[start:end]):
            continue
        if runs and not _has_word(text[runs[-1][1] : start]):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _grouped(text: str, offsets: Sequence[Span]) -> list[tuple[Span, list[int]]]:
    """Group word pieces that touch within a word: ("run", "##ning") is one word."""
    words: list[tuple[Span, list[int]]] = []
    for index, (start, end) in enumerate(offsets):
        touching = bool(words) and words[-1][0][1] == start and start > 0
        if touching and text[start - 1].isalnum() and text[start : start + 1].isalnum():
            (first, _), members = words[-1]
            words[-1] = ((first, end), [*members, index])
        else:
            words.append(((start, end), [index]))
    return words
