"""Results in the order of fields, as `SearchIndex.select` orders documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from toulmin.retrieval.ordering import OrderKey
from toulmin.retrieval.results import FoundChunk
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.predicate import FieldValue

_Rank = tuple[int, float, str]


def in_field_order(found: Sequence[FoundChunk], order_by: Sequence[OrderKey]) -> list[FoundChunk]:
    """Return the chunks by their documents' fields, the first key foremost.

    A field with several values counts by its smallest when ascending, by its largest when
    descending; documents without the field come last; what is equal keeps its order.
    """
    fields = {chunk.document_key: filter_fields(chunk.document) for chunk in found}
    ordered = list(found)
    for key in reversed(order_by):
        ranks: dict[int, _Rank] = {}
        for document, values in fields.items():
            if key.field in values:
                ranks[document] = _rank(values[key.field], descending=key.descending)
        having = [chunk for chunk in ordered if chunk.document_key in ranks]
        lacking = [chunk for chunk in ordered if chunk.document_key not in ranks]
        places = {place: ranks[chunk.document_key] for place, chunk in enumerate(having)}
        order = sorted(places, key=places.__getitem__, reverse=key.descending)
        ordered = [having[place] for place in order] + lacking
    return ordered


def _rank(values: Sequence[FieldValue], *, descending: bool) -> _Rank:
    ranks = [_of_value(value) for value in values]
    return max(ranks) if descending else min(ranks)


def _of_value(value: FieldValue) -> _Rank:
    """Return numbers before times before strings before booleans, each in its own order."""
    if isinstance(value, bool):
        return 3, float(value), ""
    if isinstance(value, int | float):
        return 0, float(value), ""
    if isinstance(value, datetime):
        return 1, value.timestamp(), ""
    return 2, 0.0, value
