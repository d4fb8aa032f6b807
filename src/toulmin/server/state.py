"""Whether the server is up, ready and staying; shared by HTTP, gRPC and shutdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class ServerState:
    """What health checks report.

    Attributes:
        is_ready: Asks whether the models are loaded.
        draining: True once shutdown has begun.
        ending: True once the time for what was in flight is over.
    """

    is_ready: Callable[[], bool]
    draining: bool = False
    ending: bool = False

    def why_not_ready(self) -> str:
        """Return why requests should go elsewhere; empty when they are welcome."""
        if self.draining:
            return "shutting down"
        return "" if self.is_ready() else "loading models"
