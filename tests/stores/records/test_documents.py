import dataclasses
import threading

import pytest

from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document, upsert
from toulmin.domain import (
    Branch,
    Chunk,
    DataStore,
    Document,
    DocumentContent,
    Engine,
    IngestedDocument,
)
from toulmin.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    QuotaExceeded,
)
from toulmin.stores.records import RecordStore


@pytest.fixture(autouse=True)
def branch(store):
    return make_branch(store)


def test_what_was_stored_comes_back(store):
    item = make_document(
        "d1",
        "Ärger",
        "日本語",
        struct_data={"n": 1, "list": [1.5, None, "x\u0000y"]},
        content=DocumentContent(mime_type="text/plain", raw_bytes=b"\x00\xffraw"),
        derived={"title": "T"},
    )
    (stored,) = upsert(store, item)
    with store.read() as transaction:
        documents = transaction.documents
        assert documents.get(BRANCH, "d1") == stored
        assert stored.generation == 1
        assert stored.create_time == stored.update_time is not None
        assert documents.text(BRANCH, "d1") == "Ärger 日本語"
        chunks = documents.chunks(BRANCH, "d1", page_size=10).items
        assert [chunk.key > 0 for chunk in chunks] == [True, True]
        assert tuple(_without_key(chunk) for chunk in chunks) == item.chunks
        assert documents.chunk(BRANCH, "d1", "c1").content == "日本語"
        assert documents.blobs(BRANCH, "d1") == item.blobs
        assert documents.count(BRANCH) == 1


def test_an_upsert_replaces_everything(store):
    (first,) = upsert(store, make_document("d1", "one", "two"))
    (second,) = upsert(store, make_document("d1", "three", json_data='{"a": 1}'))
    assert second.generation == 2
    assert second.create_time == first.create_time
    assert second.update_time > first.update_time
    with store.read() as transaction:
        chunks = transaction.documents.chunks(BRANCH, "d1", page_size=10).items
        assert [chunk.content for chunk in chunks] == ["three"]
        changes = transaction.outbox.read(after=0)
    assert [change.sequence for change in changes] == [1, 2]
    assert len(changes[1].removed_chunks) == 2
    assert chunks[0].key not in changes[1].removed_chunks


