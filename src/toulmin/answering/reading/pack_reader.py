"""Reads answers with two models: the grounding model says whether, the span model where.

The span model reads all passages and points at spans. The grounding model, five times as slow,
reads the few passages that it would rather take an answer from, and its answer head says of each
window whether it holds a span that answers, a yes, a no, or nothing. Both models' odds are
multiplied: the span model's that a span answers, the grounding model's that its window does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from toulmin.answering.reading.answerability import LEXICAL_PLACES, LEXICAL_USED, Answerability
from toulmin.answering.reading.reader import Reading, SpanEncoder, distinct_answers
from toulmin.answering.reading.spans import Candidate, candidates, without_overlaps
from toulmin.answering.reading.windows import make_windows
from toulmin.grounding.lexical import lexical_features
from toulmin.grounding.packs import PackLimits, QueryText, encode_packs
from toulmin.models.grounding_encoder import GroundingEncoder, PackLogits

ANSWERABILITY = "answerability.json"
"""The file of a grounding model's folder that its calibration is in."""
OVERLAP = 64
READ_TWICE = 4
"""Passages that the grounding model reads, too."""
FEATURE_NAMES = (
    "odds",  # highest log odds that a window answers, by the answer head
    "share",  # log share of the best span among the spans of its window
    "lead",  # best span's margin minus the second best, capped at 10; 10 if there is no other
    "log_windows",  # log of the number of windows that the grounding model read
    *LEXICAL_USED,  # question against the best window
)
_MOST_LEAD = 10.0
_NONE = 3
_LIMITS = PackLimits()


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a passage that is read at once: `passages[passage][start:end]`."""

    passage: int
    start: int
    end: int


class PackReader:
    """Finds answers in passages; safe to share between threads.

    Args:
        encoder: The grounding model.
        spans: The model that finds the span.
        answerability: Turns what they say into a probability that there is an answer; for
            `FEATURE_NAMES`.
    """

    def __init__(
        self, encoder: GroundingEncoder, spans: SpanEncoder, answerability: Answerability
    ) -> None:
        self._encoder = encoder
        self._spans = spans
        self._answerability = answerability

    def read(
        self,
        question: str,
        passages: Sequence[str],
        *,
        most_answers: int = 3,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Reading:
        """Return the best answers in the passages, and whether they hold one.

        Args:
            question: Its first 72 tokens are read.
            passages: In any order; long ones are read in overlapping windows.
            most_answers: At least 1.
            should_stop: Asked before every window; true ends the work.

        Raises:
            Cancelled: `should_stop()` became true.
        """
        ranked, features = self.examine(question, passages, should_stop=should_stop)
        if not ranked:
            return Reading((), 0.0)
        answerable = self._answerability.probability(features)
        answers = distinct_answers(ranked, passages, answerable)
        return Reading(tuple(answers[:most_answers]), answerable)

    def examine(
        self,
        question: str,
        passages: Sequence[str],
        *,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> tuple[list[Candidate], NDArray[np.float64]]:
        """Return all candidates, best first, and `FEATURE_NAMES` (both empty: nothing to read).

        Raises:
            Cancelled: `should_stop()` became true.
        """
        spans = self._candidates(question, passages, should_stop)
        chosen = _best_passages(spans)
        parts = list(_parts(self._encoder.tokenizer, passages, chosen))
        texts = [passages[part.passage][part.start : part.end] for part in parts]
        packs = encode_packs(
            self._encoder.tokenizer, [(text, [QueryText(question)]) for text in texts], _LIMITS
        )
        logits = self._encoder.run(packs, should_stop=should_stop)
        odds = [_odds(found) for found in logits]
        ranked = without_overlaps(_judged(spans, parts, odds))
        if not ranked:
            return [], np.zeros(0)
        likeliest = int(np.argmax(odds))
        lead = ranked[0].margin - ranked[1].margin if len(ranked) > 1 else _MOST_LEAD
        told = (
            odds[likeliest],
            ranked[0].log_share,
            min(lead, _MOST_LEAD),
            float(np.log(len(parts))),
        )
        lexical = lexical_features(question, texts[likeliest])[LEXICAL_PLACES]
        return ranked, np.concatenate((told, lexical))

    def _candidates(
        self, question: str, passages: Sequence[str], should_stop: Callable[[], bool]
    ) -> list[Candidate]:
        """Return the spans that the span model points at, of all windows."""
        windows = make_windows(self._spans.tokenizer, question, passages, self._spans.max_tokens)
        read = self._spans.run_spans(windows, should_stop=should_stop)
        return [
            found
            for window, heads in zip(windows, read, strict=True)
            for found in candidates(
                window, passages[window.passage_index], (heads.start, heads.end)
            )
        ]


def _best_passages(spans: Sequence[Candidate]) -> list[int]:
    """Return the passages with the best spans, in their order."""
    best: dict[int, float] = {}
    for found in spans:
        best[found.passage_index] = max(found.margin, best.get(found.passage_index, -np.inf))
    return sorted(sorted(best, key=lambda index: (-best[index], index))[:READ_TWICE])


def _judged(
    spans: Sequence[Candidate], parts: Sequence[_Part], odds: Sequence[float]
) -> Iterator[Candidate]:
    """Yield the spans with the odds of their parts; those in none have the lowest odds of any."""
    for found in spans:
        holding = [
            share
            for part, share in zip(parts, odds, strict=True)
            if part.passage == found.passage_index
            and part.start <= found.start
            and found.end <= part.end
        ]
        yield replace(found, margin=found.margin + max(holding, default=min(odds)))


def _odds(logits: PackLogits) -> float:
    """Return the log odds that a window holds an answer of any kind."""
    scores = logits.answer[0].astype(np.float64)
    return float(np.logaddexp.reduce(scores[:_NONE]) - scores[_NONE])


def _parts(tokenizer: Tokenizer, passages: Sequence[str], chosen: Sequence[int]) -> Iterator[_Part]:
    """Yield the windows of the chosen passages, in order; one without tokens has none."""
    texts = [passages[index] for index in chosen]
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    for index, encoding in zip(chosen, encodings, strict=True):
        offsets, words = encoding.offsets, encoding.word_ids
        first = 0
        while first < len(offsets):
            last = min(first + _LIMITS.evidence, len(offsets))
            yield _Part(index, offsets[first][0], offsets[last - 1][1])
            if last == len(offsets):
                break
            first = last - OVERLAP
            while first < last - 1 and words[first] == words[first - 1]:
                first += 1
