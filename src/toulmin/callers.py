"""Who calls: an identity, a role, and the projects that it may use.

The server makes a `Caller` of a key or a token; the APIs ask it what it may do.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """What a caller may do. Each role includes those before it."""

    VIEWER = "viewer"
    """Check, search, ask, read."""

    EDITOR = "editor"
    """Write documents, data stores and what belongs to them, too."""

    ADMIN = "admin"
    """Everything."""

    def includes(self, other: Role) -> bool:
        """Return whether this role may do what `other` may."""
        return _RANKS[self] >= _RANKS[other]


_RANKS: Final = {role: rank for rank, role in enumerate(Role)}


@dataclass(frozen=True, slots=True)
class ChatScope:
    """What a chat token is for.

    Attributes:
        session: Name of the only session that its holder may talk in.
        deployment: Name of the deployment that runs there.
    """

    session: str
    deployment: str


@dataclass(frozen=True, slots=True)
class Caller:
    """One that calls.

    Attributes:
        id: Names it in logs and quotas: "key:k3n7x2q9", "setting:api_keys", "local".
        role: What it may do.
        projects: Where it may do it; None: everywhere.
        project: The one that it works for, for what has no project in its name (corpora); empty:
            it did not say, and may use all.
        chat: The session that it may talk in, and nothing else; None: it holds no chat token.
        payer: Whose quota it uses; empty: its own.
    """

    id: str
    role: Role
    projects: frozenset[str] | None = None
    project: str = ""
    chat: ChatScope | None = None
    payer: str = ""

    def may_use(self, project: str) -> bool:
        """Return whether the caller may use a project."""
        return self.projects is None or project in self.projects


LOCAL: Final = Caller("local", Role.ADMIN)
"""Whoever runs a command on the data folder, or calls a server that asks nobody for a key."""

NOBODY: Final = Caller("", Role.VIEWER, frozenset())
"""A caller that was not asked yet who it is."""

CURRENT: Final = ContextVar("current caller", default=LOCAL.id)
"""Id of whoever this thread works for. What is remembered of the texts that callers send is
remembered for each of them apart: else how fast an answer comes would tell one what another asked.
"""
