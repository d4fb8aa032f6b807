"""Data stores, engines, apps and what belongs to them: one table, one way for all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from toulmin.agents import App, Evaluation
from toulmin.domain import DataStore, Engine, Resource
from toulmin.errors import Aborted, AlreadyExists, FailedPrecondition, InvalidArgument, NotFound
from toulmin.stores.records.outbox import Outbox
from toulmin.stores.records.paging import Page, by, follows, make_token, read_token, token_after
from toulmin.stores.records.tables import CHUNKS, DOCUMENTS, ENGINE_DATA_STORES, RESOURCES
from toulmin.stores.records.texts import check_texts

ResourceT = TypeVar("ResourceT", bound=Resource)

_SHARED_FIELDS = frozenset(row.name for row in dataclasses.fields(Resource))
_KEYS_IN_ENTRY = 10_000
_READ_AT_ONCE = 500
_BY_AGE = ((RESOURCES.c.create_time, False), (RESOURCES.c.id, False))
_OWNERS: Mapping[str, type[Resource]] = {
    kind.collection: kind for kind in (DataStore, Engine, App, Evaluation)
}


class Resources:
    """The resources, within one transaction."""

    def __init__(self, connection: Connection, now: Callable[[], datetime], outbox: Outbox) -> None:
        self._connection = connection
        self._now = now
        self._outbox = outbox

    def create(self, resource: ResourceT) -> ResourceT:
        """Store a new resource and return it as stored.

        Raises:
            AlreadyExists: The name is taken.
            NotFound: The engine or data store in `parent`, or a data store of an engine, is not
                there.
        """
        now = self._now()
        values = _to_row(resource) | {
            "collection": resource.collection,
            "parent": resource.parent,
            "id": resource.id,
            "owner": self._owner_key(resource),
            "generation": 1,
            "create_time": now,
            "update_time": now,
        }
        check_texts(parent=resource.parent, id=resource.id, display_name=resource.display_name)
        if self._find(type(resource), resource.name) is not None:
            raise AlreadyExists(f"{resource.name} exists already.")
        try:
            result = self._connection.execute(insert(RESOURCES).values(values))
        except IntegrityError as error:  # another replica was faster
            raise AlreadyExists(f"{resource.name} exists already.") from error
        key = result.inserted_primary_key
        if isinstance(resource, Engine) and key is not None:
            self._link(key[0], resource)
        return dataclasses.replace(resource, generation=1, create_time=now, update_time=now)

    def get(self, kind: type[ResourceT], name: str, *, to_change: bool = False) -> ResourceT:
        """Return the resource of that name.

        Args:
            kind: What it is.
            name: Its name.
            to_change: Whether it is to be written with something of what is read: whoever else
                wants to change it waits for the end of the transaction.

        Raises:
            NotFound: There is none.
        """
        return _from_row(kind, self._row(kind, name, lock=to_change))

    def list(
        self, kind: type[ResourceT], parent: str, *, page_size: int, page_token: str = ""
    ) -> Page[ResourceT]:
        """Return resources of one kind under `parent`, by id.

        Raises:
            InvalidArgument: The token is not of this list.
        """
        scope = ("resources", kind.collection, parent)
        query = select(RESOURCES).where(
            RESOURCES.c.parent == parent, RESOURCES.c.collection == kind.collection
        )
        if page_token:
            query = query.where(
                RESOURCES.c.id > read_token(page_token, scope=scope, types=(str,))[0]
            )
        rows = self._connection.execute(query.order_by(RESOURCES.c.id).limit(page_size + 1)).all()
        items = tuple(_from_row(kind, row) for row in rows[:page_size])
        more = len(rows) > page_size
        return Page(items, make_token([items[-1].id], scope=scope) if more else "")

    def under(self, kind: type[ResourceT], parent: str) -> Iterator[ResourceT]:
        """Yield every resource of one kind under `parent`, by id, read some hundred at a time."""
        token = ""
        while True:
            page = self.list(kind, parent, page_size=_READ_AT_ONCE, page_token=token)
            yield from page.items
            token = page.next_page_token
            if not token:
                return

    def list_oldest_first(
        self, kind: type[ResourceT], parent: str, *, page_size: int, page_token: str = ""
    ) -> Page[ResourceT]:
        """Return resources of one kind under `parent`, in the order in which they were made.

        Raises:
            InvalidArgument: The token is not of this list.
        """
        scope = ("resources by age", kind.collection, parent)
        query = select(RESOURCES).where(
            RESOURCES.c.parent == parent, RESOURCES.c.collection == kind.collection
        )
        if page_token:
            query = query.where(follows(page_token, _BY_AGE, scope=scope))
        rows = self._connection.execute(query.order_by(*by(_BY_AGE)).limit(page_size + 1)).all()
        items = tuple(_from_row(kind, row) for row in rows[:page_size])
        more = len(rows) > page_size
        return Page(items, token_after(rows[page_size - 1], _BY_AGE, scope=scope) if more else "")

    def every(self, kind: type[ResourceT]) -> tuple[ResourceT, ...]:
        """Return all resources of a kind, of whatever parent, in the order they were made."""
        rows = self._connection.execute(
            select(RESOURCES)
            .where(RESOURCES.c.collection == kind.collection)
            .order_by(RESOURCES.c.key)
        )
        return tuple(_from_row(kind, row) for row in rows)

    def parents_beneath(self, name: str) -> tuple[str, ...]:
        """Return the parents of data stores whose names begin with `name` and a slash, sorted.

        What is elsewhere is not even read.
        """
        found = self._connection.execute(
            select(RESOURCES.c.parent)
            .where(
                RESOURCES.c.collection == DataStore.collection,
                RESOURCES.c.parent > f"{name}/",  # ids sort by code point, and "0" comes
                RESOURCES.c.parent < f"{name}0",  # right after "/"
            )
            .distinct()
            .order_by(RESOURCES.c.parent)
        )
        return tuple(row.parent for row in found)

    def update(self, resource: ResourceT, *, expected_generation: int = 0) -> ResourceT:
        """Replace the resource of that name and return it as stored.

        Args:
            resource: The new values; the times and the generation in it do not matter.
            expected_generation: Generation that the caller saw; 0: whichever.

        Raises:
            NotFound: There is none of that name, or a data store of an engine is not there.
            Aborted: It was changed since the caller saw it.
        """
        check_texts(display_name=resource.display_name)
        row = self._row(type(resource), resource.name, lock=True)
        if expected_generation not in (0, row.generation):
            raise Aborted(
                f"{resource.name} was changed by somebody else (generation {row.generation}, not"
                f" {expected_generation}); read it again."
            )
        now = self._now()
        values = _to_row(resource) | {"generation": row.generation + 1, "update_time": now}
        self._connection.execute(update(RESOURCES).where(RESOURCES.c.key == row.key).values(values))
        if isinstance(resource, Engine):
            self._connection.execute(
                delete(ENGINE_DATA_STORES).where(ENGINE_DATA_STORES.c.engine == row.key)
            )
            self._link(row.key, resource)
        return dataclasses.replace(
            resource,
            generation=row.generation + 1,
            create_time=row.create_time,
            update_time=now,
        )

    def delete(self, kind: type[Resource], name: str) -> None:
        """Delete a resource and all that belongs to it: documents, chunks, configs, schemas.

        Raises:
            NotFound: There is none of that name.
            FailedPrecondition: It is a data store that an engine searches.
        """
        key = self._row(kind, name, lock=True).key
        if kind is DataStore:
            if users := self.engines_of(name):
                raise FailedPrecondition(
                    f"{name} is searched by {', '.join(users)}; take it out of there first."
                )
            self._note_chunks_gone(key)
        self._connection.execute(delete(RESOURCES).where(RESOURCES.c.key == key))

    def engines_of(self, data_store: str) -> tuple[str, ...]:
        """Return the names of the engines that search a data store, sorted."""
        rows = self._connection.execute(
            select(RESOURCES.c.parent, RESOURCES.c.id)
            .join(ENGINE_DATA_STORES, ENGINE_DATA_STORES.c.engine == RESOURCES.c.key)
            .where(ENGINE_DATA_STORES.c.data_store == self._row(DataStore, data_store).key)
        )
        return tuple(sorted(Engine(parent=row.parent, id=row.id).name for row in rows))

    def key_of(self, kind: type[Resource], name: str) -> int:
        """Return the store's number of a resource.

        Raises:
            NotFound: There is none of that name.
        """
        key: int = self._row(kind, name).key
        return key

    def data_store_key(self, name: str, *, lock: bool = False) -> int:
        """Return the store's number of a data store; with `lock`, make its other writers wait.

        Raises:
            NotFound: There is none of that name.
        """
        key: int = self._row(DataStore, name, lock=lock).key
        return key

    def all_data_stores(self) -> tuple[tuple[int, str], ...]:
        """Return number and name of every data store, by number."""
        rows = self._connection.execute(
            select(RESOURCES.c.key, RESOURCES.c.parent, RESOURCES.c.id)
            .where(RESOURCES.c.collection == DataStore.collection)
            .order_by(RESOURCES.c.key)
        )
        return tuple((row.key, DataStore(parent=row.parent, id=row.id).name) for row in rows)

    def _row(self, kind: type[Resource], name: str, *, lock: bool = False) -> Row[Any]:
        row = self._find(kind, name, lock=lock)
        if row is None:
            raise NotFound(f"{name} does not exist.")
        return row

    def _find(self, kind: type[Resource], name: str, *, lock: bool = False) -> Row[Any] | None:
        parent, _, rest = name.rpartition(f"/{kind.collection}/")
        query = select(RESOURCES).where(
            RESOURCES.c.parent == parent,
            RESOURCES.c.collection == kind.collection,
            RESOURCES.c.id == rest,
        )
        if lock:  # SQLite has the whole database locked already
            query = query.with_for_update(key_share=True)
        return self._connection.execute(query).one_or_none()

    def _note_chunks_gone(self, data_store: int) -> None:
        keys = self._connection.execute(
            select(CHUNKS.c.key)
            .join(DOCUMENTS, DOCUMENTS.c.key == CHUNKS.c.document)
            .where(DOCUMENTS.c.data_store == data_store)
            .order_by(CHUNKS.c.key)
        ).scalars()
        for part in list(keys.partitions(_KEYS_IN_ENTRY)) or [()]:
            self._outbox.add(data_store=data_store, document=None, removed_chunks=part)

    def _owner_key(self, resource: Resource) -> int | None:
        kind = _OWNERS.get(resource.parent.rpartition("/")[0].rpartition("/")[2])
        if kind is None:
            return None
        key: int = self._row(kind, resource.parent, lock=True).key
        return key

    def _link(self, key: int, engine: Engine) -> None:
        if len(set(engine.data_store_ids)) < len(engine.data_store_ids):
            raise InvalidArgument.of_field("data_store_ids", "a data store is named twice.")
        names = [
            DataStore(parent=engine.parent, id=id_).name
            for id_ in sorted(engine.data_store_ids)  # sorted: no two writers lock crosswise
        ]
        links = [
            {"engine": key, "data_store": self.data_store_key(name, lock=True)} for name in names
        ]
        if links:
            self._connection.execute(insert(ENGINE_DATA_STORES), links)


def _to_row(resource: Resource) -> dict[str, Any]:
    own = {
        row.name: getattr(resource, row.name)
        for row in dataclasses.fields(resource)
        if row.name not in _SHARED_FIELDS
    }
    return {"display_name": resource.display_name, "own": own, "fields": resource.fields}


def _from_row(kind: type[ResourceT], row: Row[Any]) -> ResourceT:
    own: Mapping[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.own.items()
    }
    return kind(
        parent=row.parent,
        id=row.id,
        display_name=row.display_name,
        fields=row.fields,
        generation=row.generation,
        create_time=row.create_time,
        update_time=row.update_time,
        **own,
    )
