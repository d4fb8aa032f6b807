"""Verbatim parts of a document that answer a query: sentences (answers) and chunks (segments).

An answer is the sentence that tells most about the query, with a neighbour or two where it is
short. What a sentence tells: how many of the query's words it has, rare ones counting for more, how
near it is in meaning if an embedder is given, and whether a reader finds the answer in it if one is
given.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.domain import Chunk
from toulmin.retrieval.results import FoundChunk
from toulmin.retrieval.words import asked_terms, places_of
from toulmin.text.sentences import split_sentences

LONGEST_ANSWER = 500
"""Characters, beyond which no second or third sentence is added."""
_MOST_SENTENCES = 3
_EMBEDDED, _EMBEDDED_WITHOUT_WORDS = 6, 16
_MOST_READ = 3
_NEARNESS_WEIGHT = 0.6
_ENOUGH = 160

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit rows, one for each."""

BestSpan = Callable[[str, str], tuple[int, int, float] | None]
"""Question and passage to the answer's start and end in the passage and its probability."""

Neighbours = Callable[[FoundChunk], tuple[Sequence[Chunk], Sequence[Chunk]]]
"""A chunk to those before it and those after it in its document, each in the document's order."""


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """One to three sentences of a chunk, verbatim.

    Attributes:
        content: The words.
        page: First page of the chunk; None: the document has no pages.
        chunk_id: The chunk.
        score: How well it answers, in [0, 1]; comparable within one call.
    """

    content: str
    page: int | None
    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A chunk as part of a result, with its neighbours.

    Attributes:
        content: The words of the chunk.
        page: First page of the chunk; None: the document has no pages.
        id: Id of the chunk.
        relevance_score: How relevant, in [0, 1].
        previous_segments: Chunks before it, in the document's order.
        next_segments: Chunks after it.
    """

    content: str
    page: int | None
    id: str
    relevance_score: float
    previous_segments: tuple[Chunk, ...] = ()
    next_segments: tuple[Chunk, ...] = ()


def extractive_answers(
    query: str,
    chunks: Sequence[FoundChunk],
    *,
    count: int,
    embed: Embed | None = None,
    best_span: BestSpan | None = None,
) -> tuple[ExtractiveAnswer, ...]:
    """Return the stretches that answer best, best first, none with a sentence of another.

    Where no sentence has a word of the query and there is no embedder, it is the first sentence
    of the first chunk: whatever was found has an answer unless it has no words.

    Args:
        query: A question or words.
        chunks: Of one document or of several, best first.
        count: At most so many.
        embed: Compares meanings; asked at once for the query and the 6 sentences with most
            of its words, or the first 16 if none has one.
        best_span: Reads; asked for at most 3 chunks.
    """
    sentences = _sentences(query, chunks)
    if not sentences:
        return ()
    scores = [sentence.coverage for sentence in sentences]
    if embed is not None:
        scores = _with_nearness(query, sentences, scores, embed)
    if best_span is not None:
        scores = _with_reading(query, chunks, sentences, scores, best_span)
    order = sorted(range(len(sentences)), key=lambda i: (-round(scores[i], 6), i))
    taken: set[int] = set()
    answers: list[ExtractiveAnswer] = []
    for best in order:
        if len(answers) == count or (answers and scores[best] <= 0.0):
            break
        if best not in taken:
            first, last = _stretch(sentences, scores, best, taken)
            taken.update(range(first, last + 1))
            bounds = sentences[first].start, sentences[last].end
            answers.append(_answer(chunks, sentences[best], bounds, scores[best]))
    return tuple(answers)


def extractive_segments(
    chunks: Sequence[FoundChunk],
    *,
    count: int,
    previous: int = 0,
    next_: int = 0,
    neighbours: Neighbours | None = None,
) -> tuple[Segment, ...]:
    """Return the best chunks as segments, in the order given.

    Args:
        chunks: Chunks found of one document, best first.
        count: At most so many.
        previous: So many chunks before each, as far as there are.
        next_: So many after each.
        neighbours: Finds them; not asked when neither is wanted.

    Raises:
        ValueError: Neighbours are wanted and `neighbours` is not given.
    """
    if (previous or next_) and neighbours is None:
        raise ValueError("neighbours are wanted, but not how to find them")
    segments = []
    for found in chunks[:count]:
        before: Sequence[Chunk] = ()
        after: Sequence[Chunk] = ()
        if neighbours is not None and (previous or next_):
            before, after = neighbours(found)
        segments.append(
            Segment(
                content=found.chunk.content,
                page=found.chunk.page_start,
                id=found.chunk.id,
                relevance_score=found.relevance,
                previous_segments=tuple(before[-previous:]) if previous else (),
                next_segments=tuple(after[:next_]),
            )
        )
    return tuple(segments)


@dataclass(slots=True)
class _Sentence:
    """A sentence of `chunks[chunk]`, and the share of the query's words that it has."""

    chunk: int
    start: int
    end: int
    text: str
    terms: frozenset[str]
    coverage: float = 0.0


