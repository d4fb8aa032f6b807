"""Sessions on both engines: turns are never lost, lists are stable, answers go with their session."""

import dataclasses
import threading

import pytest

from toulmin.domain import DataStore, Engine, Session, Turn
from toulmin.errors import Aborted, AlreadyExists, InvalidArgument, NotFound

COLLECTION = "projects/p/locations/global/collections/default_collection"
OWNER = f"{COLLECTION}/dataStores/s"


@pytest.fixture
def owned(store):
    with store.write() as transaction:
        transaction.resources.create(DataStore(parent=COLLECTION, id="s"))
    return store


def create(store, id_, **values):
    with store.write() as transaction:
        return transaction.sessions.create(Session(parent=OWNER, id=id_, **values))


def listed(store, **options):
    found, token = [], ""
    while True:
        with store.read() as transaction:
            page = transaction.sessions.list(OWNER, page_size=2, page_token=token, **options)
        found += [session.id for session in page.items]
        token = page.next_page_token
        if not token:
            return found


def test_a_session_comes_back_as_it_was_stored(owned):
    turns = (Turn(query="Who?", query_id="q1", query_config={"a": "b"}), Turn(query="When?"))
    stored = create(
        owned, "a", display_name="Mine", user_pseudo_id="u", labels=("x", "y"), turns=turns
    )
    with owned.read() as transaction:
        assert transaction.sessions.get(OWNER, "a") == stored
    assert stored.generation == 1
    assert stored.start_time == stored.end_time
    assert stored.name == f"{OWNER}/sessions/a"


def test_names_are_taken_and_missing(owned):
    create(owned, "a")
    with pytest.raises(AlreadyExists, match="sessions/a"):
        create(owned, "a")
    with owned.read() as transaction:
        with pytest.raises(NotFound, match="sessions/b"):
            transaction.sessions.get(OWNER, "b")
        with pytest.raises(NotFound, match="dataStores/none"):
            transaction.sessions.get(f"{COLLECTION}/dataStores/none", "a")


def test_lists_filter_order_and_page(owned):
    for number, user in enumerate("abab"):
        create(owned, f"s{number}", user_pseudo_id=user, display_name=f"n{9 - number}")
    assert listed(owned) == ["s0", "s1", "s2", "s3"]
    assert listed(owned, order_by=[("session_name", True)]) == ["s3", "s2", "s1", "s0"]
    assert listed(owned, user_pseudo_id="b") == ["s1", "s3"]
    assert listed(owned, order_by=[("display_name", False)]) == ["s3", "s2", "s1", "s0"]
    assert listed(owned, order_by=[("create_time", True)]) == ["s3", "s2", "s1", "s0"]
    with owned.write() as transaction:
        transaction.sessions.add_turn(OWNER, "s0", Turn(query="x"))
    assert listed(owned, order_by=[("update_time", False)]) == ["s1", "s2", "s3", "s0"]
    with owned.write() as transaction:
        session = transaction.sessions.get(OWNER, "s2")
        transaction.sessions.update(dataclasses.replace(session, is_pinned=True))
    order = [("is_pinned", True), ("display_name", False)]
    assert listed(owned, order_by=order) == ["s2", "s3", "s1", "s0"]
    with owned.read() as transaction:
        token = transaction.sessions.list(OWNER, page_size=2).next_page_token
        with pytest.raises(InvalidArgument, match="page_token"):
            transaction.sessions.list(OWNER, page_size=2, order_by=order, page_token=token)


def test_turns_of_several_threads_are_all_there(owned):
    create(owned, "a")

    def ask(name):
        for number in range(5):
            with owned.write() as transaction:
                place = transaction.sessions.add_turn(OWNER, "a", Turn(query=f"{name}{number}"))
            with owned.write() as transaction:
                transaction.sessions.put_answer(
                    OWNER, "a", f"{name}{number}", {"text": name}, place=place
                )

    threads = [threading.Thread(target=ask, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with owned.read() as transaction:
        session = transaction.sessions.get(OWNER, "a")
        answers = transaction.sessions.answers(OWNER, "a")
    assert len(session.turns) == len(answers) == 15
    assert all(turn.answer_id == turn.query for turn in session.turns)


def test_an_update_replaces_and_notices_others(owned):
    created = create(owned, "a", turns=(Turn(query="x"),))
    with owned.write() as transaction:
        updated = transaction.sessions.update(
            Session(parent=OWNER, id="a", display_name="New"), expected_generation=1
        )
    assert (updated.generation, updated.turns) == (2, ())
    assert updated.start_time == created.start_time
    with pytest.raises(Aborted), owned.write() as transaction:
        transaction.sessions.update(created, expected_generation=1)


def test_answers_are_replaced_and_go_with_their_session(owned):
    create(owned, "a")
    with owned.write() as transaction:
        transaction.sessions.put_answer(OWNER, "a", "1", {"state": "IN_PROGRESS"})
        transaction.sessions.put_answer(OWNER, "a", "1", {"state": "SUCCEEDED"})
    with owned.read() as transaction:
        assert transaction.sessions.answer(OWNER, "a", "1") == {"state": "SUCCEEDED"}
        with pytest.raises(NotFound, match="answers/2"):
            transaction.sessions.answer(OWNER, "a", "2")
    with owned.write() as transaction:
        transaction.sessions.delete(OWNER, "a")
    create(owned, "a")
    with owned.read() as transaction:
        assert transaction.sessions.answers(OWNER, "a") == {}


def test_sessions_go_with_their_owner(owned):
    with owned.write() as transaction:
        engine = transaction.resources.create(
            Engine(parent=COLLECTION, id="e", data_store_ids=("s",))
        )
        transaction.sessions.create(Session(parent=engine.name, id="a"))
        transaction.sessions.add_turn(engine.name, "a", Turn(query="Who was it?"))
    with owned.read() as transaction:
        assert transaction.sessions.get(engine.name, "a").display_name == "Who was it?"
    with owned.write() as transaction:
        transaction.resources.delete(Engine, engine.name)
    with owned.write() as transaction:
        transaction.resources.create(Engine(parent=COLLECTION, id="e", data_store_ids=("s",)))
    with owned.read() as transaction, pytest.raises(NotFound):
        transaction.sessions.get(engine.name, "a")
