"""Chunks of a document, one by one or up to 100 at once: all of a batch are written, or none.

A chunk is embedded before it is written. The answer to a write waits until queries find the chunk,
two seconds at most; after that its state is PENDING_PROCESSING until they do. There is no FAILED:
a chunk that cannot be embedded is not written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.generativelanguage.chunk_batches import (
    NewChunk,
    Place,
    UpdatedChunk,
    asked_update,
    deleted_chunks,
    new_chunk,
    new_chunks,
    updated_chunks,
)
from toulmin.apis.generativelanguage.convert import fill_chunk
from toulmin.apis.generativelanguage.corpus import VISIBLE_S
from toulmin.apis.generativelanguage.lookup import find_document, no_chunk
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    branch_of,
    chunk_name,
    data_store_of,
    parse_chunk,
    parse_document,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.domain import Chunk
from toulmin.errors import Aborted, AlreadyExists, Unavailable
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import ChunkEmbedder, embed_for_store
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore, Transaction

DEFAULT_PAGE: Final = 10
MOST_IN_PAGE: Final = 100
_UPDATE_TRIES: Final = 5
_INDEX_WAIT_S: Final = 0.1
_INDEXED_FIELD: Final = "document_id"  # every chunk in an index has it


@dataclass(frozen=True, slots=True)
class ChunkHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    indexer: Callable[[], Indexer]
    embedder: Callable[[], ChunkEmbedder]

    def create(self, request: pb.CreateChunkRequest, context: CallContext) -> pb.Chunk:
        """Answer CreateChunk."""
        place = parse_document(request.parent, context.caller, field="parent")
        asked = new_chunk(request.chunk, place, context.caller, field="chunk")
        (chunk,), searchable = self._create(place, [asked], context)
        return _response(context, chunk, place, searchable=searchable)

    def batch_create(
        self, request: pb.BatchCreateChunksRequest, context: CallContext
    ) -> pb.BatchCreateChunksResponse | pb.BatchUpdateChunksResponse:
        """Answer BatchCreateChunks."""
        place, asked = new_chunks(request, context.caller)
        chunks, searchable = self._create(place, asked, context)
        return _batch_response(context, chunks, place, searchable=searchable)

    def get(self, request: pb.GetChunkRequest, context: CallContext) -> pb.Chunk:
        """Answer GetChunk."""
        corpus_id, document_id, id_ = parse_chunk(request.name, context.caller, field="name")
        with self.records().read() as transaction:
            chunk = _found(transaction, (corpus_id, document_id), [id_])[id_]
            searchable = self._searchable(transaction, corpus_id, [chunk])
        return _response(
            context, chunk, (corpus_id, document_id), searchable=chunk.key in searchable
        )

    def list(self, request: pb.ListChunksRequest, context: CallContext) -> pb.ListChunksResponse:
        """Answer ListChunks, oldest first."""
        corpus_id, document_id = parse_document(request.parent, context.caller, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with self.records().read() as transaction:
            find_document(transaction, corpus_id, document_id)
            page = transaction.documents.list_chunks(
                branch_of(corpus_id), document_id, page_size=size, page_token=request.page_token
            )
            searchable = self._searchable(transaction, corpus_id, page.items)
        response: pb.ListChunksResponse = context.new_message()
        for chunk in page.items:
            message = response.chunks.add()
            fill_chunk(message, chunk, corpus_id, searchable=chunk.key in searchable)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateChunkRequest, context: CallContext) -> pb.Chunk:
        """Answer UpdateChunk: its words and its metadata."""
        place, asked = asked_update(request, context.caller, field="")
        (chunk,), searchable = self._update(place, [asked], context)
        return _response(context, chunk, place, searchable=searchable)

    def batch_update(
        self, request: pb.BatchUpdateChunksRequest, context: CallContext
    ) -> pb.BatchCreateChunksResponse | pb.BatchUpdateChunksResponse:
        """Answer BatchUpdateChunks."""
        place, asked = updated_chunks(request, context.caller)
        chunks, searchable = self._update(place, asked, context)
        return _batch_response(context, chunks, place, searchable=searchable)

    def delete(self, request: pb.DeleteChunkRequest, context: CallContext) -> Message:
        """Answer DeleteChunk."""
        corpus_id, document_id, id_ = parse_chunk(request.name, context.caller, field="name")
        self._delete((corpus_id, document_id), [id_])
        return context.empty_message()

    def batch_delete(self, request: pb.BatchDeleteChunksRequest, context: CallContext) -> Message:
        """Answer BatchDeleteChunks."""
        self._delete(*deleted_chunks(request, context.caller))
        return context.empty_message()

    def _create(
        self, place: Place, asked: Sequence[NewChunk], context: CallContext
    ) -> tuple[Sequence[Chunk], bool]:
        """Embed and store chunks; return them, and whether they are searchable."""
        ids = [chunk.id for chunk in asked]
        with self.records().read() as transaction:  # before the work, and again when it is done
            _refuse_taken(transaction, place, ids)
        chunks = self._embedded([chunk.as_chunk(place[1]) for chunk in asked], context)
        with self.records().write() as transaction:
            _refuse_taken(transaction, place, ids)
            stored = transaction.documents.create_chunks(branch_of(place[0]), place[1], chunks)
        return stored, self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)

    def _update(
        self, place: Place, asked: Sequence[UpdatedChunk], context: CallContext
    ) -> tuple[Sequence[Chunk], bool]:
        for _ in range(_UPDATE_TRIES - 1):
            try:
                return self._try_update(place, asked, context)
            except Aborted:  # another update came between reading and writing
                continue
        return self._try_update(place, asked, context)

    def _try_update(
        self, place: Place, asked: Sequence[UpdatedChunk], context: CallContext
    ) -> tuple[Sequence[Chunk], bool]:
        ids = [update.id for update in asked]
        with self.records().read() as transaction:
            old = _found(transaction, place, ids)
        new = [update.applied(old[update.id]) for update in asked]
        reworded = [chunk for chunk in new if chunk.content != old[chunk.id].content]
        vectors = {chunk.id: chunk for chunk in self._embedded(reworded, context)}
        with self.records().write() as transaction:
            _found(transaction, place, ids)
            stored = transaction.documents.replace_chunks(
                branch_of(place[0]),
                place[1],
                [vectors.get(chunk.id, chunk) for chunk in new],
                expected_keys={id_: chunk.key for id_, chunk in old.items()},
            )
        return stored, self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)

    def _delete(self, place: Place, ids: Sequence[str]) -> None:
        with self.records().write() as transaction:
            _found(transaction, place, ids)
            transaction.documents.delete_chunks(branch_of(place[0]), place[1], ids)
        self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)

    def _embedded(self, chunks: Sequence[Chunk], context: CallContext) -> Sequence[Chunk]:
        embedder = self.embedder()
        made = embed_for_store(
            embedder,
            [ChunkText("", (), chunk.content) for chunk in chunks],
            work=work_of(context, "embedding the chunks"),
        )
        return [
            dataclasses.replace(
                chunk,
                embedding=kept.chunk,
                part_embeddings=kept.parts,
                embedding_model=f"embedder {embedder.version}",
            )
            for chunk, kept in zip(chunks, made, strict=True)
        ]

    def _searchable(
        self, transaction: Transaction, corpus_id: CorpusId, chunks: Sequence[Chunk]
    ) -> frozenset[int]:
        """Return the keys of those chunks that queries find by now."""
        store = transaction.resources.data_store_key(data_store_of(corpus_id))
        try:
            index = self.indexer().index_of(store, timeout_s=_INDEX_WAIT_S)
        except Unavailable:  # being built anew
            return frozenset()
        return frozenset(index.values([chunk.key for chunk in chunks], _INDEXED_FIELD))


def _found(transaction: Transaction, place: Place, ids: Sequence[str]) -> dict[str, Chunk]:
    """Return chunks by id, or raise for the first that is not there."""
    corpus_id, document_id = place
    find_document(transaction, corpus_id, document_id)
    found = transaction.documents.chunks_by_id(branch_of(corpus_id), document_id, ids)
    for id_ in ids:
        if id_ not in found:
            raise no_chunk(corpus_id, document_id, id_)
    return found


def _refuse_taken(transaction: Transaction, place: Place, ids: Sequence[str]) -> None:
    corpus_id, document_id = place
    find_document(transaction, corpus_id, document_id)
    taken = transaction.documents.chunks_by_id(branch_of(corpus_id), document_id, ids)
    for id_ in ids:
        if id_ in taken:
            raise AlreadyExists(f"{chunk_name(corpus_id, document_id, id_)} exists already.")


def _response(context: CallContext, chunk: Chunk, place: Place, *, searchable: bool) -> pb.Chunk:
    response: pb.Chunk = context.new_message()
    fill_chunk(response, chunk, place[0], searchable=searchable)
    return response


def _batch_response(
    context: CallContext, chunks: Sequence[Chunk], place: Place, *, searchable: bool
) -> pb.BatchCreateChunksResponse | pb.BatchUpdateChunksResponse:
    response: pb.BatchCreateChunksResponse | pb.BatchUpdateChunksResponse = context.new_message()
    for chunk in chunks:
        fill_chunk(response.chunks.add(), chunk, place[0], searchable=searchable)
    return response
