import threading
import time

import pytest

from tests.patience import PATIENCE_S
from tests.stores.records.nouns import BRANCH, make_branch, make_document, upsert
from toulmin.domain import Branch, DataStore
from toulmin.errors import FailedPrecondition


@pytest.fixture(autouse=True)
def branch(store):
    return make_branch(store)


def test_a_write_knows_its_last_number(store):
    with store.write() as transaction:
        transaction.documents.upsert(BRANCH, [make_document("a"), make_document("b")])
    assert transaction.sequence == 2
    with store.write() as transaction:
        transaction.documents.delete(BRANCH, ["absent"])
    assert transaction.sequence is None


def test_cursors_and_trimming(store):
    upsert(store, *(make_document(f"d{n}") for n in range(6)))
    with store.write() as transaction:
        outbox = transaction.outbox
        assert outbox.trim() == 0  # no reader yet
        assert outbox.acknowledged("index") is None
        outbox.acknowledge("index", 2)
        outbox.acknowledge("index", 4)
        outbox.acknowledge("slow", 3)
        assert outbox.trim() == 3
        assert [change.sequence for change in outbox.read(after=4, limit=1)] == [5]
        with pytest.raises(FailedPrecondition, match="rebuilt") as caught:
            outbox.read(after=2)
        assert caught.value.reason == "OUTBOX_OUT_OF_RANGE"
        with pytest.raises(FailedPrecondition):
            outbox.read(after=7)
        outbox.forget("slow")
        assert outbox.trim() == 1
        assert outbox.acknowledged("index") == 4
        assert outbox.head().trimmed == 4


def test_no_reader_ever_sees_a_gap(store):
    """Writers to several data stores, some rolled back, while a reader polls."""
    branches = [Branch(DataStore(parent="p", id=f"s{n}").name) for n in range(4)]
    with store.write() as transaction:
        for number in range(4):
            transaction.resources.create(DataStore(parent="p", id=f"s{number}"))
    errors = []

    def work(number):
        try:
            for turn in range(12):
                try:
                    with store.write() as transaction:
                        documents = [make_document(f"d{turn}-{n}") for n in range(number + 1)]
                        transaction.documents.upsert(branches[number], documents)
                        if turn % 3 == 2:
                            transaction.outbox.flush()  # numbers taken, then given back
                            raise ZeroDivisionError  # noqa: TRY301
                        time.sleep(0.001 * number)
                except ZeroDivisionError:
                    pass
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    seen = []
    while any(thread.is_alive() for thread in threads) or not errors:
        alive = any(thread.is_alive() for thread in threads)
        with store.read() as transaction:
            new = transaction.outbox.read(after=len(seen))
        assert [change.sequence for change in new] == list(
            range(len(seen) + 1, len(seen) + 1 + len(new))
        )
        seen.extend(new)
        if not alive and not new:
            break
    assert errors == []
    assert len(seen) == 8 * (1 + 2 + 3 + 4)


def test_a_commit_wakes_who_waits(store):
    assert not store.wait_for_changes(after=0, timeout_s=0)
    results = []
    waiter = threading.Thread(
        target=lambda: results.append(store.wait_for_changes(after=0, timeout_s=PATIENCE_S))
    )
    waiter.start()
    upsert(store, make_document("a"))
    waiter.join(timeout=PATIENCE_S)
    assert results == [True]
