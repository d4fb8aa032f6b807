"""Keys that callers present: who they are for, what they may do, until when.

A key is 32 random bytes, so nobody finds it by trying, however fast the hash is: one SHA-256 is
enough, and a slow hash, which is for passwords that people think of, would only cost every request
its time. Only the hash is kept. It is also what a key is found by: how long that takes says
something about the hash of what was presented, which nobody can steer, and nothing about a key.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, update

from toulmin.callers import Role
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound
from toulmin.stores.records.tables import API_KEYS
from toulmin.stores.records.texts import check_texts

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that look alike
_ID_CHARS: Final = 10
_SECRET_BYTES: Final = 32
_LONGEST_NAME: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is kept: everything but the key itself.

    Attributes:
        id: Says in lists and logs which one it is; it is in the key, too.
        display_name: Who or what it is for, in its maker's words.
        digest: SHA-256 of the key.
        role: What it may do.
        projects: Where it may do it; None: everywhere.
        create_time: In UTC, like all times here.
        expire_time: From when on it is refused; None: never.
        revoke_time: Since when it is refused; None: it was not revoked.
    """

    id: str
    display_name: str
    digest: bytes
    role: Role
    projects: frozenset[str] | None
    create_time: datetime
    expire_time: datetime | None
    revoke_time: datetime | None

    def state(self, now: datetime) -> str:
        """Return "active", "expired" or "revoked"."""
        if self.revoke_time is not None:
            return "revoked"
        expired = self.expire_time is not None and self.expire_time <= now
        return "expired" if expired else "active"


class ApiKeys:
    """The keys, within one transaction. They are never deleted, so that logs keep their meaning."""

    def __init__(self, connection: Connection, now: Callable[[], datetime]) -> None:
        self._connection = connection
        self._now = now

    def create(
        self,
        *,
        display_name: str,
        role: Role,
        projects: Sequence[str] | None = None,
        expire_time: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Make a key; return it as it is kept, and the key itself, which nobody can read again.

        Args:
            display_name: Who or what it is for.
            role: What it may do.
            projects: Where it may do it; None: everywhere.
            expire_time: From when on it is refused; None: never.

        Raises:
            InvalidArgument: The name is empty or long, no project is named, or a project is no id,
                or it would have expired already.
        """
        check_texts(display_name=display_name)
        if not display_name or len(display_name) > _LONGEST_NAME:
            raise InvalidArgument.of_field(
                "display_name",
                f"has {len(display_name)} characters; it must have 1 to {_LONGEST_NAME}",
            )
        now = self._now()
        if expire_time is not None and expire_time <= now:
            raise InvalidArgument.of_field("expire_time", f"{expire_time} is not in the future")
        id_ = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_CHARS))
        key = f"toulmin_{id_}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        self._connection.execute(
            insert(API_KEYS).values(
                id=id_,
                display_name=display_name,
                digest=digest_of(key),
                role=role.value,
                projects=None if projects is None else _checked(projects),
                create_time=now,
                expire_time=expire_time,
            )
        )
        return self.get(id_), key

    def get(self, id_: str) -> ApiKey:
        """Return a key.

        Raises:
            NotFound: There is none with this id.
        """
        row = self._connection.execute(select(API_KEYS).where(API_KEYS.c.id == id_)).one_or_none()
        if row is None:
            raise NotFound(f"There is no key {id_[:100]!r}.")
        return _to_key(row)

    def list(self) -> list[ApiKey]:
        """Return all keys, oldest first, expired and revoked ones too."""
        rows = self._connection.execute(select(API_KEYS).order_by(API_KEYS.c.key))
        return [_to_key(row) for row in rows]

    def revoke(self, id_: str) -> ApiKey:
        """Refuse a key from now on, and return it.

        Raises:
            NotFound: There is none with this id.
            FailedPrecondition: It was revoked before.
        """
        found = self.get(id_)
        if found.revoke_time is not None:
            raise FailedPrecondition(f"The key {id_} was revoked at {found.revoke_time}.")
        self._connection.execute(
            update(API_KEYS).where(API_KEYS.c.id == id_).values(revoke_time=self._now())
        )
        return self.get(id_)


def digest_of(key: str) -> bytes:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()


def _checked(projects: Sequence[str]) -> list[str]:
    if not projects:
        raise InvalidArgument.of_field("projects", "is empty; name one, or allow all")
    for project in projects:
        if not project or "/" in project or not project.isprintable() or " " in project:
            raise InvalidArgument.of_field("projects", f"{project[:100]!r} is no id of a project")
    check_texts(**{f"projects[{index}]": project for index, project in enumerate(projects)})
    return sorted(set(projects))


def _to_key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        display_name=row.display_name,
        digest=row.digest,
        role=Role(row.role),
        projects=None if row.projects is None else frozenset(row.projects),
        create_time=row.create_time,
        expire_time=row.expire_time,
        revoke_time=row.revoke_time,
    )
