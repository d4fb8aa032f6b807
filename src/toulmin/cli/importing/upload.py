"""An import into a server's data store, through its public REST API.

Files are read by this process and sent as inline documents, in batches below the server's limits;
or, by path, the server is told where they are and reads them itself.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import orjson

from toulmin.cli.importing.status import ImportStatus, named
from toulmin.errors import FailedPrecondition, ResourceExhausted, ToulminError
from toulmin.ingestion.imports.batch import NO_DOCUMENTS
from toulmin.ingestion.parsing.file_format import BY_SUFFIX, FileFormat
from toulmin.ingestion.sources.document_json import document_to_json
from toulmin.ingestion.sources.files import read_files

if TYPE_CHECKING:
    from toulmin.cli.access import Api
    from toulmin.cli.importing.job import ImportJob
    from toulmin.domain import Document
    from toulmin.ingestion.sources import SourceContext
    from toulmin.ingestion.sources.items import ImportItem

MOST_SAMPLES: Final = 100
_MOST_IN_BATCH: Final = 100
_MOST_PURGED: Final = 1000
_LEFT_BYTES: Final = 64 * 1024
"""Room in a request for what is around the documents."""
_LOOK_S: Final = 0.3
_PAGE: Final = 1000
_CANCELLED: Final = 1
_UNTITLED: Final = frozenset(
    {
        FileFormat.TEXT,
        FileFormat.CSV,
        FileFormat.TSV,
        FileFormat.XLSX,
        FileFormat.XLS,
        FileFormat.ODS,
        FileFormat.JSON,
        FileFormat.JSONL,
        FileFormat.XML,
        FileFormat.IMAGE,
    }
)
"""Formats without a title of their own; bytes alone do not tell the file's name."""


