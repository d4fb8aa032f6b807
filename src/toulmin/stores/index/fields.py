"""The struct data of a document -> the typed values it is filtered by.

Nested objects give dotted names (`office.city`); a list gives all of its values, however deep. A
string that is an ISO 8601 date or date and time is a string and a time, so that both
`day: ANY("2024-04-16")` and `day < "2025"` hold. A bare year stays a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from toulmin.stores.index.predicate import FieldValue

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}.*)?", re.ASCII)


def fields_of(struct: Mapping[str, Any]) -> dict[str, tuple[FieldValue, ...]]:
    """Return the filterable values of a JSON object, by dotted name; nulls give nothing."""
    found: dict[str, list[FieldValue]] = {}
    for name, value in _leaves("", struct):
        found.setdefault(name, []).append(value)
        if isinstance(value, str) and (moment := parse_time(value)) is not None:
            found[name].append(moment)
    return {name: _distinct(values) for name, values in found.items()}


def parse_time(text: str) -> datetime | None:
    """Return the moment that an ISO 8601 date or date and time names, None if it is neither.

    A date is its midnight; without a zone it is UTC.
    """
    if _DATE.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # 31 February; a zone that leads out of the calendar
        return None


def _leaves(name: str, value: Any) -> Iterator[tuple[str, FieldValue]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(name, inner)
    elif isinstance(value, str | bool | int | float | datetime):
        yield name, value


def _distinct(values: list[FieldValue]) -> tuple[FieldValue, ...]:
    """Return `values`, each once; 1 and True, which Python holds for equal, stay apart."""
    return tuple({(type(value), value): value for value in values}.values())
