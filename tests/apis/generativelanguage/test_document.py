"""Documents of corpora through the official clients of both versions."""

from __future__ import annotations

import math
import re

import pytest
from google.api_core.exceptions import GoogleAPICallError, NotFound

from tests.apis.generativelanguage.backend import chunk, metadata_of, new_id
from tests.apis.generativelanguage.test_corpus import TAKEN, refused

pytestmark = pytest.mark.client

METADATA = {"genre": "drama", "year": 1997, "score": 0.1, "tags": ["ship", "ice"], "none": []}


def values_of(messages):
    found = {}
    for message in messages:
        if "string_list_value" in message:
            found[message.key] = list(message.string_list_value.values)
        elif "numeric_value" in message:
            found[message.key] = message.numeric_value
        else:
            found[message.key] = message.string_value
    return found


def test_a_document_is_created_read_changed_and_deleted(clients):
    corpus = clients.make_corpus()
    name = f"{corpus}/documents/{new_id('d')}"
    made = clients.retriever.create_document(
        request={
            "parent": corpus,
            "document": {
                "name": name,
                "display_name": "Film",
                "custom_metadata": metadata_of(METADATA),
            },
        }
    )
    assert (made.name, made.display_name) == (name, "Film")
    assert list(values_of(made.custom_metadata)) == list(METADATA)
    assert values_of(made.custom_metadata) == METADATA | {"score": pytest.approx(0.1)}
    assert made.create_time == made.update_time
    assert clients.retriever.get_document(name=name) == made
    changed = clients.retriever.update_document(
        document={"name": name, "display_name": "Movie"}, update_mask={"paths": ["display_name"]}
    )
    assert changed.display_name == "Movie"
    assert changed.custom_metadata == made.custom_metadata
    assert changed.update_time > made.update_time == changed.create_time
    changed = clients.retriever.update_document(
        document={"name": name, "custom_metadata": metadata_of({"a": "b"})},
        update_mask={"paths": ["custom_metadata"]},
    )
    assert changed.display_name == "Movie"
    assert values_of(changed.custom_metadata) == {"a": "b"}
    clients.retriever.delete_document(name=name)
    with pytest.raises(NotFound, match=name):
        clients.retriever.get_document(name=name)


def test_what_is_missing_in_a_corpus_is_not_found(clients):
    missing = f"{clients.make_corpus()}/documents/d"
    retriever = clients.retriever
    calls = [
        lambda: retriever.get_document(name=missing),
        lambda: retriever.update_document(
            document={"name": missing}, update_mask={"paths": ["display_name"]}
        ),
        lambda: retriever.delete_document(name=missing),
        lambda: retriever.query_document(request={"name": missing, "query": "x"}),
        lambda: retriever.list_chunks(parent=missing),
        lambda: clients.make_chunks(missing, "x"),
        lambda: retriever.get_chunk(name=f"{missing}/chunks/c"),
        lambda: retriever.delete_chunk(name=f"{missing}/chunks/c"),
    ]
    for call in calls:
        with pytest.raises(NotFound, match=f"{missing} does not exist"):
            call()


def test_a_name_is_made_from_the_display_name_and_given_once(beta):
    corpus = beta.make_corpus()
    name = beta.make_document(corpus, display_name="Two  Words!")
    assert re.fullmatch(rf"{corpus}/documents/two-words-[a-z0-9]{{12}}", name)
    with pytest.raises(TAKEN, match=name):
        beta.make_document(corpus, name=name)
    assert beta.make_document(name=None, parent=beta.make_corpus()).startswith("corpora/")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"name": "{corpus}/documents/A"}, ["document.name", "lower-case"]),
        ({"name": "corpora/other/documents/a"}, ["document.name", "is not in"]),
        ({"name": "documents/a"}, ["document.name", "corpora/{corpus}/documents/{document}"]),
        ({"display_name": "x" * 513}, ["document.display_name", "512"]),
        ({"custom_metadata": [{"string_value": "v"}]}, ["custom_metadata[0].key", "required"]),
        ({"custom_metadata": [{"key": "k"}]}, ["custom_metadata[0]", "no value"]),
        (
            {"custom_metadata": metadata_of({"k": "a"}) + metadata_of({"k": "b"})},
            ["custom_metadata[1].key", "twice"],
        ),
        (
            {"custom_metadata": metadata_of({f"k{n}": "v" for n in range(21)})},
            ["custom_metadata", "20"],
        ),
        ({"custom_metadata": metadata_of({"k": math.nan})}, ["numeric_value", "finite"]),
        ({"custom_metadata": metadata_of({"k": math.inf})}, ["numeric_value", "finite"]),
    ],
)
def test_what_a_document_cannot_be(beta, document, words):
    corpus = beta.make_corpus()
    if "name" in document:
        document = document | {"name": document["name"].replace("{corpus}", corpus)}
        words = [
            word.replace("corpora/{corpus}/documents/{document}", "corpora/") for word in words
        ]
    refused(
        lambda: beta.retriever.create_document(request={"parent": corpus, "document": document}),
        *words,
    )
    assert list(beta.retriever.list_documents(parent=corpus)) == []


