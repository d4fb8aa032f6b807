"""Whether the work for a call is still wanted."""

from __future__ import annotations

import time
from collections.abc import Callable

from toulmin.apis.aip.registry import CallContext
from toulmin.errors import DeadlineExceeded


def stop_of(context: CallContext, work: str) -> Callable[[], bool]:
    """Return what says whether the caller has gone, and raises when the time is up.

    Args:
        context: The call.
        work: What is stopped, for the error.
    """

    def should_stop() -> bool:
        if context.deadline is not None and time.monotonic() > context.deadline:
            raise DeadlineExceeded(f"{work} was not done in the time allowed; it was stopped")
        return context.is_cancelled()

    return should_stop
