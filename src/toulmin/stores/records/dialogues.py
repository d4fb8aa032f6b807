"""Conversations with agents and their turns, within one transaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from toulmin.agents import App, Dialogue, DialogueTurn, kept_for
from toulmin.errors import Aborted, NotFound
from toulmin.stores.records.dialogue_tables import DIALOGUE_TURNS, DIALOGUES
from toulmin.stores.records.paging import Page, by, follows, token_after
from toulmin.stores.records.resources import Resources
from toulmin.stores.records.tables import RESOURCES
from toulmin.stores.records.texts import check_texts

MOST_PRUNED = 1_000
"""Conversations that are deleted in one transaction."""
_NEWEST_FIRST = ((DIALOGUES.c.start_time, True), (DIALOGUES.c.id, True))
_OWN = ("entry_agent", "deployment", "app_version", "language_code", "input_types")


class Dialogues:
    """The conversations with agents, within one transaction."""

    def __init__(
        self, connection: Connection, now: Callable[[], datetime], resources: Resources
    ) -> None:
        self._connection = connection
        self._now = now
        self._resources = resources

    def find(self, app: str, id_: str) -> Dialogue | None:
        """Return a conversation, or None when there is none of that id.

        Raises:
            NotFound: The app is not there.
        """
        row = self._find(self._resources.key_of(App, app), id_)
        return None if row is None else _to_dialogue(row, app)

    def get(self, app: str, id_: str) -> Dialogue:
        """Return a conversation.

        Raises:
            NotFound: The app or the conversation is not there.
        """
        return _to_dialogue(self._row(app, id_), app)

    def turns(self, app: str, id_: str) -> tuple[DialogueTurn, ...]:
        """Return the turns of a conversation, oldest first.

        Raises:
            NotFound: The app or the conversation is not there.
        """
        rows = self._connection.execute(
            select(DIALOGUE_TURNS)
            .where(DIALOGUE_TURNS.c.dialogue == self._row(app, id_).key)
            .order_by(DIALOGUE_TURNS.c.position)
        )
        return tuple(DialogueTurn(messages=tuple(row.messages), span=row.span) for row in rows)

    def add_turn(
        self, dialogue: Dialogue, turn: DialogueTurn, *, goes_on: bool = False
    ) -> Dialogue:
        """Store a turn with what it made of the conversation, and return the conversation.

        Args:
            dialogue: As it is after the turn; its `generation` is the one that the turn began
                from, 0 where the turn begins the conversation.
            turn: The turn.
            goes_on: Whether it goes on with the last turn: its messages are put behind those, and
                its span is the one that is kept.

        Raises:
            NotFound: The app is not there.
            Aborted: Another turn was stored meanwhile.
        """
        check_texts(id=dialogue.id)
        now = self._now()
        owner = self._resources.key_of(App, dialogue.parent)
        row = self._find(owner, dialogue.id, lock=True)
        if (row.generation if row else 0) != dialogue.generation:
            raise Aborted(
                f"{dialogue.name} got another turn meanwhile; send the request again.",
                reason="CONCURRENT_TURN",
            )
        count = (row.turn_count if row else 0) + (0 if goes_on and row else 1)
        begun = row.start_time if row else now
        values = {
            "source": dialogue.source,
            "own": {name: getattr(dialogue, name) for name in _OWN},
            "state": dialogue.state,
            "turn_count": count,
            "generation": dialogue.generation + 1,
            "start_time": begun,
            "end_time": now,
        }
        key = self._write(row, values | {"owner": owner, "id": dialogue.id}, dialogue)
        self._write_turn(key, count, turn, now)
        return dataclasses.replace(
            dialogue,
            turn_count=count,
            generation=dialogue.generation + 1,
            start_time=begun,
            end_time=now,
        )

    def list(
        self,
        app: str,
        *,
        sources: Sequence[str] = (),
        asked: str = "",
        page_size: int,
        page_token: str = "",
    ) -> Page[Dialogue]:
        """Return conversations of an app, newest first, without their turns.

        Args:
            app: Name of the app.
            sources: Only those of these sources; empty: all.
            asked: What else the caller asks for; a token is for the list with that alone.
            page_size: How many at most.
            page_token: Where to go on; empty: at the beginning.

        Raises:
            NotFound: The app is not there.
            InvalidArgument: The token is not of this list.
        """
        scope = ("dialogues", app, *sources, *filter(None, [asked]))
        table = DIALOGUES.c
        query = select(DIALOGUES).where(table.owner == self._resources.key_of(App, app))
        if sources:
            query = query.where(table.source.in_(sources))
        if page_token:
            query = query.where(follows(page_token, _NEWEST_FIRST, scope=scope))
        rows = self._connection.execute(
            query.order_by(*by(_NEWEST_FIRST)).limit(page_size + 1)
        ).all()
        items = tuple(_to_dialogue(row, app) for row in rows[:page_size])
        more = len(rows) > page_size
        token = token_after(rows[page_size - 1], _NEWEST_FIRST, scope=scope) if more else ""
        return Page(items, token)

    def delete(self, app: str, id_: str) -> None:
        """Delete a conversation with its turns.

        Raises:
            NotFound: The app or the conversation is not there.
        """
        row = self._row(app, id_, lock=True)
        self._connection.execute(delete(DIALOGUES).where(DIALOGUES.c.key == row.key))

    def prune(self, *, as_of: datetime) -> int:
        """Delete conversations whose last turn is longer ago than their app keeps them.

        Args:
            as_of: The time that it is.

        Returns:
            How many: at most 1,000; where it is that many there may be more.
        """
        apps = self._connection.execute(
            select(RESOURCES.c.key, RESOURCES.c.fields).where(
                RESOURCES.c.collection == App.collection
            )
        ).all()
        gone: list[int] = []
        for app in apps:
            query = select(DIALOGUES.c.key).where(
                DIALOGUES.c.owner == app.key,
                DIALOGUES.c.end_time < as_of - kept_for(app.fields),
            )
            gone += self._connection.execute(query.limit(MOST_PRUNED - len(gone))).scalars()
            if len(gone) >= MOST_PRUNED:
                break
        if gone:
            self._connection.execute(delete(DIALOGUES).where(DIALOGUES.c.key.in_(gone)))
        return len(gone)

    def _write_turn(self, key: int, position: int, turn: DialogueTurn, now: datetime) -> None:
        table = DIALOGUE_TURNS
        where = (table.c.dialogue == key, table.c.position == position)
        begun = self._connection.execute(
            select(table.c.messages).where(*where)
        ).scalar_one_or_none()
        values = {"messages": [*(begun or ()), *turn.messages], "span": turn.span}
        if begun is not None:
            self._connection.execute(update(table).where(*where).values(values))
            return
        place = {"dialogue": key, "position": position, "create_time": now}
        self._connection.execute(insert(table).values(values | place))

    def _write(self, row: Row[Any] | None, values: dict[str, Any], dialogue: Dialogue) -> int:
        if row is not None:
            self._connection.execute(
                update(DIALOGUES).where(DIALOGUES.c.key == row.key).values(values)
            )
            return int(row.key)
        try:
            made = self._connection.execute(
                insert(DIALOGUES).values(values).returning(DIALOGUES.c.key)
            )
        except IntegrityError as error:  # another replica was faster
            raise Aborted(
                f"{dialogue.name} got another turn meanwhile; send the request again.",
                reason="CONCURRENT_TURN",
            ) from error
        return int(made.scalar_one())

    def _row(self, app: str, id_: str, *, lock: bool = False) -> Row[Any]:
        row = self._find(self._resources.key_of(App, app), id_, lock=lock)
        if row is None:
            raise NotFound(f"{app}/conversations/{id_} does not exist.")
        return row

    def _find(self, owner: int, id_: str, *, lock: bool = False) -> Row[Any] | None:
        query = select(DIALOGUES).where(DIALOGUES.c.owner == owner, DIALOGUES.c.id == id_)
        if lock:
            query = query.with_for_update()
        return self._connection.execute(query).one_or_none()


def _to_dialogue(row: Row[Any], app: str) -> Dialogue:
    own = {**row.own, "input_types": tuple(row.own["input_types"])}
    return Dialogue(
        parent=app,
        id=row.id,
        source=row.source,
        state=row.state,
        turn_count=row.turn_count,
        generation=row.generation,
        start_time=row.start_time,
        end_time=row.end_time,
        **own,
    )