def _sentences(query: str, chunks: Sequence[FoundChunk]) -> list[_Sentence]:
    asked = asked_terms(query)
    sentences: list[_Sentence] = []
    for number, found in enumerate(chunks):
        text = found.chunk.content
        places = places_of(asked, text)
        starts = [place.start for place in places]
        for start, end in split_sentences(text):
            inside = places[bisect.bisect_left(starts, start) : bisect.bisect_left(starts, end)]
            terms = frozenset(place.term for place in inside)
            sentences.append(_Sentence(number, start, end, text[start:end], terms))
    having = Counter(term for sentence in sentences for term in sentence.terms)
    weights = {
        term: math.log(1 + (len(sentences) + 0.5) / (having[term] + 0.5))
        for term in (*asked.words, *asked.grams)
    }
    total = sum(sorted(weights.values()))
    for sentence in sentences:
        covered = sum(sorted(weights[term] for term in sentence.terms))
        sentence.coverage = covered / total if total else 0.0
    return sentences


def _with_nearness(
    query: str, sentences: Sequence[_Sentence], scores: Sequence[float], embed: Embed
) -> list[float]:
    """Return the scores blended with the cosines; sentences that are not embedded keep no more."""
    most = _EMBEDDED if any(scores) else _EMBEDDED_WITHOUT_WORDS
    order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))[:most]
    rows = embed([query, *(sentences[i].text for i in order)])
    blended = [(1 - _NEARNESS_WEIGHT) * score for score in scores]
    for i, cosine in zip(order, (rows[1:] @ rows[0]).tolist(), strict=True):
        blended[i] += _NEARNESS_WEIGHT * max(0.0, min(1.0, cosine))
    return blended


def _with_reading(
    query: str,
    chunks: Sequence[FoundChunk],
    sentences: Sequence[_Sentence],
    scores: Sequence[float],
    best_span: BestSpan,
) -> list[float]:
    """Return the scores, raised towards 1 where a span was read, by its probability."""
    raised = list(scores)
    for number, found in enumerate(chunks[:_MOST_READ]):
        span = best_span(query, found.chunk.content)
        if span is None:
            continue
        start, _, probability = span
        for i, sentence in enumerate(sentences):
            if sentence.chunk == number and sentence.start <= start < sentence.end:
                raised[i] += (1 - raised[i]) * probability
    return raised


def _stretch(
    sentences: Sequence[_Sentence], scores: Sequence[float], best: int, taken: set[int]
) -> tuple[int, int]:
    """Return the first and last sentence of the answer around the best one."""
    first = last = best
    while last - first + 1 < _MOST_SENTENCES:
        length = sentences[last].end - sentences[first].start
        if length >= _ENOUGH:
            break
        chunk = sentences[best].chunk
        sides = [
            i
            for i in (last + 1, first - 1)
            if 0 <= i < len(sentences)
            and i not in taken
            and sentences[i].chunk == chunk
            and max(sentences[last].end, sentences[i].end)
            - min(sentences[first].start, sentences[i].start)
            <= LONGEST_ANSWER
        ]
        if not sides:
            break
        chosen = max(sides, key=lambda i: (round(scores[i], 6), i))
        first, last = min(first, chosen), max(last, chosen)
    return first, last


def _answer(
    chunks: Sequence[FoundChunk], best: _Sentence, bounds: tuple[int, int], score: float
) -> ExtractiveAnswer:
    """Return an answer around its best sentence, whose page is the answer's."""
    chunk = chunks[best.chunk].chunk
    return ExtractiveAnswer(
        content=chunk.content[slice(*bounds)],
        page=chunk.page_at(best.start),
        chunk_id=chunk.id,
        score=round(min(1.0, max(0.0, score)), 6),
    )
