"""When a schedule is due: the API's `SchedulingConfig` -> moments. All times are in UTC."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

_DAY: Final = timedelta(days=1)
_WEEKS: Final = {"WEEKLY": 1, "BIWEEKLY": 2}


@dataclass(frozen=True, slots=True)
class Times:
    """When something is done.

    Attributes:
        frequency: NONE (once), DAILY, WEEKLY or BIWEEKLY.
        start: The first moment at which it may be; its time of day is that of all, its week the
            first of those every second of which counts.
        days: Of the week, 1 is Monday; none: that of `start`. Not for NONE and DAILY.
    """

    frequency: str
    start: datetime
    days: Collection[int] = ()

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time after a moment; None: there is none.

        Nothing comes after the year 9999, which is the last one of a `Timestamp`.
        """
        try:
            if self.frequency in _WEEKS:
                return self._in_weeks(moment)
            if moment < self.start:
                return self.start
            if self.frequency == "NONE":
                return None
            return self.start + ((moment - self.start) // _DAY + 1) * _DAY
        except OverflowError:
            return None

    def _in_weeks(self, moment: datetime) -> datetime:
        step = _WEEKS[self.frequency] * 7
        # The days are counted from Monday of the first week, which may be before the start.
        monday = self.start - (self.start.isoweekday() - 1) * _DAY
        days = sorted(self.days or [self.start.isoweekday()])
        passed = max(0, (moment - monday) // (step * _DAY))
        candidates = (
            monday + ((passed + more) * step + day - 1) * _DAY for more in (0, 1) for day in days
        )
        return next(time for time in candidates if time > moment and time >= self.start)
