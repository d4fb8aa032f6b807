"""Is the wall clock to be believed, before what has had its time is deleted for good?

A clock that is set years forward by mistake makes everything old at once. So the wall clock is
compared with one that nobody sets: where the two have come apart, nothing is deleted until the wall
clock has been left alone for a day, or has come back.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

_APART = timedelta(hours=12)
"""More than this is a jump, not a correction by a time server or a machine that slept overnight."""
_SETTLED = timedelta(days=1)

logger = logging.getLogger(__name__)


class SteadyClock:
    """Notices when the wall clock jumps; used by one thread.

    What the clock was before the first look is not known: that one is believed.
    """

    def __init__(self) -> None:
        self._believed: timedelta | None = None
        self._seen = timedelta(0)
        self._since = timedelta(0)

    def is_steady(self, wall: datetime, monotonic_s: float) -> bool:
        """Return whether the wall clock goes as it did, or as it has for the last day.

        Args:
            wall: What the wall clock says, in UTC.
            monotonic_s: What a clock says at the same moment that nobody sets, in seconds.
        """
        monotonic = timedelta(seconds=monotonic_s)
        apart = timedelta(seconds=wall.timestamp()) - monotonic
        if self._believed is None or abs(apart - self._believed) <= _APART:
            self._believed = self._seen = apart  # small corrections are followed
            return True
        if abs(apart - self._seen) > _APART:
            logger.warning(
                "The clock of this machine has jumped by %.1f days; what has had its time is not"
                " deleted before the clock has gone on for a day as it does now.",
                (apart - self._believed) / timedelta(days=1),
            )
            self._since = monotonic
        self._seen = apart
        if monotonic - self._since < _SETTLED:
            return False
        self._believed = apart
        return True
