"""ChunkService, which v1alpha alone has: the pieces of a document, as searches find them.

https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.documents import fill_chunk
from toulmin.apis.discoveryengine.names import parse_chunk, parse_document
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.stores.records import RecordStore

DEFAULT_PAGE: Final = 100
MOST_IN_PAGE: Final = 1_000


def register_chunks(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind GetChunk and ListChunks.

    Args:
        registry: Where the handlers go.
        records: Returns the record store.
    """

    def get_chunk(request: pb.GetChunkRequest, context: CallContext) -> pb.Chunk:
        branch, document_id, chunk_id = parse_chunk(request.name, field="name")
        with records().read() as transaction:
            chunk = transaction.documents.chunk(branch, document_id, chunk_id)
            document = transaction.documents.get_many(branch, [document_id])[document_id]
        response: pb.Chunk = context.new_message()
        fill_chunk(response, chunk, document, branch)
        return response

    def list_chunks(request: pb.ListChunksRequest, context: CallContext) -> pb.ListChunksResponse:
        branch, document_id = parse_document(request.parent, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with records().read() as transaction:
            page = transaction.documents.chunks(
                branch, document_id, page_size=size, page_token=request.page_token
            )
            document = transaction.documents.get_many(branch, [document_id])[document_id]
        response: pb.ListChunksResponse = context.new_message()
        for chunk in page.items:
            fill_chunk(response.chunks.add(), chunk, document, branch)
        response.next_page_token = page.next_page_token
        return response

    registry.register("discoveryengine", "ChunkService", "GetChunk", get_chunk)
    registry.register("discoveryengine", "ChunkService", "ListChunks", list_chunks)
