"""Sessions, their turns and answers, within one transaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from toulmin.domain import DataStore, Engine, JsonObject, Session, Turn, TurnResults
from toulmin.errors import Aborted, AlreadyExists, NotFound
from toulmin.stores.records.paging import Page, by, follows, token_after
from toulmin.stores.records.resources import Resources
from toulmin.stores.records.session_tables import ANSWERS, SESSIONS, TURNS
from toulmin.stores.records.texts import check_texts

ORDERS: Mapping[str, Any] = {
    "create_time": SESSIONS.c.start_time,
    "update_time": SESSIONS.c.end_time,
    "session_name": SESSIONS.c.id,
    "display_name": SESSIONS.c.display_name,
    "is_pinned": SESSIONS.c.is_pinned,
}
"""What lists can be ordered by."""

_BY_ID = (SESSIONS.c.id, False)


class Sessions:
    """The sessions, within one transaction."""

    def __init__(
        self, connection: Connection, now: Callable[[], datetime], resources: Resources
    ) -> None:
        self._connection = connection
        self._now = now
        self._resources = resources

    def create(self, session: Session) -> Session:
        """Store a new session with its turns and return it as stored.

        Raises:
            AlreadyExists: The name is taken.
            NotFound: The data store or engine is not there.
        """
        check_texts(id=session.id, display_name=session.display_name)
        owner = self._owner(session.parent)
        if self._find(owner, session.id) is not None:
            raise AlreadyExists(f"{session.name} exists already.")
        now = self._now()
        values = _columns(session) | {"generation": 1, "start_time": now, "end_time": now}
        key = self._connection.execute(
            insert(SESSIONS).values(owner=owner, id=session.id, **values).returning(SESSIONS.c.key)
        ).scalar_one()
        self._write_turns(key, session.turns)
        return dataclasses.replace(session, generation=1, start_time=now, end_time=now)

    def get(self, parent: str, id_: str) -> Session:
        """Return a session with its turns.

        Raises:
            NotFound: There is none.
        """
        row = self._row(parent, id_)
        return _to_session(row, parent, self._turns([row.key]).get(row.key, ()))

    def list(
        self,
        parent: str,
        *,
        user_pseudo_id: str | None = None,
        order_by: Sequence[tuple[str, bool]] = (),
        page_size: int,
        page_token: str = "",
    ) -> Page[Session]:
        """Return sessions of a data store or engine with their turns.

        Args:
            parent: Canonical name of the data store or engine.
            user_pseudo_id: Only this user's; None: everybody's.
            order_by: Names of `ORDERS`, each with whether the largest comes first; in the end it
                is by id.
            page_size: How many at most.
            page_token: Where to go on; empty: at the beginning.

        Raises:
            NotFound: The data store or engine is not there.
            InvalidArgument: The token is not of this list.
        """
        order = [*((ORDERS[name], descending) for name, descending in order_by), _BY_ID]
        scope = ("sessions", parent, repr(user_pseudo_id), repr(list(order_by)))
        query = select(SESSIONS).where(SESSIONS.c.owner == self._owner(parent))
        if user_pseudo_id is not None:
            query = query.where(SESSIONS.c.user_pseudo_id == user_pseudo_id)
        if page_token:
            query = query.where(follows(page_token, order, scope=scope))
        rows = self._connection.execute(query.order_by(*by(order)).limit(page_size + 1)).all()
        shown = rows[:page_size]
        turns = self._turns([row.key for row in shown])
        items = tuple(_to_session(row, parent, turns.get(row.key, ())) for row in shown)
        more = len(rows) > page_size
        return Page(items, token_after(shown[-1], order, scope=scope) if more else "")

    def update(self, session: Session, *, expected_generation: int = 0) -> Session:
        """Replace a session with its turns and return it as stored.

        Raises:
            NotFound: There is none of that name.
            Aborted: It was changed since the caller saw generation `expected_generation`; 0:
                whichever.
        """
        check_texts(display_name=session.display_name)
        row = self._row(session.parent, session.id, lock=True)
        if expected_generation not in (0, row.generation):
            raise Aborted(f"{session.name} was changed by somebody else; read it again.")
        now = self._now()
        values = _columns(session) | {"generation": row.generation + 1, "end_time": now}
        self._connection.execute(update(SESSIONS).where(SESSIONS.c.key == row.key).values(values))
        self._connection.execute(delete(TURNS).where(TURNS.c.session == row.key))
        self._write_turns(row.key, session.turns)
        return dataclasses.replace(
            session, generation=row.generation + 1, start_time=row.start_time, end_time=now
        )

    def delete(self, parent: str, id_: str) -> None:
        """Delete a session with its turns and answers.

        Raises:
            NotFound: There is none.
        """
        row = self._row(parent, id_, lock=True)
        self._connection.execute(delete(SESSIONS).where(SESSIONS.c.key == row.key))

    def add_turn(self, parent: str, id_: str, turn: Turn) -> int:
        """Add a question at the end, whoever else adds one; return its place, from 0.

        The first question names a session that has no name.

        Raises:
            NotFound: There is no such session.
        """
        check_texts(query=turn.query, query_id=turn.query_id)
        row = self._row(parent, id_, lock=True)
        place = self._connection.execute(
            select(func.coalesce(func.max(TURNS.c.position), -1) + 1).where(
                TURNS.c.session == row.key
            )
        ).scalar_one()
        self._connection.execute(insert(TURNS).values(_turn_columns(row.key, place, turn)))
        self._touch(row, display_name=row.display_name or turn.query[:100])
        return int(place)

    def put_results(self, parent: str, id_: str, place: int, results: TurnResults) -> None:
        """Keep what a search found with the turn at `place`, instead of what is kept there.

        Raises:
            NotFound: There is no such session.
        """
        row = self._row(parent, id_, lock=True)
        self._connection.execute(
            update(TURNS)
            .where(TURNS.c.session == row.key, TURNS.c.position == place)
            .values(results=_results_body(results))
        )
        self._touch(row)

    def put_answer(
        self, parent: str, id_: str, answer_id: str, body: JsonObject, *, place: int | None = None
    ) -> None:
        """Store an answer, or replace it, and set it as the one of the turn at `place`.

        Raises:
            NotFound: There is no such session.
        """
        row = self._row(parent, id_, lock=True)
        where = (ANSWERS.c.session == row.key, ANSWERS.c.id == answer_id)
        found = self._connection.execute(update(ANSWERS).where(*where).values(body=body))
        if not found.rowcount:
            values = {"session": row.key, "id": answer_id, "body": body, "create_time": self._now()}
            self._connection.execute(insert(ANSWERS).values(values))
        if place is not None:
            self._connection.execute(
                update(TURNS)
                .where(TURNS.c.session == row.key, TURNS.c.position == place)
                .values(answer_id=answer_id)
            )
        self._touch(row)

    def answer(self, parent: str, id_: str, answer_id: str) -> JsonObject:
        """Return an answer.

        Raises:
            NotFound: There is no such session or answer.
        """
        row = self._row(parent, id_)
        found = self._connection.execute(
            select(ANSWERS.c.body).where(ANSWERS.c.session == row.key, ANSWERS.c.id == answer_id)
        ).scalar_one_or_none()
        if found is None:
            raise NotFound(f"{parent}/sessions/{id_}/answers/{answer_id} does not exist.")
        body: JsonObject = found
        return body

    def answers(self, parent: str, id_: str) -> dict[str, JsonObject]:
        """Return all answers of a session by id.

        Raises:
            NotFound: There is no such session.
        """
        row = self._row(parent, id_)
        found = self._connection.execute(
            select(ANSWERS.c.id, ANSWERS.c.body).where(ANSWERS.c.session == row.key)
        )
        return {item.id: item.body for item in found}

    def _owner(self, parent: str) -> int:
        kind = Engine if f"/{Engine.collection}/" in parent else DataStore
        return self._resources.key_of(kind, parent)

    def _row(self, parent: str, id_: str, *, lock: bool = False) -> Row[Any]:
        row = self._find(self._owner(parent), id_, lock=lock)
        if row is None:
            raise NotFound(f"{parent}/sessions/{id_} does not exist.")
        return row

    def _find(self, owner: int, id_: str, *, lock: bool = False) -> Row[Any] | None:
        query = select(SESSIONS).where(SESSIONS.c.owner == owner, SESSIONS.c.id == id_)
        if lock:
            query = query.with_for_update()
        return self._connection.execute(query).one_or_none()

    def _touch(self, row: Row[Any], **values: Any) -> None:
        changed = {"generation": row.generation + 1, "end_time": self._now()} | values
        self._connection.execute(update(SESSIONS).where(SESSIONS.c.key == row.key).values(changed))

    def _write_turns(self, key: int, turns: Sequence[Turn]) -> None:
        for turn in turns:
            check_texts(query=turn.query, query_id=turn.query_id)
        if turns:
            rows = [_turn_columns(key, place, turn) for place, turn in enumerate(turns)]
            self._connection.execute(insert(TURNS), rows)

    def _turns(self, keys: Sequence[int]) -> dict[int, tuple[Turn, ...]]:
        found: dict[int, list[Turn]] = {}
        for row in self._connection.execute(
            select(TURNS)
            .where(TURNS.c.session.in_(keys))
            .order_by(TURNS.c.session, TURNS.c.position)
        ):
            found.setdefault(row.session, []).append(
                Turn(
                    query=row.query,
                    query_id=row.query_id,
                    answer_id=row.answer_id,
                    query_config=row.query_config,
                    results=_to_results(row.results),
                )
            )
        return {key: tuple(turns) for key, turns in found.items()}


def _columns(session: Session) -> dict[str, Any]:
    return {
        "display_name": session.display_name,
        "state": session.state,
        "user_pseudo_id": session.user_pseudo_id,
        "labels": list(session.labels),
        "is_pinned": int(session.is_pinned),
    }


def _turn_columns(key: int, place: int, turn: Turn) -> dict[str, Any]:
    return {
        "session": key,
        "position": place,
        "query": turn.query,
        "query_id": turn.query_id,
        "answer_id": turn.answer_id,
        "query_config": turn.query_config,
        "results": None if turn.results is None else _results_body(turn.results),
    }


def _results_body(results: TurnResults) -> JsonObject:
    return {"mode": results.mode, "chunks": [list(chunk) for chunk in results.chunks]}


def _to_results(body: JsonObject | None) -> TurnResults | None:
    if body is None:
        return None
    return TurnResults(body["mode"], tuple((name, score) for name, score in body["chunks"]))


def _to_session(row: Row[Any], parent: str, turns: tuple[Turn, ...]) -> Session:
    return Session(
        parent=parent,
        id=row.id,
        display_name=row.display_name,
        state=row.state,
        user_pseudo_id=row.user_pseudo_id,
        labels=tuple(row.labels),
        is_pinned=bool(row.is_pinned),
        turns=turns,
        generation=row.generation,
        start_time=row.start_time,
        end_time=row.end_time,
    )
