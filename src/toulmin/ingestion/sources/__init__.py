"""Where do documents come from? A source of an import request -> its items, one after the other.

In: the `source` of an import request and a cursor. Out: `ImportItem`s, each a document or what is
wrong with it, and each with the cursor at which to go on after it. Nothing is written.

    files.py          {"files": {"uris": [...], "schema": ..., "ids": ...}}
    inline.py         {"inline": [document, ...]}
    context.py        what the settings allow; reads one file for those who parse it
    storage.py        what every place of files does; reading what changes meanwhile
    local.py          file:// and absolute paths, beneath allowed folders, without fsspec
    objects.py        gs:// and s3://, beneath allowed prefixes, through fsspec
    https.py          https://, on public addresses
    uri.py            URIs and patterns
    json_records.py   JSONL and JSON files -> records; csv_records.py; records.py
    document_json.py  a document as JSON -> `Document`, and back
    database.py       a database's URL and a query -> rows; table_rows.py: rows -> documents
    items.py          what comes out: a document or what is wrong with it
    ids.py            ids of documents that bring none

Items come in an order that depends on nothing but what is there: by URI, then by place in the
file. A source that is opened with a cursor goes on where the item with that cursor ended; records
of a file that has changed since are read again from its beginning, which does no harm as documents
are replaced by id. A file that was added with a URI before the cursor's is for the next import.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from toulmin.domain import JsonObject
from toulmin.errors import InvalidArgument
from toulmin.ingestion.sources.context import SourceContext
from toulmin.ingestion.sources.files import FilesRequest, list_files, read_files
from toulmin.ingestion.sources.inline import read_inline
from toulmin.ingestion.sources.items import ImportItem
from toulmin.ingestion.sources.storage import Fetched

__all__ = ["Fetched", "Source", "SourceContext", "check_source", "open_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """The items of an import after a cursor; to be gone through once.

    Attributes:
        total: Items from the beginning, errors included; None: unknown before they are read.
    """

    total: int | None
    _items: Iterator[ImportItem] = field(repr=False)

    def __iter__(self) -> Iterator[ImportItem]:
        return self._items


def open_source(source: JsonObject, *, cursor: JsonObject, context: SourceContext) -> Source:
    """Return the items that come after a cursor. Files are listed here and read later.

    Args:
        source: `{"inline": [...]}` or `{"files": {...}}`.
        cursor: An item's; {}: the beginning.
        context: What may be read.

    Raises:
        InvalidArgument: The source is wrong.
        PermissionDenied: The settings do not allow a URI.
        FailedPrecondition: A package is missing.
    """
    request = check_source(source, context=context)
    if not isinstance(request, FilesRequest):
        return Source(len(request), read_inline(request, cursor))
    listing = list_files(request, context)
    is_counted = request.schema == "content"
    total = len(listing.problems) + len(listing.files) if is_counted else None
    return Source(total, read_files(request, listing, cursor, context))


def check_source(source: JsonObject, *, context: SourceContext) -> FilesRequest | list[object]:
    """Return what a source asks for, without reading any of it.

    Raises:
        As `open_source`.
    """
    if source.keys() == {"inline"}:
        documents = source["inline"]
        if not isinstance(documents, list | tuple):
            raise InvalidArgument.of_field("inline", "must be a list of documents")
        _check_ids(context, has_data_only=False)
        return list(documents)
    if source.keys() != {"files"}:
        raise InvalidArgument.of_field("source", "must have either inline or files")
    request = FilesRequest.from_json(source["files"])
    _check_ids(context, has_data_only=request.has_data_only)
    for uri in request.uris:
        context.check(uri)
    return request


def _check_ids(context: SourceContext, *, has_data_only: bool) -> None:
    if context.auto_generate_ids and context.id_field:
        raise InvalidArgument.of_field("id_field", "must be empty with auto_generate_ids")
    for name, is_set in (
        ("auto_generate_ids", context.auto_generate_ids),
        ("id_field", bool(context.id_field)),
    ):
        if is_set and not has_data_only:
            raise InvalidArgument.of_field(name, "may only be set with the schemas custom and csv")
