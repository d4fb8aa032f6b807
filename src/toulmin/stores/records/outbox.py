"""What changed and in which order, for those who derive something from the records.

A transaction collects its entries and writes them last, just before its commit. It takes their
numbers from the one row of `outbox_head`, which it then holds until the commit is done; the next
writer waits for it. So numbers have no gaps, and whoever sees number n sees all below it, on both
engines and with any number of replicas. What is held up is only the end of a transaction.

An entry says which document changed, and which of its chunks if they were written one by one, not
what it was changed to: a reader looks at them as they are now. Reading an entry twice, or late,
does no harm.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from toulmin.errors import FailedPrecondition
from toulmin.stores.records.tables import OUTBOX, OUTBOX_HEAD, OUTBOX_READERS


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the outbox.

    Attributes:
        sequence: Its number, from 1, without gaps.
        data_store: The store's number of the data store.
        document: The store's number of the document that was written or deleted; None: the data
            store is being deleted with all its documents.
        removed_chunks: Keys of chunks that are there no more.
        written_chunks: Keys of the only chunks that were written; None: the document was written
            as a whole.
    """

    sequence: int
    data_store: int
    document: int | None
    removed_chunks: tuple[int, ...] = ()
    written_chunks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class OutboxHead:
    """Where the outbox stands.

    Attributes:
        incarnation: Name of this history. A reader that knows another one must begin anew: the
            records were restored from a backup, and numbers after it mean something else.
        sequence: Last number given out; 0: none yet.
        trimmed: Last number whose entry was thrown away; 0: none.
    """

    incarnation: str
    sequence: int
    trimmed: int


class Outbox:
    """The outbox, within one transaction."""

    def __init__(self, connection: Connection, now: Callable[[], datetime]) -> None:
        self._connection = connection
        self._now = now
        self._pending: list[Change] = []

    def add(
        self,
        *,
        data_store: int,
        document: int | None,
        removed_chunks: Sequence[int] = (),
        written_chunks: Sequence[int] | None = None,
    ) -> None:
        """Note a change, to be written at the commit."""
        written = None if written_chunks is None else tuple(written_chunks)
        self._pending.append(Change(0, data_store, document, tuple(removed_chunks), written))

    def flush(self) -> int | None:
        """Write what was noted; return its last number, None if there was nothing."""
        if not self._pending:
            return None
        count = len(self._pending)
        last: int = self._connection.execute(
            update(OUTBOX_HEAD)
            .values(sequence=OUTBOX_HEAD.c.sequence + count)
            .returning(OUTBOX_HEAD.c.sequence)
        ).scalar_one()
        numbered = [
            {
                "sequence": sequence,
                "data_store": change.data_store,
                "document": change.document,
                "removed_chunks": change.removed_chunks,
                "written_chunks": change.written_chunks,
            }
            for sequence, change in enumerate(self._pending, start=last - count + 1)
        ]
        self._connection.execute(insert(OUTBOX), numbered)
        self._pending.clear()
        return last

    def head(self) -> OutboxHead:
        """Return where the outbox stands."""
        row = self._connection.execute(select(OUTBOX_HEAD)).one()
        return OutboxHead(row.incarnation, row.sequence, row.trimmed)

    def read(self, *, after: int, limit: int = 1000) -> tuple[Change, ...]:
        """Return the changes after number `after`, in order.

        Raises:
            FailedPrecondition: Some of them were thrown away, or `after` lies in the future of
                this history; the reader must begin anew.
        """
        head = self.head()
        if not head.trimmed <= after <= head.sequence:
            raise FailedPrecondition(
                f"The changes after {after} are not at hand (kept: {head.trimmed} to"
                f" {head.sequence}); what is derived from them must be rebuilt.",
                reason="OUTBOX_OUT_OF_RANGE",
            )
        rows = self._connection.execute(
            select(OUTBOX).where(OUTBOX.c.sequence > after).order_by(OUTBOX.c.sequence).limit(limit)
        )
        return tuple(_to_change(row) for row in rows)

    def acknowledge(self, reader: str, sequence: int) -> None:
        """Note that `reader` has kept everything up to `sequence`, so it may be thrown away."""
        values = {"sequence": sequence, "update_time": self._now()}
        found = self._connection.execute(
            update(OUTBOX_READERS).where(OUTBOX_READERS.c.reader == reader).values(values)
        )
        if not found.rowcount:
            self._connection.execute(insert(OUTBOX_READERS).values(reader=reader, **values))

    def acknowledged(self, reader: str) -> int | None:
        """Return the last number that `reader` acknowledged; None: it never did."""
        sequence: int | None = self._connection.execute(
            select(OUTBOX_READERS.c.sequence).where(OUTBOX_READERS.c.reader == reader)
        ).scalar_one_or_none()
        return sequence

    def forget(self, reader: str) -> None:
        """Wait for `reader` no more."""
        self._connection.execute(delete(OUTBOX_READERS).where(OUTBOX_READERS.c.reader == reader))

    def forget_others(self, reader: str) -> None:
        """Wait for no reader but this: for a process that knows that there is no other."""
        self._connection.execute(delete(OUTBOX_READERS).where(OUTBOX_READERS.c.reader != reader))

    def trim(self) -> int:
        """Throw away what every reader has acknowledged; return how many entries went.

        Without readers nothing goes: the first one may be yet to come.
        """
        slowest: int | None = self._connection.execute(
            select(func.min(OUTBOX_READERS.c.sequence))
        ).scalar_one()
        if slowest is None:
            return 0
        gone = self._connection.execute(delete(OUTBOX).where(OUTBOX.c.sequence <= slowest))
        self._connection.execute(
            update(OUTBOX_HEAD).where(OUTBOX_HEAD.c.trimmed < slowest).values(trimmed=slowest)
        )
        return gone.rowcount

    def begin_incarnation(self) -> str:
        """Give this history a new name and return it."""
        name = uuid.uuid4().hex
        self._connection.execute(update(OUTBOX_HEAD).values(incarnation=name))
        return name


def _to_change(row: Row[Any]) -> Change:
    return Change(
        row.sequence,
        row.data_store,
        row.document,
        tuple(row.removed_chunks),
        None if row.written_chunks is None else tuple(row.written_chunks),
    )
