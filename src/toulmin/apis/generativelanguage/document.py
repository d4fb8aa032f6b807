"""Documents of a corpus: a name and metadata around chunks, which come one by one (`chunk.py`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.generativelanguage.convert import (
    changed_fields,
    display_name_of,
    document_data,
    document_metadata,
    fill_document,
    to_metadata,
)
from toulmin.apis.generativelanguage.corpus import VISIBLE_S
from toulmin.apis.generativelanguage.lookup import find_corpus, find_document
from toulmin.apis.generativelanguage.names import (
    CorpusId,
    branch_of,
    check_display_name,
    check_new_id,
    corpus_name,
    document_name,
    made_id,
    parse_corpus,
    parse_document,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.domain import Document, IngestedDocument
from toulmin.errors import AlreadyExists, FailedPrecondition, InvalidArgument
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore

DEFAULT_PAGE: Final = 10
MOST_IN_PAGE: Final = 20
_METADATA: Final = "document.custom_metadata"
_CHANGEABLE: Final = ("custom_metadata", "display_name")


@dataclass(frozen=True, slots=True)
class DocumentHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    indexer: Callable[[], Indexer]

    def create(self, request: pb.CreateDocumentRequest, context: CallContext) -> pb.Document:
        """Answer CreateDocument; without a name it is made from the display name."""
        corpus_id = parse_corpus(request.parent, context.caller, field="parent")
        asked = request.document
        check_display_name(asked.display_name, field="document.display_name")
        id_ = _asked_id(asked, corpus_id, context) if asked.name else made_id(asked.display_name)
        metadata = to_metadata(asked.custom_metadata, field=_METADATA)
        new = Document(id=id_, struct_data=document_data(asked.display_name, metadata))
        branch = branch_of(corpus_id)
        with self.records().write() as transaction:
            find_corpus(transaction, corpus_id)
            if transaction.documents.get_many(branch, [id_]):
                raise AlreadyExists(f"{document_name(corpus_id, id_)} exists already.")
            (stored,) = transaction.documents.upsert(
                branch, [IngestedDocument(document=new)], expected_generations={id_: 0}
            )
        return _response(context, stored, corpus_id)

    def get(self, request: pb.GetDocumentRequest, context: CallContext) -> pb.Document:
        """Answer GetDocument."""
        corpus_id, document_id = parse_document(request.name, context.caller, field="name")
        with self.records().read() as transaction:
            document = find_document(transaction, corpus_id, document_id)
        return _response(context, document, corpus_id)

    def list(
        self, request: pb.ListDocumentsRequest, context: CallContext
    ) -> pb.ListDocumentsResponse:
        """Answer ListDocuments, oldest first."""
        corpus_id = parse_corpus(request.parent, context.caller, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with self.records().read() as transaction:
            find_corpus(transaction, corpus_id)
            page = transaction.documents.list_oldest_first(
                branch_of(corpus_id), page_size=size, page_token=request.page_token
            )
        response: pb.ListDocumentsResponse = context.new_message()
        for document in page.items:
            fill_document(response.documents.add(), document, corpus_id)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateDocumentRequest, context: CallContext) -> pb.Document:
        """Answer UpdateDocument: display name and metadata, once queries filter by them."""
        asked = request.document
        corpus_id, document_id = parse_document(asked.name, context.caller, field="document.name")
        changed = changed_fields(request.update_mask, asked, _CHANGEABLE)
        check_display_name(asked.display_name, field="document.display_name")
        metadata = to_metadata(asked.custom_metadata, field=_METADATA)

        def change(old: Document) -> Document:
            data = document_data(
                asked.display_name if "display_name" in changed else display_name_of(old),
                metadata if "custom_metadata" in changed else document_metadata(old),
            )
            return dataclasses.replace(old, struct_data=data)

        with self.records().write() as transaction:
            find_document(transaction, corpus_id, document_id)
            stored = transaction.documents.change_document(
                branch_of(corpus_id), document_id, change
            )
        self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)
        return _response(context, stored, corpus_id)

    def delete(self, request: pb.DeleteDocumentRequest, context: CallContext) -> Message:
        """Answer DeleteDocument; one with chunks goes only by force."""
        corpus_id, document_id = parse_document(request.name, context.caller, field="name")
        branch = branch_of(corpus_id)
        with self.records().write() as transaction:
            find_document(transaction, corpus_id, document_id)
            transaction.resources.data_store_key(branch.data_store, lock=True)
            if (
                not request.force
                and transaction.documents.list_chunks(branch, document_id, page_size=1).items
            ):
                raise FailedPrecondition(
                    f"{document_name(corpus_id, document_id)} has chunks; delete them first, or set"
                    " force to delete them with it."
                )
            transaction.documents.delete(branch, [document_id])
        self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)
        return context.empty_message()


def _asked_id(message: pb.Document, corpus_id: CorpusId, context: CallContext) -> str:
    """Return the id in the name that a new document comes with."""
    owner, id_ = parse_document(message.name, context.caller, field="document.name")
    if owner != corpus_id:
        raise InvalidArgument.of_field(
            "document.name",
            f'"{message.name[:200]}" is not in {corpus_name(corpus_id)}, the parent',
        )
    check_new_id(id_, field="document.name")
    return id_


def _response(context: CallContext, document: Document, corpus_id: CorpusId) -> pb.Document:
    response: pb.Document = context.new_message()
    fill_document(response, document, corpus_id)
    return response
