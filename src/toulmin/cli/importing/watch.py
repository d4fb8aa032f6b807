"""Looking at files again and again, and importing what changed.

A file has changed when its size or the time of its last change has. What is new, changed or gone is
found by looking at every file each time: that needs no support of the operating system, works on
network drives, and costs about a second for 100,000 files.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from toulmin.cli.importing.status import ImportStatus, error_lines, shown_item
from toulmin.errors import ToulminError
from toulmin.ingestion.sources.files import read_files

if TYPE_CHECKING:
    from toulmin.cli.importing.job import ImportJob
    from toulmin.domain import Document
    from toulmin.ingestion.sources import SourceContext


class Importer(Protocol):
    """What imports a job: this process, or a server."""

    def run_some(self, documents: list[Document], stop: threading.Event) -> Iterator[ImportStatus]:
        """Import documents whose content is at URIs, yielding how far it is."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files at one moment.

    Attributes:
        versions: By URI, what differs when the file does.
        documents: By URI, the document that each is.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two snapshots: URIs, sorted."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.gone)


def snapshot(job: ImportJob, context: SourceContext) -> Snapshot:
    """Return the files that a job names, as they are now.

    Raises:
        ToulminError: They cannot be listed.
    """
    listing = job.listing(context)
    versions: dict[str, str] = {}
    for file in listing.files:
        try:
            versions[file.uri] = context.version(file.uri)
        except ToulminError:  # gone since it was listed: the next look sees it
            continue
    documents = {
        item.where: item.document
        for item in read_files(job.files(), listing, {}, context)
        if item.document and item.where in versions
    }
    return Snapshot(versions, documents)


def changes(before: Snapshot, after: Snapshot) -> Changes:
    """Return what is new, changed and gone."""
    return Changes(
        new=tuple(sorted(after.versions.keys() - before.versions.keys())),
        changed=tuple(
            sorted(
                uri
                for uri, version in after.versions.items()
                if before.versions.get(uri, version) != version
            )
        ),
        gone=tuple(sorted(before.versions.keys() - after.versions.keys())),
    )


@dataclass(frozen=True, slots=True)
class Watch:
    """What a watch needs.

    Attributes:
        importer: Imports what is new or has changed.
        delete: Deletes documents by id.
        look: Returns the files as they are now.
        say: Prints a line.
    """

    importer: Importer
    delete: Callable[[list[str]], object]
    look: Callable[[], Snapshot]
    say: Callable[[str], None]

    def run(self, before: Snapshot, stop: threading.Event, *, interval_s: float) -> None:
        """Look every `interval_s` seconds until `stop` is set.

        Args:
            before: The files as they were imported.
            stop: Ends the watch, after what is in hand.
            interval_s: Pause between two looks.
        """
        while not stop.wait(interval_s):
            try:
                before = self.step(before, stop)
            except ToulminError as error:  # the server is away, a folder is: look again later
                self.say(f"waiting: {error.message}")

    def step(self, before: Snapshot, stop: threading.Event) -> Snapshot:
        """Bring the data store up to the files once, and return them as imported.

        Raises:
            ToulminError: The files cannot be listed, or the import not be begun.
        """
        now = self.look()
        found = changes(before, now)
        if not found:
            return before
        if found.gone:
            # A file that moved between two named folders may have the id of one that is there.
            kept = {document.id for document in now.documents.values()}
            ids = [before.documents[uri].id for uri in found.gone if uri in before.documents]
            self.delete([id_ for id_ in ids if id_ not in kept])
            self._say_each("deleted", found.gone)
        if found.new or found.changed:
            wanted = [now.documents[uri] for uri in (*found.new, *found.changed)]
            status = deque(self.importer.run_some(wanted, stop), maxlen=1).pop()
            if status.cancelled or status.problem:
                if status.problem:
                    self.say(f"waiting: {status.problem}")
                return before
            failed = {item for item, _ in status.samples}
            self._say_each("new", [uri for uri in found.new if uri not in failed])
            self._say_each("changed", [uri for uri in found.changed if uri not in failed])
            for line in error_lines(status):
                self.say(f"failed {line.strip()}")
        return now

    def _say_each(self, what: str, uris: Iterable[str]) -> None:
        for uri in uris:
            self.say(f"{what} {shown_item(uri)}")
