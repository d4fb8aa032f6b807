"""Corpora, documents and chunks -> the API: what is missing is made, what differs is changed.

So the same import can be run again: after it was stopped it goes on, and when nothing has changed
it does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toulmin.cli.corpora.items import (
    API_VERSION,
    Found,
    Item,
    Kind,
    Problem,
    item_of,
    metadata_json,
)
from toulmin.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)

if TYPE_CHECKING:
    from toulmin.cli.access import Api

MOST_PROBLEMS: Final = 100
_BATCH: Final = 100
_MISSING: Final = (NotFound, PermissionDenied)
"""What the API answers for a document, and for a corpus, that is not there."""
_OF_ITEMS: Final = (InvalidArgument, FailedPrecondition)
"""Errors for which one item is to blame; after any other the import cannot go on."""


@dataclass(slots=True)
class Count:
    """What became of the items of one kind."""

    created: int = 0
    changed: int = 0
    same: int = 0
    failed: int = 0


@dataclass(slots=True)
class CorpusWriter:
    """Writes items in any order; `end` writes what is left.

    Attributes:
        api: Where they go.
        dry_run: Whether everything is looked at, and nothing written.
        counts: What became of the items so far.
        problems: The first problems, in order.
        unread: How many items could not be read.
    """

    api: Api
    dry_run: bool = False
    counts: dict[Kind, Count] = field(default_factory=lambda: {kind: Count() for kind in Kind})
    problems: list[Problem] = field(default_factory=list)
    unread: int = 0
    _known: dict[str, bool] = field(default_factory=dict)
    _waiting: list[Item] = field(default_factory=list)
    _stored: tuple[str, dict[str, Item]] = field(default_factory=lambda: ("", {}))

    def take(self, found: Found) -> None:
        """Write an item, now or with the next of its document.

        Raises:
            ToulminError: The import cannot go on.
        """
        if isinstance(found, Problem):
            self.unread += 1
            self._note(found)
        elif found.kind is Kind.CHUNK:
            if self._waiting and (
                self._waiting[0].parent != found.parent or len(self._waiting) == _BATCH
            ):
                self.end()
            self._waiting.append(found)
        else:
            self.end()
            self._write(found)

    def end(self) -> None:
        """Write the chunks that wait.

        Raises:
            ToulminError: The import cannot go on.
        """
        chunks, self._waiting = self._waiting, []
        if not chunks:
            return
        document = chunks[0].parent
        if not self._is_there(document):
            self.counts[Kind.CHUNK].failed += len(chunks)
            return
        stored = self._chunks_of(document)
        # The last of several with one name counts, as if they had been written one by one.
        latest = {chunk.name: chunk for chunk in chunks}
        new = [chunk for chunk in latest.values() if chunk.name not in stored]
        old = [chunk for chunk in latest.values() if chunk.name in stored]
        changed = [chunk for chunk in old if _differs(chunk, stored[chunk.name])]
        count = self.counts[Kind.CHUNK]
        count.same += len(old) - len(changed)
        count.created += self._write_chunks(document, "batchCreate", new)
        count.changed += self._write_chunks(document, "batchUpdate", changed)

    def _is_there(self, name: str) -> bool:
        """Return whether a corpus or document is there; one that nothing was said of is made."""
        if name not in self._known:
            kind = Kind.DOCUMENT if "/documents/" in name else Kind.CORPUS
            self._write(Item(kind, name, name), is_implied=True)
        return self._known[name]

    def _write(self, item: Item, *, is_implied: bool = False) -> None:
        """Make or change a corpus or a document.

        Args:
            item: What it is to be.
            is_implied: Whether only its name is known, so that nothing is changed.
        """
        count = self.counts[item.kind]
        if item.kind is Kind.DOCUMENT and not self._is_there(item.parent):
            self._known[item.name] = False
            count.failed += 1
            return
        try:
            stored = self._get(item.name)
            if stored is None:
                self._create(item)
                count.created += 1
            elif not is_implied and _differs(item, stored):
                self._change(item)
                count.changed += 1
            elif not is_implied:
                count.same += 1
        except _OF_ITEMS as error:
            count.failed += 1
            self._known.setdefault(item.name, False)
            self._note(Problem(_place(item), error.message))
            return
        self._known[item.name] = True

    def _get(self, name: str) -> Item | None:
        try:
            return item_of(self.api.call("GET", name, version=API_VERSION))
        except _MISSING:
            return None

    def _create(self, item: Item) -> None:
        path = "corpora" if item.kind is Kind.CORPUS else f"{item.parent}/documents"
        if not self.dry_run:
            self.api.call("POST", path, {"name": item.name, **_fields(item)}, version=API_VERSION)

    def _change(self, item: Item) -> None:
        mask = "displayName" if item.kind is Kind.CORPUS else "displayName,customMetadata"
        if not self.dry_run:
            query = {"updateMask": mask}
            self.api.call("PATCH", item.name, _fields(item), query, version=API_VERSION)

    def _chunks_of(self, document: str) -> dict[str, Item]:
        """Return the chunks that a document has by now, by name."""
        if self._stored[0] != document:
            self._stored = (document, dict(self._list_chunks(document)))
        return self._stored[1]

    def _list_chunks(self, document: str) -> list[tuple[str, Item]]:
        found: list[tuple[str, Item]] = []
        token = ""
        while True:
            query = {"pageSize": _BATCH} | ({"pageToken": token} if token else {})
            try:
                page = self.api.call("GET", f"{document}/chunks", None, query, version=API_VERSION)
            except _MISSING:  # in a dry run nothing was made
                return found
            found += [(value["name"], item_of(value)) for value in page.get("chunks", [])]
            token = page.get("nextPageToken", "")
            if not token:
                return found

    def _write_chunks(self, document: str, method: str, chunks: Sequence[Item]) -> int:
        """Write up to 100 chunks at once, or else one by one; return how many were written."""
        if not chunks:
            return 0
        body = {"requests": [_request(chunk, method) for chunk in chunks]}
        try:
            if not self.dry_run:
                self.api.call("POST", f"{document}/chunks:{method}", body, version=API_VERSION)
        except _OF_ITEMS as error:
            if len(chunks) > 1:
                return sum(self._write_chunks(document, method, [chunk]) for chunk in chunks)
            self.counts[Kind.CHUNK].failed += 1
            self._note(Problem(_place(chunks[0]), error.message))
            return 0
        self._stored[1].update((chunk.name, chunk) for chunk in chunks)
        return len(chunks)

    def _note(self, problem: Problem) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def _request(chunk: Item, method: str) -> dict[str, Any]:
    body = {"name": chunk.name, **_fields(chunk)}
    if method == "batchUpdate":
        return {"chunk": body, "updateMask": "data,customMetadata"}
    return {"parent": chunk.parent, "chunk": body}


def _fields(item: Item) -> dict[str, Any]:
    """Return what the API is to keep of an item."""
    if item.kind is Kind.CORPUS:
        return {"displayName": item.display_name}
    metadata = {"customMetadata": metadata_json(item.metadata or {})}
    if item.kind is Kind.DOCUMENT:
        return {"displayName": item.display_name, **metadata}
    return {"data": {"stringValue": item.text}, **metadata}


def _differs(wanted: Item, stored: Item) -> bool:
    return (wanted.display_name, dict(wanted.metadata or {}), wanted.text) != (
        stored.display_name,
        dict(stored.metadata or {}),
        stored.text,
    )


def _place(item: Item) -> str:
    return item.name if item.where == item.name else f"{item.where}: {item.name}"
