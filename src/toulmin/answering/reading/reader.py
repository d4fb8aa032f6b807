"""Where in these passages is the answer to the question, and is it there at all?

One pass of the encoder over all windows of all passages gives a start and an end logit for each
token. Spans compete across passages by their margin over "no answer" of their own window, the usual
way of reading several passages with SQuAD 2.0's no-answer position (Rajpurkar et al. 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from toulmin.answering.reading.answerability import Answerability, Heads, answerability_features
from toulmin.answering.reading.spans import Candidate, candidates, without_overlaps
from toulmin.answering.reading.windows import Window, make_windows
from toulmin.models.reader_model import SpanLogits
from toulmin.work import UNLIMITED, Work


class SpanEncoder(Protocol):
    """What the reader needs of a model; serves all threads."""

    @property
    def tokenizer(self) -> Tokenizer: ...  # noqa: D102

    @property
    def max_tokens(self) -> int: ...  # noqa: D102

    def run_spans(self, sequences: Sequence[Window], *, work: Work) -> Sequence[SpanLogits]:
        """Return the logits of each sequence, in order.

        Raises:
            Cancelled: Nobody waits any more.
        """


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """A stretch of a passage that may answer the question.

    Attributes:
        passage_index: Which passage.
        start: First character in the passage.
        end: One past its last character.
        text: `passages[passage_index][start:end]`.
        probability: That it is the answer, in [0, 1]: its share among the candidates, times
            `Reading.answerable`.
    """

    passage_index: int
    start: int
    end: int
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the passages say to a question.

    Attributes:
        answers: Distinct answers, most probable first; no two overlap. Empty only if no passage
            has a word.
        answerable: Calibrated probability in [0, 1] that the passages answer the question.
        odds: Of passages that were judged, by their places: log odds that they hold an answer.
    """

    answers: tuple[SpanAnswer, ...]
    answerable: float
    odds: Mapping[int, float] = field(default_factory=dict, kw_only=True)

    def odds_of(self, place: int) -> float:
        """Return the log odds of a passage; one not judged has the lowest of all, or 0."""
        return self.odds.get(place, min(self.odds.values(), default=0.0))


class QuestionReader(Protocol):
    """Whatever finds answers to a question in passages; serves all threads."""

    def read(
        self,
        question: str,
        passages: Sequence[str],
        *,
        most_answers: int = 3,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return the best answers in the passages, and whether they hold one.

        Raises:
            Cancelled: Nobody waits any more.
        """


class Reader:
    """Finds answer spans; safe to share between threads.

    Args:
        encoder: The model.
        answerability: Turns its margins into a probability.
    """

    def __init__(self, encoder: SpanEncoder, answerability: Answerability) -> None:
        self._encoder = encoder
        self._answerability = answerability

    def read(
        self,
        question: str,
        passages: Sequence[str],
        *,
        most_answers: int = 3,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return the best answers in the passages, and whether they hold one.

        Args:
            question: In any language that the model knows; its first 64 tokens are read.
            passages: In any order; long ones are read in overlapping windows.
            most_answers: At least 1.
            work: Asked before every window.

        Raises:
            Cancelled: Nobody waits any more.
        """
        ranked, features = self.examine(question, passages, work=work)
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
        work: Work = UNLIMITED,
    ) -> tuple[list[Candidate], NDArray[np.float64]]:
        """Return all candidates, best first, and the features of answerability.

        `training/reader/calibrate.py` fits the calibration on what this returns. With nothing to
        read, both are empty.

        Raises:
            Cancelled: Nobody waits any more.
        """
        windows = make_windows(
            self._encoder.tokenizer, question, passages, self._encoder.max_tokens
        )
        logits = self._encoder.run_spans(windows, work=work)
        ranked = without_overlaps(
            candidate
            for number, (window, heads) in enumerate(zip(windows, logits, strict=True))
            for candidate in candidates(
                window, passages[window.passage_index], (heads.start, heads.end), number=number
            )
        )
        if not ranked:
            return [], np.zeros(0)
        best = windows[ranked[0].window]
        start, end = best.span
        text = passages[best.passage_index][start:end]
        best_heads = Heads.of_window(best, logits[ranked[0].window])
        return ranked, answerability_features(
            question, ranked, text, heads=best_heads, windows=len(windows)
        )


def distinct_answers(
    ranked: Sequence[Candidate], passages: Sequence[str], answerable: float
) -> list[SpanAnswer]:
    """Return one answer for each text, most probable first.

    The same words in several places add up to one answer, which is shown at its best place.
    """
    margins = np.array([item.margin for item in ranked])
    shares = np.exp(margins - margins[0])
    shares /= shares.sum()
    places: dict[str, Candidate] = {}
    weights: dict[str, float] = {}
    for item, share in zip(ranked, shares.tolist(), strict=True):
        key = passages[item.passage_index][item.start : item.end].casefold()
        places.setdefault(key, item)
        weights[key] = weights.get(key, 0.0) + share
    return [
        SpanAnswer(
            item.passage_index,
            item.start,
            item.end,
            passages[item.passage_index][item.start : item.end],
            answerable * weights[key],
        )
        for key, item in sorted(places.items(), key=lambda pair: -weights[pair[0]])
    ]
