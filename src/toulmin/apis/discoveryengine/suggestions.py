"""What completes a query: a `Completer` for each data store, kept ready.

It is made of the titles and headings of the documents, or of what users searched for. The first
request for a data store makes its completer and waits for it. Once what it is made of has changed a
thread makes a new one, at most every 30 s; until then the old one answers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from toulmin.domain import Branch
from toulmin.errors import ToulminError, Unavailable
from toulmin.retrieval.completion import Completer, fold
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore

RENEWED_AFTER_S = 30.0
_MOST_KEPT = 64
"""Data stores whose completers are kept; of more, those asked for last."""
_SCAN = 1_000
FEWEST_USERS = 2
"""Users that must have searched for a query before others are shown it: what one typed alone may
be about that one."""

Phrases: TypeAlias = Iterable[tuple[str, str, Sequence[str]]]
"""What a `Completer` is made of."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Entry:
    """The completer of one data store; `lock` is held while the first one is made."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    completer: Completer | None = None
    position: int = 0
    made_at: float = 0.0


class Suggestions:
    """The completers of data stores; threads may share it.

    Args:
        records: Returns the record store.
        phrases: Returns what the completer of a data store is made of.
        position: Returns what differs, given the number of a data store, once `phrases` would; -1:
            nobody knows now.
        renewed_after_s: Seconds for which a completer answers at least.
        start: Runs work beside the caller.
    """

    def __init__(
        self,
        records: Callable[[], RecordStore],
        *,
        phrases: Callable[[str], Phrases],
        position: Callable[[int], int],
        renewed_after_s: float = RENEWED_AFTER_S,
        start: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self._records = records
        self._phrases = phrases
        self._position = position
        self._renewed_after_s = renewed_after_s
        self._start = start or _start_thread
        self._entries: OrderedDict[int, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._renewing = threading.Lock()

    def suggest(self, data_store: str, prefix: str, *, limit: int) -> tuple[str, ...]:
        """Return what begins with `prefix` in the phrases of a data store, as `Completer` does.

        Args:
            data_store: Canonical name.
            prefix: What was typed.
            limit: At most so many.

        Raises:
            NotFound: There is no such data store.
        """
        with self._records().read() as transaction:
            key = transaction.resources.data_store_key(data_store)
        entry = self._entry(key)
        with entry.lock:
            if entry.completer is None:
                self._make(entry, data_store, self._position(key))
            completer = entry.completer
        self._renew_if_old(entry, data_store, key)
        return completer.suggest(prefix, limit=limit) if completer is not None else ()

    def _entry(self, key: int) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > _MOST_KEPT:
                self._entries.popitem(last=False)
            return entry

    def _renew_if_old(self, entry: _Entry, data_store: str, key: int) -> None:
        if time.monotonic() - entry.made_at < self._renewed_after_s:
            return
        position = self._position(key)
        if position in (entry.position, -1) or not self._renewing.acquire(blocking=False):
            return

        def renew() -> None:
            try:
                self._make(entry, data_store, position)
            except ToulminError as error:  # the data store is gone, or the server is closing
                logger.info("Suggestions of %s stay as they are: %s", data_store, error.message)
            except Exception:  # a defect of ours must not end in silence
                logger.exception("Suggestions of %s could not be renewed", data_store)
            finally:
                self._renewing.release()

        self._start(renew)

    def _make(self, entry: _Entry, data_store: str, position: int) -> None:
        """Make the completer; `position` was read before, so what changes meanwhile is seen."""
        completer = Completer(self._phrases(data_store))
        entry.completer, entry.position = completer, position
        entry.made_at = time.monotonic()


def document_suggestions(
    records: Callable[[], RecordStore],
    indexer: Callable[[], Indexer],
    *,
    renewed_after_s: float = RENEWED_AFTER_S,
    start: Callable[[Callable[[], None]], None] | None = None,
) -> Suggestions:
    """Return suggestions of titles and headings, those of most documents first.

    Args:
        records: Returns the record store.
        indexer: Returns what knows how far a data store's documents are.
        renewed_after_s: Seconds for which a completer answers at least.
        start: Runs work beside the caller.
    """

    def phrases(data_store: str) -> Iterator[tuple[str, str, Sequence[str]]]:
        after = ""
        while True:
            with records().read() as transaction:
                found = transaction.documents.headlines(
                    Branch(data_store), after_id=after, limit=_SCAN
                )
            for headline in found:
                yield headline.id, headline.title, headline.headings
            if len(found) < _SCAN:
                return
            after = found[-1].id

    def position(key: int) -> int:
        """Return the number of the last change of a data store; -1: its index is being built."""
        try:
            return indexer().index_of(key, timeout_s=0.0).position
        except Unavailable:
            return -1

    return Suggestions(
        records, phrases=phrases, position=position, renewed_after_s=renewed_after_s, start=start
    )


def event_suggestions(
    records: Callable[[], RecordStore],
    *,
    renewed_after_s: float = RENEWED_AFTER_S,
    start: Callable[[Callable[[], None]], None] | None = None,
) -> Suggestions:
    """Return suggestions of what at least two users searched for, what most did first.

    Args:
        records: Returns the record store.
        renewed_after_s: Seconds for which a completer answers at least.
        start: Runs work beside the caller.
    """

    def phrases(data_store: str) -> Iterator[tuple[str, str, Sequence[str]]]:
        queries: defaultdict[str, dict[str, str]] = defaultdict(dict)
        with records().read() as transaction:
            for user, query in transaction.user_events.searches(data_store):
                queries[fold(query).strip()].setdefault(user, query)
        for users in queries.values():
            if len(users) >= FEWEST_USERS:
                yield from ((user, query, ()) for user, query in users.items())

    def position(key: int) -> int:
        with records().read() as transaction:
            return hash(transaction.user_events.position(key))

    return Suggestions(
        records, phrases=phrases, position=position, renewed_after_s=renewed_after_s, start=start
    )


def _start_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="suggestions", daemon=True).start()
