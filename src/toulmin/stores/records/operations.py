"""Long-running operations: rows that say what to do, how far it is, and who is at it.

A worker claims an operation with a lease and does it in batches. Each batch moves the cursor in
the transaction that writes it, and only while the lease is the worker's: after a crash somebody
else goes on from the last batch that was committed, and nothing is done twice.

    PENDING -> RUNNING -> SUCCEEDED | FAILED | CANCELLED
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import Aborted, Cancelled, NotFound, ToulminError
from toulmin.stores.records.operation import (
    MAX_ERROR_SAMPLES,
    OPEN_STATES,
    Operation,
    OperationError,
    Progress,
)
from toulmin.stores.records.paging import Page, by, follows, token_after
from toulmin.stores.records.tables import OPERATIONS
from toulmin.stores.records.texts import check_texts

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_LEASES = 2
"""Leases from now beyond which no lease ends; more than one, for small corrections of the clock."""
_NEWEST_FIRST = (  # an id is random, so it is unique under all parents
    (OPERATIONS.c.create_time, True),
    (OPERATIONS.c.id, True),
)


class Operations:
    """The operations, within one transaction."""

    def __init__(self, connection: Connection, now: Callable[[], datetime]) -> None:
        self._connection = connection
        self._now = now

    def create(self, *, parent: str, kind: str, request: JsonObject = NO_FIELDS) -> Operation:
        """Store a new operation for a worker to find, and return it."""
        return self._insert(parent, kind, request, state="PENDING")

    def create_done(
        self,
        *,
        parent: str,
        kind: str,
        request: JsonObject,
        result: JsonObject,
        success: int = 0,
    ) -> Operation:
        """Store an operation that has succeeded already, in this transaction, and return it.

        Args:
            parent: Name of the resource that it belongs to.
            kind: What was done.
            request: What was asked for.
            result: What came of it.
            success: How many items it dealt with.
        """
        now = self._now()
        return self._insert(
            parent,
            kind,
            request,
            state="SUCCEEDED",
            result=result,
            done_time=now,
            success_count=success,
            total_count=success,
        )

    def _insert(self, parent: str, kind: str, request: JsonObject, **more: Any) -> Operation:
        check_texts(parent=parent, kind=kind)
        now = self._now()
        id_ = f"{kind}-{uuid.uuid4().hex}"
        values = {
            "parent": parent,
            "id": id_,
            "kind": kind,
            "request": request,
            "cursor": {},
            "success_count": 0,
            "failure_count": 0,
            "total_count": 0,
            "error_samples": [],
            "cancel_requested": 0,
            "lease_owner": "",
            "lease_expires": _NEVER,
            "attempts": 0,
            "create_time": now,
            "update_time": now,
        }
        self._connection.execute(insert(OPERATIONS).values(values | more))
        return self.get(f"{parent}/operations/{id_}")

    def get(self, name: str) -> Operation:
        """Return the operation of that name.

        Raises:
            NotFound: There is none.
        """
        return _to_operation(self._row(name))

    def list(
        self, parent: str, *, page_size: int, page_token: str = "", under: bool = False
    ) -> Page[Operation]:
        """Return the operations of a parent, newest first.

        Args:
            parent: Name of the resource.
            page_size: How many at most.
            page_token: Where to go on; empty: at the beginning.
            under: Whether operations of the resources beneath it come, too.

        Raises:
            InvalidArgument: The token is not of this list.
        """
        scope = ("operations", parent, "under" if under else "")
        belongs = OPERATIONS.c.parent == parent
        if under:  # ids sort by code point, and "0" comes right after "/"
            belongs |= (OPERATIONS.c.parent > f"{parent}/") & (OPERATIONS.c.parent < f"{parent}0")
        query = select(OPERATIONS).where(belongs)
        if page_token:
            query = query.where(follows(page_token, _NEWEST_FIRST, scope=scope))
        rows = self._connection.execute(
            query.order_by(*by(_NEWEST_FIRST)).limit(page_size + 1)
        ).all()
        items = tuple(_to_operation(row) for row in rows[:page_size])
        more = len(rows) > page_size
        return Page(
            items, token_after(rows[page_size - 1], _NEWEST_FIRST, scope=scope) if more else ""
        )

    def cancel(self, name: str) -> None:
        """Ask an operation to end: at once if nobody is at it, else after its current batch.

        Raises:
            NotFound: There is none of that name.
        """
        row = self._row(name, lock=True)
        if row.state == "RUNNING":
            self._set(row.key, cancel_requested=1)
        elif row.state == "PENDING":
            self._set(row.key, cancel_requested=1, **self._cancelled())

    def delete(self, name: str) -> None:
        """Forget an operation; one that is not done is cancelled first by whoever is at it.

        Raises:
            NotFound: There is none of that name.
        """
        self._connection.execute(
            delete(OPERATIONS).where(OPERATIONS.c.key == self._row(name, lock=True).key)
        )

    def prune(self, *, done_before: datetime) -> int:
        """Forget operations that ended before a time; return how many."""
        return self._connection.execute(
            delete(OPERATIONS).where(OPERATIONS.c.done_time < done_before)
        ).rowcount

    def claim(self, *, kinds: Sequence[str], owner: str, lease: timedelta) -> Operation | None:
        """Take the oldest operation that nobody is at; None: there is none.

        Args:
            kinds: Which ones the worker can do.
            owner: Name for this claim, never used before.
            lease: After this time without `renew` or `advance`, others may take it.

        A lease that ends later than any could was given by a clock that has been set back since. It
        holds no longer: it would keep the others waiting until the clock is there again.
        """
        now = self._now()
        row = self._connection.execute(
            select(OPERATIONS)
            .where(
                OPERATIONS.c.state.in_(OPEN_STATES),
                OPERATIONS.c.kind.in_(kinds),
                (OPERATIONS.c.lease_expires <= now)
                | (OPERATIONS.c.lease_expires > now + _LEASES * lease),
            )
            .order_by(OPERATIONS.c.key)
            .limit(1)
            .with_for_update(skip_locked=True)
        ).one_or_none()
        if row is None:
            return None
        self._set(
            row.key,
            state="RUNNING",
            lease_owner=owner,
            lease_expires=now + lease,
            attempts=row.attempts + 1,
        )
        return _to_operation(self._by_key(row.key))

    def renew(self, operation: Operation, *, lease: timedelta) -> None:
        """Keep a claim.

        Raises:
            Aborted: The claim is lost: somebody else may be at it.
        """
        self._hold(operation)
        self._set(operation.key, lease_expires=self._now() + lease)

    def advance(self, operation: Operation, progress: Progress, *, lease: timedelta) -> Operation:
        """Note what a batch did; call it in the batch's transaction. Keeps the claim, too.

        Raises:
            Aborted: The claim is lost; the batch must be rolled back.
        """
        row = self._hold(operation)
        samples = [*row.error_samples, *map(_of_error, progress.errors)][:MAX_ERROR_SAMPLES]
        now = self._now()
        self._set(
            operation.key,
            cursor=progress.cursor,
            success_count=row.success_count + progress.success,
            failure_count=row.failure_count + progress.failure,
            total_count=row.total_count if progress.total is None else progress.total,
            error_samples=samples,
            lease_expires=now + lease,
            attempts=1,
            update_time=now,
        )
        return _to_operation(self._by_key(operation.key))

    def succeed(self, operation: Operation, result: JsonObject) -> None:
        """End an operation with its result.

        Raises:
            Aborted: The claim is lost.
        """
        self._hold(operation)
        self._end(operation, state="SUCCEEDED", result=result)

    def fail(self, operation: Operation, error: ToulminError) -> None:
        """End an operation with an error; `Cancelled` makes its state CANCELLED.

        Raises:
            Aborted: The claim is lost.
        """
        self._hold(operation)
        if isinstance(error, Cancelled):
            self._end(operation, **self._cancelled())
        else:
            self._end(operation, state="FAILED", error=_of_error(OperationError.of(error)))

    def release(self, operation: Operation) -> None:
        """Give a claim back, so that the operation goes on elsewhere at once.

        Raises:
            Aborted: The claim is lost.
        """
        row = self._hold(operation)
        self._set(
            operation.key,
            state="PENDING",
            lease_owner="",
            lease_expires=_NEVER,
            attempts=row.attempts - 1,
        )

    def release_all(self) -> None:
        """End every lease: for a process that knows that no other has the database open."""
        self._connection.execute(
            update(OPERATIONS)
            .where(OPERATIONS.c.state == "RUNNING")
            .values(lease_owner="", lease_expires=_NEVER)
        )

    def _hold(self, operation: Operation) -> Row[Any]:
        row = self._connection.execute(
            select(OPERATIONS).where(OPERATIONS.c.key == operation.key).with_for_update()
        ).one_or_none()
        if row is None or row.state != "RUNNING" or row.lease_owner != operation.lease_owner:
            raise Aborted(f"{operation.name} was taken over or deleted.", reason="LEASE_LOST")
        return row

    def _end(self, operation: Operation, **values: Any) -> None:
        now = self._now()
        self._set(
            operation.key,
            **({"done_time": now, "update_time": now, "lease_owner": ""} | values),
        )

    def _cancelled(self) -> dict[str, Any]:
        now = self._now()
        error = _of_error(OperationError(Cancelled.code, "The operation was cancelled."))
        return {"state": "CANCELLED", "error": error, "done_time": now, "update_time": now}

    def _set(self, key: int, **values: Any) -> None:
        self._connection.execute(update(OPERATIONS).where(OPERATIONS.c.key == key).values(**values))

    def _row(self, name: str, *, lock: bool = False) -> Row[Any]:
        parent, _, id_ = name.rpartition("/operations/")
        query = select(OPERATIONS).where(OPERATIONS.c.parent == parent, OPERATIONS.c.id == id_)
        row = self._connection.execute(query.with_for_update() if lock else query).one_or_none()
        if row is None:
            raise NotFound(f"{name} does not exist.")
        return row

    def _by_key(self, key: int) -> Row[Any]:
        return self._connection.execute(select(OPERATIONS).where(OPERATIONS.c.key == key)).one()


def _of_error(error: OperationError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "item": error.item}


def _to_operation(row: Row[Any]) -> Operation:
    return Operation(
        parent=row.parent,
        id=row.id,
        kind=row.kind,
        request=row.request,
        state=row.state,
        cursor=row.cursor,
        success_count=row.success_count,
        failure_count=row.failure_count,
        total_count=row.total_count,
        error_samples=tuple(OperationError(**sample) for sample in row.error_samples),
        result=row.result,
        error=OperationError(**row.error) if row.error else None,
        cancel_requested=bool(row.cancel_requested),
        attempts=row.attempts,
        create_time=row.create_time,
        update_time=row.update_time,
        done_time=row.done_time,
        lease_owner=row.lease_owner,
        key=row.key,
    )
