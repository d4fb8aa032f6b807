"""Whether the work for a call is still wanted."""

from __future__ import annotations

from toulmin.apis.aip.registry import CallContext
from toulmin.work import Work


def work_of(context: CallContext, what: str) -> Work:
    """Return the work that is done for a call; its steps are timed into the call's timings.

    Args:
        context: The call.
        what: What is done, for the errors: "the search".
    """
    return Work(
        what, deadline=context.deadline, is_gone=context.is_cancelled, timings=context.timings
    )
