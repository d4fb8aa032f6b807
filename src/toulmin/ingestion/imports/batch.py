"""How far an import is, and what goes into its next batch."""

from __future__ import annotations

from dataclasses import dataclass, field

from toulmin.domain import Document, IngestedDocument, JsonObject
from toulmin.errors import ToulminError
from toulmin.ingestion.sources.items import ImportItem
from toulmin.stores.records import OperationError

NO_DOCUMENTS = {"DOCUMENT_HIDDEN", "DOCUMENT_LINK", "DOCUMENT_TYPE_UNSUPPORTED"}
"""Why a source leaves out files that never become documents: nothing can be missing for these."""

MAX_BYTES = 32 * 2**20
"""Text and images of a batch, and raw bytes of a group, above which it is closed."""
_MAX_CHUNKS = 512
"""Chunks of a batch above which it is closed: about ten seconds of embedding on 2 cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportState:
    """How far an import is; the operation's cursor.

    Attributes:
        phase: "read", then "sweep", or "kept" when nothing may be swept.
        source: Where the source is to go on.
        written: Documents stored.
        unchanged: Documents that were there already, the same.
        failed: Items that failed.
        unreadable: Of these, the ones of which not even the id is known.
        deleted: Documents swept.
    """

    phase: str = "read"
    source: JsonObject = field(default_factory=dict)
    written: int = 0
    unchanged: int = 0
    failed: int = 0
    unreadable: int = 0
    deleted: int = 0

    @property
    def items(self) -> int:
        """Items so far."""
        return self.written + self.unchanged + self.failed

    def result(self) -> JsonObject:
        """Return the operation's result."""
        return {
            "success_count": self.written + self.unchanged,
            "failure_count": self.failed,
            "unchanged_count": self.unchanged,
            "deleted_count": self.deleted,
            "sweep_skipped": self.phase == "kept",
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """An item that was looked at: a document with a good id, or an error.

    Attributes:
        item: The item.
        document: The document, with its id.
        error: Why there is none.
        id: Id of the document that the item is about; empty: not known.
    """

    item: ImportItem
    document: Document | None = None
    error: ToulminError | None = None
    id: str = ""


@dataclass(slots=True)
class Tally:
    """What goes into the next batch."""

    documents: list[IngestedDocument] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    errors: list[OperationError] = field(default_factory=list)
    unchanged: int = 0
    unreadable: int = 0
    source: JsonObject = field(default_factory=dict)
    bytes: int = 0
    chunks: int = 0

    def add(self, entry: Entry, outcome: IngestedDocument | ToulminError | None) -> None:
        """Take what became of an entry; None: it is unchanged."""
        self.source = entry.item.cursor
        if isinstance(outcome, IngestedDocument):
            self.documents.append(outcome)
            self.bytes += _size(outcome)
            self.chunks += len(outcome.chunks)
            return
        if entry.id:
            self.seen.append(entry.id)
        if outcome is None:
            self.unchanged += 1
        else:
            self.errors.append(OperationError.of(outcome, entry.item.where))
            # Nothing is known of it, perhaps not even that it is one document.
            self.unreadable += not entry.item.document and outcome.reason not in NO_DOCUMENTS

    @property
    def is_full(self) -> bool:
        """Whether the batch should be written now."""
        return self.bytes >= MAX_BYTES or self.chunks >= _MAX_CHUNKS


def _size(item: IngestedDocument) -> int:
    content = item.document.content
    raw = len(content.raw_bytes or b"") if content else 0
    return raw + len(item.text) + sum(len(blob.data) for blob in item.blobs)
