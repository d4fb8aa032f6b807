"""A long-running operation as it stands, what a batch of it did, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toulmin.domain import JsonObject
from toulmin.errors import ToulminError

MAX_ERROR_SAMPLES = 100
OPEN_STATES = ("PENDING", "RUNNING")


@dataclass(frozen=True, slots=True)
class OperationError:
    """What went wrong, with one item or with the whole.

    Attributes:
        code: The google.rpc code.
        message: One sentence for the caller.
        item: What it went wrong with (a document id, a file); empty: the whole.
    """

    code: int
    message: str
    item: str = ""

    @classmethod
    def of(cls, error: ToulminError, item: str = "") -> OperationError:
        """Return the record of an exception."""
        return cls(error.code, error.message, item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation as it stands.

    Attributes:
        parent: Resource that it belongs to.
        id: Unique under its parent.
        kind: Says which handler runs it.
        request: What was asked for.
        state: PENDING, RUNNING, SUCCEEDED, FAILED or CANCELLED.
        cursor: How far it is, in its handler's words; empty: at the beginning.
        success_count: Items done.
        failure_count: Items that failed.
        total_count: Items in all, as far as known.
        error_samples: The first errors of items, `MAX_ERROR_SAMPLES` at most.
        result: What came out, once it succeeded.
        error: Why it failed or was cancelled.
        cancel_requested: Somebody wants it to end.
        attempts: Claims since the cursor last moved.
        create_time: In UTC, like all times here.
        update_time: When it last moved.
        done_time: When it ended; None: not yet.
        lease_owner: Who is at it; empty: nobody.
    """

    parent: str
    id: str
    kind: str
    request: JsonObject
    state: str
    cursor: JsonObject
    success_count: int
    failure_count: int
    total_count: int
    error_samples: tuple[OperationError, ...]
    result: JsonObject | None
    error: OperationError | None
    cancel_requested: bool
    attempts: int
    create_time: datetime
    update_time: datetime
    done_time: datetime | None
    lease_owner: str
    key: int

    @property
    def name(self) -> str:
        """Full name."""
        return f"{self.parent}/operations/{self.id}"

    @property
    def done(self) -> bool:
        """True once it has ended, one way or the other."""
        return self.state not in OPEN_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a batch did.

    Attributes:
        cursor: Where the next batch begins; JSON.
        success: Items done by this batch.
        failure: Items that failed in it.
        total: Items in all, if that is now known.
        errors: What went wrong with items.
    """

    cursor: JsonObject
    success: int = 0
    failure: int = 0
    total: int | None = None
    errors: Sequence[OperationError] = field(default=())
