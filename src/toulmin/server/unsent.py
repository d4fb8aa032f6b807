"""Responses that clients have not taken yet: how much memory those who do not read may hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from toulmin import metrics

PIECE: Final = 64 * 1024
"""Bytes given to a connection at a time; what is shorter is not counted."""
_AT_LEAST_S: Final = 1.0
"""A client that has had so little time is not slow yet."""


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    began: float
    size: int
    cut_off: Callable[[], None]


class UnsentBytes:
    """Bytes of responses that are being sent; used on the event loop only.

    When they are too many, the client that has been at its response for longest is cut off, so that
    those who read are not kept waiting by those who do not. Nobody is in the first second: what
    comes within one is bounded by how fast responses are made.

    Args:
        limit: Most bytes of all responses together.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[_Held, None] = {}  # in the order in which they began
        self._total = 0

    @property
    def total(self) -> int:
        """Return the bytes held now."""
        return self._total

    @contextmanager
    def hold(self, size: int, cut_off: Callable[[], None]) -> Iterator[None]:
        """Count a response as long as the block runs.

        Args:
            size: Its bytes.
            cut_off: Ends its connection at once.
        """
        if size <= PIECE:
            yield
            return
        self._make_room(size)
        held = _Held(time.monotonic(), size, cut_off)
        self._held[held] = None
        self._total += size
        try:
            yield
        finally:
            self._forget(held)

    def _make_room(self, size: int) -> None:
        latest = time.monotonic() - _AT_LEAST_S
        while self._held and self._total + size > self._limit:
            longest = next(iter(self._held))
            if longest.began > latest:
                return
            self._forget(longest)
            metrics.CONNECTIONS_REFUSED.add("unsent")
            longest.cut_off()

    def _forget(self, held: _Held) -> None:
        if held in self._held:
            del self._held[held]
            self._total -= held.size