def test_chunk_keys_are_never_used_again(store):
    upsert(store, make_document("d1", "one", "two"))
    with store.read() as transaction:
        old = {c.key for c in transaction.documents.chunks(BRANCH, "d1", page_size=9).items}
    with store.write() as transaction:
        assert transaction.documents.delete(BRANCH, ["d1", "absent"]) == ("d1",)
    upsert(store, make_document("d1", "one", "two"))
    with store.read() as transaction:
        new = {c.key for c in transaction.documents.chunks(BRANCH, "d1", page_size=9).items}
        assert set(transaction.outbox.read(after=1)[0].removed_chunks) == old
    assert not old & new


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (IngestedDocument(document=Document(id="d"), text="a\0b"), "text"),
        (IngestedDocument(document=Document(id="d\ud800")), "id"),
        (
            IngestedDocument(
                document=Document(id="d"),
                chunks=(Chunk(id="c", document_id="d", content="x", start=0, end=1),) * 2,
            ),
            "chunks",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(store, item, field):
    with pytest.raises(InvalidArgument) as caught:
        upsert(store, item)
    assert caught.value.violations[0].field == field
    assert ids(store) == []


def test_an_id_twice_in_one_call_is_refused(store):
    with pytest.raises(InvalidArgument, match="comes twice"):
        upsert(store, make_document("d1"), make_document("d1"))


def test_json_that_is_none_is_refused(store):
    with pytest.raises(InvalidArgument, match="JSON"):
        upsert(store, make_document("d1", struct_data={"x": object()}))


def test_generations_guard_writes(store):
    upsert(store, make_document("d1"), expected_generations={"d1": 0})
    with pytest.raises(AlreadyExists, match=r"documents/d1 exists"):
        upsert(store, make_document("d1"), expected_generations={"d1": 0})
    upsert(store, make_document("d1"), expected_generations={"d1": 1})
    with pytest.raises(Aborted, match="generation 2, not 1"):
        upsert(store, make_document("d1"), expected_generations={"d1": 1})
    with pytest.raises(Aborted, match="generation 0, not 1"):
        upsert(store, make_document("d2"), expected_generations={"d2": 1})


def test_what_is_not_there(store):
    with store.read() as transaction:
        documents = transaction.documents
        with pytest.raises(NotFound, match=r"branches/0/documents/d9 does not exist"):
            documents.get(BRANCH, "d9")
        with pytest.raises(NotFound):
            documents.text(BRANCH, "d9")
        with pytest.raises(NotFound):
            documents.list(Branch("projects/p/dataStores/none"), page_size=1)
    upsert(store, make_document("d1", "one"))
    with store.read() as transaction:
        with pytest.raises(NotFound, match="chunks/c9"):
            transaction.documents.chunk(BRANCH, "d1", "c9")
        with pytest.raises(NotFound):
            transaction.documents.get(Branch(BRANCH.data_store, "1"), "d1")


def test_pages_survive_concurrent_writes(store):
    # By code point on both engines: "B" before "a".
    upsert(store, *(make_document(id_) for id_ in ("a", "B", "c", "e", "ä")))
    with store.read() as transaction:
        first = transaction.documents.list(BRANCH, page_size=2)
    assert [document.id for document in first.items] == ["B", "a"]
    with store.write() as transaction:
        transaction.documents.delete(BRANCH, ["a", "c"])
    upsert(store, make_document("A"), make_document("d"))
    with store.read() as transaction:
        rest = transaction.documents.list(BRANCH, page_size=10, page_token=first.next_page_token)
    assert [document.id for document in rest.items] == ["d", "e", "ä"]
    assert rest.next_page_token == ""


def test_pages_of_chunks(store):
    upsert(store, make_document("d1", "one", "two", "three"))
    with store.read() as transaction:
        first = transaction.documents.chunks(BRANCH, "d1", page_size=2)
        second = transaction.documents.chunks(
            BRANCH, "d1", page_size=2, page_token=first.next_page_token
        )
    assert [chunk.id for chunk in (*first.items, *second.items)] == ["c0", "c1", "c2"]
    assert second.next_page_token == ""
    upsert(store, make_document("d1", "four", "five", "six"))
    with store.read() as transaction, pytest.raises(InvalidArgument, match="page_token"):
        transaction.documents.chunks(BRANCH, "d1", page_size=2, page_token=first.next_page_token)


def test_purge_by_predicate_in_steps(store):
    upsert(store, *(make_document(f"d{n}", "x", struct_data={"n": n}) for n in range(7)))

    def odd(document):
        return document.struct_data["n"] % 2 == 1

    with store.write() as transaction:
        dry = transaction.documents.purge(BRANCH, odd, limit=10, dry_run=True)
    assert dry.matching == ("d1", "d3", "d5")
    assert len(ids(store)) == 7
    examined, last = 0, ""
    while True:
        with store.write() as transaction:
            step = transaction.documents.purge(BRANCH, odd, after_id=last, limit=3)
        examined, last = examined + step.examined, step.last_id
        if not last:
            break
    assert examined == 7
    assert ids(store) == ["d0", "d2", "d4", "d6"]


def test_a_full_import_sweeps_what_it_did_not_see(store):
    upsert(store, *(make_document(f"old{n}") for n in range(5)))
    with store.write() as transaction:
        began = transaction.now
    upsert(store, make_document("old1"), make_document("new"), import_id="i2")
    upsert(store, make_document("by-hand"))  # by somebody else, meanwhile
    with store.write() as transaction:
        transaction.documents.mark(BRANCH, ["old2"], import_id="i2")  # failed to parse
    swept = []
    while True:
        with store.write() as transaction:
            part = transaction.documents.sweep(
                BRANCH, import_id="i2", written_before=began, limit=2
            )
        swept.extend(part)
        if len(part) < 2:
            break
    assert swept == ["old0", "old3", "old4"]
    assert ids(store) == ["by-hand", "new", "old1", "old2"]
    with store.read() as transaction:
        assert transaction.documents.get(BRANCH, "old2").generation == 1


def test_more_ids_than_one_statement_takes(store):
    many = [make_document(f"d{n:04}", "x") for n in range(1100)]
    upsert(store, *many)
    with store.read() as transaction:
        assert len(transaction.documents.get_many(BRANCH, [i.document.id for i in many])) == 1100
    with store.write() as transaction:
        gone = transaction.documents.delete(BRANCH, [item.document.id for item in many])
    assert len(gone) == 1100
    with store.read() as transaction:
        assert transaction.outbox.head().sequence == 2200


def test_deleting_a_data_store_takes_all_of_it(store):
    upsert(store, make_document("d1", "one", "two"))
    with store.read() as transaction:
        keys = {c.key for c in transaction.documents.chunks(BRANCH, "d1", page_size=9).items}
    with store.write() as transaction:
        transaction.resources.delete(DataStore, BRANCH.data_store)
    with store.read() as transaction:
        (change,) = transaction.outbox.read(after=1)
        assert transaction.documents.scan() == ()
    assert change.document is None
    assert set(change.removed_chunks) == keys
    make_branch(store)
    assert ids(store) == []


def test_scan_and_by_keys_give_documents_with_chunks(store):
    upsert(store, *(make_document(f"d{n}", "x", "y") for n in range(5)))
    with store.read() as transaction:
        first = transaction.documents.scan(limit=3)
        rest = transaction.documents.scan(after_key=first[-1].key, limit=3)
        again = transaction.documents.by_keys([first[1].key, 999])
    assert [item.document.id for item in (*first, *rest)] == ["d0", "d1", "d2", "d3", "d4"]
    assert again == {first[1].key: first[1]}
    assert [chunk.content for chunk in first[1].chunks] == ["x", "y"]
    assert first[1].branch == "0"


def test_a_failed_transaction_leaves_nothing(store):
    def fail():
        with store.write() as transaction:
            transaction.documents.upsert(BRANCH, [make_document("d1", "one")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ids(store) == []
    with store.read() as transaction:
        assert transaction.outbox.read(after=0) == ()


def test_a_read_sees_one_state(store):
    upsert(store, make_document("d1"))
    with store.read() as transaction:
        assert transaction.documents.count(BRANCH) == 1
        thread = threading.Thread(target=upsert, args=(store, make_document("d2")))
        thread.start()
        thread.join()
        assert transaction.documents.count(BRANCH) == 1
    assert ids(store) == ["d1", "d2"]


def test_a_read_cannot_write(store):
    with (
        pytest.raises(Exception, match=r"refused|written|takes no writes"),
        store.read() as transaction,
    ):
        transaction.documents.upsert(BRANCH, [make_document("d1")])
    assert ids(store) == []


def test_writers_of_one_document_take_turns(store):
    errors = []

    def work():
        try:
            for _ in range(5):
                upsert(store, make_document("d1", "a", "b"), make_document("d2"))
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with store.read() as transaction:
        assert transaction.documents.get(BRANCH, "d1").generation == 20
        assert len(transaction.documents.chunks(BRANCH, "d1", page_size=9).items) == 2
        changes = transaction.outbox.read(after=0)
    assert [change.sequence for change in changes] == list(range(1, 41))


def test_a_data_store_of_an_engine_stays(store):
    with store.write() as transaction:
        transaction.resources.create(
            Engine(
                parent=BRANCH.data_store.rpartition("/dataStores")[0],
                id="e",
                data_store_ids=("books",),
            )
        )
    with pytest.raises(FailedPrecondition, match="engines/e"), store.write() as transaction:
        transaction.resources.delete(DataStore, BRANCH.data_store)


def _without_key(chunk):
    return dataclasses.replace(chunk, key=0)


def test_a_project_holds_as_many_documents_as_it_may(place, store):
    store.close()
    limited = RecordStore(*place, most_documents=2)
    parents = [f"projects/{p}/locations/global/collections/c" for p in ("p", "p", "p0", "po")]
    branches = []
    with limited.write() as transaction:
        for number, parent in enumerate(parents):
            store = transaction.resources.create(DataStore(parent=parent, id=f"d{number}"))
            branches.append(Branch(store.name))

    def put(branch, *ids):
        items = [make_document(id_) for id_ in ids]
        with limited.write() as transaction:
            transaction.documents.upsert(branch, items)

    put(branches[0], "a")
    put(branches[1], "a")
    put(branches[1], "a")  # written again, it is no further one
    with pytest.raises(QuotaExceeded) as caught:
        put(branches[0], "b")
    assert caught.value.quota.subject == "project:p"
    assert caught.value.retry_s is None
    for branch in branches[2:]:
        put(branch, "a", "b")
    with limited.read() as transaction:
        assert transaction.documents.count(branches[0]) == 1
    limited.close()
