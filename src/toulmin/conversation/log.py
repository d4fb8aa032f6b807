"""What is said and done in one turn, as it is kept: messages and spans of the API, as JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from toulmin.domain import JsonObject

USER: Final = "user"
"""Role of the user; that of an agent is its display name."""


class TurnLog:
    """Collects messages and spans.

    Args:
        now: When the turn began, in UTC.
    """

    def __init__(self, now: datetime) -> None:
        self._begun = now
        self._clock = time.monotonic()
        self.messages: list[JsonObject] = []
        self.attributes: dict[str, Any] = {}
        self._spans: list[JsonObject] = []

    def add(self, role: str, *chunks: JsonObject) -> None:
        """Note a message; none is noted that has nothing in it."""
        if chunks:
            self.messages.append(
                {"role": role, "chunks": list(chunks), "eventTime": _stamp(self._now())}
            )

    @contextmanager
    def span(self, name: str, **attributes: Any) -> Iterator[dict[str, Any]]:
        """Time a step; what is put into the mapping that comes out is noted with it."""
        start = self._now()
        try:
            yield attributes
        finally:
            self._spans.append(_span(name, start, self._now(), attributes))

    def root_span(self) -> JsonObject:
        """Return the span of the whole turn."""
        found = _span("turn", self._begun, self._now(), self.attributes)
        return found | {"childSpans": list(self._spans)}

    def _now(self) -> datetime:
        return self._begun + timedelta(seconds=time.monotonic() - self._clock)


def _span(name: str, start: datetime, end: datetime, attributes: JsonObject) -> dict[str, Any]:
    return {
        "name": name,
        "startTime": _stamp(start),
        "endTime": _stamp(end),
        "duration": f"{(end - start).total_seconds():.6f}s",
        "attributes": dict(attributes),
    }


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
