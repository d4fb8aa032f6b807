"""Limits on what one request, and all requests together, may hold in memory."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.errors import InvalidArgument, ResourceExhausted

_SMALL = 1024 * 1024
"""Bytes up to which a request is small."""


class ByteBudget:
    """Bytes of request bodies held at the same time; used on the event loop only.

    Args:
        limit: Most bytes of all requests together.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0

    @property
    def held(self) -> int:
        """Return the bytes held now."""
        return self._held

    def take(self, count: int, *, of_many: bool = False) -> None:
        """Hold `count` more bytes.

        Args:
            count: How many.
            of_many: They are for a large request; a quarter of all is kept for small ones.

        Raises:
            ResourceExhausted: They would be more than the limit.
        """
        limit = self._limit - self._limit // 4 if of_many else self._limit
        if self._held + count > limit:
            raise ResourceExhausted(
                f"Requests being read hold {self._held} bytes, and setting max_buffered_bytes"
                f" allows {limit} for those of this size; try again later",
                reason="SERVER_BUSY",
            )
        self._held += count

    def give_back(self, count: int) -> None:
        """Let go of `count` bytes."""
        self._held -= count


@dataclass(slots=True)
class Allowance:
    """What one request may still hold.

    Attributes:
        limit: Most bytes of this request's body.
        budget: What it shares with the others.
        held: Bytes held now.
    """

    limit: int
    budget: ByteBudget
    held: int = 0

    def take(self, count: int) -> None:
        """Hold `count` more bytes.

        Raises:
            InvalidArgument: The request is larger than allowed.
            ResourceExhausted: All requests together are.
        """
        if self.held + count > self.limit:
            raise too_large(self.limit)
        self.budget.take(count, of_many=self.held + count > _SMALL)
        self.held += count

    def release(self, count: int) -> None:
        """Let go of `count` bytes."""
        self.budget.give_back(count)
        self.held -= count

    def give_back(self) -> None:
        """Let go of everything."""
        self.budget.give_back(self.held)
        self.held = 0


def too_large(limit: int) -> InvalidArgument:
    """Return the error for a body over the limit, in Google's wording."""
    return InvalidArgument(
        f"Request payload size exceeds the limit: {limit} bytes.", reason="REQUEST_TOO_LARGE"
    )
