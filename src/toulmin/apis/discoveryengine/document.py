"""DocumentService: documents one by one; imports and purges are in `document_batches.py`.

https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Handler, Registry
from toulmin.apis.discoveryengine.convert.documents import (
    fill_data,
    fill_document,
    in_wire_terms,
    refuse_access_control,
    to_document,
)
from toulmin.apis.discoveryengine.document_batches import import_handler, purge_handler
from toulmin.apis.discoveryengine.names import document_name, parse_branch, parse_document
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch, DataStore, Document, IngestedDocument, JsonObject
from toulmin.errors import (
    Aborted,
    AlreadyExists,
    InvalidArgument,
    NotFound,
    Unimplemented,
)
from toulmin.ingestion.document_ids import check_document_id
from toulmin.ingestion.ingest import Ingestor
from toulmin.ingestion.store_rules import check_by_records
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import OperationRunner, RecordStore

DEFAULT_PAGE: Final = 100
_State: Final = pb.BatchGetDocumentsMetadataResponse.State
MOST_IN_PAGE: Final = 1_000
MOST_URIS: Final = 1_000
_VISIBLE_S: Final = 2.0
"""Longest wait, in seconds, until what was written is searchable."""
_UPDATE_TRIES: Final = 5
_ALL: Final = ("*",)


def register_documents(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    ingestor: Callable[[], Ingestor],
    indexer: Callable[[], Indexer],
    operations: Callable[[], OperationRunner],
    check_import: Callable[[JsonObject], None] = lambda _: None,
) -> None:
    """Bind every RPC of DocumentService that this version has, in v1, v1beta and v1alpha.

    Args:
        registry: Where the handlers go.
        records: Returns the record store.
        ingestor: Returns what makes chunks of documents.
        indexer: Returns the search indexes.
        operations: Returns what does imports and purges.
        check_import: Raises when the settings do not allow an import, given as its operation's
            request.
    """
    documents = _Documents(records, ingestor, indexer)
    handlers: dict[str, Handler] = {
        "GetDocument": documents.get,
        "ListDocuments": documents.list,
        "CreateDocument": documents.create,
        "UpdateDocument": documents.update,
        "DeleteDocument": documents.delete,
        "BatchGetDocumentsMetadata": documents.metadata,
        "ImportDocuments": import_handler(records, operations, check_import),
        "PurgeDocuments": purge_handler(records, operations),
    }
    for method, handler in handlers.items():
        registry.register("discoveryengine", "DocumentService", method, handler)


class _Documents:
    """The handlers."""

    def __init__(
        self,
        records: Callable[[], RecordStore],
        ingestor: Callable[[], Ingestor],
        indexer: Callable[[], Indexer],
    ) -> None:
        self._records = records
        self._ingestor = ingestor
        self._indexer = indexer

    def get(self, request: pb.GetDocumentRequest, context: CallContext) -> pb.Document:
        """Answer GetDocument: with the bytes, if the document came with any."""
        branch, id_ = parse_document(request.name, field="name")
        with self._records().read() as transaction:
            document = transaction.documents.get(branch, id_)
        return _response(context, document, branch)

    def list(
        self, request: pb.ListDocumentsRequest, context: CallContext
    ) -> pb.ListDocumentsResponse:
        """Answer ListDocuments: by id, without bytes."""
        branch = parse_branch(request.parent, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with self._records().read() as transaction:
            page = transaction.documents.list(branch, page_size=size, page_token=request.page_token)
        response: pb.ListDocumentsResponse = context.new_message()
        for document in page.items:
            fill_document(response.documents.add(), document, branch, with_bytes=False)
        response.next_page_token = page.next_page_token
        return response

    def create(self, request: pb.CreateDocumentRequest, context: CallContext) -> pb.Document:
        """Answer CreateDocument, when the document is found or two seconds after it is kept."""
        branch = parse_branch(request.parent, field="parent")
        id_ = request.document_id
        check_document_id(id_, field="document_id")
        _check_same_document(request.document, branch, id_)
        store = self._data_store(branch, without=id_)
        document = _asked(request.document, id_, store)
        item = self._ingest(document, store, context)
        return _response(context, self._store(branch, item, expected=0), branch)

    def update(self, request: pb.UpdateDocumentRequest, context: CallContext) -> pb.Document:
        """Answer UpdateDocument: without a mask, the document is replaced as a whole."""
        branch, id_ = parse_document(request.document.name, field="document.name")
        _check_same_document(request.document, branch, id_)
        paths = masked_paths(request.update_mask, request.document.DESCRIPTOR) or _ALL
        item: IngestedDocument | None = None
        wanted: Document | None = None
        for tries_left in reversed(range(_UPDATE_TRIES)):
            store = self._data_store(branch)
            old = self._existing(branch, id_)
            if old is None and not request.allow_missing:
                raise NotFound(
                    f"{document_name(branch, id_)} does not exist; set allow_missing to create it."
                )
            if old is None:
                check_document_id(id_, field="document.name")
            merged = _merged(request.document, id_, old, paths, store)
            if item is None or merged != wanted:
                wanted = merged
                item = self._ingest(merged, store, context)
            try:
                stored = self._store(branch, item, expected=old.generation if old else 0)
            except (Aborted, AlreadyExists):
                if not tries_left:
                    raise
            else:
                return _response(context, stored, branch)
        raise AssertionError("the last try returns or raises")

    def delete(self, request: pb.DeleteDocumentRequest, context: CallContext) -> Message:
        """Answer DeleteDocument, when no search finds the document or two seconds after."""
        branch, id_ = parse_document(request.name, field="name")
        with self._records().write() as transaction:
            if not transaction.documents.delete(branch, [id_]):
                raise NotFound(f"{document_name(branch, id_)} does not exist.")
        self._indexer().wait_for(transaction.sequence, timeout_s=_VISIBLE_S)
        return context.empty_message()

    def metadata(
        self, request: pb.BatchGetDocumentsMetadataRequest, context: CallContext
    ) -> pb.BatchGetDocumentsMetadataResponse:
        """Answer BatchGetDocumentsMetadata for exact URIs of contents, in the order asked for.

        A URI that several documents have comes once for each; one that none has, as not indexed.
        """
        branch = parse_branch(request.parent, field="parent")
        uris = _uris(request.matcher)
        with self._records().read() as transaction:
            documents = transaction.documents.with_uris(branch, uris)
        found: dict[str, list[Document]] = {uri: [] for uri in uris}
        for document in documents:
            if document.content is not None:
                found[document.content.uri].append(document)
        response: pb.BatchGetDocumentsMetadataResponse = context.new_message()
        for uri, owners in found.items():
            for index_time in [owner.index_time for owner in owners] or [None]:
                _fill_metadata(response.documents_metadata.add(), uri, index_time)
        return response

    def _data_store(self, branch: Branch, *, without: str = "") -> DataStore:
        """Return the data store; with `without`, refuse if it has a document of that id."""
        with self._records().read() as transaction:
            store = transaction.resources.get(DataStore, branch.data_store)
            if without and transaction.documents.get_many(branch, [without]):
                raise AlreadyExists(f"{document_name(branch, without)} exists already.")
        return store

    def _existing(self, branch: Branch, id_: str) -> Document | None:
        with self._records().read() as transaction:
            if not transaction.documents.get_many(branch, [id_]):
                return None
            return transaction.documents.get(branch, id_)

    def _ingest(
        self, document: Document, store: DataStore, context: CallContext
    ) -> IngestedDocument:
        """Return a document with its chunks; refuse what its data store does not take."""
        try:
            with self._records().read() as transaction:
                check_by_records(transaction, document, store)
            work = work_of(context, "reading the document")
            return self._ingestor().ingest(document, store=store, work=work)
        except InvalidArgument as error:
            raise in_wire_terms(error, field="document") from error

    def _store(self, branch: Branch, item: IngestedDocument, *, expected: int) -> Document:
        """Store a document if its generation is still `expected`, and wait until it is found."""
        id_ = item.document.id
        with self._records().write() as transaction:
            stored = transaction.documents.upsert(
                branch, [item], expected_generations={id_: expected}
            )
        self._indexer().wait_for(transaction.sequence, timeout_s=_VISIBLE_S)
        return stored[0]


def _response(context: CallContext, document: Document, branch: Branch) -> pb.Document:
    response: pb.Document = context.new_message()
    fill_document(response, document, branch, with_bytes=True)
    return response


def _check_same_document(message: pb.Document, branch: Branch, id_: str) -> None:
    """Refuse a document whose own id or name is not the one that the request is about."""
    if message.id not in ("", id_):
        raise InvalidArgument.of_field(
            "document.id", f'"{message.id[:200]}" is not "{id_}"; leave it out or make it the same'
        )
    if message.name and parse_document(message.name, field="document.name") != (branch, id_):
        raise InvalidArgument.of_field(
            "document.name",
            f'"{message.name[:200]}" is not {document_name(branch, id_)}; leave it out or make it'
            " the same",
        )


def _asked(message: pb.Document, id_: str, store: DataStore) -> Document:
    refuse_access_control(message, store, field="document")
    return to_document(message, id_, default_schema_id=store.default_schema_id, field="document")


def _merged(
    message: pb.Document, id_: str, old: Document | None, paths: tuple[str, ...], store: DataStore
) -> Document:
    """Return the document that an update asks for.

    What no path touches stays as it is kept, and does not pass through a message: a `Struct` has
    doubles only. A document that is to be created takes every field, whatever the mask says.
    """
    if old is None or paths == _ALL:
        return _asked(message, id_, store)
    touched = {path.partition(".")[0] for path in paths}
    before = type(message)()
    fill_data(before, old, with_bytes="content" in touched)
    merged = merge(before, message, paths)
    keeps_data = not touched & {"struct_data", "json_data"}
    if "content" not in touched:
        merged.ClearField("content")
    asked = _asked(merged, id_, store)
    return dataclasses.replace(
        asked,
        struct_data=old.struct_data if keeps_data else asked.struct_data,
        json_data=old.json_data if keeps_data else asked.json_data,
        content=asked.content if "content" in touched else old.content,
    )


def _uris(matcher: pb.BatchGetDocumentsMetadataRequest.Matcher) -> list[str]:
    """Return the URIs that a matcher asks for, each once."""
    kind = matcher.WhichOneof("matcher")
    if kind == "fhir_matcher":
        raise Unimplemented(
            "matcher.fhir_matcher is not implemented in this version of Toulmin; use uris_matcher"
        )
    uris = list(dict.fromkeys(matcher.uris_matcher.uris))
    if not uris:
        raise InvalidArgument.of_field("matcher.uris_matcher.uris", "is empty; give a URI or more")
    if len(uris) > MOST_URIS:
        raise InvalidArgument.of_field(
            "matcher.uris_matcher.uris",
            f"has {len(uris):,} URIs; at most {MOST_URIS:,} are allowed",
        )
    return uris


def _fill_metadata(
    message: pb.BatchGetDocumentsMetadataResponse.DocumentMetadata,
    uri: str,
    index_time: datetime | None,
) -> None:
    message.matcher_value.uri = uri
    message.state = _State.INDEXED if index_time else _State.NOT_IN_INDEX
    if index_time:
        message.last_refreshed_time.FromDatetime(index_time)
