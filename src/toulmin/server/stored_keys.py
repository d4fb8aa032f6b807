"""The keys of the record store, in memory: read again when they are a second old.

So a request costs no query, and what `toulmin keys` does in another process, or another replica,
takes effect within that second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from toulmin.stores.records import ApiKey, RecordStore

FRESH_S: Final = 1.0


class StoredKeys:
    """The keys by the hashes of their texts; used on the event loop.

    Args:
        records: Returns the record store.
    """

    def __init__(self, records: Callable[[], RecordStore]) -> None:
        self._records = records
        self._keys: Mapping[bytes, ApiKey] = {}
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()

    async def current(self) -> Mapping[bytes, ApiKey]:
        """Return all keys, expired and revoked ones too.

        Raises:
            Unavailable: The database cannot be reached. Keys that could have been revoked since
                they were read are not gone by.
        """
        if not self._is_fresh():
            async with self._reading:
                if not self._is_fresh():
                    self._keys = await asyncio.to_thread(self._read)
                    self._read_at = time.monotonic()
        return self._keys

    def exist(self) -> bool:
        """Return whether a key was ever made; for use before the event loop runs."""
        return bool(self._read())

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < FRESH_S

    def _read(self) -> Mapping[bytes, ApiKey]:
        with self._records().read() as transaction:
            return {key.digest: key for key in transaction.api_keys.list()}