@dataclass(slots=True)
class _Tally:
    """What has become of the items so far."""

    success: int = 0
    failure: int = 0
    deleted: int = 0
    cancelled: bool = False
    problem: str = ""
    unreadable: bool = False
    samples: list[tuple[str, str]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def fail(self, item: str, message: str) -> None:
        self.failure += 1
        self.sample(item, message)

    def sample(self, item: str, message: str) -> None:
        if len(self.samples) < MOST_SAMPLES:
            self.samples.append((item, message))

    def status(self, total: int, *, done: bool = False) -> ImportStatus:
        return ImportStatus(
            success=self.success,
            failure=self.failure,
            total=total,
            done=done,
            cancelled=self.cancelled,
            problem=self.problem,
            samples=tuple(self.samples),
            deleted=self.deleted,
        )


class Upload:
    """Sends files to a server.

    Args:
        api: The server.
        job: What to import.
        context: What reads the files here.
        max_body_bytes: Largest request that the server takes.
    """

    def __init__(
        self, api: Api, job: ImportJob, context: SourceContext, *, max_body_bytes: int
    ) -> None:
        self._api = api
        self._job = job
        self._context = context
        self._room = max(max_body_bytes - _LEFT_BYTES, 1)

    def run(self, stop: threading.Event) -> Iterator[ImportStatus]:
        """Import all of it, yielding how far it is; the last status is the outcome.

        Args:
            stop: Set to end after the batch in hand.
        """
        listing = self._job.listing(self._context)
        relative = {file.uri: file.relative for file in listing.files}
        total = len(listing.files) + len(listing.problems)
        tally = _Tally()
        items = read_files(self._job.files(), listing, {}, self._context)
        yield from self._send(items, relative, tally, stop, total=total)
        if self._job.full and not tally.cancelled and not tally.problem:
            self._delete_others(tally)
        yield tally.status(total, done=True)

    def run_some(
        self, documents: Sequence[Document], stop: threading.Event
    ) -> Iterator[ImportStatus]:
        """Import documents whose content is at URIs of the job, by their ids; see `run`."""
        from toulmin.ingestion.sources.items import ImportItem

        items = (
            ImportItem(where=document.content.uri, cursor={}, document=document)
            for document in documents
            if document.content
        )
        tally = _Tally()
        listing = self._job.listing(self._context)
        relative = {file.uri: file.relative for file in listing.files}
        yield from self._send(items, relative, tally, stop, total=len(documents))
        yield tally.status(len(documents), done=True)

    def _send(
        self,
        items: Iterator[ImportItem],
        relative: dict[str, str],
        tally: _Tally,
        stop: threading.Event,
        *,
        total: int,
    ) -> Iterator[ImportStatus]:
        """Send the items in batches; each is done before the next goes."""
        batch: dict[str, tuple[str, dict[str, Any]]] = {}
        size = 0
        for item in items:
            if stop.is_set():
                break
            made = self._made(item, relative, tally)
            if made is None:
                continue
            yield tally.status(total)
            cost = _cost(made)
            if made["id"] in batch or len(batch) >= _MOST_IN_BATCH or size + cost > self._room:
                yield from self._import(batch, tally, stop, total=total)
                batch, size = {}, 0
                if tally.problem or stop.is_set():
                    break
            batch[made["id"]] = (item.where, made)
            size += cost
        if batch and not stop.is_set() and not tally.problem:
            yield from self._import(batch, tally, stop, total=total)
        tally.cancelled = stop.is_set()

    def _made(
        self, item: ImportItem, relative: dict[str, str], tally: _Tally
    ) -> dict[str, Any] | None:
        """Return a document as JSON with its bytes in; None: it failed here."""
        if item.document is not None:
            tally.ids.add(item.document.id)
        if item.error or item.document is None:
            reason = item.error.reason if item.error else ""
            if item.document is None and reason not in NO_DOCUMENTS:
                tally.unreadable = True
            tally.fail(item.where, item.error.message if item.error else "has no document")
            return None
        try:
            return self._with_bytes(item.document, relative)
        except ToulminError as error:
            tally.fail(item.where, error.message)
            return None

    def _with_bytes(self, document: Document, relative: dict[str, str]) -> dict[str, Any]:
        content = document.content
        if self._job.schema == "content" and content and content.uri:
            found = self._context.fetch(content.uri)
            known = dataclasses.replace(content, uri="", raw_bytes=found.data)
            document = dataclasses.replace(
                document,
                content=known,
                struct_data=_name_data(relative.get(content.uri, content.uri)),
            )
        made = document_to_json(document)
        if _cost(made) > self._room:
            raise ResourceExhausted(
                f"is larger than a request to the server may be ({self._room:,} bytes, encoded);"
                " raise max_body_bytes there and here, or let the server read it (--by-path)"
            )
        return made

    def _import(
        self,
        batch: dict[str, tuple[str, dict[str, Any]]],
        tally: _Tally,
        stop: threading.Event,
        *,
        total: int,
    ) -> Iterator[ImportStatus]:
        documents = [made for _, made in batch.values()]
        places = [where for where, _ in batch.values()]
        body: dict[str, Any] = {"inlineSource": {"documents": documents}}
        if self._job.force:
            body["forceRefreshContent"] = True
        operation = self._api.call("POST", f"{self._job.branch}/documents:import", body)
        before = dataclasses.replace(tally, samples=[])
        for status in follow(self._api, operation, stop):
            tally.success = before.success + status.success
            tally.failure = before.failure + status.failure
            if status.done:
                tally.problem = status.problem
                for item, message in status.samples:
                    tally.sample(*named(item, message, places))
            yield tally.status(total)

    def _delete_others(self, tally: _Tally) -> None:
        """Delete the documents that were not among those sent, unless some could not be read."""
        if tally.unreadable or not tally.ids:
            why = "some items could not be read" if tally.unreadable else "there are no files"
            tally.sample("", f"Nothing was deleted: {why}.")
            return
        gone = [id_ for id_ in document_ids(self._api, self._job.branch) if id_ not in tally.ids]
        tally.deleted = delete_documents(self._api, self._job.branch, gone)


class ImportByPath:
    """Has the server read the files itself, where its import_roots allow it.

    Args:
        api: The server.
        job: What to import; ids of files are hashes of their URIs, as the API makes them.
    """

    def __init__(self, api: Api, job: ImportJob) -> None:
        self._api = api
        self._job = job

    def run(self, stop: threading.Event) -> Iterator[ImportStatus]:
        """Import all of it; see `Upload.run`."""
        asked = self._job.request()
        body = {
            "gcsSource": {
                "inputUris": [_as_uri(uri) for uri in self._job.uris],
                "dataSchema": self._job.schema,
            },
            "reconciliationMode": asked["reconciliation_mode"],
        }
        options = {
            "autoGenerateIds": self._job.generate_ids,
            "idField": self._job.id_field,
            "forceRefreshContent": self._job.force,
        }
        body |= {key: value for key, value in options.items() if value}
        operation = self._api.call("POST", f"{self._job.branch}/documents:import", body)
        yield from follow(self._api, operation, stop)


def follow(api: Api, operation: dict[str, Any], stop: threading.Event) -> Iterator[ImportStatus]:
    """Yield how far an operation is until it is done; cancel it when `stop` is set."""
    is_cancelled = False
    while True:
        status = status_of(operation)
        yield status
        if status.done:
            return
        if stop.is_set() and not is_cancelled:
            is_cancelled = True
            api.call("POST", f"{operation['name']}:cancel", {})
        time.sleep(_LOOK_S)
        operation = api.call("GET", operation["name"])


def status_of(operation: dict[str, Any]) -> ImportStatus:
    """Return how far an operation of the API is."""
    metadata = operation.get("metadata", {})
    error = operation.get("error", {})
    is_cancelled = error.get("code") == _CANCELLED
    samples = operation.get("response", {}).get("errorSamples", [])
    return ImportStatus(
        success=int(metadata.get("successCount", 0)),
        failure=int(metadata.get("failureCount", 0)),
        total=int(metadata.get("totalCount", 0)),
        done=bool(operation.get("done")),
        cancelled=is_cancelled,
        problem="" if is_cancelled else error.get("message", ""),
        samples=tuple((_item_of(sample), sample.get("message", "")) for sample in samples),
    )


def document_ids(api: Api, branch: str) -> Iterator[str]:
    """Yield the id of every document, in order."""
    token = ""
    while True:
        query: dict[str, Any] = {"pageSize": _PAGE}
        page = api.call(
            "GET", f"{branch}/documents", query=query | ({"pageToken": token} if token else {})
        )
        for document in page.get("documents", []):
            yield document["id"]
        token = page.get("nextPageToken", "")
        if not token:
            return


def delete_documents(api: Api, branch: str, ids: Sequence[str]) -> int:
    """Delete documents and return how many there were; ids that are none are passed over.

    Raises:
        FailedPrecondition: The purge failed.
    """
    deleted = 0
    for start in range(0, len(ids), _MOST_PURGED):
        names = [f"{branch}/documents/{id_}" for id_ in ids[start : start + _MOST_PURGED]]
        body = {"inlineSource": {"documents": names}, "force": True}
        operation = api.call("POST", f"{branch}/documents:purge", body)
        while not operation.get("done"):
            time.sleep(_LOOK_S)
            operation = api.call("GET", operation["name"])
        if operation.get("error"):
            raise FailedPrecondition(str(operation["error"].get("message", "nothing was deleted")))
        deleted += int(operation.get("response", {}).get("purgeCount", 0))
    return deleted


def _cost(made: dict[str, Any]) -> int:
    """Return about how many bytes a document takes in a request, never too few."""
    content = made.get("content", {})
    rest = {**made, "content": {**content, "rawBytes": ""}}
    return len(content.get("rawBytes", "")) + len(orjson.dumps(rest)) + 16


def _name_data(relative: str) -> dict[str, str]:
    """Return what the bytes of a file do not tell: its path, and its name as a title if need be."""
    data = {"uri": relative}
    path = PurePosixPath(relative)
    if BY_SUFFIX.get(path.suffix.lower().removeprefix(".")) in _UNTITLED:
        data["title"] = path.stem
    return data


def _item_of(sample: dict[str, Any]) -> str:
    for detail in sample.get("details", []):
        if detail.get("@type", "").endswith(".ResourceInfo"):
            return str(detail.get("resourceName", ""))
    return ""


def _as_uri(uri: str) -> str:
    """Return a URI as the API takes it: a pattern of this machine as `file://`, its stars kept."""
    return uri if not uri.startswith("/") else "file://" + quote(uri, safe="/*")
