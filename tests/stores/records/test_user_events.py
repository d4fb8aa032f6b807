"""User events on both engines: found by user, counted once, gone after their time."""

from datetime import UTC, datetime, timedelta

import pytest

from toulmin.domain import DataStore
from toulmin.errors import InvalidArgument, NotFound
from toulmin.stores.records import EventFilter, UserEvent

COLLECTION = "projects/p/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/s"
OTHER = f"{COLLECTION}/dataStores/t"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def stores(store):
    with store.write() as transaction:
        for id_ in ("s", "t"):
            transaction.resources.create(DataStore(parent=COLLECTION, id=id_))
    return store


def event(user="u", query="", hour=0, event_type="search", **fields):
    return UserEvent(
        event_type=event_type,
        event_time=NOON + timedelta(hours=hour),
        user_pseudo_id=user,
        search_query=query,
        body={"hour": hour},
        **fields,
    )


def add(store, *events, to=STORE):
    with store.write() as transaction:
        return transaction.user_events.add(to, events)


def test_the_last_events_of_a_user_come_first(stores):
    assert add(stores, *(event(hour=hour, event_type="view-item") for hour in (2, 0, 1))) == 3
    add(stores, event(hour=9), event("v", hour=9, event_type="view-item"))
    add(stores, event(hour=9, event_type="view-item"), to=OTHER)
    with stores.read() as transaction:
        found = transaction.user_events.of_user(STORE, "u", ["view-item"], limit=2)
    assert [item.body["hour"] for item in found] == [2, 1]
    assert found[0] == event(hour=2, event_type="view-item")


def test_searches_are_pairs_of_user_and_query(stores):
    add(stores, event("b", "x"), event("a", "y"), event("b", "x"), event("c", "z", 1, "view-item"))
    with stores.read() as transaction:
        assert list(transaction.user_events.searches(STORE)) == [("a", "y"), ("b", "x")]
        assert list(transaction.user_events.searches(OTHER)) == []


def test_a_purge_takes_its_own_data_store_only(stores):
    add(stores, event(hour=0), event(hour=1), event("v", hour=2, user_id="me"))
    add(stores, event(hour=0), to=OTHER)
    for which, count in (
        (EventFilter(after=NOON, before=NOON + timedelta(hours=2)), 1),
        (EventFilter(user_id="me"), 1),
        (EventFilter(), 1),
        (EventFilter(), 0),
    ):
        with stores.write() as transaction:
            assert transaction.user_events.purge(STORE, which) == count
    with stores.write() as transaction:
        assert transaction.user_events.purge(OTHER, EventFilter()) == 1


def test_events_are_pruned_by_when_they_came(stores):
    add(stores, event(hour=-1000), event(hour=1000))
    with stores.write() as transaction:
        came = transaction.now
        assert transaction.user_events.prune(stored_before=came - timedelta(days=1)) == 0
        assert transaction.user_events.prune(stored_before=came + timedelta(days=1)) == 2


def test_the_position_differs_after_each_change(stores):
    with stores.read() as transaction:
        key = transaction.resources.data_store_key(STORE)
    seen = []
    for change in (
        lambda events: None,
        lambda events: events.add(STORE, [event(), event("v")]),
        lambda events: events.purge(STORE, EventFilter(user_pseudo_id="u")),
    ):
        with stores.write() as transaction:
            change(transaction.user_events)
            seen.append(transaction.user_events.position(key))
    assert len(set(seen)) == 3


def test_what_cannot_be_kept_is_refused(stores):
    with pytest.raises(InvalidArgument):
        add(stores, event(query="a\0b"))
    with pytest.raises(NotFound):
        add(stores, event(), to=f"{COLLECTION}/dataStores/none")
