"""The operation `purge-documents`: delete what a filter chooses, or what ids name, in steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from toulmin.domain import Branch, Document, JsonObject
from toulmin.errors import InvalidArgument
from toulmin.ingestion.imports.importing import branch_of, wait_for_search
from toulmin.stores.records import Batch, Operation, Progress, RecordStore, Transaction
from toulmin.stores.records.operation_runner import Handler

KIND = "purge-documents"

MAX_SAMPLE = 100
"""Names in the result of a purge that only says what would go."""
_STEP = 500
"""Documents looked at in one transaction."""


def purge_documents_handler(
    *,
    records: Callable[[], RecordStore],
    matches: Callable[[str], Callable[[Document], bool]],
    wait_searchable: Callable[[int], None],
) -> Handler:
    """Return what does operations of kind `purge-documents`.

    Without `force` an operation counts what would go and gives a sample of the names; nothing is
    deleted. Documents written after the operation was asked for stay.

    Args:
        records: The record store.
        matches: Turns a filter (never "*") into what says whether a document goes; raises
            InvalidArgument when the filter is wrong.
        wait_searchable: Waits until the change of that number in the outbox is searchable.
    """

    def handle(operation: Operation, stop: threading.Event) -> Generator[Batch, None, JsonObject]:
        purge = _Purge(operation, stop)
        request = operation.request
        if "ids" in request:
            yield from purge.by_ids(request["ids"])
        else:
            yield from purge.by_filter(_predicate(request.get("filter", ""), matches))
        wait_for_search(records(), wait_searchable, stop)
        return purge.result()

    return handle


def _predicate(
    expression: str, matches: Callable[[str], Callable[[Document], bool]]
) -> Callable[[Document], bool]:
    if not expression:
        raise InvalidArgument.of_field("filter", "is empty; write '*' to purge all documents.")
    return (lambda _: True) if expression == "*" else matches(expression)


class _Purge:
    """One run of one purge, from where the last one ended.

    The cursor: `after`, the last id (or number of ids) that was dealt with; `count` of documents
    that went or would go; `sample` of their names; `missing` ids; `done`.
    """

    def __init__(self, operation: Operation, stop: threading.Event) -> None:
        self._stop = stop
        self._begun = operation.create_time
        self._force = bool(operation.request.get("force"))
        self._branch: Branch = branch_of(operation)
        self._cursor: dict[str, Any] = {"count": 0, "missing": 0, "sample": [], "done": False}
        self._cursor |= operation.cursor

    def by_filter(self, predicate: Callable[[Document], bool]) -> Iterator[Batch]:
        """Yield batches that look at all documents in the order of their ids."""

        def goes(document: Document) -> bool:
            written = document.update_time
            return (written is None or written <= self._begun) and predicate(document)

        def write(transaction: Transaction) -> Progress:
            step = transaction.documents.purge(
                self._branch,
                goes,
                after_id=before.get("after", ""),
                limit=_STEP,
                dry_run=not self._force,
            )
            return self._moved(before, step.matching, after=step.last_id, done=not step.last_id)

        while not self._cursor["done"] and not self._stop.is_set():
            before = self._cursor
            yield write

    def by_ids(self, ids: Sequence[str]) -> Iterator[Batch]:
        """Yield batches that delete the documents of these ids."""
        ids = list(dict.fromkeys(ids))

        def write(transaction: Transaction) -> Progress:
            start = before.get("after", 0)
            part = ids[start : start + _STEP]
            documents = transaction.documents
            if self._force:
                found: Sequence[str] = documents.delete(self._branch, part)
            else:
                there = documents.get_many(self._branch, part)
                found = [id_ for id_ in part if id_ in there]
            end = start + _STEP
            return self._moved(
                before, found, after=end, done=end >= len(ids), missing=len(part) - len(found)
            )

        while not self._cursor["done"] and not self._stop.is_set():
            before = self._cursor
            yield write

    def result(self) -> JsonObject:
        """Return the operation's result."""
        return {
            "purge_count": self._cursor["count"],
            "purge_sample": self._cursor["sample"],
            "ignored_count": self._cursor["missing"],
        }

    def _moved(
        self,
        before: dict[str, Any],
        found: Sequence[str],
        *,
        after: str | int,
        done: bool,
        missing: int = 0,
    ) -> Progress:
        names = [] if self._force else [f"{self._branch.name}/documents/{id_}" for id_ in found]
        self._cursor = {
            "after": after,
            "count": before["count"] + len(found),
            "missing": before["missing"] + missing,
            "sample": [*before["sample"], *names][:MAX_SAMPLE],
            "done": done,
        }
        return Progress(
            cursor=self._cursor,
            success=len(found) if self._force else 0,
            total=self._cursor["count"],
        )
