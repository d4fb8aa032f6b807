"""google-generativeai 0.8.6, unmodified: `genai.retriever`, answers, permissions, models, embeddings."""

from __future__ import annotations

import os

import answers
import google.generativeai as genai
from checks import expect, expect_equal, run_checks
from google.api_core.exceptions import Forbidden, GoogleAPICallError, NotFound, PermissionDenied
from google.generativeai import retriever
from google.generativeai.types import retriever_types
from google.generativeai.types.retriever_types import CustomMetadata, MetadataFilter

EMBEDDER = "models/toulmin-embedder"
FACTS = [
    "The kettle boils one litre of water in three minutes.",
    "The lamp uses a battery that lasts for forty hours.",
    "The tent sleeps four people and weighs nine kilograms.",
]


class Condition(retriever_types.Condition):
    """As the library has it, under a shorter name."""


def filled(name: str) -> tuple[retriever_types.Corpus, retriever_types.Document]:
    """Return a corpus with a document of three chunks."""
    corpus = retriever.create_corpus(name=name, display_name="Manuals")
    document = corpus.create_document(
        name="goods",
        display_name="Goods",
        custom_metadata=[
            CustomMetadata(key="lang", value="en"),
            CustomMetadata(key="tags", value=["camping", "kitchen"]),
            CustomMetadata(key="year", value=2024),
        ],
    )
    document.batch_create_chunks(
        [{"name": f"c{number}", "data": text} for number, text in enumerate(FACTS)]
    )
    return corpus, document


def corpora() -> None:
    """Create, read, list, rename and delete corpora."""
    made = retriever.create_corpus(name="notes", display_name="My notes")
    expect_equal(made.name, "corpora/notes", "name")
    expect(made.create_time.tzinfo is not None, "no create time")
    unnamed = retriever.create_corpus(display_name="Other notes")
    expect(unnamed.name.startswith("corpora/other-notes-"), unnamed.name)
    made.update({"display_name": "Renamed"})
    expect_equal(retriever.get_corpus("notes").display_name, "Renamed", "display name")
    names = [corpus.name for corpus in retriever.list_corpora(page_size=1)]
    expect(names.index(made.name) < names.index(unnamed.name), names)
    retriever.delete_corpus("notes")
    retriever.delete_corpus(unnamed.name)
    try:
        retriever.get_corpus("notes")
    except (PermissionDenied, Forbidden):
        return
    raise AssertionError("a corpus that was deleted is not denied")


def documents_and_chunks() -> None:
    """Create, read, list, change and delete documents and chunks."""
    corpus, document = filled("goods")
    expect_equal([d.name for d in corpus.list_documents()], [document.name], "documents")
    read = corpus.get_document("corpora/goods/documents/goods")
    expect_equal([m["key"] for m in read.custom_metadata], ["lang", "tags", "year"], "metadata")
    chunks = list(document.list_chunks(page_size=2))
    expect_equal([chunk.data.string_value for chunk in chunks], FACTS, "chunks")
    expect_equal(chunks[0].state.name, "STATE_ACTIVE", "state")
    one = document.create_chunk(name="extra", data="The kettle weighs a kilogram.")
    one.update({"data": {"string_value": "The kettle weighs two kilograms."}})
    text = document.get_chunk("extra").data.string_value
    expect_equal(text, "The kettle weighs two kilograms.", "changed chunk")
    document.update({"display_name": "All goods"})
    expect_equal(corpus.get_document("goods").display_name, "All goods", "display name")
    document.batch_update_chunks(
        {f"{document.name}/chunks/c0": {"data": {"string_value": "It boils."}}}
    )
    expect_equal(document.get_chunk("c0").data.string_value, "It boils.", "batch update")
    document.delete_chunk("extra")
    document.batch_delete_chunks([f"{document.name}/chunks/c{number}" for number in range(3)])
    expect_equal(list(document.list_chunks()), [], "chunks after the deletion")
    corpus.delete_document("goods")
    try:
        corpus.get_document("goods")
    except NotFound:
        pass
    else:
        raise AssertionError("a document that was deleted is found")
    retriever.delete_corpus("goods")


def queries() -> None:
    """Ask corpus and document, with and without filters."""
    corpus, document = filled("asked")
    found = corpus.query("how long does the battery last", results_count=2)
    expect_equal(len(list(found)), 2, "results")
    expect_equal(found[0].chunk.data.string_value, FACTS[1], "best chunk")
    expect(0 <= found[1].chunk_relevance_score <= found[0].chunk_relevance_score <= 1, found)
    found = document.query("who sleeps in the tent")
    expect_equal(found[0].chunk.data.string_value, FACTS[2], "best chunk of the document")
    for tag, wanted in (("camping", 3), ("garden", 0)):
        only = MetadataFilter(
            key="document.custom_metadata.tags",
            conditions=[Condition(value=tag, operation=retriever_types.Operator.INCLUDES)],
        )
        expect_equal(len(list(corpus.query("kettle", metadata_filters=[only]))), wanted, tag)
    retriever.delete_corpus("asked", force=True)


def deletion_without_force() -> None:
    """A corpus with documents is kept."""
    filled("kept")
    try:
        retriever.delete_corpus("kept")
    except GoogleAPICallError as error:
        expect("force" in str(error), error)
    else:
        raise AssertionError("deleted")
    retriever.delete_corpus("kept", force=True)


def permissions() -> None:
    """Share a corpus, change the role and take it back."""
    corpus = retriever.create_corpus(name="shared")
    made = corpus.permissions.create(role="READER", grantee_type="USER", email_address="a@b.org")
    everyone = corpus.permissions.create(role="READER", grantee_type="EVERYONE")
    made.update({"role": "WRITER"})
    roles = {item.name: item.role.name for item in corpus.permissions.list()}
    expect_equal(roles, {made.name: "WRITER", everyone.name: "READER"}, "roles")
    expect_equal(corpus.permissions.get(made.name).email_address, "a@b.org", "address")
    made.delete()
    expect_equal(len(list(corpus.permissions)), 1, "permissions left")
    retriever.delete_corpus("shared")


def models() -> None:
    """The models, by list and by name."""
    names = [model.name for model in genai.list_models()]
    expect_equal(names, ["models/aqa", EMBEDDER], "models")
    expect("generateAnswer" in genai.get_model("models/aqa").supported_generation_methods, names)


def embeddings() -> None:
    """One text and several."""
    one = genai.embed_content(model=EMBEDDER, content=FACTS[0])["embedding"]
    several = genai.embed_content(
        model=EMBEDDER, content=FACTS, task_type="retrieval_document", title="Goods"
    )["embedding"]
    expect_equal((len(one), len(several)), (384, 3), "sizes")


def main() -> None:
    """Run all checks."""
    endpoint = f"http://{os.environ['CLIENT_HTTP']}"
    genai.configure(api_key="k", transport="rest", client_options={"api_endpoint": endpoint})
    run_checks(
        "rest",
        {
            "corpora": corpora,
            "documents and chunks": documents_and_chunks,
            "queries": queries,
            "deletion without force": deletion_without_force,
            "permissions": permissions,
            "models": models,
            "embeddings": embeddings,
            **answers.CHECKS,
        },
    )


if __name__ == "__main__":
    main()
