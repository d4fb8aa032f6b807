"""Files, folders and patterns -> import items, in the order of the files' URIs.

A cursor names the last file that is done (`after`), or the file that is being read, its version and
the place in it (`uri`, `version`, `place`). A file that is added later is seen when its URI comes
after the cursor's; a file that has changed since is read again from its beginning.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from toulmin.domain import Document, DocumentContent, JsonObject
from toulmin.errors import InvalidArgument, NotFound, ToulminError, Unavailable
from toulmin.ingestion.parsing.file_format import FileFormat, mime_type_of_name
from toulmin.ingestion.sources import csv_records, json_records
from toulmin.ingestion.sources.context import DEFAULT_ID_FIELD, SourceContext
from toulmin.ingestion.sources.document_json import document_from_json
from toulmin.ingestion.sources.ids import PathIds, id_of_data, id_of_uri
from toulmin.ingestion.sources.items import ImportItem
from toulmin.ingestion.sources.records import MAX_WHOLE_BYTES, Record, at
from toulmin.ingestion.sources.storage import Found, Stat, Storage, changed, hidden
from toulmin.ingestion.sources.uri import name_of

MAX_URIS = 100
SCHEMAS = ("document", "content", "csv", "custom")
_ENDINGS = {
    "document": (".json", ".jsonl", ".ndjson"),
    "custom": (".json", ".jsonl", ".ndjson"),
    "csv": (".csv", ".tsv", ".tab"),
}
"""Files of a folder that are read; in a schema without an entry all are."""


@dataclass(frozen=True, slots=True)
class FilesRequest:
    """What `{"files": ...}` asks for.

    Attributes:
        uris: Files, folders and patterns.
        schema: One of `SCHEMAS`.
        ids: For `content`: "uri" hashes each file's URI, "path" names it after its path.
    """

    uris: tuple[str, ...]
    schema: str = "document"
    ids: str = "uri"

    @classmethod
    def from_json(cls, value: object) -> FilesRequest:
        """Return the request.

        Raises:
            InvalidArgument: It is not one.
        """
        if not isinstance(value, dict) or not value.keys() <= {"uris", "schema", "ids"}:
            raise InvalidArgument.of_field("files", "must be {uris, schema, ids} and no more")
        uris = value.get("uris")
        if not isinstance(uris, list | tuple) or not all(isinstance(uri, str) for uri in uris):
            raise InvalidArgument.of_field("files.uris", "must be a list of strings")
        if not 1 <= len(uris) <= MAX_URIS:
            raise InvalidArgument.of_field(
                "files.uris", f"must have 1 to {MAX_URIS} entries; it has {len(uris)}"
            )
        schema = value.get("schema") or "document"
        if schema not in SCHEMAS:
            raise InvalidArgument.of_field(
                "files.schema", f"must be one of {', '.join(SCHEMAS)}; it is {schema!r}"
            )
        ids = value.get("ids") or "uri"
        if ids not in ("uri", "path"):
            raise InvalidArgument.of_field("files.ids", f"must be uri or path; it is {ids!r}")
        return cls(tuple(uris), schema, ids)

    @property
    def has_data_only(self) -> bool:
        """Whether items are data without an id of their own."""
        return self.schema in ("csv", "custom")


@dataclass(frozen=True, slots=True)
class Listing:
    """What the URIs of a request name.

    Attributes:
        problems: What is left out, as items' `where` and why, in the order of the URIs.
        files: What is read, by URI.
    """

    problems: list[tuple[str, ToulminError]] = field(default_factory=list)
    files: list[Found] = field(default_factory=list)


def list_files(request: FilesRequest, context: SourceContext) -> Listing:
    """Return every file that is meant, once, and whatever is wrong with the rest.

    Raises:
        ToulminError: A URI is wrong or not allowed, or a package is missing.
    """
    files: dict[str, Found] = {}
    problems: dict[str, ToulminError] = {}
    for uri in request.uris:
        context.check(uri)
    for uri in request.uris:
        is_empty = True
        try:
            for found in context.storage(uri).find(uri):
                if not _is_meant(found, request.schema):
                    continue
                is_empty = False
                problem = found.problem or _problem(found, request.schema)
                if problem:
                    problems.setdefault(found.uri, problem)
                else:
                    files.setdefault(found.uri, found)
        except ToulminError as error:
            is_empty = False
            problems.setdefault(uri, error)
        if is_empty:
            problems.setdefault(uri, NotFound(f"{uri}: nothing matched", reason="NOTHING_MATCHED"))
    return Listing(sorted(problems.items()), [files[uri] for uri in sorted(files)])


def _is_meant(found: Found, schema: str) -> bool:
    """Return whether a file is of the kind that is looked for in folders."""
    endings = _ENDINGS.get(schema)
    return found.named or not endings or found.uri.lower().endswith(endings)


def _problem(found: Found, schema: str) -> ToulminError | None:
    if found.relative.rpartition("/")[2].startswith("."):
        return hidden(found.uri)
    if schema != "content" or found.uri.startswith("https:"):  # a server says what it sends
        return None
    if mime_type_of_name(found.relative):
        return None
    return InvalidArgument(
        f"{found.uri}: its name does not end as one of a format that is read:"
        f" {', '.join(FileFormat)}",
        reason="DOCUMENT_TYPE_UNSUPPORTED",
    )


def read_files(
    request: FilesRequest, listing: Listing, cursor: JsonObject, context: SourceContext
) -> Iterator[ImportItem]:
    """Yield the items that come after a cursor."""
    begun = "after" in cursor or "uri" in cursor
    if not begun:
        for number, (where, error) in enumerate(listing.problems):
            if number >= cursor.get("problems", 0):
                yield ImportItem(where=where, cursor={"problems": number + 1}, error=error)
    files = _remaining(listing.files, cursor)
    if cursor.get("uri") and not (files and files[0].uri == cursor["uri"]):
        gone = cursor["uri"]
        yield ImportItem(
            where=gone,
            cursor={"after": gone},
            error=NotFound(f"{gone}: is gone; it was being read", reason="DOCUMENT_NOT_FOUND"),
        )
    if request.schema == "content":
        yield from _content(listing.files, files, by_path=request.ids == "path")
        return
    for file in files:
        yield from _records_of_file(file.uri, request, cursor, context)


def _remaining(files: list[Found], cursor: JsonObject) -> list[Found]:
    if "uri" in cursor:
        return [file for file in files if file.uri >= cursor["uri"]]
    return [file for file in files if file.uri > cursor.get("after", "")]


def _content(
    listed: Iterable[Found], files: Iterable[Found], *, by_path: bool
) -> Iterator[ImportItem]:
    """Yield a document for each file."""
    path_ids = PathIds(listed) if by_path else None
    for file in files:
        content = DocumentContent(mime_type=mime_type_of_name(name_of(file.uri)), uri=file.uri)
        document = Document(
            id=path_ids[file.uri] if path_ids else id_of_uri(file.uri), content=content
        )
        yield ImportItem(where=file.uri, cursor={"after": file.uri}, document=document)


def _records_of_file(
    uri: str, request: FilesRequest, cursor: JsonObject, context: SourceContext
) -> Iterator[ImportItem]:
    """Yield the documents of one file; what is wrong with all of it is one item more."""
    try:
        storage = context.storage(uri)
        known = storage.stat(uri)
        with _opened(storage, uri, known, context.limits.file_bytes) as (stream, version):
            is_same = cursor.get("uri") == uri and cursor.get("version") == version != ""
            start = cursor.get("place", {}) if is_same else {}
            for record in _records(stream, uri, start, request, context):
                yield _item(record, uri, version, request, context)
        if _is_streamed(known) and storage.stat(uri) != known:
            raise changed(uri)
    except ToulminError as error:
        named = error if error.message.startswith(uri) else at(uri, error)
        yield ImportItem(where=uri, cursor={"after": uri}, error=named)
    except OSError as error:
        failure = Unavailable(f"{uri}: cannot be read: {error}", reason="DOCUMENT_UNREADABLE")
        yield ImportItem(where=uri, cursor={"after": uri}, error=failure)


@contextmanager
def _opened(storage: Storage, uri: str, known: Stat, limit: int) -> Iterator[tuple[BinaryIO, str]]:
    """Give a file to read from and its version: a small one as it was at one moment."""
    if _is_streamed(known):
        with storage.open(uri) as stream:
            yield stream, known.version
        return
    found = storage.read(uri, limit)
    yield io.BytesIO(found.data), found.version


def _is_streamed(known: Stat) -> bool:
    return (known.size or 0) > MAX_WHOLE_BYTES


def _records(
    stream: BinaryIO, uri: str, start: JsonObject, request: FilesRequest, context: SourceContext
) -> Iterator[Record]:
    if request.schema != "csv":
        return json_records.read(stream, start, whole_limit=context.limits.file_bytes)
    is_tabbed = uri.lower().endswith((".tsv", ".tab"))
    return csv_records.read(
        stream,
        start,
        delimiter="\t" if is_tabbed else ",",
        text_keys=frozenset({context.id_field or DEFAULT_ID_FIELD}),
    )


def _item(
    record: Record, uri: str, version: str, request: FilesRequest, context: SourceContext
) -> ImportItem:
    where = f"{uri} {record.where}"
    cursor = {"uri": uri, "version": version, "place": record.next}
    try:
        if record.error:
            raise record.error
        if request.schema == "document":
            document = document_from_json(record.value, field="")
        else:
            document = _document_of_data(record.value or {}, context)
    except ToulminError as error:
        return ImportItem(where=where, cursor=cursor, error=at(where, error))
    return ImportItem(where=where, cursor=cursor, document=document)


def _document_of_data(data: JsonObject, context: SourceContext) -> Document:
    if context.auto_generate_ids:
        return Document(id=id_of_data(data), struct_data=data)
    key = context.id_field or DEFAULT_ID_FIELD
    found = data.get(key)
    if not isinstance(found, str) or not found:
        said = "is missing or empty" if found in (None, "") else f"is {found!r}, not a string"
        raise InvalidArgument.of_field(
            key,
            f"{said}; it is the document's id (name another in idField, or set autoGenerateIds)",
        )
    return Document(id=found, struct_data=data)
