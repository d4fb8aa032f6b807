"""Which of the best candidates answers the query? A model reads query and passage together.

The reader says where in a passage the answer would be; its margin over "no answer" is joined with
what cheap search thought. That helps questions with an answer in one place and harms broad ones
(docs/decisions/0015-reranking.md), so it is done when asked for, and for few candidates.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from toulmin.models.reader_model import SpanLogits
from toulmin.retrieval.relevance import Calibration, logit, read_weights
from toulmin.work import UNLIMITED, Work

Floats = NDArray[np.float64]

DEPTH = 10  # passages read; each costs about 10 ms of a core
_QUERY_TOKENS = 64
_OVERLAP = 64
_MOST_WINDOWS = 3  # of a passage: about 600 tokens, more than the longest chunk
_ANSWER_TOKENS = 30
_FIXED_TOKENS = 3  # [CLS] and twice [SEP]


class SpanModel(Protocol):
    """What the reranker needs of `ReaderModel`; serves all threads."""

    @property
    def tokenizer(self) -> Tokenizer: ...  # noqa: D102

    @property
    def max_tokens(self) -> int: ...  # noqa: D102

    def run_spans(self, sequences: Sequence[PassageWindow], *, work: Work) -> Sequence[SpanLogits]:
        """Return the logits of each sequence, in order.

        Raises:
            Cancelled: Nobody waits any more.
        """


@dataclass(frozen=True, slots=True)
class PassageWindow:
    """A stretch of one passage with the query: [CLS] passage [SEP] query [SEP].

    Attributes:
        passage: Which passage.
        ids: Token ids, special tokens included.
        types: 0 up to and including the first [SEP], 1 after it. As long as `ids`.
        tokens: How many tokens of the passage; the first one is `ids[1]`.
    """

    passage: int
    ids: list[int]
    types: list[int]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankWeights:
    """How the margin and the prior are joined.

    Attributes:
        prior: Weight of the logit of the prior.
        margin: Weight of the margin.
        calibration: Their sum to a probability.
    """

    prior: float
    margin: float
    calibration: Calibration

    def scores(self, prior: Floats, margins: Floats) -> Floats:
        """Return what passages are ordered by, higher is better, without bounds."""
        total: Floats = self.prior * logit(prior) + self.margin * margins
        return total


class Reranker:
    """Reads query and passages together; safe to share between threads.

    Args:
        model: The reader's model.
        weights: Of margin and prior; None takes the fitted ones.
        depth: Read so many passages.
    """

    def __init__(
        self, model: SpanModel, weights: RerankWeights | None = None, *, depth: int = DEPTH
    ) -> None:
        self._model = model
        self._weights = weights or load_rerank_weights()
        self._depth = depth

    def rerank(
        self,
        query: str,
        passages: Sequence[str],
        prior: Floats,
        *,
        work: Work = UNLIMITED,
    ) -> Floats:
        """Return the probability in [0, 1] that each passage is relevant, shape (passages,).

        The `depth` best by the prior are read. The others stay behind them, in the prior's order.

        Args:
            query: Its first 64 tokens are read.
            passages: The first 600 tokens or so of each are read.
            prior: What `RelevanceModel.predict` says of each, in [0, 1], shape (passages,).
            work: Asked before every window.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        prior = np.asarray(prior, dtype=np.float64)
        found = prior.copy()
        order = np.argsort(-prior, kind="stable")
        read, rest = order[: self._depth], order[self._depth :]
        if not len(read):
            return found
        margins = self.margins(query, [passages[i] for i in read], work=work)
        scores = self._weights.scores(prior[read], margins)
        found[read] = self._weights.calibration.probabilities(scores)
        if len(rest) and prior[rest[0]] > 0.0:
            found[rest] *= min(1.0, float(found[read].min() / prior[rest[0]]))
        return found

    def margins(
        self,
        query: str,
        passages: Sequence[str],
        *,
        work: Work = UNLIMITED,
    ) -> Floats:
        """Return the margin of each passage's best span over "no answer", in logits.

        Above 0 the reader sees an answer. A passage without a word gets the least of the others.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded: The time is up.
        """
        windows = _windows(self._model.tokenizer, query, passages, self._model.max_tokens)
        logits = self._model.run_spans(windows, work=work)
        margins = np.full(len(passages), -np.inf)
        for window, heads in zip(windows, logits, strict=True):
            margins[window.passage] = max(margins[window.passage], _margin(heads, window.tokens))
        read = np.isfinite(margins)
        margins[~read] = margins[read].min() if read.any() else 0.0
        return margins


@functools.cache
def load_rerank_weights() -> RerankWeights:
    """Return the fitted weights."""
    raw = read_weights("reranked")
    return RerankWeights(
        prior=raw["prior"], margin=raw["margin"], calibration=Calibration(**raw["calibration"])
    )


def _windows(
    tokenizer: Tokenizer, query: str, passages: Sequence[str], max_tokens: int
) -> list[PassageWindow]:
    asked, *read = tokenizer.encode_batch([query, *passages], add_special_tokens=False)
    question = asked.ids[:_QUERY_TOKENS]
    room = max_tokens - _FIXED_TOKENS - len(question)
    cls, sep = (_special(tokenizer, token) for token in ("[CLS]", "[SEP]"))
    windows = []
    for passage, encoding in enumerate(read):
        for first, last in _parts(encoding, room):
            ids = [cls, *encoding.ids[first:last], sep, *question, sep]
            types = [0] * (last - first + 2) + [1] * (len(question) + 1)
            windows.append(PassageWindow(passage, ids, types, last - first))
    return windows


def _special(tokenizer: Tokenizer, token: str) -> int:
    token_id = tokenizer.token_to_id(token)
    if token_id is None:
        raise ValueError(f"the tokenizer has no {token} token")
    return int(token_id)


def _parts(encoding: Encoding, room: int) -> list[tuple[int, int]]:
    """Cut a passage into overlapping stretches of at most `room` tokens."""
    total = len(encoding.ids)
    starts = range(0, max(1, total - _OVERLAP), room - _OVERLAP)
    return [(at, min(at + room, total)) for at in starts[:_MOST_WINDOWS]] if total else []


def _margin(heads: SpanLogits, tokens: int) -> float:
    start = np.asarray(heads.start[1 : tokens + 1], dtype=np.float64)
    end = np.asarray(heads.end[1 : tokens + 1], dtype=np.float64)
    # The best start of the last few tokens before each end: no matrix of all pairs.
    padded = np.concatenate((np.full(_ANSWER_TOKENS - 1, -np.inf), start))
    best = np.lib.stride_tricks.sliding_window_view(padded, _ANSWER_TOKENS).max(axis=1)
    return float((best + end).max()) - float(heads.start[0]) - float(heads.end[0])
