"""Documents and chunks: Discovery Engine messages to our nouns and back, in every version.

A `Struct` knows one kind of number, a double: whole ones below 2**53 become int here, as a JSON
parser would read them; larger ones of JSON that was imported lose digits on the way out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson
from google.protobuf.struct_pb2 import NULL_VALUE

from toulmin.apis.discoveryengine.names import chunk_name, document_name
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import (
    Branch,
    Chunk,
    DataStore,
    Document,
    DocumentContent,
    JsonObject,
)
from toulmin.errors import FieldViolation, InvalidArgument, Unimplemented
from toulmin.ingestion.document_ids import check_document_id
from toulmin.ingestion.sources.document_json import data_of
from toulmin.ingestion.sources.uri import MAX_URI_CHARS

if TYPE_CHECKING:
    from google.protobuf.struct_pb2 import Struct, Value

_MAX_WHOLE: Final = 2.0**53
"""Whole doubles below this are exact."""

_OWN_FIELDS: Final = ("schema_id", "struct_data", "json_data", "content", "parent_document_id")
"""What the owner of a document sets, beside its id."""

_SHOWN_DERIVED: Final = (
    "title",
    "link",
    "mime_type",
    "pages",
    "language",
    "author",
    "created",
    "modified",
    "notes",
)
"""What callers see of `Document.derived`, in `derived_struct_data`."""


def to_document(message: pb.Document, id_: str, *, default_schema_id: str, field: str) -> Document:
    """Return the document that a `Document` message states; what is output only is passed over.

    Args:
        message: The message.
        id_: Id of the document, checked already.
        default_schema_id: Schema of a document that names none.
        field: Path of the message in the request, for errors.

    Raises:
        InvalidArgument: A field is wrong; names it.
    """
    struct_data, json_data = _data_of(message, field)
    parent = message.parent_document_id
    if parent:
        check_document_id(parent, field=f"{field}.parent_document_id")
    if parent == id_:
        raise InvalidArgument.of_field(
            f"{field}.parent_document_id", f'"{parent}" is the document itself; name another'
        )
    return Document(
        id=id_,
        schema_id=message.schema_id or default_schema_id,
        struct_data=struct_data,
        json_data=json_data,
        content=_content_of(message, f"{field}.content"),
        parent_document_id=parent,
    )


def refuse_access_control(message: pb.Document, store: DataStore, *, field: str) -> None:
    """Refuse a document that only some may read: this version lets every caller read everything.

    Raises:
        Unimplemented: The data store is to control access.
        InvalidArgument: It is not.
    """
    if not message.acl_info.readers:
        return
    if store.fields.get("aclEnabled"):
        raise Unimplemented(
            f"{field}.acl_info: access control of documents is not implemented in this version of"
            " Toulmin; every caller may read every document"
        )
    raise InvalidArgument.of_field(
        f"{field}.acl_info",
        f"names readers, but {store.name} has acl_enabled false: every caller may read every"
        " document; leave it out",
    )


def in_wire_terms(error: InvalidArgument, *, field: str) -> InvalidArgument:
    """Return the same error with the paths in a document as paths in the request.

    Args:
        error: About a document; its paths begin at the document.
        field: Path of the document in the request.
    """
    violations = [
        FieldViolation(_wire_field(violation.field, field), violation.description)
        for violation in error.violations
    ]
    message = "; ".join(f"{item.field}: {item.description}" for item in violations)
    return InvalidArgument(message or error.message, violations=violations, reason=error.reason)


def _wire_field(path: str, field: str) -> str:
    head = path.partition(".")[0].partition("[")[0]
    if head in ("uri", "mime_type"):
        return f"{field}.content.{path}"
    return f"{field}.{path}" if head in _OWN_FIELDS else path


def _data_of(message: pb.Document, field: str) -> tuple[JsonObject | None, str | None]:
    kind = message.WhichOneof("data")
    if kind == "struct_data":
        return struct_to_json(message.struct_data, field=f"{field}.struct_data"), None
    if kind == "json_data":
        return None, _checked_json(message.json_data, f"{field}.json_data")
    return None, None


def _checked_json(text: str, field: str) -> str:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument.of_field(field, f"is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidArgument.of_field(
            field, f"is a JSON {_json_kind(value)}; it must be an object, such as {{}}"
        )
    return text


def _json_kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, list):
        return "array"
    return "string" if isinstance(value, str) else "number"


def _content_of(message: pb.Document, field: str) -> DocumentContent | None:
    if not message.HasField("content"):
        return None
    content = message.content
    kind = content.WhichOneof("content")
    if kind is None or not getattr(content, kind):
        raise InvalidArgument.of_field(
            field, "has neither `raw_bytes` nor `uri`; give the bytes or where they are"
        )
    if kind == "raw_bytes":
        return DocumentContent(mime_type=content.mime_type, raw_bytes=content.raw_bytes)
    if len(content.uri) > MAX_URI_CHARS:
        raise InvalidArgument.of_field(
            f"{field}.uri",
            f"has {len(content.uri):,} characters; at most {MAX_URI_CHARS:,} are allowed",
        )
    return DocumentContent(mime_type=content.mime_type, uri=content.uri)


def fill_document(
    message: pb.Document, document: Document, branch: Branch, *, with_bytes: bool
) -> None:
    """Write `document` into an empty `Document` message of any version.

    Args:
        message: The message to fill.
        document: The document.
        branch: Where it is.
        with_bytes: Whether `content.raw_bytes` are shown, if `document` has them.
    """
    message.name = document_name(branch, document.id)
    fill_data(message, document, with_bytes=with_bytes)
    shown = {key: document.derived[key] for key in _SHOWN_DERIVED if document.derived.get(key)}
    if shown:
        fill_struct(message.derived_struct_data, shown)
    status = message.index_status
    if document.index_time is not None:
        message.index_time.FromDatetime(document.index_time)
        status.index_time.FromDatetime(document.index_time)
    else:
        status.pending_message = "The document has not been indexed yet."


def fill_data(message: pb.Document, document: Document, *, with_bytes: bool) -> None:
    """Write into an empty `Document` message what the owner of a document can set."""
    message.id = document.id
    message.schema_id = document.schema_id
    message.parent_document_id = document.parent_document_id
    if document.struct_data is not None:
        fill_struct(message.struct_data, document.struct_data)
    elif document.json_data is not None:
        message.json_data = document.json_data
    content = document.content
    if content is not None:
        message.content.mime_type = content.mime_type
        if content.uri:
            message.content.uri = content.uri
        elif with_bytes and content.raw_bytes is not None:
            message.content.raw_bytes = content.raw_bytes


def fill_chunk(
    message: pb.Chunk,
    chunk: Chunk,
    document: Document,
    branch: Branch,
    *,
    previous: Sequence[Chunk] = (),
    next_: Sequence[Chunk] = (),
) -> None:
    """Write `chunk` into an empty `Chunk` message of any version; its score is the caller's.

    Args:
        message: The message to fill.
        chunk: The chunk.
        document: Its document, with or without bytes.
        branch: Where the document is.
        previous: Chunks before it, in the order of the document.
        next_: Chunks after it.
    """
    _fill_chunk_alone(message, chunk, branch)
    metadata = message.document_metadata
    metadata.uri = uri_of(document)
    metadata.title = title_of(document)
    if "mime_type" in metadata.DESCRIPTOR.fields_by_name:  # v1beta only
        metadata.mime_type = _mime_type_of(document)
    data = data_of(document)
    if data:
        fill_struct(metadata.struct_data, data)
    for neighbours, name in ((previous, "previous_chunks"), (next_, "next_chunks")):
        for neighbour in neighbours:
            _fill_chunk_alone(getattr(message.chunk_metadata, name).add(), neighbour, branch)


def _mime_type_of(document: Document) -> str:
    given = document.content.mime_type if document.content else ""
    return given or str(document.derived.get("mime_type") or "")


def _fill_chunk_alone(message: pb.Chunk, chunk: Chunk, branch: Branch) -> None:
    message.name = chunk_name(branch, chunk.document_id, chunk.id)
    message.id = chunk.id
    message.content = chunk.content
    if chunk.page_start is not None:
        message.page_span.page_start = chunk.page_start
        message.page_span.page_end = chunk.page_end or chunk.page_start
    if chunk.headings:
        fill_struct(message.derived_struct_data, {"headings": chunk.headings})


def title_of(document: Document) -> str:
    """Return the title that was found in the document or in its data, or nothing."""
    return str(document.derived.get("title") or "")


def uri_of(document: Document) -> str:
    """Return where people find the document: its link, else where its content is, or nothing."""
    link = document.derived.get("link") or (document.content.uri if document.content else "")
    return str(link)


def struct_to_json(message: Struct, *, field: str) -> dict[str, Any]:
    """Return a `Struct` as a JSON object, keys in order of the alphabet.

    Args:
        message: The `Struct`.
        field: Its path in the request, for errors.

    Raises:
        InvalidArgument: A number is infinite or NaN, which JSON lacks.
    """
    fields = message.fields
    return {key: _value_to_json(fields[key], field, key) for key in sorted(fields)}


def _value_to_json(value: Value, field: str, key: str | int) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value
    if kind == "number_value":
        return _number(value.number_value, field, key)
    if kind == "bool_value":
        return value.bool_value
    if kind == "struct_value":
        return struct_to_json(value.struct_value, field=_below(field, key))
    if kind == "list_value":
        above = _below(field, key)
        return [
            _value_to_json(item, above, index) for index, item in enumerate(value.list_value.values)
        ]
    return None


def _number(value: float, field: str, key: str | int) -> int | float:
    if value.is_integer() and abs(value) < _MAX_WHOLE:
        return int(value)
    if not math.isfinite(value):
        raise InvalidArgument.of_field(
            _below(field, key), f"is {value}; a number must be finite, as JSON has no other"
        )
    return value


def _below(field: str, key: str | int) -> str:
    return f"{field}[{key}]" if isinstance(key, int) else f"{field}.{key}"


def fill_struct(message: Struct, values: JsonObject) -> None:
    """Write a JSON object into a `Struct`, beside the fields that it has."""
    message.SetInParent()
    fields = message.fields
    for key, value in values.items():
        _fill_value(fields[key], value)


def _fill_value(message: Value, value: Any) -> None:
    if isinstance(value, str):
        message.string_value = value
    elif value is None:
        message.null_value = NULL_VALUE
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int | float):
        message.number_value = value
    elif isinstance(value, Mapping):
        fill_struct(message.struct_value, value)
    else:
        message.list_value.SetInParent()
        items = message.list_value.values
        for item in value:
            _fill_value(items.add(), item)
