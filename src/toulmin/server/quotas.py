"""How much each key and each project may ask for in a minute.

A bucket for each holds a minute's worth and fills evenly. A request that costs more than a whole
minute's worth passes when its bucket is full, and leaves it below zero: nobody is locked out for
good by one long text. The buckets are of this process; they begin full.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toulmin.callers import Caller
from toulmin.errors import Quota, QuotaExceeded
from toulmin.settings import Settings

REQUESTS: Final = "requests"
TOKENS: Final = "tokens"
_MINUTE: Final = 60.0
_MOST_BUCKETS: Final = 10_000


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float

    def fill(self, limit: int, now: float) -> None:
        """Bring the bucket to what it holds now."""
        self.level = min(limit, self.level + (now - self.at) * limit / _MINUTE)
        self.at = now


class Quotas:
    """Counts what callers and projects use; threads may share it.

    Args:
        limits: By metric, the limits of a key and of a project; 0: none.
        clock: Seconds that never go back.
    """

    def __init__(
        self, limits: dict[str, tuple[int, int]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[tuple[str, str], _Bucket] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> Quotas:
        """Return the quotas that the settings say."""
        return cls(
            {
                REQUESTS: (settings.key_requests_per_minute, settings.project_requests_per_minute),
                TOKENS: (settings.key_tokens_per_minute, settings.project_tokens_per_minute),
            }
        )

    def charge(self, caller: Caller, projects: Iterable[str], metric: str, amount: int) -> None:
        """Take from the caller's bucket and those of the projects, or from none of them.

        Args:
            caller: Who asks.
            projects: The projects that it works in, each once.
            metric: `REQUESTS` or `TOKENS`.
            amount: How many.

        Raises:
            QuotaExceeded: One of the buckets has too little; says which, and when it will do.
        """
        quotas = list(self._quotas(caller, projects, metric))
        if not quotas:
            return
        with self._lock:
            now = self._clock()
            buckets = [self._bucket(quota, now) for quota in quotas]
            for quota, bucket in zip(quotas, buckets, strict=True):
                missing = min(amount, quota.value) - bucket.level
                if missing > 0:
                    raise QuotaExceeded(quota, retry_s=missing * _MINUTE / quota.value)
            for bucket in buckets:
                bucket.level -= amount

    def _quotas(self, caller: Caller, projects: Iterable[str], metric: str) -> Iterator[Quota]:
        of_key, of_project = self._limits[metric]
        name = f"{metric.title()}PerMinutePer"
        if of_key:
            payer = caller.payer or caller.id
            subject = payer if payer.startswith("key:") else f"key:{payer}"
            yield Quota(f"{name}Key", metric, subject, of_key)
        if of_project:
            for project in projects:
                yield Quota(f"{name}Project", metric, f"project:{project}", of_project)

    def _bucket(self, quota: Quota, now: float) -> _Bucket:
        key = (quota.id, quota.subject)
        found = self._buckets.get(key)
        if found is None:
            if len(self._buckets) >= _MOST_BUCKETS:
                self._forget_idle(now)
            found = self._buckets[key] = _Bucket(quota.value, now)
        found.fill(quota.value, now)
        return found

    def _forget_idle(self, now: float) -> None:
        """Forget the buckets that nobody took from for a minute: most are full again."""
        idle = [key for key, bucket in self._buckets.items() if now - bucket.at > _MINUTE]
        for key in idle:
            if self._buckets[key].level >= 0:
                del self._buckets[key]
