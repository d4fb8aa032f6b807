"""What the indexes return for a query, joined into one ranking before anything is read.

Candidates of several data stores are pooled, each search by itself (words, vectors), and then
fused, so that a store with few good chunks does not take places from one with many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.retrieval.fusion import VECTOR_WEIGHT, above_worst, fuse_scores
from toulmin.stores.index.predicate import Predicate
from toulmin.stores.index.protocol import Hit, Query, SearchIndex

DEPTH = 200
"""Chunks taken from each search. Always the same, so that a later page goes on where the one before
ended: the scale of the fused scores comes from all of them."""

ACROSS = 0.5
"""What stands for the words of a chunk in another language than the query, in standard deviations
for one of its cosine. More finds more across languages and less in the query's own (decision 0033).
"""

Elsewhere = Callable[[Sequence[int]], Collection[int]]
"""Keys of chunks -> those of them that are in another language than the query."""

Place = tuple[int, int]
"""Which index, by its place in the list, and which chunk, by its key."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a search returned.

    Attributes:
        source: Place of its index in the list searched.
        key: The record store's number of the chunk.
        document: The record store's number of its document.
        score: The fused score; higher is better.
        lexical: BM25; 0: not found by words.
        dense: Cosine, of the nearest part first of all; the least of those found of one without.
    """

    source: int
    key: int
    document: int
    score: float
    lexical: float
    dense: float


@dataclass(frozen=True, slots=True)
class Searched:
    """An index and what its chunks must fulfil."""

    index: SearchIndex
    filter: Predicate


def find_candidates(
    sources: Sequence[Searched],
    text: str,
    vector: NDArray[np.float32],
    *,
    words_only: bool,
    elsewhere: Elsewhere | None = None,
) -> list[Candidate]:
    """Return the chunks that words and vectors find, best first; ties in the order of the keys.

    When the words find fewer than they may, the chunks that the vectors alone find have BM25 0, and
    count as such: else the only chunk with a rare word would be its search's worst, so worth 0.

    Args:
        sources: Where to look.
        text: The query.
        vector: The query's unit vector.
        words_only: Leave out what shares no word with the query.
        elsewhere: Says which chunks, by key, are in another language than the query: they cannot
            share its words, so `ACROSS` of what the vectors say stands for what words would; None:
            none are.
    """
    lexical: dict[Place, Hit] = {}
    dense: dict[Place, Hit] = {}
    for number, source in enumerate(sources):
        hits = source.index.search(
            Query(text=text, vector=vector, by_parts=True, filter=source.filter, limit=DEPTH)
        )
        lexical.update(((number, hit.key), hit) for hit in hits.lexical)
        dense.update(((number, hit.key), hit) for hit in hits.dense)
    lexical, dense = _best(lexical), _best(dense)
    documents = {place: hit.document for place, hit in (lexical | dense).items()}
    least = min((hit.score for hit in dense.values()), default=0.0)
    by_words = _scores(lexical)
    if len(lexical) < DEPTH:
        by_words |= {place: 0.0 for place in dense if place not in lexical}
    if elsewhere is not None:
        strange = elsewhere([key for _, key in documents])
        by_words = _as_if_shared(
            by_words, dense, {place for place in documents if place[1] in strange}
        )
    fused = fuse_scores([by_words, _scores(dense)], weights=[1 - VECTOR_WEIGHT, VECTOR_WEIGHT])
    found = [
        Candidate(
            source=place[0],
            key=place[1],
            document=documents[place],
            score=score,
            lexical=lexical[place].score if place in lexical else 0.0,
            dense=dense[place].score if place in dense else least,
        )
        for place, score in fused
        if not words_only or place in lexical
    ]
    return sorted(found, key=lambda item: (-item.score, item.source, item.key))


def _as_if_shared(
    by_words: Mapping[Place, float], dense: Mapping[Place, Hit], strange: Collection[Place]
) -> dict[Place, float]:
    """Return scores by words in which chunks of other languages have what their vectors promise."""
    scores = np.fromiter(by_words.values(), dtype=np.float64, count=len(by_words))
    cosines = np.fromiter((hit.score for hit in dense.values()), dtype=np.float64, count=len(dense))
    if not len(scores) or not len(cosines) or not cosines.std():
        return dict(by_words)
    promised = dict(zip(dense, above_worst(cosines).tolist(), strict=True))
    least, spread = float(scores.min()), float(scores.std())
    found = dict(by_words)
    for place in strange:
        if place in promised:
            found[place] = max(found.get(place, least), least + ACROSS * promised[place] * spread)
    return found


def _best(hits: Mapping[Place, Hit]) -> dict[Place, Hit]:
    ordered = sorted(hits.items(), key=lambda item: (-item[1].score, item[0]))
    return dict(ordered[:DEPTH])


def _scores(hits: Mapping[Place, Hit]) -> dict[Place, float]:
    return {place: hit.score for place, hit in hits.items()}
