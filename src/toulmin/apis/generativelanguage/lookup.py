"""The corpus or document that a request is about, or the error that its clients wait for.

A corpus that is not there answers PERMISSION_DENIED, a document NOT_FOUND: LangChain and LlamaIndex
take exactly these for "make a new one".
"""

from __future__ import annotations

from toulmin.apis.generativelanguage.names import (
    CorpusId,
    branch_of,
    chunk_name,
    corpus_name,
    data_store_of,
    document_name,
)
from toulmin.domain import DataStore, Document
from toulmin.errors import NotFound, PermissionDenied
from toulmin.stores.records import Transaction


def find_corpus(transaction: Transaction, corpus_id: CorpusId) -> DataStore:
    """Return the data store that a corpus is.

    Raises:
        PermissionDenied: There is no such corpus.
    """
    try:
        return transaction.resources.get(DataStore, data_store_of(corpus_id))
    except NotFound:
        raise PermissionDenied(
            f"{corpus_name(corpus_id)} does not exist, or you may not use it."
        ) from None


def find_document(transaction: Transaction, corpus_id: CorpusId, document_id: str) -> Document:
    """Return a document.

    Raises:
        PermissionDenied: There is no such corpus.
        NotFound: There is no such document in it.
    """
    find_corpus(transaction, corpus_id)
    found = transaction.documents.get_many(branch_of(corpus_id), [document_id])
    if document_id not in found:
        raise NotFound(f"{document_name(corpus_id, document_id)} does not exist.")
    return found[document_id]


def no_chunk(corpus_id: CorpusId, document_id: str, chunk_id: str) -> NotFound:
    """Return the error for a chunk that is not there."""
    return NotFound(f"{chunk_name(corpus_id, document_id, chunk_id)} does not exist.")
