import dataclasses
from datetime import UTC

import pytest

from tests.stores.records.nouns import PARENT
from toulmin.domain import Control, DataStore, Engine, Schema, ServingConfig
from toulmin.errors import Aborted, AlreadyExists, InvalidArgument, NotFound
from toulmin.stores.records import Page
from toulmin.stores.records.paging import make_token, read_token

STORE = DataStore(
    parent=PARENT,
    id="s1",
    display_name="Büro",
    fields={"industryVertical": "GENERIC", "deep": {"list": [1]}},
    content_config="CONTENT_REQUIRED",
)


def test_create_get_update_delete(store):
    with store.write() as transaction:
        created = transaction.resources.create(STORE)
        assert transaction.resources.get(DataStore, STORE.name) == created
    assert created.generation == 1
    assert created.create_time.tzinfo is UTC
    with store.write() as transaction:
        changed = transaction.resources.update(
            dataclasses.replace(created, display_name="Office"), expected_generation=1
        )
        assert transaction.resources.get(DataStore, STORE.name) == changed
    assert (changed.generation, changed.create_time) == (2, created.create_time)
    with store.write() as transaction:
        with pytest.raises(Aborted, match="generation 2, not 1"):
            transaction.resources.update(created, expected_generation=1)
        transaction.resources.delete(DataStore, STORE.name)
        for call in (
            lambda: transaction.resources.get(DataStore, STORE.name),
            lambda: transaction.resources.update(STORE),
            lambda: transaction.resources.delete(DataStore, STORE.name),
        ):
            with pytest.raises(NotFound, match="dataStores/s1 does not exist"):
                call()


def test_a_name_is_given_once(store):
    with store.write() as transaction:
        transaction.resources.create(STORE)
        transaction.resources.create(Engine(parent=PARENT, id="s1"))  # another kind
        with pytest.raises(AlreadyExists, match="dataStores/s1"):
            transaction.resources.create(STORE)


def test_engines_keep_the_order_of_their_data_stores(store):
    engine = Engine(parent=PARENT, id="e", data_store_ids=("z", "a"))
    with pytest.raises(NotFound, match="dataStores/a does"), store.write() as transaction:
        transaction.resources.create(engine)
    with store.write() as transaction:
        for id_ in ("a", "z"):
            transaction.resources.create(DataStore(parent=PARENT, id=id_))
        transaction.resources.create(engine)
        found = transaction.resources.get(Engine, engine.name)
        assert found.data_store_ids == ("z", "a")
        transaction.resources.update(dataclasses.replace(found, data_store_ids=("z",)))
        assert transaction.resources.engines_of(f"{PARENT}/dataStores/z") == (engine.name,)
        transaction.resources.delete(DataStore, f"{PARENT}/dataStores/a")
        with pytest.raises(InvalidArgument, match="twice"):
            transaction.resources.update(dataclasses.replace(found, data_store_ids=("z", "z")))
        transaction.resources.delete(Engine, engine.name)
        transaction.resources.delete(DataStore, f"{PARENT}/dataStores/z")


def test_children_go_with_their_parent(store):
    schema = Schema(parent=STORE.name, id="default_schema", json_schema={"type": "object"})
    config = ServingConfig(parent=STORE.name, id="default_search")
    control = Control(parent=STORE.name, id="boost", fields={"boostAction": {}})
    with store.write() as transaction:
        with pytest.raises(NotFound, match="dataStores/s1"):
            transaction.resources.create(schema)
        transaction.resources.create(STORE)
        for child in (schema, config, control):
            transaction.resources.create(child)
        assert transaction.resources.get(Schema, schema.name).json_schema == {"type": "object"}
        transaction.resources.delete(DataStore, STORE.name)
        for child in (schema, config, control):
            with pytest.raises(NotFound):
                transaction.resources.get(type(child), child.name)


def test_pages(store):
    with store.write() as transaction:
        for id_ in ("b", "a", "c", "B"):
            transaction.resources.create(DataStore(parent=PARENT, id=id_))
        transaction.resources.create(DataStore(parent="projects/q", id="aa"))
        first = transaction.resources.list(DataStore, PARENT, page_size=3)
        second = transaction.resources.list(
            DataStore, PARENT, page_size=3, page_token=first.next_page_token
        )
        assert [item.id for item in (*first.items, *second.items)] == ["B", "a", "b", "c"]
        with pytest.raises(InvalidArgument, match="page_token"):
            transaction.resources.list(
                DataStore, "projects/q", page_size=3, page_token=first.next_page_token
            )
        assert transaction.resources.list(Engine, PARENT, page_size=3) == Page(())


@pytest.mark.parametrize("change", ["", "x", "cut", "flip", "more", "é"])
def test_tokens_cannot_be_made_up(change):
    scope = ("documents", "parent", "filter")
    token = make_token(["id", 7], scope=scope)
    assert read_token(token, scope=scope, types=(str, int)) == ["id", 7]
    flipped = ("A" if token[6] != "A" else "B").join((token[:6], token[7:]))
    bad = {"cut": token[:-2], "flip": flipped, "more": token + "AAAA"}.get(change, change)
    with pytest.raises(InvalidArgument, match="next_page_token") as caught:
        read_token(bad, scope=scope, types=(str, int))
    assert caught.value.violations[0].field == "page_token"
    with pytest.raises(InvalidArgument):
        read_token(token, scope=("documents", "parent", "other"), types=(str, int))
    with pytest.raises(InvalidArgument):
        read_token(token, scope=scope, types=(str, str))


def test_data_stores_by_number(store):
    with store.write() as transaction:
        for resource in (DataStore(parent=PARENT, id="b"), DataStore(parent="projects/q", id="a")):
            transaction.resources.create(resource)
        transaction.resources.create(Engine(parent=PARENT, id="e", data_store_ids=("b",)))
        found = transaction.resources.all_data_stores()
        assert [name for _, name in found] == [f"{PARENT}/dataStores/b", "projects/q/dataStores/a"]
        for key, name in found:
            assert transaction.resources.data_store_key(name) == key


def test_parents_beneath_a_name_are_those_of_its_own(store):
    parents = [
        "projects/p/locations/eu/collections/c",
        "projects/p/locations/global/collections/c",
        "projects/p/generativelanguage",
        "projects/p0/locations/x/collections/c",
        "projects/po/locations/x/collections/c",
    ]
    with store.write() as transaction:
        for parent in parents:
            for id_ in ("a", "b"):
                transaction.resources.create(DataStore(parent=parent, id=id_))
    with store.read() as transaction:
        assert transaction.resources.parents_beneath("projects/p/locations") == tuple(parents[:2])
        assert transaction.resources.parents_beneath("projects/none") == ()