def test_twenty_metadata_are_not_too_many(beta):
    values = {f"k{n}": float(n) for n in range(20)}
    name = beta.make_document(custom_metadata=metadata_of(values))
    assert values_of(beta.retriever.get_document(name=name).custom_metadata) == values


def test_a_mask_is_needed_and_names_what_can_be_changed(beta):
    name = beta.make_document()
    for mask, word in (([], "required"), (["name"], "cannot be changed"), (["x"], "no field")):
        refused(
            lambda mask=mask: beta.retriever.update_document(
                document={"name": name}, update_mask={"paths": mask}
            ),
            "update_mask",
            word,
        )


def test_documents_are_listed_oldest_first(clients):
    corpus = clients.make_corpus()
    made = [clients.make_document(corpus, name=f"{corpus}/documents/{i}") for i in "zmaqb"]
    listed = clients.retriever.list_documents(request={"parent": corpus, "page_size": 2})
    sizes = [len(page.documents) for page in listed.pages]
    assert sizes == [2, 2, 1]
    again = clients.retriever.list_documents(request={"parent": corpus, "page_size": 3})
    assert [document.name for document in again] == made


def test_a_page_goes_on_after_what_was_deleted_or_added(beta):
    corpus = beta.make_corpus()
    made = [beta.make_document(corpus) for _ in range(4)]
    page = next(beta.retriever.list_documents(request={"parent": corpus, "page_size": 2}).pages)
    beta.retriever.delete_document(name=made[1])
    new = beta.make_document(corpus, name=f"{corpus}/documents/0")
    rest = beta.retriever.list_documents(
        request={"parent": corpus, "page_token": page.next_page_token}
    )
    assert [document.name for document in rest] == [*made[2:], new]


def test_a_document_with_chunks_goes_by_force_only(clients):
    name = clients.make_document()
    clients.make_chunks(name, "one", "two")
    with pytest.raises(GoogleAPICallError, match="has chunks; delete them first, or set force"):
        clients.retriever.delete_document(name=name)
    clients.retriever.delete_document(request={"name": name, "force": True})
    with pytest.raises(NotFound):
        clients.retriever.list_chunks(parent=name)
    again = clients.make_document(name.partition("/documents/")[0], name=name)
    assert list(clients.retriever.list_chunks(parent=again)) == []


def test_queries_follow_a_change_of_metadata(clients):
    name = clients.make_document(custom_metadata=metadata_of({"room": "kitchen"}))
    corpus = name.partition("/documents/")[0]
    clients.make_chunks(name, chunk("The kettle boils water.", wet="yes"), "The lamp glows.")

    def found(room):
        condition = {"string_value": room, "operation": "EQUAL"}
        filters = [{"key": "document.custom_metadata.room", "conditions": [condition]}]
        request = {"name": corpus, "query": "kettle", "metadata_filters": filters}
        return len(clients.retriever.query_corpus(request=request).relevant_chunks)

    assert (found("kitchen"), found("cellar")) == (2, 0)
    clients.retriever.update_document(
        document={"name": name, "custom_metadata": metadata_of({"room": "cellar"})},
        update_mask={"paths": ["custom_metadata"]},
    )
    assert (found("kitchen"), found("cellar")) == (0, 2)
    listed = list(clients.retriever.list_chunks(parent=name))
    assert [item.data.string_value for item in listed] == [
        "The kettle boils water.",
        "The lamp glows.",
    ]
