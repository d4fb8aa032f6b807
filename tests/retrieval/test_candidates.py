"""What words and vectors found, as one ranking."""

from __future__ import annotations

import numpy as np
import pytest

from toulmin.retrieval import candidates
from toulmin.retrieval.candidates import Searched, find_candidates
from toulmin.stores.index.predicate import EVERYTHING
from toulmin.stores.index.protocol import Hit, Hits

VECTOR = np.zeros(4, dtype=np.float32)


class FakeIndex:
    """Finds what it was told: BM25 and cosine by key."""

    def __init__(self, lexical, dense):
        self._lexical, self._dense = lexical, dense

    def search(self, query):
        return Hits(
            lexical=tuple(_hits(self._lexical, query.limit)),
            dense=tuple(_hits(self._dense, query.limit)),
            position=1,
        )


def _hits(scores, limit):
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
    return [Hit(key=key, document=key, score=score) for key, score in best]


def found(*indexes, words_only=False):
    searched = [Searched(FakeIndex(*index), EVERYTHING) for index in indexes]
    return find_candidates(searched, "query", VECTOR, words_only=words_only)


def keys(candidates):
    return [candidate.key for candidate in candidates]


def test_the_only_chunk_with_a_rare_word_comes_first():
    dense = {key: 0.3 + key / 1000 for key in range(50)}
    assert keys(found(({7: 9.0}, dense)))[0] == 7


def test_words_that_found_as_many_as_they_may_say_nothing_of_the_rest(monkeypatch):
    monkeypatch.setattr(candidates, "DEPTH", 2)
    best, other = found(({1: 9.0, 2: 3.0, 3: 1.0}, {4: 0.5, 2: 0.1}))[:2]
    assert (best.key, best.score) == (1, pytest.approx(1.0))
    assert (other.key, other.score) == (4, pytest.approx(1.0))


def test_words_only_leaves_out_what_the_vectors_alone_found():
    index = ({1: 2.0, 2: 1.0}, {3: 0.9, 1: 0.5})
    assert keys(found(index)) == [1, 3, 2]
    assert keys(found(index, words_only=True)) == [1, 2]


def test_scores_of_several_indexes_are_comparable():
    ranked = found(({1: 9.0}, {1: 0.9, 2: 0.1}), ({1: 8.0}, {1: 0.8}))
    assert [(item.source, item.key) for item in ranked] == [(0, 1), (1, 1), (0, 2)]


def test_a_chunk_that_was_not_found_by_its_vector_has_the_least_cosine():
    ranked = {item.key: item for item in found(({1: 2.0}, {2: 0.9, 3: 0.4}))}
    assert (ranked[1].lexical, ranked[1].dense) == (2.0, 0.4)
    assert (ranked[3].lexical, ranked[3].dense) == (0.0, 0.4)


def test_ties_are_in_the_order_of_the_keys():
    assert keys(found(({}, {3: 0.5, 1: 0.5, 2: 0.5}))) == [1, 2, 3]
    assert found(({}, {})) == []


def test_a_chunk_in_another_language_is_not_behind_for_want_of_the_querys_words():
    words = {key: key / 2 for key in range(20)}
    dense = {key: 0.4 + key / 1000 for key in range(20)} | {30: 0.6}
    sources = [Searched(FakeIndex(words, dense), EVERYTHING)]
    asked = []

    def elsewhere(some):
        asked.append(sorted(some))
        return {30}

    same = find_candidates(sources, "query", VECTOR, words_only=False)
    across = find_candidates(sources, "query", VECTOR, words_only=False, elsewhere=elsewhere)
    assert asked == [[*range(20), 30]]
    assert keys(across)[0] == 30
    assert keys(same).index(30) >= keys(across).index(30)
    best = {item.key: item.score for item in across}[30]
    assert best > {item.key: item.score for item in same}[30]
    assert [item.lexical for item in across if item.key == 30] == [0.0]


def test_where_nothing_is_elsewhere_the_order_is_the_same():
    words, dense = {1: 3.0, 2: 1.0}, {2: 0.5, 3: 0.4, 4: 0.1}
    sources = [Searched(FakeIndex(words, dense), EVERYTHING)]
    plain = find_candidates(sources, "query", VECTOR, words_only=False)
    asked = find_candidates(sources, "query", VECTOR, words_only=False, elsewhere=lambda _: ())
    assert asked == plain
    nothing = find_candidates(
        [Searched(FakeIndex({}, {}), EVERYTHING)],
        "query",
        VECTOR,
        words_only=False,
        elsewhere=lambda _: (),
    )
    assert nothing == []
