"""The search index of one data store, whatever state its folder is in."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from toulmin.errors import Unavailable
from toulmin.stores.index.embedded import EmbeddedIndex, discard
from toulmin.stores.index.protocol import IndexUnusable, IndexWriter

logger = logging.getLogger(__name__)


class StoreIndex:
    """The index of one data store: opened once, filled when new, thrown away when unusable.

    Args:
        folder: Where it is.
        lineage: What it is derived from and with (see `EmbeddedIndex`).
        dimensions: Length of the vectors.
        fill: Puts everything that the records have of the data store into a new index.
        newest: Returns the number of the records' last change; an index beyond it is of others.
    """

    def __init__(
        self,
        folder: Path,
        *,
        lineage: str,
        dimensions: int,
        fill: Callable[[IndexWriter], None],
        newest: Callable[[], int],
    ) -> None:
        self._folder = folder
        self._lineage = lineage
        self._dimensions = dimensions
        self._fill = fill
        self._newest = newest
        self._lock = threading.Lock()
        self._index: EmbeddedIndex | None = None
        self._closed = False

    def peek(self) -> EmbeddedIndex | None:
        """Return the index if it is open."""
        return self._index

    def get(self, *, timeout_s: float) -> EmbeddedIndex:
        """Return the index, opening it if need be.

        Raises:
            Unavailable: Another thread builds it, and is not done in time.
        """
        if (index := self._index) is not None:
            return index
        if not self._lock.acquire(timeout=timeout_s):
            raise Unavailable(
                "the search index of this data store is being built anew from the records; try"
                " again later",
                reason="SEARCH_INDEX_REBUILDING",
            )
        try:
            return self._opened()
        finally:
            self._lock.release()

    def open(self) -> EmbeddedIndex:
        """Return the index, opening or building it if need be, however long it takes."""
        with self._lock:
            return self._opened()

    def forget(self) -> None:
        """Throw away what is on disk; the next `open` builds it anew."""
        with self._lock:
            if self._index is not None:
                self._index.close()
                self._index = None
            discard(self._folder)

    def close(self) -> None:
        """Let go of the folder."""
        with self._lock:
            self._closed = True
            if self._index is not None:
                self._index.close()
                self._index = None

    def _opened(self) -> EmbeddedIndex:
        if self._closed:
            raise Unavailable("the search index is closed; the server is shutting down")
        if self._index is None:
            index = self._on_disk()
            try:
                if index.position == 0:
                    self._fill(index)
            except BaseException:
                index.close()
                raise
            self._index = index
        return self._index

    def _on_disk(self) -> EmbeddedIndex:
        try:
            index = self._new()
        except IndexUnusable as error:
            logger.warning("%s It is built anew from the records.", error.message)
            discard(self._folder)
            return self._new()
        is_ahead = index.position > self._newest()
        if is_ahead:  # an old copy of the records was put beside it
            logger.warning(
                "The search index in %s knows changes that the records do not have: older records"
                " were put beside it, or their last writes are lost. It is built anew from them.",
                self._folder,
            )
        is_cut_off = index.position == 0 and index.count().chunks > 0
        if is_ahead or is_cut_off:
            index.close()
            discard(self._folder)
            index = self._new()
        return index

    def _new(self) -> EmbeddedIndex:
        return EmbeddedIndex(self._folder, lineage=self._lineage, dimensions=self._dimensions)
