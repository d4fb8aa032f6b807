"""What users did with the documents of data stores, within one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from toulmin.domain import JsonObject
from toulmin.stores.records.resources import Resources
from toulmin.stores.records.texts import check_texts
from toulmin.stores.records.user_event_tables import USER_EVENTS

MOST_PRUNED: Final = 1_000
SEARCH: Final = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserEvent:
    """Something that a user did.

    Attributes:
        event_type: "search", "view-item", ...
        event_time: When, in UTC.
        user_pseudo_id: Who, as the caller tells users apart.
        user_id: Who, where the user had logged in; else empty.
        search_query: What was searched for; empty for what is no search.
        body: All of it, as the API's JSON.
    """

    event_type: str
    event_time: datetime
    user_pseudo_id: str
    user_id: str = ""
    search_query: str = ""
    body: JsonObject


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events; what is None does not matter.

    Attributes:
        event_type: Of this type.
        user_pseudo_id: Of this user.
        user_id: Of this user, who had logged in.
        after: Later than this.
        before: Earlier than this.
        since: At this time or later.
        until: At this time or earlier.
    """

    event_type: str | None = None
    user_pseudo_id: str | None = None
    user_id: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None


class UserEvents:
    """The events, within one transaction."""

    def __init__(
        self, connection: Connection, now: Callable[[], datetime], resources: Resources
    ) -> None:
        self._connection = connection
        self._now = now
        self._resources = resources

    def add(self, data_store: str, events: Iterable[UserEvent]) -> int:
        """Store events of a data store; return how many.

        Raises:
            NotFound: The data store is not there.
            InvalidArgument: A text cannot be kept.
        """
        key, now = self._resources.data_store_key(data_store), self._now()
        rows = [_columns(event) | {"data_store": key, "create_time": now} for event in events]
        if rows:
            self._connection.execute(insert(USER_EVENTS), rows)
        return len(rows)

    def of_user(
        self, data_store: str, user_pseudo_id: str, event_types: Sequence[str], *, limit: int
    ) -> tuple[UserEvent, ...]:
        """Return the last events of a user of these types, newest first.

        Raises:
            NotFound: The data store is not there.
        """
        table = USER_EVENTS.c
        rows = self._connection.execute(
            select(USER_EVENTS)
            .where(
                table.data_store == self._resources.data_store_key(data_store),
                table.user_pseudo_id == user_pseudo_id,
                table.event_type.in_(event_types),
            )
            .order_by(table.event_time.desc(), table.key.desc())
            .limit(limit)
        )
        return tuple(_to_event(row) for row in rows)

    def searches(self, data_store: str) -> Iterator[tuple[str, str]]:
        """Yield user and query of the searches of a data store, each pair once, in order.

        Raises:
            NotFound: The data store is not there.
        """
        table = USER_EVENTS.c
        key = self._resources.data_store_key(data_store)
        rows = self._connection.execute(
            select(table.user_pseudo_id, table.search_query)
            .distinct()
            .where(table.data_store == key, table.event_type == SEARCH, table.search_query != "")
        )
        yield from sorted((row.user_pseudo_id, row.search_query) for row in rows)

    def position(self, key: int) -> tuple[int, int]:
        """Return what differs once events of a data store came or went: last key and number."""
        table = USER_EVENTS.c
        row = self._connection.execute(
            select(func.coalesce(func.max(table.key), 0).label("last"), func.count().label("n"))
            .select_from(USER_EVENTS)
            .where(table.data_store == key)
        ).one()
        return int(row.last), int(row.n)

    def purge(self, data_store: str, which: EventFilter) -> int:
        """Delete events of a data store; return how many.

        Raises:
            NotFound: The data store is not there.
        """
        key = self._resources.data_store_key(data_store)
        where = [USER_EVENTS.c.data_store == key, *_conditions(which)]
        return int(self._connection.execute(delete(USER_EVENTS).where(*where)).rowcount)

    def prune(self, *, stored_before: datetime) -> int:
        """Delete events that have been here since before a time.

        Returns:
            How many: at most 1,000; where it is that many there may be more.
        """
        table = USER_EVENTS.c
        gone = list(
            self._connection.execute(
                select(table.key).where(table.create_time < stored_before).limit(MOST_PRUNED)
            ).scalars()
        )
        if gone:
            self._connection.execute(delete(USER_EVENTS).where(table.key.in_(gone)))
        return len(gone)


def _conditions(which: EventFilter) -> Iterator[ColumnElement[bool]]:
    table = USER_EVENTS.c
    for name in ("event_type", "user_pseudo_id", "user_id"):
        value = getattr(which, name)
        if value is not None:
            yield table[name] == value
    if which.after is not None:
        yield table.event_time > which.after
    if which.before is not None:
        yield table.event_time < which.before
    if which.since is not None:
        yield table.event_time >= which.since
    if which.until is not None:
        yield table.event_time <= which.until


def _columns(event: UserEvent) -> dict[str, Any]:
    check_texts(
        event_type=event.event_type,
        user_pseudo_id=event.user_pseudo_id,
        user_id=event.user_id,
        search_query=event.search_query,
    )
    return {
        "event_type": event.event_type,
        "event_time": event.event_time,
        "user_pseudo_id": event.user_pseudo_id,
        "user_id": event.user_id,
        "search_query": event.search_query,
        "body": event.body,
    }


def _to_event(row: Any) -> UserEvent:
    return UserEvent(
        event_type=row.event_type,
        event_time=row.event_time,
        user_pseudo_id=row.user_pseudo_id,
        user_id=row.user_id,
        search_query=row.search_query,
        body=row.body,
    )
