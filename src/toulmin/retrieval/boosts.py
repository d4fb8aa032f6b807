"""Results that rise or sink by what their documents are, not by what they say.

The API gives the ends and no formula: 1 is a big promotion after which much more relevant results
still win, -1 a big demotion that hides nothing, 0 nothing, and several boosts of one document are
all applied, not simply added. Here:

1. The boosts of a document that apply become one in [-1, 1]: those above 0 together lift by
   1 - (1 - a)(1 - b)..., those below 0 press likewise, and the two are subtracted. Each counts,
   and no number of them passes the ends.
2. The score moves by that times half of the distance between the best and the worst score of the
   list. So a boost of 1 takes a result of middling relevance to the top, but neither the worst
   past the best nor any past one that stands far out; a result without boosts keeps its score;
   and scores of any scale can be boosted. Where all scores are alike, as in a search without words,
   the boost alone decides.

A factor on the score was the other way. It does nothing to scores of 0, which fused scores and
searches without words have, and turns round below 0.

Source: comments of `SearchRequest.BoostSpec` in discoveryengine/v1/search_service.proto.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import TypeVar

from toulmin.domain import Document
from toulmin.retrieval.query import AttributeBoost, Boost
from toulmin.retrieval.results import FoundChunk, FoundDocument
from toulmin.stores.filter_fields import filter_fields
from toulmin.stores.index.predicate import Fields, matches, microseconds

Found = TypeVar("Found", FoundChunk, FoundDocument)

REACH = 0.5
"""How far a boost of 1 lifts, as a share of the distance between best and worst."""

_NO_BOOSTS: Mapping[str, Sequence[Boost]] = MappingProxyType({})


def apply_boosts(
    found: Sequence[Found],
    boosts: Sequence[Boost],
    *,
    now: datetime,
    store_boosts: Mapping[str, Sequence[Boost]] = _NO_BOOSTS,
) -> list[Found]:
    """Return the results with their boosted scores, best first, equal ones as before.

    Relevance stays as it is: it says how well a result fits the query.

    Args:
        found: All candidates, not one page of them: the distance between their scores is what
            boosts are measured by.
        boosts: For every result.
        now: When the request came, for boosts by age; without a zone it is taken as UTC.
        store_boosts: Further boosts for the results of a data store, by its canonical name.
    """
    if not found or not (boosts or store_boosts):
        return list(found)
    scores = [result.score for result in found]
    distance = (max(scores) - min(scores)) or 1.0
    seconds = microseconds(now) / 1e6
    known: dict[tuple[str, str, str], float] = {}
    moved: list[float] = []
    for result in found:
        key = (result.data_store, result.branch, result.document.id)
        if key not in known:
            own: Sequence[Boost] = store_boosts.get(result.data_store, ())
            known[key] = boost_of(result.document, [*boosts, *own], now_s=seconds)
        moved.append(result.score + REACH * distance * known[key])
    # Scores may meet, or come too near to be told apart; then the former ones decide.
    order = sorted(range(len(found)), key=lambda i: (-moved[i], -scores[i]))
    return [replace(found[i], score=moved[i]) for i in order]


def boost_of(document: Document, boosts: Sequence[Boost], *, now_s: float) -> float:
    """Return the boosts of a document that apply as one, in [-1, 1].

    Args:
        document: Without its raw bytes will do.
        boosts: Each in [-1, 1].
        now_s: Seconds since 1970 (UTC).
    """
    if not boosts:
        return 0.0
    fields = filter_fields(document)
    amounts = [
        _amount(boost, fields, now_s) for boost in boosts if matches(boost.condition, fields)
    ]
    left_above = math.prod(1.0 - amount for amount in amounts if amount > 0)
    left_below = math.prod(1.0 + amount for amount in amounts if amount < 0)
    return left_below - left_above


def _amount(boost: Boost, fields: Fields, now_s: float) -> float:
    amount = (
        boost.boost if boost.attribute is None else _by_attribute(boost.attribute, fields, now_s)
    )
    return max(-1.0, min(1.0, amount))


def _by_attribute(attribute: AttributeBoost, fields: Fields, now_s: float) -> float:
    """Return the boost at the field's value; of several values the first; none: 0."""
    values = fields.get(attribute.field, ())
    if attribute.is_age:
        ages = [now_s - microseconds(v) / 1e6 for v in values if isinstance(v, datetime)]
        # What lies ahead is as fresh as can be.
        return _interpolated(attribute, max(0.0, ages[0])) if ages else 0.0
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return _interpolated(attribute, float(numbers[0])) if numbers else 0.0


def _interpolated(attribute: AttributeBoost, value: float) -> float:
    """Return the boost on the line between the points on both sides; beyond the last, theirs."""
    points = attribute.points
    if not points:
        return 0.0
    after = bisect.bisect_right(points, value, key=lambda point: point.value)
    if after == 0 or after == len(points):
        return points[min(after, len(points) - 1)].boost
    low, high = points[after - 1], points[after]
    share = (value - low.value) / (high.value - low.value)
    return low.boost + share * (high.boost - low.boost)
