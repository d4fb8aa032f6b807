"""The targets of what is imported record by record, and of bytes of protobuf."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from types import SimpleNamespace
from typing import Any

import orjson

from toulmin.apis.aip import values
from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.json_dump import dump_json
from toulmin.apis.aip.json_parse import json_parser
from toulmin.apis.schema import Schema, load_schema
from toulmin.errors import InvalidArgument, ToulminError
from toulmin.ingestion.sources import csv_records, json_records
from toulmin.ingestion.sources.files import FilesRequest, _item
from toulmin.ingestion.sources.records import Record
from toulmin.server.grpc import _decode
from toulmin.stores.records.tables import Json

_V1 = "google.cloud.discoveryengine.v1."
_TYPES = (
    _V1 + "CheckGroundingRequest",
    _V1 + "Document",
    _V1 + "SearchRequest",
    _V1 + "UserEvent",
    "google.cloud.ces.v1.App",
    "google.ai.generativelanguage.v1beta.GenerateContentRequest",
)
_MOST_VALUES = 100
_WHOLE = 20_000
_SCHEMAS = ("document", "custom", "csv")


@cache
def _schema() -> Schema:
    return load_schema()


def imported(data: bytes) -> None:
    """A file of records, by the first byte: what comes out can be stored, or says why not.

    Reading that goes on in the middle yields what reading from the beginning did.
    """
    if not data:
        return
    schema, content = _SCHEMAS[data[0] % len(_SCHEMAS)], data[1:]
    tabbed = bool(data[0] & 16)
    try:
        found = list(_records(schema, content, {}, tabbed=tabbed))
    except InvalidArgument as error:
        assert error.message
        return
    request = FilesRequest(("file:///a",), schema)
    context: Any = SimpleNamespace(auto_generate_ids=bool(data[0] & 8), id_field="")
    for record in found:
        assert (record.value is None) != (record.error is None)
        item = _item(record, "a", "1", request, context)
        if item.document is None:
            assert isinstance(item.error, ToulminError)
            continue
        item.document.id.encode()
        with suppress(InvalidArgument):  # nested too deeply to be kept
            Json().process_bind_param(item.document.struct_data, None)
    if found:
        middle = len(found) // 2
        rest = list(_records(schema, content, found[middle].next, tabbed=tabbed))
        assert [_said(one) for one in rest] == [_said(one) for one in found[middle + 1 :]]


def _records(
    schema: str, content: bytes, start: dict[str, Any], *, tabbed: bool
) -> Iterator[Record]:
    stream = io.BytesIO(content)
    if schema != "csv":
        return json_records.read(stream, start, whole_limit=_WHOLE)
    delimiter = "\t" if tabbed else ","
    return csv_records.read(stream, start, delimiter=delimiter, text_keys=frozenset({"_id"}))


def _said(record: Record) -> tuple[str, Any, bytes, str]:
    error = record.error.message if record.error else ""
    return record.where, record.next, orjson.dumps(repr(record.value)), error


def wire(data: bytes) -> None:
    """Bytes of a request over gRPC: what is taken can be written as JSON and as bytes again."""
    if not data:
        return
    message_class = _schema().message_class(_TYPES[data[0] % len(_TYPES)])
    before = values.MAX_VALUES
    values.MAX_VALUES = _MOST_VALUES  # type: ignore[misc]
    try:
        message = _decode(message_class, data[1:])
    except InvalidArgument as error:
        assert error.message
        return
    finally:
        values.MAX_VALUES = before  # type: ignore[misc]
    message.SerializeToString(deterministic=True)
    try:
        dump_json(message, enums_as_ints=True)
    except ToulminError as error:
        assert error.message


def updates(data: bytes) -> None:
    """A mask and a message for UpdateDocument: what is merged is the same when merged again.

    Paths stand in the first line, between commas; the new message is the rest, as JSON.
    """
    first, _, body = data.partition(b"\n")
    message_class = _schema().message_class(_V1 + "Document")
    parser = json_parser(_schema())
    old = parser.parse(_OLD, message_class)
    try:
        new = parser.parse(body, message_class)
        mask = parser.parse(b'{"updateMask": "x"}', _schema().message_class(_UPDATE)).update_mask
        del mask.paths[:]
        mask.paths.extend(part for part in first.decode("utf-8", "ignore").split(",") if part)
        paths = masked_paths(mask, message_class.DESCRIPTOR)
    except InvalidArgument as error:
        assert error.violations
        return
    merged = merge(old, new, paths)
    assert merge(merged, new, paths) == merged
    if paths == ("*",):
        assert merged == new


_UPDATE = _V1 + "UpdateDocumentRequest"
_OLD = b"""{"id": "a", "structData": {"a": {"b": 1, "c": [2]}, "d": "e"},
 "content": {"mimeType": "text/plain", "uri": "gs://b/o"}, "indexTime": "2024-01-01T00:00:00Z"}"""
