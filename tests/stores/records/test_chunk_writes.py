"""Chunks that are written one by one, on both engines."""

import dataclasses

import pytest

from tests.stores.records.nouns import BRANCH, make_branch, make_document, upsert
from toulmin.domain import Chunk, DataStore
from toulmin.errors import Aborted, AlreadyExists, InvalidArgument, NotFound


@pytest.fixture(autouse=True)
def document(store):
    make_branch(store)
    upsert(store, make_document("d"))


def chunk(id_, content="Words.", **more):
    more = {"embedding": b"\x01\x02", "embedding_model": "m@1", **more}
    return Chunk(id=id_, document_id="d", content=content, start=0, end=len(content), **more)


def create(store, *chunks):
    with store.write() as transaction:
        return transaction.documents.create_chunks(BRANCH, "d", chunks)


def listed(store, **more):
    with store.read() as transaction:
        return transaction.documents.list_chunks(BRANCH, "d", **{"page_size": 100, **more})


def changes(store, after):
    with store.read() as transaction:
        return transaction.outbox.read(after=after)


def head(store):
    with store.read() as transaction:
        return transaction.outbox.head().sequence


def test_chunks_come_in_the_order_of_their_writing_with_times(store):
    first = create(store, chunk("z", metadata={"chunk": {"a": 1}}), chunk("a"))
    create(store, chunk("m"))
    found = listed(store).items
    assert [item.id for item in found] == ["z", "a", "m"]
    assert found[:2] == first
    assert found[0].metadata == {"chunk": {"a": 1}}
    assert found[0].create_time == found[0].update_time is not None
    with store.read() as transaction:
        kept = transaction.documents.chunks_by_id(BRANCH, "d", ["m", "z", "absent"])
    assert sorted(kept) == ["m", "z"]
    assert (kept["m"].embedding, kept["m"].embedding_model) == (b"\x01\x02", "m@1")


def test_a_change_names_what_was_written_and_what_went(store):
    before = head(store)
    one, two = create(store, chunk("1"), chunk("2"))
    with store.write() as transaction:
        (new,) = transaction.documents.replace_chunks(BRANCH, "d", [chunk("1", "Other.")])
    with store.write() as transaction:
        transaction.documents.delete_chunks(BRANCH, "d", ["2"])
    assert new.key not in (one.key, two.key)
    assert [
        (change.written_chunks, change.removed_chunks) for change in changes(store, before)
    ] == [
        ((one.key, two.key), ()),
        ((new.key,), (one.key,)),
        ((), (two.key,)),
    ]
    upsert(store, make_document("d", "whole"))
    last = changes(store, before)[-1]
    assert (last.written_chunks, last.removed_chunks) == (None, (new.key,))


def test_a_replaced_chunk_keeps_its_place_and_the_time_of_its_making(store):
    first, _ = create(store, chunk("1"), chunk("2"))
    with store.write() as transaction:
        transaction.documents.replace_chunks(BRANCH, "d", [chunk("1", "Other.")])
    found = listed(store).items
    assert [item.content for item in found] == ["Other.", "Words."]
    assert found[0].create_time == first.create_time
    assert found[0].update_time > first.update_time


def test_the_document_keeps_count(store):
    create(store, chunk("1", "four"), chunk("2", "sixsix"))
    with store.write() as transaction:
        transaction.documents.replace_chunks(BRANCH, "d", [chunk("1", "12345")])
        transaction.documents.delete_chunks(BRANCH, "d", ["2"])
    with store.read() as transaction:
        statistics = transaction.documents.statistics(BRANCH)
        assert transaction.documents.get(BRANCH, "d").generation == 1
    assert (statistics.chunks, statistics.text_characters) == (1, 5)


def test_ids_are_given_once(store):
    create(store, chunk("1"))
    before = head(store)
    with pytest.raises(AlreadyExists, match="documents/d/chunks/1 exists"):
        create(store, chunk("2"), chunk("1"))
    with pytest.raises(InvalidArgument, match="twice"):
        create(store, chunk("3"), chunk("3"))
    with pytest.raises(InvalidArgument, match="NUL"):
        create(store, chunk("3", "a\0b"))
    assert [item.id for item in listed(store).items] == ["1"]
    assert head(store) == before


