"""Messages of the semantic retriever -> stored documents and chunks, and back.

Custom metadata are kept under the very names by which metadata filters speak of them
(`document.custom_metadata.KEY`, `chunk.custom_metadata.KEY`), so the index has them as they come.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from toulmin.apis.aip.field_mask import masked_paths
from toulmin.apis.aip.operations import set_time
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    chunk_name,
    corpus_id_of,
    corpus_name,
    document_name,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.domain import Chunk, DataStore, Document, JsonObject
from toulmin.errors import InvalidArgument
from toulmin.ingestion.token_count import count_tokens

if TYPE_CHECKING:
    from google.protobuf.field_mask_pb2 import FieldMask
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

MOST_METADATA: Final = 20
MOST_CHUNK_TOKENS: Final = 2_043
_State: Final = pb.Chunk.State
_METADATA: Final = "custom_metadata"
_DISPLAY_NAME: Final = "display_name"


def document_data(display_name: str, metadata: JsonObject) -> JsonObject:
    """Return a document's display name and custom metadata as the record store keeps them."""
    return {_DISPLAY_NAME: display_name, "document": {_METADATA: metadata}}


def display_name_of(document: Document) -> str:
    """Return the display name of a document."""
    return str((document.struct_data or {}).get(_DISPLAY_NAME, ""))


def document_metadata(document: Document) -> JsonObject:
    """Return the custom metadata of a document, by key."""
    return _inner(document.struct_data or {}, "document")


def chunk_data(metadata: JsonObject) -> JsonObject:
    """Return a chunk's custom metadata as the record store keeps them."""
    return {"chunk": {_METADATA: metadata}} if metadata else {}


def chunk_metadata(chunk: Chunk) -> JsonObject:
    """Return the custom metadata of a chunk, by key."""
    return _inner(chunk.metadata, "chunk")


def to_metadata(messages: Iterable[pb.CustomMetadata], *, field: str) -> JsonObject:
    """Return the values of `CustomMetadata` messages by key: text, number or list of texts.

    Raises:
        InvalidArgument: There are more than 20, a key is missing or comes twice, or a value is
            missing or no finite number.
    """
    found: dict[str, Any] = {}
    for number, message in enumerate(messages):
        path = f"{field}[{number}]"
        if number == MOST_METADATA:
            raise InvalidArgument.of_field(field, f"has over {MOST_METADATA} entries, the limit")
        if not message.key:
            raise InvalidArgument.of_field(f"{path}.key", "is required")
        if message.key in found:
            raise InvalidArgument.of_field(f"{path}.key", f'"{message.key[:200]}" comes twice')
        found[message.key] = _value(message, path)
    return found


def to_content(message: pb.Chunk, *, field: str) -> str:
    """Return the words of a `Chunk` message.

    Raises:
        InvalidArgument: There are none, or more than 2,043 tokens.
    """
    text: str = message.data.string_value
    path = f"{field}.data.string_value"
    if not text.strip():
        raise InvalidArgument.of_field(path, "is required; it must have a visible character")
    if "\0" in text:
        raise InvalidArgument.of_field(path, "has a NUL character")
    # A token has at least one character: short texts need not be counted.
    tokens = count_tokens(text) if len(text) > MOST_CHUNK_TOKENS else 0
    if tokens > MOST_CHUNK_TOKENS:
        raise InvalidArgument.of_field(
            path, f"has {tokens:,} tokens, the limit is {MOST_CHUNK_TOKENS:,}; split it"
        )
    return text


def changed_fields(
    mask: FieldMask,
    message: pb.Chunk | pb.Corpus | pb.Document | pb.Permission,
    allowed: Iterable[str],
) -> frozenset[str]:
    """Return the fields of `message` that an update changes; "*" stands for all of `allowed`.

    Raises:
        InvalidArgument: The mask is missing, or names a field that cannot be changed.
    """
    known = sorted(allowed)
    paths = masked_paths(mask, message.DESCRIPTOR)
    if paths is None:
        raise InvalidArgument.of_field(
            "update_mask", f"is required; it may name {' and '.join(known)}"
        )
    if paths == ("*",):
        return frozenset(known)
    names = frozenset(path.split(".")[0] for path in paths)
    if wrong := sorted(names - set(known)):
        raise InvalidArgument.of_field(
            "update_mask", f'"{wrong[0]}" cannot be changed; only {" and ".join(known)} can'
        )
    return names


def fill_corpus(message: pb.Corpus, corpus: DataStore) -> None:
    """Write a corpus into an empty `Corpus`."""
    message.name = corpus_name(corpus_id_of(corpus.name))
    message.display_name = corpus.display_name
    set_time(message.create_time, corpus.create_time)
    set_time(message.update_time, corpus.update_time)


def fill_document(message: pb.Document, document: Document, corpus_id: CorpusId) -> None:
    """Write a document into an empty `Document`."""
    message.name = document_name(corpus_id, document.id)
    message.display_name = display_name_of(document)
    _fill_metadata(message.custom_metadata, document_metadata(document))
    set_time(message.create_time, document.create_time)
    set_time(message.update_time, document.update_time)


def fill_chunk(message: pb.Chunk, chunk: Chunk, corpus_id: CorpusId, *, searchable: bool) -> None:
    """Write a chunk into an empty `Chunk`.

    Args:
        message: Where it goes.
        chunk: The chunk.
        corpus_id: Its corpus.
        searchable: Whether queries find it by now.
    """
    message.name = chunk_name(corpus_id, chunk.document_id, chunk.id)
    message.data.string_value = chunk.content
    _fill_metadata(message.custom_metadata, chunk_metadata(chunk))
    set_time(message.create_time, chunk.create_time)
    set_time(message.update_time, chunk.update_time)
    message.state = _State.STATE_ACTIVE if searchable else _State.STATE_PENDING_PROCESSING


def _value(message: pb.CustomMetadata, path: str) -> str | float | list[str]:
    kind = message.WhichOneof("value")
    if kind is None:
        raise InvalidArgument.of_field(
            path, "has no value; give string_value, string_list_value or numeric_value"
        )
    if kind == "string_list_value":
        return list(message.string_list_value.values)
    if kind == "numeric_value":
        if not math.isfinite(message.numeric_value):
            raise InvalidArgument.of_field(f"{path}.numeric_value", "must be a finite number")
        return float(message.numeric_value)
    return str(message.string_value)


def _fill_metadata(
    messages: RepeatedCompositeFieldContainer[pb.CustomMetadata], metadata: Mapping[str, Any]
) -> None:
    for key, value in metadata.items():
        message = messages.add(key=key)
        if isinstance(value, str):
            message.string_value = value
        elif isinstance(value, list):
            message.string_list_value.SetInParent()
            message.string_list_value.values.extend(value)
        else:
            message.numeric_value = value


def _inner(data: JsonObject, owner: str) -> JsonObject:
    found: JsonObject = data.get(owner, {}).get(_METADATA, {})
    return found
