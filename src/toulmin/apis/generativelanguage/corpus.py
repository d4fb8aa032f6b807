"""Corpora: created, listed, renamed and deleted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.generativelanguage.convert import changed_fields, fill_corpus
from toulmin.apis.generativelanguage.lookup import find_corpus
from toulmin.apis.generativelanguage.names import (
    branch_of,
    check_display_name,
    check_new_id,
    corpora_of,
    corpus_id_of,
    corpus_name,
    data_store_of,
    made_id,
    parse_corpus,
)
from toulmin.apis.schema import generativelanguage_pb2 as pb
from toulmin.domain import DataStore
from toulmin.errors import AlreadyExists, FailedPrecondition
from toulmin.stores.indexer import Indexer
from toulmin.stores.records import RecordStore

DEFAULT_PAGE: Final = 10
MOST_IN_PAGE: Final = 20
VISIBLE_S: Final = 2.0
"""Longest wait, in seconds, until what was written is searchable."""
_CHANGEABLE: Final = ("display_name",)


@dataclass(frozen=True, slots=True)
class CorpusHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    indexer: Callable[[], Indexer]

    def create(self, request: pb.CreateCorpusRequest, context: CallContext) -> pb.Corpus:
        """Answer CreateCorpus; without a name it is made from the display name."""
        asked = request.corpus
        check_display_name(asked.display_name, field="corpus.display_name")
        id_ = made_id(asked.display_name)
        if asked.name:
            id_ = parse_corpus(asked.name, context.caller, field="corpus.name").id
            check_new_id(id_, field="corpus.name")
        parent = corpora_of(context.caller)
        new = DataStore(parent=parent, id=id_, display_name=asked.display_name)
        try:
            with self.records().write() as transaction:
                corpus = transaction.resources.create(new)
        except AlreadyExists:
            raise AlreadyExists(f"{corpus_name(corpus_id_of(new.name))} exists already.") from None
        return _response(context, corpus)

    def get(self, request: pb.GetCorpusRequest, context: CallContext) -> pb.Corpus:
        """Answer GetCorpus."""
        corpus_id = parse_corpus(request.name, context.caller, field="name")
        with self.records().read() as transaction:
            return _response(context, find_corpus(transaction, corpus_id))

    def list(self, request: pb.ListCorporaRequest, context: CallContext) -> pb.ListCorporaResponse:
        """Answer ListCorpora, oldest first."""
        size = page_size(request, default=DEFAULT_PAGE, maximum=MOST_IN_PAGE)
        with self.records().read() as transaction:
            page = transaction.resources.list_oldest_first(
                DataStore, corpora_of(context.caller), page_size=size, page_token=request.page_token
            )
        response: pb.ListCorporaResponse = context.new_message()
        for corpus in page.items:
            fill_corpus(response.corpora.add(), corpus)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateCorpusRequest, context: CallContext) -> pb.Corpus:
        """Answer UpdateCorpus: its display name."""
        corpus_id = parse_corpus(request.corpus.name, context.caller, field="corpus.name")
        changed_fields(request.update_mask, request.corpus, _CHANGEABLE)
        check_display_name(request.corpus.display_name, field="corpus.display_name")
        with self.records().write() as transaction:
            old = find_corpus(transaction, corpus_id)
            new = dataclasses.replace(old, display_name=request.corpus.display_name)
            return _response(context, transaction.resources.update(new))

    def delete(self, request: pb.DeleteCorpusRequest, context: CallContext) -> Message:
        """Answer DeleteCorpus; one with documents goes only by force."""
        corpus_id = parse_corpus(request.name, context.caller, field="name")
        with self.records().write() as transaction:
            find_corpus(transaction, corpus_id)
            transaction.resources.data_store_key(data_store_of(corpus_id), lock=True)
            documents = 0 if request.force else transaction.documents.count(branch_of(corpus_id))
            if documents:
                raise FailedPrecondition(
                    f"{corpus_name(corpus_id)} has documents ({documents:,}); delete them first,"
                    " or set force to delete them with it."
                )
            transaction.resources.delete(DataStore, data_store_of(corpus_id))
        self.indexer().wait_for(transaction.sequence, timeout_s=VISIBLE_S)
        return context.empty_message()


def _response(context: CallContext, corpus: DataStore) -> pb.Corpus:
    response: pb.Corpus = context.new_message()
    fill_corpus(response, corpus)
    return response
