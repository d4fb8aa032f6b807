"""LlamaIndex's GoogleIndex, GoogleVectorStore and GoogleTextSynthesizer, unmodified."""

from __future__ import annotations

import os

import answers
from checks import expect, expect_equal, run_checks
from google.auth.credentials import AnonymousCredentials
from llama_index.core import Document, Settings
from llama_index.core.llms import MockLLM
from llama_index.core.vector_stores.types import (
    ExactMatchFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from llama_index.indices.managed.google import GoogleIndex
from llama_index.vector_stores.google import GoogleVectorStore, set_google_config

TEXTS = [
    "The kettle boils one litre of water in three minutes.",
    "The lamp uses a battery that lasts for forty hours.",
    "The tent sleeps four people and weighs nine kilograms.",
]


def index() -> None:
    """Insert documents, retrieve, delete one of them, insert it again."""
    made = GoogleIndex.create_corpus(corpus_id="li", display_name="Goods")
    made.insert_documents(
        [
            Document(text=text, id_=f"doc-{number}", metadata={"file_name": f"f{number}"})
            for number, text in enumerate(TEXTS)
        ]
    )
    retriever = GoogleIndex.from_corpus(corpus_id="li").as_retriever(similarity_top_k=2)
    found = retriever.retrieve("how long does the battery last")
    expect_equal([len(found), found[0].text], [2, TEXTS[1]], "found")
    expect(0 <= found[1].score <= found[0].score <= 1, found)
    made.delete_ref_doc("doc-1")
    texts = [item.text for item in retriever.retrieve("how long does the battery last")]
    expect(TEXTS[1] not in texts, texts)
    made.insert_documents([Document(text=TEXTS[1], id_="doc-1")])
    expect_equal(retriever.retrieve("battery")[0].text, TEXTS[1], "inserted again")


def vector_store() -> None:
    """Query with filters, and documents alone."""
    store = GoogleVectorStore.from_corpus(corpus_id="li")
    found = store.query(
        VectorStoreQuery(
            query_str="kettle",
            similarity_top_k=3,
            filters=MetadataFilters(filters=[ExactMatchFilter(key="file_name", value="f2")]),
        )
    )
    expect_equal([node.text for node in found.nodes], [TEXTS[2]], "filtered")
    found = store.query(
        VectorStoreQuery(query_str="kettle", similarity_top_k=3, doc_ids=["doc-0", "doc-2"])
    )
    expect_equal([node.text for node in found.nodes], [TEXTS[0], TEXTS[2]], "by documents")
    expect(found.similarities == sorted(found.similarities, reverse=True), found.similarities)


def what_is_not_there() -> None:
    """A missing corpus is told apart from other failures."""
    try:
        GoogleVectorStore.from_corpus(corpus_id="none")
    except Exception as error:  # noqa: BLE001 - the library's own class is private
        expect_equal(type(error).__name__, "NoSuchCorpusException", "error")
        return
    raise AssertionError("a corpus that was never made exists")


def main() -> None:
    """Run all checks."""
    # The endpoint is set in code; this would be held against the anonymous credentials.
    os.environ.pop("GOOGLE_CLOUD_UNIVERSE_DOMAIN", None)
    Settings.llm = MockLLM()
    set_google_config(
        api_endpoint=os.environ["CLIENT_TLS"], auth_credentials=AnonymousCredentials()
    )
    run_checks(
        "grpc over tls",
        {
            "index": index,
            "vector store": vector_store,
            "what is not there": what_is_not_there,
            **answers.CHECKS,
        },
    )


if __name__ == "__main__":
    main()
