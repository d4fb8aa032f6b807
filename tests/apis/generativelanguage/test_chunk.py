"""Chunks of documents through the official clients of both versions."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from google.api_core.exceptions import GoogleAPICallError, NotFound

from tests.apis.generativelanguage.backend import chunk, metadata_of
from tests.apis.generativelanguage.test_corpus import TAKEN, refused
from tests.apis.generativelanguage.test_document import values_of
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.client

ACTIVE, PENDING = 2, 1


def texts(clients, document):
    return [item.data.string_value for item in clients.retriever.list_chunks(parent=document)]


def query(clients, document, words):
    found = clients.retriever.query_document(request={"name": document, "query": words})
    return [item.chunk.data.string_value for item in found.relevant_chunks]


def test_a_chunk_is_created_read_changed_and_deleted(clients):
    document = clients.make_document()
    name = f"{document}/chunks/one"
    made = clients.retriever.create_chunk(
        parent=document, chunk=chunk("The kettle boils.", name, wet="yes", litres=1.5)
    )
    assert (made.name, made.data.string_value) == (name, "The kettle boils.")
    assert made.state == ACTIVE
    assert values_of(made.custom_metadata) == {"wet": "yes", "litres": 1.5}
    assert made.create_time == made.update_time
    assert clients.retriever.get_chunk(name=name) == made
    assert query(clients, document, "kettle") == ["The kettle boils."]
    changed = clients.retriever.update_chunk(
        chunk={"name": name, "data": {"string_value": "The lamp glows."}},
        update_mask={"paths": ["data"]},
    )
    assert changed.data.string_value == "The lamp glows."
    assert changed.custom_metadata == made.custom_metadata
    assert changed.update_time > made.update_time == changed.create_time
    assert changed.state == ACTIVE
    assert query(clients, document, "lamp") == ["The lamp glows."]
    changed = clients.retriever.update_chunk(
        chunk={"name": name, "custom_metadata": metadata_of({"wet": "no"})},
        update_mask={"paths": ["custom_metadata"]},
    )
    assert changed.data.string_value == "The lamp glows."
    assert values_of(changed.custom_metadata) == {"wet": "no"}
    assert clients.retriever.get_chunk(name=name) == changed
    clients.retriever.delete_chunk(name=name)
    with pytest.raises(NotFound, match=name):
        clients.retriever.get_chunk(name=name)
    assert query(clients, document, "lamp") == []


def test_a_chunk_without_a_name_gets_one(beta):
    document = beta.make_document()
    made = beta.retriever.create_chunk(parent=document, chunk=chunk("Words."))
    assert re.fullmatch(rf"{document}/chunks/[a-z0-9]{{12}}", made.name)


def test_a_name_is_given_once(clients):
    document = clients.make_document()
    name = f"{document}/chunks/one"
    clients.retriever.create_chunk(parent=document, chunk=chunk("First.", name))
    with pytest.raises(TAKEN, match=name):
        clients.retriever.create_chunk(parent=document, chunk=chunk("Second.", name))
    with pytest.raises(TAKEN, match=name):
        clients.make_chunks(document, "Third.", chunk("Fourth.", name))
    assert texts(clients, document) == ["First."]


def test_a_batch_is_created_changed_and_deleted(clients):
    document = clients.make_document()
    made = clients.make_chunks(
        document, *(chunk(f"Number {n}.", f"{document}/chunks/c{n}", n=n) for n in range(100))
    )
    assert [item.data.string_value for item in made] == [f"Number {n}." for n in range(100)]
    assert {item.state for item in made} == {ACTIVE}
    assert texts(clients, document) == [f"Number {n}." for n in range(100)]
    updates = [
        {
            "chunk": {"name": item.name, "data": {"string_value": f"Now {n}."}},
            "update_mask": {"paths": ["data"]},
        }
        for n, item in enumerate(made[:3])
    ]
    changed = clients.retriever.batch_update_chunks(
        request={"parent": document, "requests": updates}
    )
    assert [item.data.string_value for item in changed.chunks] == ["Now 0.", "Now 1.", "Now 2."]
    assert [values_of(item.custom_metadata) for item in changed.chunks] == [
        {"n": 0.0},
        {"n": 1.0},
        {"n": 2.0},
    ]
    assert texts(clients, document)[:4] == ["Now 0.", "Now 1.", "Now 2.", "Number 3."]
    clients.retriever.batch_delete_chunks(
        request={"parent": document, "requests": [{"name": item.name} for item in made[1:]]}
    )
    assert texts(clients, document) == ["Now 0."]


def test_a_batch_is_done_as_a_whole_or_not_at_all(clients):
    document = clients.make_document()
    (one,) = clients.make_chunks(document, "One.")
    missing = f"{document}/chunks/missing"
    mask = {"paths": ["data"]}
    updates = [
        {"chunk": {"name": name, "data": {"string_value": "Two."}}, "update_mask": mask}
        for name in (one.name, missing)
    ]
    with pytest.raises(NotFound, match=missing):
        clients.retriever.batch_update_chunks(request={"parent": document, "requests": updates})
    with pytest.raises(NotFound, match=missing):
        clients.retriever.batch_delete_chunks(
            request={"parent": document, "requests": [{"name": one.name}, {"name": missing}]}
        )
    refused(lambda: clients.make_chunks(document, "Two.", " "), "requests[1].chunk.data")
    assert texts(clients, document) == ["One."]


def test_the_parent_of_a_batch_may_be_left_to_its_requests(beta):
    document = beta.make_document()
    response = beta.retriever.batch_create_chunks(
        request={"requests": [{"parent": document, "chunk": chunk("One.")}]}
    )
    assert response.chunks[0].name.startswith(document)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({}, ["chunk.data.string_value", "required"]),
        (chunk(" \n"), ["chunk.data.string_value", "visible"]),
        (chunk("a\0b"), ["chunk.data.string_value", "NUL"]),
        (chunk("word " * 2044), ["chunk.data.string_value", "2,044", "2,043"]),
        (chunk("x", "{document}/chunks/A"), ["chunk.name", "lower-case"]),
        (chunk("x", "corpora/a/documents/b/chunks/c"), ["chunk.name", "is not of"]),
        (chunk("x", "chunks/c"), ["chunk.name", "form"]),
        (chunk("x", **{f"k{n}": "v" for n in range(21)}), ["chunk.custom_metadata", "20"]),
    ],
)
def test_what_a_chunk_cannot_be(beta, message, words):
    document = beta.make_document()
    if "name" in message:
        message = message | {"name": message["name"].replace("{document}", document)}
    refused(lambda: beta.retriever.create_chunk(parent=document, chunk=message), *words)
    assert texts(beta, document) == []


def test_the_longest_chunk(beta):
    document = beta.make_document()
    made = beta.retriever.create_chunk(parent=document, chunk=chunk("word " * 2043))
    assert made.state == ACTIVE


def test_what_a_batch_cannot_be(beta):
    document, other = beta.make_document(), beta.make_document()
    retriever = beta.retriever

    def create(*requests):
        return lambda: retriever.batch_create_chunks(
            request={"parent": document, "requests": list(requests)}
        )

    good = {"parent": document, "chunk": chunk("x")}
    refused(create(), "requests", "at least one")
    refused(create(*[good] * 101), "requests", "101", "100")
    refused(create(good, {"parent": other, "chunk": chunk("x")}), "requests[1].parent", "is not of")
    twice = {"parent": document, "chunk": chunk("x", f"{document}/chunks/a")}
    refused(create(twice, twice), "requests[1].chunk.name", "twice")
    (made,) = beta.make_chunks(document, "One.")
    (strange,) = beta.make_chunks(other, "Other.")
    for requests, word in (
        ([], "at least one"),
        ([{"name": made.name}] * 2, "twice"),
        ([{"name": strange.name}], "is not of"),
        ([{"name": f"{document}/chunks/c{n}"} for n in range(101)], "101"),
        ([{"name": "x"}], "form"),
    ):
        refused(
            lambda requests=requests: retriever.batch_delete_chunks(
                request={"parent": document, "requests": requests}
            ),
            "requests",
            word,
        )
    data, mask = {"string_value": "y"}, {"paths": ["data"]}
    for update, word in (
        ({"chunk": {"name": strange.name, "data": data}, "update_mask": mask}, "is not of"),
        ({"chunk": {"name": made.name, "data": data}}, "update_mask"),
        ({"chunk": {"name": made.name}, "update_mask": mask}, "required"),
        ({"chunk": {"name": made.name}, "update_mask": {"paths": ["state"]}}, "cannot be changed"),
    ):
        refused(
            lambda update=update: retriever.batch_update_chunks(
                request={"parent": document, "requests": [update]}
            ),
            word,
        )
    assert texts(beta, document) == ["One."]


def test_chunks_are_listed_oldest_first(clients):
    document = clients.make_document()
    for word in "zmaqb":
        clients.make_chunks(document, chunk(word, f"{document}/chunks/{word}"))
    clients.retriever.update_chunk(
        chunk=chunk("a new m", f"{document}/chunks/m"), update_mask={"paths": ["data"]}
    )
    pages = clients.retriever.list_chunks(request={"parent": document, "page_size": 2}).pages
    found = [[item.data.string_value for item in page.chunks] for page in pages]
    assert found == [["z", "a new m"], ["a", "q"], ["b"]]


def test_pages_go_on_while_chunks_come_and_go(beta):
    document = beta.make_document()
    made = beta.make_chunks(document, *"abcde")
    page = next(beta.retriever.list_chunks(request={"parent": document, "page_size": 2}).pages)
    beta.retriever.delete_chunk(name=made[2].name)
    beta.make_chunks(document, "f")
    beta.retriever.update_document(
        document={"name": document, "display_name": "B"}, update_mask={"paths": ["display_name"]}
    )
    rest = beta.retriever.list_chunks(
        request={"parent": document, "page_token": page.next_page_token}
    )
    assert [item.data.string_value for item in rest] == ["d", "e", "f"]
    other = beta.make_document()
    refused(
        lambda: beta.retriever.list_chunks(
            request={"parent": other, "page_token": page.next_page_token}
        ),
        "page_token",
    )
    refused(
        lambda: beta.retriever.list_chunks(request={"parent": document, "page_size": -1}),
        "page_size",
    )


def test_batches_at_once_lose_nothing(beta):
    document = beta.make_document()

    def create(number):
        return beta.make_chunks(document, *(f"Batch {number}, chunk {n}." for n in range(20)))

    with ThreadPoolExecutor(8) as pool:
        made = [item for batch in pool.map(create, range(16)) for item in batch]
    assert {item.state for item in made} == {ACTIVE}
    listed = list(beta.retriever.list_chunks(request={"parent": document, "page_size": 100}))
    assert {item.name for item in listed} == {item.name for item in made}
    assert len(listed) == 320
    times = [item.create_time for item in listed]
    assert times == sorted(times)
    numbers = [item.data.string_value.split(",")[0] for item in listed]
    assert all(len(set(numbers[at : at + 20])) == 1 for at in range(0, 320, 20))  # batch by batch


def test_changes_at_once_to_words_and_metadata_are_both_kept(beta):
    document = beta.make_document()
    (made,) = beta.make_chunks(document, "Old.")
    barrier = threading.Barrier(2)

    def update(field, value):
        barrier.wait()
        for _ in range(5):
            beta.retriever.update_chunk(
                chunk={"name": made.name, field: value}, update_mask={"paths": [field]}
            )

    with ThreadPoolExecutor(2) as pool:
        tasks = [
            pool.submit(update, "data", {"string_value": "New."}),
            pool.submit(update, "custom_metadata", metadata_of({"k": "v"})),
        ]
        outcomes = [task.exception() for task in tasks]
    assert [outcome for outcome in outcomes if outcome] == []
    found = beta.retriever.get_chunk(name=made.name)
    assert found.data.string_value == "New."
    assert values_of(found.custom_metadata) == {"k": "v"}


def test_new_metadata_need_no_new_vector(beta, backend):
    document = beta.make_document()
    (made,) = beta.make_chunks(document, "The kettle boils.")
    before = backend.embedder.embedded
    beta.retriever.update_chunk(
        chunk={"name": made.name, "custom_metadata": metadata_of({"k": "v"})},
        update_mask={"paths": ["custom_metadata"]},
    )
    assert backend.embedder.embedded == before
    assert query(beta, document, "kettle heats") == ["The kettle boils."]


def test_a_chunk_that_is_not_in_the_index_yet_is_pending(beta, backend, monkeypatch):
    document = beta.make_document()
    monkeypatch.setattr("toulmin.apis.generativelanguage.chunk.VISIBLE_S", 0.05)
    hold = threading.Event()
    step = backend.indexer._step

    def held_step():
        hold.wait(PATIENCE_S)
        return step()

    monkeypatch.setattr(backend.indexer, "_step", held_step)
    try:
        beta.retriever.list_chunks(parent=document)
        for _ in range(3):  # the step in hand may still take the first
            made = beta.retriever.create_chunk(parent=document, chunk=chunk("Late."))
        assert made.state == PENDING
        assert beta.retriever.get_chunk(name=made.name).state == PENDING
    finally:
        hold.set()
        monkeypatch.undo()
    last = beta.retriever.create_chunk(parent=document, chunk=chunk("Later."))
    assert last.state == ACTIVE
    states = {item.state for item in beta.retriever.list_chunks(parent=document)}
    assert states == {ACTIVE}


def test_a_call_over_rest_with_a_wrong_body_names_the_field(backend):
    import json
    import urllib.error
    import urllib.request

    url = f"http://127.0.0.1:{backend.server.port}/v1beta/corpora"
    body = json.dumps({"displayName": 5}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 400
    assert "display_name" in caught.value.read().decode()


def test_wrong_names_are_refused(beta):
    for call in (
        lambda: beta.retriever.get_chunk(name="corpora/a/chunks/b"),
        lambda: beta.retriever.delete_chunk(name=""),
        lambda: beta.retriever.list_chunks(parent="corpora/a"),
        lambda: beta.retriever.create_chunk(parent="x", chunk=chunk("x")),
    ):
        with pytest.raises(GoogleAPICallError) as caught:
            call()
        assert caught.value.code == 400
