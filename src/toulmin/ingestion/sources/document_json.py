"""Documents as the API writes them in JSON: lines of import files, inline documents.

Keys may be spelled as in the API's JSON or as in its protobuf: `structData` or `struct_data`.
https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.collections.dataStores.branches.documents
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import orjson

from toulmin.domain import Document, DocumentContent, JsonObject
from toulmin.errors import InvalidArgument, Unimplemented

_ID, _NAME = "id", "name"
_STRUCT, _JSON = "structData", "jsonData"
_SCHEMA, _PARENT, _CONTENT = "schemaId", "parentDocumentId", "content"
_MIME, _URI, _BYTES = "mimeType", "uri", "rawBytes"
_OUTPUT_ONLY = ("derivedStructData", "indexTime", "indexStatus")
"""Taken and not looked at, as the API does: a document that was read can be written again."""
_ACL = "aclInfo"


def _spellings(*keys: str) -> Mapping[str, str]:
    """Return the key for each of its spellings."""
    table = {key: key for key in keys}
    for key in keys:
        table["".join(f"_{char.lower()}" if char.isupper() else char for char in key)] = key
    return table


_DOCUMENT_KEYS = _spellings(
    _ID, _NAME, _STRUCT, _JSON, _SCHEMA, _PARENT, _CONTENT, _ACL, *_OUTPUT_ONLY
)
_CONTENT_KEYS = _spellings(_MIME, _URI, _BYTES)


def document_from_json(value: object, *, field: str) -> Document:
    """Return the document that a JSON value describes; its id is not looked into.

    Where there is no `id`, it is the last part of `name`; where there is neither, it is empty.

    Args:
        value: What `json.loads` or the like made of it.
        field: Path of the value in the request, for errors, such as "documents[3]"; "" for none.

    Raises:
        InvalidArgument: It is not a document. The violation names the field.
        Unimplemented: It says who may read it (`aclInfo`), which Toulmin does not keep to.
    """
    given = _object(value, _DOCUMENT_KEYS, field)
    if given.get(_ACL):
        raise Unimplemented(
            f"{_join(field, _ACL)}: this version does not control who may read a document, so one"
            " that is not for everybody is refused"
        )
    if _STRUCT in given and _JSON in given:
        raise InvalidArgument.of_field(
            _join(field, _JSON), "a document has structData or jsonData; both are given"
        )
    struct = given.get(_STRUCT)
    if struct is not None and not isinstance(struct, Mapping):
        raise _wrong_type(_join(field, _STRUCT), "an object", struct)
    return Document(
        id=_id(given, field),
        schema_id=_text(given, _SCHEMA, field) or "default_schema",
        struct_data=struct,
        json_data=_json_data(given, field),
        content=_content(given[_CONTENT], _join(field, _CONTENT)) if _CONTENT in given else None,
        parent_document_id=_text(given, _PARENT, field),
    )


def document_to_json(document: Document) -> dict[str, Any]:
    """Return what the owner gave of a document, as the API's JSON; rawBytes in base64.

    `document_from_json` makes an equal document of it, but for what the store added.
    """
    found: dict[str, Any] = {_ID: document.id, _SCHEMA: document.schema_id}
    if document.struct_data is not None:
        found[_STRUCT] = dict(document.struct_data)
    if document.json_data is not None:
        found[_JSON] = document.json_data
    if document.parent_document_id:
        found[_PARENT] = document.parent_document_id
    if document.content is not None:
        content = found[_CONTENT] = {_MIME: document.content.mime_type}
        if document.content.raw_bytes is not None:
            content[_BYTES] = base64.b64encode(document.content.raw_bytes).decode("ascii")
        elif document.content.uri:
            content[_URI] = document.content.uri
    return found


def _object(value: object, known: Mapping[str, str], field: str) -> dict[str, Any]:
    """Return an object with the API's spelling of its keys; null means absent, as in protobuf."""
    if not isinstance(value, Mapping):
        raise _wrong_type(field or "document", "an object", value)
    found: dict[str, Any] = {}
    for key, item in value.items():
        if key not in known:
            names = ", ".join(sorted(set(known.values())))
            raise InvalidArgument.of_field(
                _join(field, str(key)), f"there is no such field; there are {names}"
            )
        if item is None:
            continue
        if known[key] in found:
            raise InvalidArgument.of_field(_join(field, key), "is given in both spellings")
        found[known[key]] = item
    return found


def _id(given: Mapping[str, Any], field: str) -> str:
    from_name = _text(given, _NAME, field).rpartition("/")[2]
    found = _text(given, _ID, field) or from_name
    if from_name and from_name != found:
        raise InvalidArgument.of_field(
            _join(field, _ID), f"is {found!r}, but the name ends in {from_name!r}"
        )
    return found


def _text(given: Mapping[str, Any], key: str, field: str) -> str:
    found = given.get(key, "")
    if not isinstance(found, str):
        raise _wrong_type(_join(field, key), "a string", found)
    return found


def _json_data(given: Mapping[str, Any], field: str) -> str | None:
    if _JSON not in given:
        return None
    text = _text(given, _JSON, field)
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument.of_field(_join(field, _JSON), f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _wrong_type(_join(field, _JSON), "the text of a JSON object", value)
    return text


def _content(value: object, field: str) -> DocumentContent:
    given = _object(value, _CONTENT_KEYS, field)
    uri = _text(given, _URI, field)
    encoded = _text(given, _BYTES, field)
    if uri and encoded:
        raise InvalidArgument.of_field(field, "has uri or rawBytes; both are given")
    if not uri and _BYTES not in given:
        raise InvalidArgument.of_field(field, "must have a uri or rawBytes; neither is given")
    raw = None if uri else _decode(encoded, _join(field, _BYTES))
    return DocumentContent(mime_type=_text(given, _MIME, field), uri=uri, raw_bytes=raw)


def _decode(text: str, field: str) -> bytes:
    """Return the bytes behind base64 or base64url, with or without padding."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidArgument.of_field(field, f"is neither base64 nor base64url: {error}") from None


def _wrong_type(field: str, wanted: str, value: object) -> InvalidArgument:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    names |= {list: "a list", dict: "an object", type(None): "null"}
    found = names.get(type(value), type(value).__name__)
    return InvalidArgument.of_field(field, f"must be {wanted}; it is {found}")


def _join(field: str, key: str) -> str:
    return f"{field}.{key}" if field else key


def data_of(document: Document) -> JsonObject:
    """Return a document's data as an object, in whichever form it came; {} when it has none."""
    if document.json_data is not None:
        found: JsonObject = orjson.loads(document.json_data)
        return found
    return document.struct_data or {}
