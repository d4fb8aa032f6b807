"""`FacetSpec` messages to facets, and counts to `Facet` messages."""

from __future__ import annotations

import math
from typing import Final

from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.errors import InvalidArgument
from toulmin.retrieval.query import Facet, Interval
from toulmin.retrieval.results import FacetResult

MOST_FACETS, MOST_FACET_VALUES, DEFAULT_FACET_VALUES = 100, 300, 20
MOST_EXCLUDED: Final = 100
_MOST: Final = {"intervals": 30, "restricted_values": 10, "prefixes": 10, "contains": 10}
"""Items in the lists of a facet key."""
_ORDERS: Final = {
    "": (True, False),
    "count desc": (False, True),
    "value desc": (True, True),
    "value asc": (True, False),
}
"""By value, descending."""


def facets_of(request: pb.SearchRequest) -> tuple[Facet, ...]:
    """Return the facets that a `SearchRequest` asks for.

    Raises:
        InvalidArgument: There are too many, or one is wrong.
    """
    specs = request.facet_specs
    if len(specs) > MOST_FACETS:
        raise InvalidArgument.of_field(
            "facet_specs", f"has {len(specs)} facets; at most {MOST_FACETS} are allowed"
        )
    return tuple(_facet(spec, f"facet_specs[{number}]") for number, spec in enumerate(specs))


def _facet(spec: pb.SearchRequest.FacetSpec, path: str) -> Facet:
    key = spec.facet_key
    if not key.key:
        raise InvalidArgument.of_field(f"{path}.facet_key.key", "is missing")
    if key.order_by not in _ORDERS:
        raise InvalidArgument.of_field(
            f"{path}.facet_key.order_by",
            f'"{key.order_by}" must be "count desc", "value desc" or "value asc"',
        )
    if spec.limit < 0:
        raise InvalidArgument.of_field(f"{path}.limit", f"{spec.limit} is negative")
    for name, most in _MOST.items():
        _at_most(len(getattr(key, name)), most, f"{path}.facet_key.{name}")
    _at_most(len(spec.excluded_filter_keys), MOST_EXCLUDED, f"{path}.excluded_filter_keys")
    by_value, descending = _ORDERS[key.order_by]
    return Facet(
        field=key.key,
        intervals=tuple(
            _interval(item, f"{path}.facet_key.intervals[{number}]")
            for number, item in enumerate(key.intervals)
        ),
        values=tuple(key.restricted_values),
        prefixes=tuple(key.prefixes),
        contains=tuple(key.contains),
        ignore_case=key.case_insensitive,
        by_value=by_value,
        descending=descending,
        limit=min(spec.limit or DEFAULT_FACET_VALUES, MOST_FACET_VALUES),
        excluded_fields=frozenset(spec.excluded_filter_keys),
    )


def _at_most(count: int, most: int, field: str) -> None:
    if count > most:
        raise InvalidArgument.of_field(field, f"has {count} items; at most {most} are allowed")


def _interval(message: pb.Interval, path: str) -> Interval:
    low, high = message.WhichOneof("min"), message.WhichOneof("max")
    for name in filter(None, (low, high)):
        if math.isnan(getattr(message, name)):
            raise InvalidArgument.of_field(f"{path}.{name}", "nan is no number")
    return Interval(
        low=getattr(message, low) if low else -math.inf,
        high=getattr(message, high) if high else math.inf,
        low_included=low != "exclusive_minimum",
        high_included=high == "maximum",
    )


def fill_facet(message: pb.SearchResponse.Facet, facet: FacetResult) -> None:
    """Write counts into an empty `Facet` message."""
    message.key = facet.field
    for count in facet.counts:
        value = message.values.add(count=count.documents)
        if count.interval is None:
            value.value = count.value
            continue
        interval, target = count.interval, value.interval
        if not math.isinf(interval.low):
            setattr(
                target, "minimum" if interval.low_included else "exclusive_minimum", interval.low
            )
        if not math.isinf(interval.high):
            setattr(
                target, "maximum" if interval.high_included else "exclusive_maximum", interval.high
            )
