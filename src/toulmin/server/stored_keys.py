"""The keys of the record store, in memory: read again when they are a second old.

So a request costs no query, and what `toulmin keys` does in another process, or another replica,
takes effect within that second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from toulmin.errors import Unavailable
from toulmin.stores.records import ApiKey, RecordStore
from toulmin.stores.records.postgresql_servers import DATABASE_UNAVAILABLE

FRESH_S: Final = 1.0
LONGEST_S: Final = 5.0
"""A database that has not said for so long which keys there are counts as away: every request
waits for them, also one that needs nothing else of it."""


class StoredKeys:
    """The keys by the hashes of their texts; used on the event loop.

    Args:
        records: Returns the record store.
        longest_s: Longest wait for the database.
    """

    def __init__(self, records: Callable[[], RecordStore], *, longest_s: float = LONGEST_S) -> None:
        self._records = records
        self._longest_s = longest_s
        self._keys: Mapping[bytes, ApiKey] = {}
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None
        self._began = 0.0

    async def current(self) -> Mapping[bytes, ApiKey]:
        """Return all keys, expired and revoked ones too.

        Raises:
            Unavailable: The database cannot be reached. Keys that could have been revoked since
                they were read are not gone by.
        """
        if not self._is_fresh():
            await self._read_anew()
        return self._keys

    async def _read_anew(self) -> None:
        """Wait for the reading that is under way, or begin one."""
        reading = self._reading
        if reading is None or reading.done():
            self._began = time.monotonic()
            reading = self._reading = asyncio.create_task(self._refresh())
            reading.add_done_callback(_looked_at)
        left = self._began + self._longest_s - time.monotonic()
        await asyncio.wait({reading}, timeout=max(0.0, left))
        if not reading.done():
            raise Unavailable(
                "The keys could not be read from the database in time; try again.",
                reason=DATABASE_UNAVAILABLE,
            )
        reading.result()

    async def _refresh(self) -> None:
        self._keys = await asyncio.to_thread(self._read)
        self._read_at = time.monotonic()

    def exist(self) -> bool:
        """Return whether a key was ever made; for use before the event loop runs."""
        return bool(self._read())

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < FRESH_S

    def _read(self) -> Mapping[bytes, ApiKey]:
        with self._records().read() as transaction:
            return {key.digest: key for key in transaction.api_keys.list()}


def _looked_at(reading: asyncio.Task[None]) -> None:
    """Keep asyncio from complaining where everybody who waited has gone by then."""
    if not reading.cancelled():
        reading.exception()
