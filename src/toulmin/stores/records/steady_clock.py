"""Is the wall clock to be believed, before what has had its time is deleted for good?

A clock that is set years forward by mistake makes everything old at once. So the wall clock is
compared with one that nobody sets and, at the start, with the last time that was believed, which a
file keeps: where they have come apart, nothing is deleted until the wall clock has been left alone
for a day, or has come back.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

CLOCK_FILE: Final = "clock.json"
"""In the data folder: the last time that was believed, and since when another is said."""

_APART = timedelta(hours=12)
"""More than this is a jump, not a correction by a time server or a machine that slept overnight."""
_ABSENT = timedelta(days=7)
"""A server that was stopped for longer cannot tell its absence from a clock that is ahead."""
_SETTLED = timedelta(days=1)

logger = logging.getLogger(__name__)


class SteadyClock:
    """Notices when the wall clock jumps; used by one thread.

    Args:
        file: Keeps from one start to the next what was believed; None: nothing does.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._believed: timedelta | None = None
        self._ahead = _ABSENT
        self._seen = timedelta(0)
        self._since = timedelta(0)

    def is_steady(
        self,
        wall: datetime,
        monotonic_s: float,
        newest: Callable[[], datetime | None] = lambda: None,
    ) -> bool:
        """Return whether the wall clock goes as it did, or as it has for the last day.

        Args:
            wall: What the wall clock says, in UTC.
            monotonic_s: What a clock says at the same moment that nobody sets, in seconds.
            newest: Returns the newest time on record, asked at the first look where no file says
                what was believed; None: nothing is on record, so that there is nothing to lose.
        """
        monotonic = timedelta(seconds=monotonic_s)
        apart = _since_epoch(wall) - monotonic
        if self._believed is None:
            self._believed = self._remember(wall, monotonic, newest)
        if -_APART <= apart - self._believed <= self._ahead:
            self._believe(apart, wall)  # small corrections are followed
            return True
        if abs(apart - self._seen) > _APART:
            self._warn(apart - self._believed)
            self._since = monotonic
            self._write({**self._read(), "doubted": wall})
        self._seen = apart
        if monotonic - self._since < _SETTLED:
            return False
        self._believe(apart, wall)
        return True

    def _believe(self, apart: timedelta, wall: datetime) -> None:
        self._believed = self._seen = apart
        self._ahead = _APART
        self._write({"believed": wall})

    def _remember(
        self, wall: datetime, monotonic: timedelta, newest: Callable[[], datetime | None]
    ) -> timedelta:
        """Return what was believed before this process, as if it had gone on since the start."""
        kept = self._read()
        believed = _since_epoch(kept.get("believed") or newest() or wall) - monotonic
        self._seen = believed
        doubted = kept.get("doubted")
        if doubted is not None and timedelta(0) <= wall - doubted <= _ABSENT:
            self._seen = _since_epoch(wall) - monotonic  # the day goes on over a restart
            self._since = monotonic - (wall - doubted)
            if not -_APART <= self._seen - believed <= _ABSENT:
                self._warn(self._seen - believed)
        return believed

    def _read(self) -> dict[str, datetime]:
        if self._file is None:
            return {}
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            times = {name: datetime.fromisoformat(text) for name, text in kept.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}
        return {name: time for name, time in times.items() if time.tzinfo is not None}

    def _write(self, times: dict[str, datetime]) -> None:
        if self._file is None:
            return
        text = json.dumps({name: time.isoformat() for name, time in times.items()})
        part = self._file.with_name(f"{self._file.name}.part")
        try:
            part.write_text(f"{text}\n", encoding="utf-8")
            part.replace(self._file)
        except OSError as error:  # the next look, or the next start, is more careful for it
            logger.warning("The time could not be noted in %s: %s", self._file, error)

    def _warn(self, by: timedelta) -> None:
        logger.warning(
            "The clock of this machine has jumped by %.1f days, or the server was stopped for so"
            " long; what has had its time is not deleted before the clock has gone on for a day as"
            " it does now.",
            by / timedelta(days=1),
        )


def _since_epoch(moment: datetime) -> timedelta:
    return timedelta(seconds=moment.timestamp())
