"""Does this passage answer that question? The grounding model's answer head, a window at a time.

It knows far better than the span model whether there is an answer, and not where; it also costs
about five times as much, so that it is asked of the few passages that a sentence would be taken
from (docs/decisions/0027-who-says-whether.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from toulmin.answering.reading.windows import stretches
from toulmin.grounding.packs import PackLimits, QueryText, encode_packs
from toulmin.models.grounding_encoder import GroundingEncoder, PackLogits

_NONE = 3
_LIMITS = PackLimits()


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a passage that is read at once: `passages[passage][start:end]`."""

    passage: int
    start: int
    end: int


class AnswerJudge:
    """Says of passages whether they answer a question; safe to share between threads.

    Args:
        encoder: The grounding model.
    """

    def __init__(self, encoder: GroundingEncoder) -> None:
        self._encoder = encoder

    def odds(
        self,
        question: str,
        passages: Sequence[str],
        *,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> list[float]:
        """Return of each passage the log odds that it holds an answer of any kind.

        A long passage has those of its best window, one without a word minus infinity.

        Args:
            question: Its first 72 tokens are read.
            passages: What may answer it.
            should_stop: Asked before every window; true ends the work.

        Raises:
            Cancelled: `should_stop()` became true.
        """
        parts = list(parts_of(self._encoder.tokenizer, passages))
        texts = [passages[part.passage][part.start : part.end] for part in parts]
        packs = encode_packs(
            self._encoder.tokenizer, [(text, [QueryText(question)]) for text in texts], _LIMITS
        )
        logits = self._encoder.run(packs, should_stop=should_stop)
        best = [-np.inf] * len(passages)
        for part, found in zip(parts, logits, strict=True):
            best[part.passage] = max(best[part.passage], answer_odds(found))
        return best


def answer_odds(logits: PackLogits) -> float:
    """Return the log odds that a window holds an answer of any kind."""
    scores = logits.answer[0].astype(np.float64)
    return float(np.logaddexp.reduce(scores[:_NONE]) - scores[_NONE])


def parts_of(tokenizer: Tokenizer, passages: Sequence[str]) -> Iterator[Part]:
    """Yield the windows of all passages, in order; a passage without tokens has none."""
    encodings = tokenizer.encode_batch(list(passages), add_special_tokens=False)
    for index, encoding in enumerate(encodings):
        if not passages[index].strip():  # to some tokenizers, white space is a token
            continue
        for first, last in stretches(encoding, _LIMITS.evidence):
            yield Part(index, encoding.offsets[first][0], encoding.offsets[last - 1][1])
