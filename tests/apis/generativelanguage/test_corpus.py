"""Corpora through the official clients of both versions."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from google.api_core.exceptions import (
    AlreadyExists,
    Conflict,
    Forbidden,
    GoogleAPICallError,
    PermissionDenied,
)

from tests.apis.generativelanguage.backend import new_id
from toulmin.domain import DataStore

pytestmark = pytest.mark.client

DENIED = (PermissionDenied, Forbidden)
TAKEN = (AlreadyExists, Conflict)


def refused(call, *words):
    """Check that a call is refused as INVALID_ARGUMENT with these words."""
    with pytest.raises(GoogleAPICallError) as caught:
        call()
    assert caught.value.code == 400
    for word in words:
        assert word in caught.value.message


def test_a_corpus_is_created_read_renamed_and_deleted(clients):
    name = f"corpora/{new_id()}"
    made = clients.retriever.create_corpus(
        request={"corpus": {"name": name, "display_name": "My notes"}}
    )
    assert (made.name, made.display_name) == (name, "My notes")
    assert made.create_time == made.update_time
    assert made.create_time.year > 2000
    assert clients.retriever.get_corpus(name=name) == made
    renamed = clients.retriever.update_corpus(
        corpus={"name": name, "display_name": "Yours"}, update_mask={"paths": ["display_name"]}
    )
    assert renamed.display_name == "Yours"
    assert renamed.create_time == made.create_time
    assert renamed.update_time > made.update_time
    clients.retriever.delete_corpus(name=name)
    with pytest.raises(DENIED, match=name):
        clients.retriever.get_corpus(name=name)


def test_a_name_is_made_from_the_display_name(beta):
    made = beta.retriever.create_corpus(
        request={"corpus": {"display_name": "Docs on Semantic Retriever: the 2nd edition, Ω"}}
    )
    assert re.fullmatch(r"corpora/docs-on-semantic-retriever-[a-z0-9]{12}", made.name)
    assert len(made.name.removeprefix("corpora/")) <= 40
    bare = beta.retriever.create_corpus(request={"corpus": {}})
    assert re.fullmatch(r"corpora/[a-z0-9]{12}", bare.name)
    other = beta.retriever.create_corpus(request={"corpus": {"display_name": "日本"}})
    assert re.fullmatch(r"corpora/[a-z0-9]{12}", other.name)
    assert len({made.name, bare.name, other.name}) == 3


def test_a_name_is_given_once(clients):
    name = clients.make_corpus()
    with pytest.raises(TAKEN, match=name):
        clients.retriever.create_corpus(request={"corpus": {"name": name}})


@pytest.mark.parametrize(
    ("corpus", "words"),
    [
        ({"name": "corpora/Big"}, ["corpus.name", "lower-case"]),
        ({"name": "corpora/-a"}, ["corpus.name", "dash"]),
        ({"name": "corpora/a-"}, ["corpus.name", "dash"]),
        ({"name": "corpora/a_b"}, ["corpus.name"]),
        ({"name": "corpora/" + "a" * 41}, ["corpus.name", "41", "40"]),
        ({"name": "corpus/a"}, ["corpus.name", "corpora/{corpus}"]),
        ({"name": "corpora/a/documents/b"}, ["corpus.name"]),
        ({"display_name": "x" * 513}, ["corpus.display_name", "513", "512"]),
        ({"display_name": "a\0b"}, ["corpus.display_name", "NUL"]),
    ],
)
def test_what_a_corpus_cannot_be(beta, corpus, words):
    refused(lambda: beta.retriever.create_corpus(request={"corpus": corpus}), *words)


def test_the_longest_names(beta):
    name = "corpora/" + "a" * 40
    made = beta.retriever.create_corpus(
        request={"corpus": {"name": name, "display_name": "x" * 512}}
    )
    assert made.name == name
    beta.retriever.delete_corpus(name=name)


def test_corpora_are_listed_oldest_first_and_page_by_page(clients):
    made = [clients.make_corpus(name=f"corpora/{new_id(kind)}") for kind in ("z", "m", "a")]
    pages = list(clients.retriever.list_corpora(request={"page_size": 2}).pages)
    assert all(len(page.corpora) == 2 for page in pages[:-1])
    listed = [corpus.name for page in pages for corpus in page.corpora]
    assert listed[-3:] == made
    assert len(set(listed)) == len(listed)
    first = next(clients.retriever.list_corpora(request={}).pages)
    assert len(first.corpora) <= 10
    most = next(clients.retriever.list_corpora(request={"page_size": 1000}).pages)
    assert len(most.corpora) <= 20


def test_wrong_pages_are_refused(beta):
    corpus = beta.make_corpus()
    for _ in range(3):
        beta.make_corpus()
    token = next(beta.retriever.list_corpora(request={"page_size": 1}).pages).next_page_token
    refused(lambda: beta.retriever.list_corpora(request={"page_size": -1}), "page_size", "-1")
    refused(lambda: beta.retriever.list_corpora(request={"page_token": "x"}), "page_token")
    refused(
        lambda: beta.retriever.list_documents(request={"parent": corpus, "page_token": token}),
        "page_token",
    )


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        ([], ["update_mask", "required", "display_name"]),
        (["name"], ["update_mask", "name", "cannot be changed"]),
        (["display_name", "create_time"], ["create_time", "cannot be changed"]),
        (["colour"], ["update_mask", "colour"]),
    ],
)
def test_masks_of_updates(beta, mask, words):
    name = beta.make_corpus(display_name="A")
    refused(
        lambda: beta.retriever.update_corpus(
            corpus={"name": name, "display_name": "B"}, update_mask={"paths": mask}
        ),
        *words,
    )
    assert beta.retriever.get_corpus(name=name).display_name == "A"


def test_a_star_changes_all_that_can_be_changed(beta):
    name = beta.make_corpus(display_name="A")
    changed = beta.retriever.update_corpus(corpus={"name": name}, update_mask={"paths": ["*"]})
    assert changed.display_name == ""


def test_every_call_on_a_missing_corpus_is_denied(clients):
    name, document = "corpora/nowhere", "corpora/nowhere/documents/d"
    chunk = f"{document}/chunks/c"
    data = {"string_value": "x"}
    mask = {"paths": ["display_name"]}
    retriever, permission = clients.retriever, clients.permission
    calls = [
        lambda: retriever.get_corpus(name=name),
        lambda: retriever.update_corpus(corpus={"name": name}, update_mask=mask),
        lambda: retriever.delete_corpus(name=name),
        lambda: retriever.query_corpus(request={"name": name, "query": "x"}),
        lambda: retriever.create_document(request={"parent": name, "document": {}}),
        lambda: retriever.list_documents(parent=name),
        lambda: retriever.get_document(name=document),
        lambda: retriever.update_document(document={"name": document}, update_mask=mask),
        lambda: retriever.delete_document(name=document),
        lambda: retriever.query_document(request={"name": document, "query": "x"}),
        lambda: retriever.create_chunk(parent=document, chunk={"data": data}),
        lambda: clients.make_chunks(document, "x"),
        lambda: retriever.list_chunks(parent=document),
        lambda: retriever.get_chunk(name=chunk),
        lambda: retriever.update_chunk(
            chunk={"name": chunk, "data": data}, update_mask={"paths": ["data"]}
        ),
        lambda: retriever.delete_chunk(name=chunk),
        lambda: permission.list_permissions(parent=name),
        lambda: permission.get_permission(name=f"{name}/permissions/p"),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(DENIED, match="corpora/nowhere does not exist") as caught:
            call()
        assert caught.value.code == 403, number


def test_a_corpus_with_documents_goes_by_force_only(clients):
    corpus = clients.make_corpus()
    document = clients.make_document(corpus)
    clients.make_chunks(document, "a red kettle")
    with pytest.raises(GoogleAPICallError, match="set force") as caught:
        clients.retriever.delete_corpus(name=corpus)
    assert (caught.value.code, caught.value.reason) == (400, "FAILED_PRECONDITION")
    assert clients.retriever.get_document(name=document).name == document
    clients.retriever.delete_corpus(request={"name": corpus, "force": True})
    with pytest.raises(DENIED):
        clients.retriever.get_document(name=document)
    again = clients.make_corpus(name=corpus)
    assert list(clients.retriever.list_documents(parent=again)) == []
    found = clients.retriever.query_corpus(request={"name": again, "query": "kettle"})
    assert list(found.relevant_chunks) == []


def test_many_at_once_get_different_names(beta):
    with ThreadPoolExecutor(8) as pool:
        names = list(
            pool.map(
                lambda _: (
                    beta.retriever.create_corpus(request={"corpus": {"display_name": "Same"}}).name
                ),
                range(16),
            )
        )
    assert len(set(names)) == 16


def test_of_many_with_one_name_one_wins(beta):
    name = f"corpora/{new_id()}"

    def create(_):
        try:
            return beta.retriever.create_corpus(request={"corpus": {"name": name}}).name
        except TAKEN:
            return None

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(create, range(8)))
    assert sorted(outcomes, key=str) == [*[None] * 7, name]


def test_discovery_engine_does_not_see_corpora(beta, backend):
    beta.make_corpus()
    with backend.records.read() as transaction:
        parents = {
            name.partition("/dataStores/")[0]
            for _, name in (transaction.resources.all_data_stores())
        }
        listed = transaction.resources.list(
            DataStore,
            "projects/p/locations/global/collections/default_collection",
            page_size=10,
        )
    assert parents == {"generativelanguage"}
    assert listed.items == ()
