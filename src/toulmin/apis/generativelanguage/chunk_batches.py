"""What the requests about chunks ask for: new ones, changed ones, ones to delete."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toulmin.apis.generativelanguage.convert import (
    changed_fields,
    chunk_data,
    to_content,
    to_metadata,
)
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    check_new_id,
    document_name,
    made_id,
    parse_chunk,
    parse_document,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.callers import Caller
from toulmin.domain import Chunk, JsonObject
from toulmin.errors import InvalidArgument

Place = tuple[CorpusId, str]
"""Corpus, and id of the document."""

MOST_IN_BATCH: Final = 100
_CHANGEABLE: Final = ("custom_metadata", "data")


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to write: id, words, custom metadata as the record store keeps them."""

    id: str
    content: str
    metadata: JsonObject

    def as_chunk(self, document_id: str) -> Chunk:
        """Return the chunk, without a vector."""
        return Chunk(
            id=self.id,
            document_id=document_id,
            content=self.content,
            start=0,
            end=len(self.content),
            metadata=self.metadata,
        )


@dataclass(frozen=True, slots=True)
class UpdatedChunk:
    """A chunk to change; None: as it is."""

    id: str
    content: str | None
    metadata: JsonObject | None

    def applied(self, old: Chunk) -> Chunk:
        """Return what `old` becomes; its vector is that of its old words."""
        content = old.content if self.content is None else self.content
        metadata = old.metadata if self.metadata is None else self.metadata
        return dataclasses.replace(old, content=content, end=len(content), metadata=metadata)


def new_chunk(message: pb.Chunk, place: Place, caller: Caller, *, field: str) -> NewChunk:
    """Return the chunk that a `Chunk` message of a create request asks for.

    Args:
        message: The chunk.
        place: Corpus and id of the document, from the parent.
        caller: Who asks.
        field: Path of the message in the request, for the error.

    Raises:
        InvalidArgument: A value is wrong, or the name is of another document.
    """
    id_ = made_id()
    if message.name:
        corpus_id, document_id, id_ = parse_chunk(message.name, caller, field=f"{field}.name")
        _check_owner((corpus_id, document_id), place, message.name, f"{field}.name")
        check_new_id(id_, field=f"{field}.name")
    content = to_content(message, field=field)
    metadata = to_metadata(message.custom_metadata, field=f"{field}.custom_metadata")
    return NewChunk(id_, content, chunk_data(metadata))


def new_chunks(
    request: pb.BatchCreateChunksRequest, caller: Caller
) -> tuple[Place, list[NewChunk]]:
    """Return corpus, id of the document, and the chunks of a `BatchCreateChunksRequest`.

    Raises:
        InvalidArgument: There are none or over 100, one is wrong or of another document, or two
            have the same name.
    """
    _check_size(request.requests)
    parent = request.parent or request.requests[0].parent
    place = parse_document(parent, caller, field="parent")
    asked = []
    for number, item in enumerate(request.requests):
        field = f"requests[{number}]"
        if item.parent:
            own = parse_document(item.parent, caller, field=f"{field}.parent")
            _check_owner(own, place, item.parent, f"{field}.parent")
        asked.append(new_chunk(item.chunk, place, caller, field=f"{field}.chunk"))
    _check_distinct([chunk.id for chunk in asked], "chunk.name")
    return place, asked


def asked_update(
    request: pb.UpdateChunkRequest, caller: Caller, *, field: str
) -> tuple[Place, UpdatedChunk]:
    """Return corpus, id of the document, and the change that an `UpdateChunkRequest` asks for.

    Raises:
        InvalidArgument: Name, mask or a value is wrong.
    """
    prefix = f"{field}." if field else ""
    chunk = request.chunk
    corpus_id, document_id, id_ = parse_chunk(chunk.name, caller, field=f"{prefix}chunk.name")
    changed = changed_fields(request.update_mask, chunk, _CHANGEABLE)
    content = to_content(chunk, field=f"{prefix}chunk") if "data" in changed else None
    metadata = None
    if "custom_metadata" in changed:
        values = to_metadata(chunk.custom_metadata, field=f"{prefix}chunk.custom_metadata")
        metadata = chunk_data(values)
    return (corpus_id, document_id), UpdatedChunk(id_, content, metadata)


def updated_chunks(
    request: pb.BatchUpdateChunksRequest, caller: Caller
) -> tuple[Place, list[UpdatedChunk]]:
    """Return corpus, id of the document, and the changes of a `BatchUpdateChunksRequest`.

    Raises:
        InvalidArgument: There are none or over 100, one is wrong or of another document, or two
            are of the same chunk.
    """
    _check_size(request.requests)
    place = parse_document(request.parent, caller, field="parent") if request.parent else None
    asked = []
    for number, item in enumerate(request.requests):
        field = f"requests[{number}]"
        own, update = asked_update(item, caller, field=field)
        place = place or own
        _check_owner(own, place, item.chunk.name, f"{field}.chunk.name")
        asked.append(update)
    assert place is not None  # noqa: S101 - there is at least one request
    _check_distinct([update.id for update in asked], "chunk.name")
    return place, asked


def deleted_chunks(request: pb.BatchDeleteChunksRequest, caller: Caller) -> tuple[Place, list[str]]:
    """Return corpus, id of the document, and of the chunks of a `BatchDeleteChunksRequest`.

    Raises:
        InvalidArgument: There are none or over 100, one is of another document, or two are the
            same.
    """
    _check_size(request.requests)
    place = parse_document(request.parent, caller, field="parent") if request.parent else None
    ids = []
    for number, item in enumerate(request.requests):
        field = f"requests[{number}].name"
        corpus_id, document_id, id_ = parse_chunk(item.name, caller, field=field)
        place = place or (corpus_id, document_id)
        _check_owner((corpus_id, document_id), place, item.name, field)
        ids.append(id_)
    assert place is not None  # noqa: S101 - there is at least one request
    _check_distinct(ids, "name")
    return place, ids


def _check_size(requests: Sequence[object]) -> None:
    if not requests:
        raise InvalidArgument.of_field("requests", "is required; give at least one")
    if len(requests) > MOST_IN_BATCH:
        raise InvalidArgument.of_field(
            "requests", f"holds {len(requests):,} requests, the limit is {MOST_IN_BATCH}"
        )


def _check_owner(own: Place, place: Place, name: str, field: str) -> None:
    if own != place:
        raise InvalidArgument.of_field(
            field, f'"{name[:200]}" is not of {document_name(*place)}, as the batch or parent is'
        )


def _check_distinct(ids: Iterable[str], part: str) -> None:
    seen: set[str] = set()
    for number, id_ in enumerate(ids):
        if id_ in seen:
            raise InvalidArgument.of_field(
                f"requests[{number}].{part}", f'the chunk "{id_}" is named twice in one batch'
            )
        seen.add(id_)
