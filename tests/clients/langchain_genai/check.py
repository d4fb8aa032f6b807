"""LangChain's GoogleVectorStore, GenAIAqa and GoogleGenerativeAIEmbeddings, unmodified."""

from __future__ import annotations

import os

import answers
from checks import expect, expect_equal, run_checks
from langchain_core.documents import Document
from langchain_google_genai import (
    DoesNotExistsException,
    GoogleGenerativeAIEmbeddings,
    GoogleVectorStore,
)
from langchain_google_genai._genai_extension import Config, set_config

TEXTS = [
    "The kettle boils one litre of water in three minutes.",
    "The lamp uses a battery that lasts for forty hours.",
    "The tent sleeps four people and weighs nine kilograms.",
]


def store_of_a_corpus() -> None:
    """Add documents to a corpus and search it, with filters and without."""
    made = GoogleVectorStore.create_corpus(corpus_id="lc", display_name="Goods")
    GoogleVectorStore.create_document(
        corpus_id="lc", document_id="doc", display_name="Manual", metadata={"lang": "en"}
    )
    names = made.add_documents(
        [
            Document(page_content=text, metadata={"number": number, "kind": f"k{number}"})
            for number, text in enumerate(TEXTS)
        ],
        document_id="doc",
    )
    expect_equal(len(names), 3, "names of chunks")
    store = GoogleVectorStore(corpus_id="lc")
    found = store.similarity_search_with_score("how long does the battery last", k=2)
    expect_equal([len(found), found[0][0].page_content], [2, TEXTS[1]], "found")
    expect(0 <= found[1][1] <= found[0][1] <= 1, found)
    for key, value, wanted in (
        ("kind", "k2", TEXTS[2]),
        ("chunk.custom_metadata.number", 0, TEXTS[0]),
    ):
        only = store.similarity_search("battery", filter={key: value})
        expect_equal([item.page_content for item in only], [wanted], key)
    all_of_it = store.similarity_search("battery", filter={"document.custom_metadata.lang": "en"})
    expect_equal(len(all_of_it), 3, "filtered by the document")
    best = store.as_retriever().invoke("who sleeps in the tent")[0]
    expect_equal(best.page_content, TEXTS[2], "retriever")
    store.delete([names[2]])
    expect_equal(len(store.similarity_search("tent")), 2, "after the deletion")


def store_of_a_document() -> None:
    """The same for one document."""
    GoogleVectorStore.create_corpus(corpus_id="lc2")
    store = GoogleVectorStore.create_document(corpus_id="lc2", document_id="d")
    store.add_texts([f"Sentence {number}." for number in range(130)])  # two batches
    expect_equal(len(store.similarity_search("sentence", k=100)), 100, "found")
    other = GoogleVectorStore.create_document(corpus_id="lc2", document_id="e")
    expect_equal(other.similarity_search("sentence"), [], "found in the other document")


def what_is_not_there() -> None:
    """Corpora and documents that are missing are told apart from other failures."""
    for ids in ({"corpus_id": "none"}, {"corpus_id": "lc", "document_id": "none"}):
        try:
            GoogleVectorStore(**ids)
        except DoesNotExistsException:
            continue
        raise AssertionError(f"{ids} exists")


def deletion() -> None:
    """Corpora go with all that is in them."""
    GoogleVectorStore(corpus_id="lc").delete(["corpora/lc"])
    GoogleVectorStore(corpus_id="lc2").delete(["corpora/lc2"])
    try:
        GoogleVectorStore(corpus_id="lc2")
    except DoesNotExistsException:
        return
    raise AssertionError("a corpus that was deleted exists")


def embeddings() -> None:
    """Queries and documents as vectors."""
    model = GoogleGenerativeAIEmbeddings(
        model="models/toulmin-embedder",
        google_api_key="k",
        transport="rest",
        client_options={"api_endpoint": f"http://{os.environ['CLIENT_HTTP']}"},
    )
    query = model.embed_query("how long does the battery last")
    rows = model.embed_documents(TEXTS)
    scores = [sum(a * b for a, b in zip(query, row, strict=True)) for row in rows]
    expect_equal(scores.index(max(scores)), 1, "nearest document")


def main() -> None:
    """Run all checks."""
    set_config(Config(api_endpoint=os.environ["CLIENT_TLS"], testing=True))
    run_checks(
        "grpc over tls",
        {
            "store of a corpus": store_of_a_corpus,
            "store of a document": store_of_a_document,
            "what is not there": what_is_not_there,
            "deletion": deletion,
            **answers.CHECKS,
        },
    )
    run_checks("rest", {"embeddings": embeddings})


if __name__ == "__main__":
    main()
