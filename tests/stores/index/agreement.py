"""Do two indexes answer alike?"""

from __future__ import annotations

import dataclasses

import pytest

from toulmin.stores.index.predicate import EVERYTHING
from toulmin.stores.index.protocol import Query


def assert_alike(index, oracle, random, queries=10):
    """Compare counts, facets, and random queries with and without filters."""
    assert index.position == oracle.position
    assert index.count() == oracle.count()
    for field in ("mixed", "day", "absent"):
        assert index.values([5, 1, 9, 5, 7], field) == oracle.values([5, 1, 9, 5, 7], field)
    for _ in range(queries):
        query = random.query()
        assert index.count(query.filter) == oracle.count(query.filter), query.filter
        assert index.facet("colour", query.filter) == oracle.facet("colour", query.filter)
        misspelt = random.misspelt()
        assert index.correct(misspelt) == oracle.correct(misspelt), misspelt
        selection = random.selection()
        assert index.select(selection) == oracle.select(selection), selection
        compare(index, oracle, query)
        compare(index, oracle, dataclasses.replace(query, filter=EVERYTHING))


def compare(index, oracle, query):
    found, expected = index.search(query), oracle.search(query)
    assert [hit.key for hit in found.dense] == [hit.key for hit in expected.dense], query
    scores = [hit.score for hit in expected.dense]
    # Lengths of parts are kept in 32 bits.
    assert [hit.score for hit in found.dense] == (
        pytest.approx(scores, abs=1e-6) if query.by_parts else scores
    )
    assert len(found.lexical) == len(expected.lexical), query
    everything = oracle.search(Query(query.text, None, query.filter, 10**6))
    scores = {hit.key: (hit.document, hit.score) for hit in everything.lexical}
    for hit, place in zip(found.lexical, expected.lexical, strict=True):
        # tantivy adds up in 32 bits, so two scores may change places in the last digit.
        document, score = scores[hit.key]
        assert hit.document == document
        assert hit.score == pytest.approx(score, abs=3e-4)
        assert hit.score == pytest.approx(place.score, abs=3e-4)
    order = [(-hit.score, hit.key) for hit in found.lexical]
    assert order == sorted(order)
    assert len({hit.key for hit in found.lexical}) == len(order)