def test_what_is_missing_is_named_and_nothing_is_done(store):
    create(store, chunk("1"))
    with pytest.raises(NotFound, match="documents/d/chunks/2 "), store.write() as transaction:
        transaction.documents.delete_chunks(BRANCH, "d", ["1", "2"])
    with pytest.raises(NotFound, match="documents/d/chunks/2 "), store.write() as transaction:
        transaction.documents.replace_chunks(BRANCH, "d", [chunk("1", "X"), chunk("2")])
    with pytest.raises(NotFound, match="documents/absent"), store.write() as transaction:
        transaction.documents.create_chunks(BRANCH, "absent", [chunk("1")])
    assert [item.content for item in listed(store).items] == ["Words."]


def test_a_change_to_what_another_changed_is_refused(store):
    (seen,) = create(store, chunk("1"))
    with store.write() as transaction:
        transaction.documents.replace_chunks(BRANCH, "d", [chunk("1", "Theirs.")])
    with pytest.raises(Aborted, match="read it again"), store.write() as transaction:
        transaction.documents.replace_chunks(
            BRANCH, "d", [chunk("1", "Mine.")], expected_keys={"1": seen.key}
        )
    assert [item.content for item in listed(store).items] == ["Theirs."]


def test_what_a_document_says_of_itself_changes_without_its_chunks(store):
    create(store, chunk("1"))
    before, chunks = head(store), listed(store).items
    with store.write() as transaction:
        changed = transaction.documents.change_document(
            BRANCH, "d", lambda old: dataclasses.replace(old, struct_data={"a": old.generation})
        )
    assert changed.struct_data == {"a": 1}
    assert changed.generation == 2
    with store.read() as transaction:
        kept = transaction.documents.get(BRANCH, "d")
    assert kept == changed
    assert kept.update_time > kept.create_time
    assert listed(store).items == chunks
    (change,) = changes(store, before)
    assert (change.written_chunks, change.removed_chunks) == (None, ())


def test_pages_go_on_though_the_document_changes_and_end_with_it(store):
    create(store, *(chunk(str(n)) for n in range(5)))
    page = listed(store, page_size=2)
    with store.write() as transaction:
        transaction.documents.change_document(BRANCH, "d", lambda old: old)
        transaction.documents.delete_chunks(BRANCH, "d", ["2"])
    rest = listed(store, page_token=page.next_page_token)
    assert ([item.id for item in rest.items], rest.next_page_token) == (["3", "4"], "")
    with store.write() as transaction:
        transaction.documents.delete(BRANCH, ["d"])
    upsert(store, make_document("d"))
    with pytest.raises(InvalidArgument, match="page_token"):
        listed(store, page_token=page.next_page_token)


def test_a_reader_gets_the_chunks_of_a_change_and_no_others(store):
    create(store, chunk("1"))
    two, three = create(store, chunk("2"), chunk("3"))
    with store.read() as transaction:
        found = transaction.documents.with_some_chunks([three.key, two.key, 999_999])
    (stored,) = found.values()
    assert stored.document.id == "d"
    assert [item.id for item in stored.chunks] == ["2", "3"]
    assert stored.chunks[0].embedding == b"\x01\x02"


def test_documents_and_resources_by_age(store):
    for id_ in ("z", "m", "a"):
        upsert(store, make_document(id_))
        with store.write() as transaction:
            transaction.resources.create(DataStore(parent="p", id=id_))
    upsert(store, make_document("z"))  # written again, it is as old as before

    def ids(page):
        return [item.id for item in page.items]

    with store.read() as transaction:
        first = transaction.documents.list_oldest_first(BRANCH, page_size=2)
        rest = transaction.documents.list_oldest_first(
            BRANCH, page_size=2, page_token=first.next_page_token
        )
        assert (ids(first), ids(rest), rest.next_page_token) == (["d", "z"], ["m", "a"], "")
        stores = transaction.resources.list_oldest_first(DataStore, "p", page_size=2)
        more = transaction.resources.list_oldest_first(
            DataStore, "p", page_size=2, page_token=stores.next_page_token
        )
        assert (ids(stores), ids(more), more.next_page_token) == (["z", "m"], ["a"], "")
        with pytest.raises(InvalidArgument, match="page_token"):
            transaction.resources.list_oldest_first(
                DataStore, "q", page_size=2, page_token=stores.next_page_token
            )
