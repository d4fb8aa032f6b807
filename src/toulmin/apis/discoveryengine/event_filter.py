"""Filters of purges of user events: conditions side by side, all of which must hold.

    eventTime > "2026-04-23T18:25:43.511Z" eventTime < "2026-04-24" eventType = "search"

`*` is for all events. Between conditions there may be AND.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

from toulmin.errors import InvalidArgument
from toulmin.stores.records import EventFilter

LONGEST: Final = 5_000
_CONDITION: Final = re.compile(
    r'\s*(?:AND\s+)?(?P<name>[A-Za-z_]+)\s*(?P<operator><=|>=|<|>|=)\s*"(?P<value>[^"]*)"'
)
_TEXTS: Final = {
    "eventType": "event_type",
    "userPseudoId": "user_pseudo_id",
    "userId": "user_id",
}
_TIMES: Final = {"<": "before", "<=": "until", ">": "after", ">=": "since"}


def parse_event_filter(text: str, *, field: str = "filter") -> EventFilter:
    """Return which events a filter names.

    Raises:
        InvalidArgument: It is no such filter; says from which character on.
    """
    if len(text) > LONGEST:
        raise InvalidArgument.of_field(
            field, f"has {len(text):,} characters; at most {LONGEST:,} are allowed"
        )
    if not text.strip():
        raise InvalidArgument.of_field(field, 'is empty; give "*" for all events, or conditions')
    if text.strip() == "*":
        return EventFilter()
    found: dict[str, Any] = {}
    place = 0
    while text[place:].strip():
        condition = _CONDITION.match(text, place)
        if condition is None:
            raise InvalidArgument.of_field(
                field,
                f'"{text[place:].strip()[:100]}", from character {place + 1} on, must be a'
                ' condition such as eventType = "search"',
            )
        name, value = _read(condition, field)
        if name in found:
            raise InvalidArgument.of_field(
                field, f"has two conditions of the kind {condition['name']} {condition['operator']}"
            )
        found[name] = value
        place = condition.end()
    return EventFilter(**found)


def _read(condition: re.Match[str], field: str) -> tuple[str, str | datetime]:
    name, operator, value = condition["name"], condition["operator"], condition["value"]
    if name == "eventTime" and operator in _TIMES:
        return _TIMES[operator], _time(value, field)
    if name in _TEXTS and operator == "=":
        return _TEXTS[name], value
    if name == "eventTime" or name in _TEXTS:
        allowed = ", ".join(_TIMES) if name == "eventTime" else "="
        raise InvalidArgument.of_field(field, f'{name} takes {allowed}; "{operator}" is given')
    raise InvalidArgument.of_field(
        field, f'"{name[:100]}" must be one of eventTime, {", ".join(_TEXTS)}'
    )


def _time(value: str, field: str) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except ValueError as error:
        raise InvalidArgument.of_field(
            field, f'"{value[:100]}" must be a time such as 2026-04-23T18:25:43Z'
        ) from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
