"""The tree of failures a caller can see, each with the google.rpc code it becomes on the wire.

    ToulminError
    ├── Cancelled            1  the caller went away; nobody reads the answer
    ├── InvalidArgument      3  the request itself is wrong; says which field, limit and value
    ├── DeadlineExceeded     4  the work did not finish in the time allowed
    ├── NotFound             5  the named resource does not exist
    ├── AlreadyExists        6  the resource to create is there already
    ├── PermissionDenied     7  the caller may not do this
    ├── ResourceExhausted    8  a size, rate or concurrency limit of this server is reached
    │   └── QuotaExceeded    8  a quota of a key or a project is used up
    ├── FailedPrecondition   9  right request, wrong state
    ├── Aborted             10  a concurrent change got in the way; try again
    ├── Unimplemented       12  the contract has it, this version does not
    ├── Internal            13  a defect of ours
    ├── Unavailable         14  not ready
    │   └── ShuttingDown    14  the server is about to end
    └── Unauthenticated     16  no valid credentials

Codes: https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One wrong field: its path in the request and what is wrong with the value sent."""

    field: str
    description: str


class ToulminError(Exception):
    """Any failure with a message for the caller.

    Args:
        message: One sentence with the value sent, the limit, and the next step.
        violations: The fields at fault, when there are any.
        reason: UPPER_SNAKE_CASE identifier for `google.rpc.ErrorInfo`, stable across versions.
    """

    code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, violations: Sequence[FieldViolation] = (), reason: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.violations = tuple(violations)
        self.reason = reason


class Cancelled(ToulminError):
    """The caller went away before the work was done."""

    code = 1


class InvalidArgument(ToulminError):
    """The request is wrong whatever the state of the server."""

    code = 3

    @classmethod
    def of_field(cls, field: str, description: str) -> InvalidArgument:
        """Return the error for one wrong field; the message repeats field and description."""
        return cls(f"{field}: {description}", violations=[FieldViolation(field, description)])


class DeadlineExceeded(ToulminError):
    """The work did not finish before the caller's or the server's deadline."""

    code = 4


class NotFound(ToulminError):
    """The named resource does not exist."""

    code = 5


class AlreadyExists(ToulminError):
    """The resource to create exists already."""

    code = 6


class PermissionDenied(ToulminError):
    """The caller may not do this, or may not know whether it exists."""

    code = 7


class ResourceExhausted(ToulminError):
    """A size, rate or concurrency limit of this server is reached."""

    code = 8


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit that somebody set for a key or a project.

    Attributes:
        id: "RequestsPerMinutePerKey".
        metric: What is counted: "requests", "tokens", "documents".
        subject: Whose: "key:k3n7x2q9", "project:shop".
        value: The limit.
    """

    id: str
    metric: str
    subject: str
    value: int


class QuotaExceeded(ResourceExhausted):
    """A quota of the caller or of its project is used up.

    Args:
        quota: Which.
        retry_s: Seconds until there is room again; None: waiting does not help.
    """

    def __init__(self, quota: Quota, *, retry_s: float | None) -> None:
        when = "" if retry_s is None else f"; try again in {retry_s:.1f} s"
        super().__init__(
            f"Quota exceeded for {quota.metric}, limit {quota.id} = {quota.value:,} of"
            f" {quota.subject}{when}",
            reason="RATE_LIMIT_EXCEEDED" if retry_s is not None else "QUOTA_EXCEEDED",
        )
        self.quota = quota
        self.retry_s = retry_s


class FailedPrecondition(ToulminError):
    """The request is right but the state of the server does not allow it."""

    code = 9


class Aborted(ToulminError):
    """A concurrent change got in the way; the caller may try again."""

    code = 10


class Unimplemented(ToulminError):
    """The contract has this call; this version of Toulmin does not."""

    code = 12


class Internal(ToulminError):
    """A defect of Toulmin; the log has the details, the caller gets none."""

    code = 13


class Unavailable(ToulminError):
    """The server or something it needs is not ready; the caller may try again."""

    code = 14


class ShuttingDown(Unavailable):
    """The server ends; another one, or this one after its next start, may do it.

    Attributes:
        retry_s: Seconds after which to try again.
    """

    retry_s: ClassVar[float] = 1.0

    def __init__(self) -> None:
        super().__init__(
            "The server is shutting down; try another one or try again later",
            reason="SHUTTING_DOWN",
        )


class TooManyConnections(ResourceExhausted):
    """The client's address has as many connections as one may have, all at work.

    Attributes:
        retry_s: Seconds after which to try again.
    """

    retry_s: ClassVar[float] = 1.0

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"This address has {limit} connections at work, and setting max_connections_per_address"
            " allows no more; use those again, or try again later",
            reason="TOO_MANY_CONNECTIONS",
        )


class Unauthenticated(ToulminError):
    """The request carries no valid credentials."""

    code = 16
