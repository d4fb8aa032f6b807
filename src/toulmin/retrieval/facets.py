"""How many of the documents found have each value of a field.

Facets are counted over what the search returns, before it is cut into pages. A search without text
returns all that fulfils the filter: the index counts that (`count_facets`). A search with text
returns its candidates, which only the search knows: they are counted one by one
(`count_facets_among`). A document counts once for each value, however many of its chunks have it.

Source: comments of `SearchRequest.FacetSpec` in discoveryengine/v1/search_service.proto.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from toulmin.domain import Document
from toulmin.retrieval.filter_values import Bound, between
from toulmin.retrieval.query import Facet, Interval
from toulmin.retrieval.results import FacetCount, FacetResult
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.predicate import And, Fields, Predicate, matches, without_fields
from toulmin.stores.index.protocol import SearchIndex

_DIGITS = re.compile(r"([0-9]+)")

Candidates = Callable[[frozenset[str]], Sequence[Document]]
"""Fields that the filter must leave out -> the documents found, each once."""


def count_facets(
    facets: Sequence[Facet], *, indexes: Sequence[tuple[SearchIndex, Predicate]]
) -> tuple[FacetResult, ...]:
    """Return the facets over all documents that fulfil a filter, in the order given.

    Args:
        facets: What to count.
        indexes: The indexes searched, with the filter that holds in each. No document is in two.
    """
    return tuple(_counted(facet, indexes) for facet in facets)


def count_facets_among(
    facets: Sequence[Facet], *, candidates: Candidates
) -> tuple[FacetResult, ...]:
    """Return the facets over documents found, in the order given.

    Args:
        facets: What to count.
        candidates: Finds the documents; asked once for each set of fields to leave out, so of
            facets that leave out nothing once in all, with the empty set.
    """
    known: dict[frozenset[str], list[Fields]] = {}
    results = []
    for facet in facets:
        excluded = facet.excluded_fields
        if excluded not in known:
            known[excluded] = [filter_fields(document) for document in candidates(excluded)]
        results.append(_counted_among(facet, known[excluded]))
    return tuple(results)


def _counted(facet: Facet, indexes: Sequence[tuple[SearchIndex, Predicate]]) -> FacetResult:
    documents: Counter[str] = Counter()
    in_interval = [0] * len(facet.intervals)
    for index, predicate in indexes:
        kept = without_fields(predicate, facet.excluded_fields)
        if not facet.intervals:
            for found in index.facet(facet.field, kept):
                documents[found.value] += found.documents
        for number, interval in enumerate(facet.intervals):
            condition = _condition(facet.field, interval)
            in_interval[number] += index.count(And((kept, condition))).documents
    return _result(facet, documents, in_interval)


def _counted_among(facet: Facet, rows: Sequence[Fields]) -> FacetResult:
    documents: Counter[str] = Counter()
    if not facet.intervals:
        for fields in rows:
            values = fields.get(facet.field, ())
            documents.update({value for value in values if isinstance(value, str)})
    conditions = [_condition(facet.field, interval) for interval in facet.intervals]
    in_interval = [sum(matches(condition, fields) for fields in rows) for condition in conditions]
    return _result(facet, documents, in_interval)


def _condition(field: str, interval: Interval) -> Predicate:
    """Return what `field: IN(low, high)` of a filter means; of times it is microseconds."""
    low, high = interval.low, interval.high
    return between(
        field,
        Bound(low if math.isfinite(low) else None, interval.low_included),
        Bound(high if math.isfinite(high) else None, interval.high_included),
    )


def _result(facet: Facet, documents: Mapping[str, int], in_interval: Sequence[int]) -> FacetResult:
    """Return the values that a document has, in the order and number asked for."""
    if facet.intervals:
        counts = [
            FacetCount(documents=count, interval=interval)
            for interval, count in zip(facet.intervals, in_interval, strict=True)
            if count
        ]
    else:
        wanted = _Wanted(facet)
        values = sorted((value for value in documents if value in wanted), key=_natural)
        if facet.by_value and facet.descending:
            values.reverse()
        counts = [FacetCount(documents=documents[value], value=value) for value in values]
    if not facet.by_value:
        sign = -1 if facet.descending else 1
        counts.sort(key=lambda count: sign * count.documents)
    return FacetResult(field=facet.field, counts=tuple(counts[: facet.limit]))


class _Wanted:
    """The strings that a facet asks for: those that pass all of its restrictions."""

    def __init__(self, facet: Facet) -> None:
        self._fold = str.casefold if facet.ignore_case else str
        self._values = frozenset(facet.values)
        self._prefixes = tuple(self._fold(prefix) for prefix in facet.prefixes)
        self._contains = tuple(self._fold(part) for part in facet.contains)

    def __contains__(self, value: str) -> bool:
        folded = self._fold(value)
        return (
            (not self._values or value in self._values)
            and (not self._prefixes or folded.startswith(self._prefixes))
            and (not self._contains or any(part in folded for part in self._contains))
        )


def _natural(value: str) -> tuple[list[tuple[int, str]], str]:
    """Return what to sort by so that "part 9" comes before "part 10"."""
    parts = _DIGITS.split(value)
    # Letters and digits take turns, so that each is compared with its like.
    keys = [
        (len(part.lstrip("0")), part.lstrip("0")) if odd % 2 else (0, part.casefold())
        for odd, part in enumerate(parts)
    ]
    return keys, value
