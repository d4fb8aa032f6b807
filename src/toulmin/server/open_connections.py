"""Which connections are open, and which of them gives way to one more.

Open connections alone must not keep others out: the one that has been without work for longest
makes room for a new one, first among those of the new one's own address, then among all.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

from toulmin.server.connection import Connection

_MOST_REFUSED: Final = 256
"""Connections that are being told why they are refused; beyond it the oldest is closed."""


class Admission(Enum):
    """What becomes of a new connection."""

    ADMITTED = auto()
    REFUSED = auto()
    """Its address has too many at work: it is told so."""
    CLOSED = auto()
    """There are too many of all, all at work."""


class OpenConnections:
    """Counts connections; used on the event loop only.

    Args:
        most: Most connections open at a time.
        most_of_one: Most connections of one address (see `client_of`); 0: no limit but `most`.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self.most_of_one = most_of_one
        self._client: dict[Connection, str] = {}
        self._count: Counter[str] = Counter()
        self._refused: deque[Connection] = deque()

    def __len__(self) -> int:
        """Return how many connections are open, those that are refused included."""
        return len(self._client) + len(self._refused)

    def all(self) -> list[Connection]:
        """Return the open connections, those that are refused included."""
        return [*self._client, *self._refused]

    def admit(self, connection: Connection, client: str) -> Admission:
        """Count a connection, if there is room or somebody gives way.

        Args:
            connection: The new one.
            client: What it counts for; empty: it is limited with all only.
        """
        is_limited = bool(client and self.most_of_one)
        if is_limited and self._count[client] >= self.most_of_one:
            # In a crowd that comes at once, the first are not to be closed unheard by the last.
            others = (o for o, whose in self._client.items() if whose == client and not o.is_new)
            if not self._made_room(others):
                self._refuse(connection)
                return Admission.REFUSED
        if len(self._client) >= self._most and not self._made_room(self._client):
            return Admission.CLOSED
        self._add(connection, client)
        return Admission.ADMITTED

    def replace(self, old: Connection, new: Connection) -> None:
        """Count `new` in the place of `old`."""
        if old in self._refused:
            self._refused[self._refused.index(old)] = new
        else:
            client = self._client.get(old, "")
            self.forget(old)
            self._add(new, client)

    def forget(self, connection: Connection) -> None:
        """Note that a connection is gone; one that is not counted may be forgotten, too."""
        client = self._client.pop(connection, None)
        if client is not None:
            self._count[client] -= 1
            if not self._count[client]:
                del self._count[client]
        elif connection in self._refused:
            self._refused.remove(connection)

    def _add(self, connection: Connection, client: str) -> None:
        self._client[connection] = client
        self._count[client] += 1

    def _refuse(self, connection: Connection) -> None:
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.popleft().abort()
        self._refused.append(connection)

    def _made_room(self, connections: Iterable[Connection]) -> bool:
        """Close the one that has been without work for longest; return False if all are at work."""
        unused = [one for one in connections if not one.is_working]
        if not unused:
            return False
        longest = min(unused, key=lambda one: one.active_at)
        self.forget(longest)
        longest.abort()
        return True
