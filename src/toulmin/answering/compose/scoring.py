"""Which piece of the passages answers? The reader, the question's words and the search, joined.

A piece's score is the logarithm of the reader's share for spans in it, plus the log-odds of its
passage's relevance and those that it answers, plus the share of the question's words in it and in
the headings above it, with the weights of docs/decisions/0016-composition.md and 0027.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from toulmin.answering.compose.measures import measured
from toulmin.answering.compose.sentences import Piece, PieceKind, piece_at
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading, SpanAnswer
from toulmin.retrieval.coverage import QueryWords

RELEVANCE_WEIGHT = 1.0
COVERAGE_WEIGHT = 4.0
ODDS_WEIGHT = 0.3
_LEAST_SHARE = 1e-3
"""Share of the reader's belief that a piece counts as having when no span lies in it."""
_LEAST_RELEVANCE = 1e-3
_ACROSS = 2.0
"""What is taken from a span that goes on into the next piece."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What is known of the pieces and spans for one question.

    Attributes:
        scores: Of each piece; higher is better, comparable within one question.
        coverage: Of each piece: its share of the question's words, by weight, in [0, 1].
        held: The same with the title and the headings that it stands under.
        beliefs: Of each piece: the probability that the reader gives the spans in it, in [0, 1].
        answered: Of each piece: log odds that its passage holds an answer, by the reader; minus
            infinity if it was not read so.
        order: Indices of the pieces that can be said, best first.
        spans: The reader's answers with the piece that each begins in, best first.
    """

    scores: tuple[float, ...]
    coverage: tuple[float, ...]
    held: tuple[float, ...]
    beliefs: tuple[float, ...]
    answered: tuple[float, ...]
    order: tuple[int, ...]
    spans: tuple[tuple[SpanAnswer, int], ...]

    def only(self, answers: Callable[[int], bool]) -> Scored:
        """Return what is known of the pieces that can answer, by their indices."""
        return replace(
            self,
            order=tuple(index for index in self.order if answers(index)),
            spans=tuple((span, at) for span, at in self.spans if answers(at)),
        )

    def odds(self, piece: int, best: int) -> float:
        """Return how likely a piece answers, relative to another one."""
        return math.exp(min(0.0, self.scores[piece] - self.scores[best]))


def score_pieces(
    query: str,
    passages: Sequence[Passage],
    pieces: Sequence[Piece],
    reading: Reading,
    *,
    span_weight: float = 1.0,
) -> Scored:
    """Return how well each piece answers.

    Args:
        query: The question.
        passages: What was read.
        pieces: The pieces of `passages`.
        reading: What the reader said of them.
        span_weight: What the reader's spans count, in [0, 1] (`AskedFor.span_weight`); below 1
            code is left out of what can be said.
    """
    texts = [
        " ".join(filter(None, (piece.lead_in, piece.text, measured(query, piece.text))))
        for piece in pieces
    ]
    words = QueryWords(query)
    coverage = tuple(words.coverage(texts).tolist())
    below = [" ".join((*piece.under, text)) for piece, text in zip(pieces, texts, strict=True)]
    held = words.coverage(below).tolist()
    prior = [
        known + ODDS_WEIGHT * reading.odds_of(place)
        for place, known in enumerate(_priors(passages))
    ]
    total = sum(answer.probability for answer in reading.answers) or 1.0
    shares = [0.0] * len(pieces)
    spans = []
    for answer in reading.answers:
        at = piece_at(pieces, answer.passage_index, answer.start)
        if at is None or not any(char.isalnum() for char in answer.text):
            continue
        share = answer.probability / total
        shares[at] += share
        rest = prior[answer.passage_index] + COVERAGE_WEIGHT * held[at]
        if answer.end > pieces[at].end:
            rest -= _ACROSS
        spans.append((math.log(max(share, 1e-9)) + rest, answer, at))
    scores = tuple(
        span_weight * math.log(max(share, _LEAST_SHARE))
        + prior[piece.passage]
        + COVERAGE_WEIGHT * covered
        for piece, share, covered in zip(pieces, shares, held, strict=True)
    )
    said = [
        index
        for index, piece in enumerate(pieces)
        if piece.said and (span_weight == 1 or piece.kind is not PieceKind.CODE)
    ]
    spans.sort(key=lambda item: (-item[0], item[1].passage_index, item[1].start))
    return Scored(
        scores=scores,
        coverage=coverage,
        held=tuple(held),
        beliefs=tuple(share * total for share in shares),
        answered=tuple(reading.odds.get(piece.passage, -math.inf) for piece in pieces),
        order=tuple(sorted(said, key=lambda index: (-round(scores[index], 9), index))),
        spans=tuple((answer, at) for _, answer, at in spans),
    )


def _priors(passages: Sequence[Passage]) -> list[float]:
    """Return the weighted log-odds of each relevance; an unknown one is as good as the others."""
    known = [_log_odds(p.relevance) for p in passages if p.relevance is not None]
    usual = sum(known) / len(known) if known else 0.0
    return [
        RELEVANCE_WEIGHT * (usual if p.relevance is None else _log_odds(p.relevance))
        for p in passages
    ]


def _log_odds(relevance: float) -> float:
    bounded = min(max(relevance, _LEAST_RELEVANCE), 1 - _LEAST_RELEVANCE)
    return math.log(bounded / (1 - bounded))
