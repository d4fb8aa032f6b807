"""What to look for: a search as retrieval understands it, whatever API it came in by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from toulmin.retrieval.ordering import OrderKey
from toulmin.stores.index.predicate import EVERYTHING, Predicate


class ResultMode(StrEnum):
    """Whether each result is a document (with its best chunks) or a chunk."""

    DOCUMENTS = "DOCUMENTS"
    CHUNKS = "CHUNKS"


@dataclass(frozen=True, slots=True)
class ControlPoint:
    """At this value of the attribute, this boost."""

    value: float
    boost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeBoost:
    """A boost that follows a field, linear between control points and level beyond them.

    Attributes:
        field: The field.
        is_age: True: the value is the age of the field's time, in seconds, at the time of the
            request; False: the field's number.
        points: By rising value.
    """

    field: str
    is_age: bool
    points: tuple[ControlPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boost:
    """Documents that fulfil `condition` rise (boost in (0, 1]) or sink (in [-1, 0)).

    Attributes:
        condition: Which documents.
        boost: How much; not used with `attribute`.
        attribute: The boost as a function of a field.
    """

    condition: Predicate = EVERYTHING
    boost: float = 0.0
    attribute: AttributeBoost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Numbers from `low` to `high`; whether the ends belong to it."""

    low: float = -math.inf
    high: float = math.inf
    low_included: bool = True
    high_included: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """Count the documents found by the values of a field.

    Attributes:
        field: The field.
        intervals: For a number: count by these instead of by strings.
        values: Only these strings; empty: all.
        prefixes: Only strings that begin with one of these.
        contains: Only strings that contain one of these.
        ignore_case: Whether `prefixes` and `contains` look at letter case.
        by_value: Order by value instead of by count.
        descending: Largest first.
        limit: At most so many values.
        excluded_fields: Conditions of the filter on these fields do not count here; `field` itself
            is one of them only if it is named.
    """

    field: str
    intervals: tuple[Interval, ...] = ()
    values: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    contains: tuple[str, ...] = ()
    ignore_case: bool = False
    by_value: bool = False
    descending: bool = True
    limit: int = 20
    excluded_fields: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A data store to search, and what holds for it alone.

    Attributes:
        data_store: Its canonical name.
        filter: Its documents must fulfil this beside the query's filter.
        boosts: Beside the query's boosts.
        limit: At most so many results from it; None: no limit.
    """

    data_store: str
    filter: Predicate = EVERYTHING
    boosts: tuple[Boost, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A search.

    Attributes:
        scopes: The data stores, one or more.
        text: What is asked; empty: every document that fulfils the filter.
        synonyms: Words that are searched beside those of `text`; they have no part in its meaning.
        mode: Documents or chunks.
        filter: What results must fulfil.
        order_by: Order by fields instead of by relevance.
        boosts: What rises and what sinks.
        facets: What to count.
        page_size: At most so many results, 1 or more.
        offset: Leave out so many of the best.
        expand: Also results that share no word with the query but are near in meaning.
        correct_spelling: Search for the corrected query; False: only say what it would be.
        rerank: Whether a model reads query and chunk together for the best candidates.
        min_relevance: Leave out results of less relevance, in [0, 1].
        chunks_per_document: In mode DOCUMENTS, at most so many chunks with each.
    """

    scopes: Sequence[Scope]
    text: str = ""
    synonyms: tuple[str, ...] = ()
    mode: ResultMode = ResultMode.DOCUMENTS
    filter: Predicate = EVERYTHING
    order_by: tuple[OrderKey, ...] = ()
    boosts: tuple[Boost, ...] = ()
    facets: tuple[Facet, ...] = ()
    page_size: int = 10
    offset: int = 0
    expand: bool = True
    correct_spelling: bool = True
    rerank: bool = False
    min_relevance: float = 0.0
    chunks_per_document: int = 5
