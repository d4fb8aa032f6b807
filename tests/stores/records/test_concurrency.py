"""Several threads at one store, on both engines."""

import dataclasses
import random
import threading

import pytest

from tests.patience import PATIENCE_S
from tests.stores.records.nouns import BRANCH, PARENT, ids, make_branch, make_document, upsert
from toulmin.domain import DataStore


@pytest.fixture(autouse=True)
def branch(store):
    return make_branch(store)


def run(*works):
    """Do all at the same time; raise what one of them raised."""
    errors = []
    begin = threading.Barrier(len(works))

    def guarded(work):
        begin.wait(timeout=PATIENCE_S)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def test_writers_of_overlapping_documents_lose_nothing(store):
    names = [f"d{n}" for n in range(8)]
    written = []  # (document, generation, writer), as each writer was told

    def writer(number):
        dice = random.Random(number)

        def work():
            for turn in range(4):
                chosen = dice.sample(names, 5)  # in another order each time
                mark = f"w{number}.{turn}"
                items = [make_document(name, mark, mark, fingerprint=mark) for name in chosen]
                stored = upsert(store, *items)
                written.extend((document.id, document.generation, mark) for document in stored)

        return work

    run(*(writer(number) for number in range(4)))
    assert len(written) == 4 * 4 * 5
    with store.read() as transaction:
        changes = transaction.outbox.read(after=0)
        held = set()
        for name in names:
            generations = sorted(number for id_, number, _ in written if id_ == name)
            assert generations == list(range(1, len(generations) + 1))
            document = transaction.documents.get(BRANCH, name)
            assert document.generation == generations[-1]
            assert (name, document.generation, document.fingerprint) in written
            # Chunks and text are those of the writer that came last, and of nobody else.
            mark = document.fingerprint
            chunks = transaction.documents.chunks(BRANCH, name, page_size=10).items
            assert [chunk.content for chunk in chunks] == [mark, mark]
            assert transaction.documents.text(BRANCH, name) == f"{mark} {mark}"
            held |= {chunk.key for chunk in chunks}
    assert [change.sequence for change in changes] == list(range(1, 81))
    removed = [key for change in changes for key in change.removed_chunks]
    assert len(removed) == len(set(removed)) == 2 * (80 - len(names))
    assert not held & set(removed)


def test_a_list_is_paged_while_others_write(store):
    stable = [f"d{n:03}" for n in range(0, 100, 2)]
    upsert(store, *(make_document(name) for name in stable))
    stop = threading.Event()

    def disturb():
        dice = random.Random(7)
        while not stop.is_set():
            some = [f"d{n:03}" for n in dice.sample(range(1, 100, 2), 5)]
            upsert(store, *(make_document(name) for name in some))
            upsert(store, make_document(dice.choice(stable)))  # replaced, but never away
            with store.write() as transaction:
                transaction.documents.delete(BRANCH, some[:3])

    def read():
        try:
            for _ in range(3):
                seen, token = [], ""
                while True:
                    with store.read() as transaction:
                        page = transaction.documents.list(BRANCH, page_size=7, page_token=token)
                    seen += [document.id for document in page.items]
                    token = page.next_page_token
                    if not token:
                        break
                assert seen == sorted(set(seen))
                assert set(stable) <= set(seen)
        finally:
            stop.set()

    run(disturb, read)
    assert set(stable) <= set(ids(store))


def test_one_of_two_creators_wins(store):
    outcomes = []

    def create():
        try:
            upsert(store, make_document("d1", "x"), expected_generations={"d1": 0})
            outcomes.append("stored")
        except Exception as error:  # noqa: BLE001
            outcomes.append(type(error).__name__)

    run(create, create, create)
    assert sorted(outcomes) == ["AlreadyExists", "AlreadyExists", "stored"]
    with store.read() as transaction:
        assert transaction.documents.get(BRANCH, "d1").generation == 1


def test_what_is_read_to_be_changed_is_not_changed_meanwhile(store):
    with store.write() as transaction:
        made = transaction.resources.create(DataStore(parent=PARENT, id="counted"))

    def count():
        for _ in range(10):
            with store.write() as transaction:
                old = transaction.resources.get(DataStore, made.name, to_change=True)
                fields = {"count": old.fields.get("count", 0) + 1}
                transaction.resources.update(dataclasses.replace(old, fields=fields))

    run(count, count, count)
    with store.read() as transaction:
        assert transaction.resources.get(DataStore, made.name).fields == {"count": 30}
