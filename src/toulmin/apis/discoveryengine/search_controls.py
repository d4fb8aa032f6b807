"""Controls of a serving config, applied to a search: boosts, filters, synonyms, redirects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from toulmin.apis.discoveryengine.control import has_words, is_triggered
from toulmin.apis.discoveryengine.convert.boosts import attribute_value
from toulmin.domain import Control
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import AttributeBoost, Boost, ControlPoint, Scope, SearchQuery
from toulmin.stores.index.predicate import And

_FRESHNESS: Final = "FRESHNESS"


@dataclass(frozen=True, slots=True)
class Controlled:
    """A search with the controls applied.

    Attributes:
        query: The query as it is searched now.
        applied: Names of the controls that were triggered, in the order of the serving config.
        redirect_uri: Where the caller is to go instead; empty: nowhere.
    """

    query: SearchQuery
    applied: tuple[str, ...] = ()
    redirect_uri: str = ""


def with_controls(query: SearchQuery, controls: Sequence[Control], *, now: datetime) -> Controlled:
    """Return the query with those controls applied that it triggers.

    Filters and boosts hold for the data store that they name. Of several redirects the first one
    counts. Synonyms whose term stands in the query are searched beside it.
    """
    scopes = {scope.data_store: scope for scope in query.scopes}
    synonyms: dict[str, None] = {}
    applied: list[str] = []
    redirect = ""
    for control in controls:
        if not is_triggered(control, query=query.text, now=now):
            continue
        fields = control.fields
        if "redirectAction" in fields:
            redirect = redirect or str(fields["redirectAction"]["redirectUri"])
        elif "synonymsAction" in fields:
            found = _synonyms(query.text, fields["synonymsAction"]["synonyms"])
            if not found:
                continue
            synonyms |= dict.fromkeys(found)
        elif not _scoped(scopes, fields):
            continue
        applied.append(control.name)
    changed = replace(query, scopes=tuple(scopes.values()), synonyms=tuple(synonyms))
    return Controlled(changed, tuple(applied), redirect)


def _scoped(scopes: dict[str, Scope], fields: Mapping[str, Any]) -> bool:
    """Apply a filter or a boost to the scope it names; return whether it is searched."""
    action = fields.get("filterAction") or fields.get("boostAction") or {}
    scope = scopes.get(str(action.get("dataStore", "")))
    if scope is None:
        return False
    condition = parse_filter(str(action["filter"]))
    if "filterAction" in fields:
        changed = replace(scope, filter=And((scope.filter, condition)))
    else:
        boost = replace(_boost(action), condition=condition)
        changed = replace(scope, boosts=(*scope.boosts, boost))
    scopes[scope.data_store] = changed
    return True


def _boost(action: Mapping[str, Any]) -> Boost:
    spec = action.get("interpolationBoostSpec")
    if spec is None:
        return Boost(boost=float(action.get("fixedBoost", action.get("boost", 0.0))))
    is_age = spec.get("attributeType") == _FRESHNESS
    points = [
        ControlPoint(
            attribute_value(str(point["attributeValue"]), is_age=is_age),
            float(point.get("boostAmount", 0.0)),
        )
        for point in spec["controlPoints"]
    ]
    points.sort(key=lambda point: point.value)
    attribute = AttributeBoost(field=spec["fieldName"], is_age=is_age, points=tuple(points))
    return Boost(attribute=attribute)


def _synonyms(text: str, terms: Sequence[str]) -> list[str]:
    """Return the other terms of a group of which one stands in the query as whole words."""
    held = [has_words(text, term) for term in terms]
    return [term for term, is_held in zip(terms, held, strict=True) if any(held) and not is_held]
