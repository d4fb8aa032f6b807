"""SchemaService with the official clients of every version."""

from __future__ import annotations

import json

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.discoveryengine.clients import COLLECTION, new_id
from tests.apis.discoveryengine.test_resources import refused
from tests.patience import PATIENCE_S
from toulmin.apis.discoveryengine.schema import schema_of
from toulmin.domain import DataStore

pytestmark = pytest.mark.client

BOOK = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "title": {
            "type": "string",
            "keyPropertyMapping": "title",
            "indexable": True,
            "dynamicFacetable": True,
        }
    },
}


def struct_of(schema):
    return MessageToDict(type(schema).pb(schema).struct_schema)


def test_a_schema_from_creation_to_deletion(clients):
    service = clients.schema
    store = clients.make_data_store()
    operation = service.create_schema(
        parent=store.name, schema={"struct_schema": BOOK}, schema_id="book"
    )
    created = operation.result(timeout=PATIENCE_S)
    assert operation.metadata.create_time
    assert created.name == f"{store.name}/schemas/book"
    assert struct_of(created) == BOOK
    assert service.get_schema(name=created.name) == created
    assert [item.name for item in service.list_schemas(parent=store.name)] == [
        created.name,
        f"{store.name}/schemas/default_schema",
    ]
    text = json.dumps({"type": "object"}, indent=1)
    update = service.update_schema({"schema": {"name": created.name, "json_schema": text}})
    assert update.result(timeout=PATIENCE_S).json_schema == text
    assert service.get_schema(name=created.name).json_schema == text
    service.delete_schema(name=created.name).result(timeout=PATIENCE_S)
    assert refused(service.get_schema, name=created.name)[0] == 404


def test_the_default_schema_is_there_and_can_be_changed(clients):
    service = clients.schema
    store = clients.make_data_store()
    name = f"{store.name}/schemas/default_schema"
    assert struct_of(service.get_schema(name=name))["type"] == "object"
    code, message = refused(
        service.create_schema,
        parent=store.name,
        schema={"struct_schema": BOOK},
        schema_id="default_schema",
    )
    assert (code, "update it instead" in message) == (409, True)
    for _ in range(2):
        service.update_schema({"schema": {"name": name, "struct_schema": BOOK}}).result(
            timeout=PATIENCE_S
        )
        assert struct_of(service.get_schema(name=name)) == BOOK
    assert [item.name for item in service.list_schemas(parent=store.name)] == [name]
    code, message = refused(service.delete_schema, name=name)
    assert (code, "default schema" in message) == (400, True)


def test_a_starting_schema(beta, resource_records):
    store = beta.make_data_store(starting_schema={"struct_schema": BOOK})
    assert not store.starting_schema
    found = beta.schema.get_schema(name=f"{store.name}/schemas/default_schema")
    assert struct_of(found) == BOOK
    with resource_records.read() as transaction:
        kept = transaction.resources.get(DataStore, store.name)
        assert schema_of(transaction, kept, "default_schema").json_schema == BOOK


def test_no_default_schema_if_it_is_to_be_skipped(beta):
    request = {
        "parent": COLLECTION,
        "data_store_id": new_id(),
        "data_store": {"display_name": "x"},
        "skip_default_schema_creation": True,
    }
    store = beta.data_store.create_data_store(request).result(timeout=PATIENCE_S)
    assert list(beta.schema.list_schemas(parent=store.name)) == []
    assert refused(beta.schema.get_schema, name=f"{store.name}/schemas/default_schema")[0] == 404
    beta.schema.create_schema(
        parent=store.name, schema={"struct_schema": BOOK}, schema_id="mine"
    ).result(timeout=PATIENCE_S)
    assert beta.data_store.get_data_store(name=store.name).default_schema_id == "mine"
    request["data_store_id"] = new_id()
    request["data_store"]["starting_schema"] = {"struct_schema": BOOK}
    assert refused(beta.data_store.create_data_store, request)[0] == 400


def test_schemas_are_paged(beta):
    store = beta.make_data_store()
    for id_ in ("a", "z"):
        beta.schema.create_schema(parent=store.name, schema={"struct_schema": BOOK}, schema_id=id_)
    pager = beta.schema.list_schemas({"parent": store.name, "page_size": 2})
    pages = [[item.name.rpartition("/")[2] for item in page.schemas] for page in pager.pages]
    assert pages == [["a", "default_schema"], ["z"]]
    wrong = {"parent": store.name, "page_token": "x"}
    assert refused(beta.schema.list_schemas, wrong)[0] == 400


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "schema.struct_schema: is not set"),
        ({"json_schema": "{"}, "schema.json_schema: is not JSON"),
        ({"json_schema": "[]"}, "must be a JSON object"),
        ({"json_schema": "{}"}, 'must have "type": "object"'),
        (
            {"struct_schema": {"type": "object", "properties": {"a": {"type": "text"}}}},
            "schema.struct_schema.properties.a.type: 'text' is not one of",
        ),
    ],
)
def test_a_wrong_schema(beta, schema, words):
    store = beta.make_data_store()
    request = {"parent": store.name, "schema": schema, "schema_id": "s"}
    code, message = refused(beta.schema.create_schema, request)
    assert (code, words in message) == (400, True), message


def test_an_update_creates_only_if_asked(beta):
    store = beta.make_data_store()
    schema = {"name": f"{store.name}/schemas/s", "struct_schema": BOOK}
    assert refused(beta.schema.update_schema, {"schema": schema})[0] == 404
    done = beta.schema.update_schema({"schema": schema, "allow_missing": True})
    assert struct_of(done.result(timeout=PATIENCE_S)) == BOOK
    schema["name"] = f"{COLLECTION}/dataStores/none/schemas/s"
    assert refused(beta.schema.update_schema, {"schema": schema, "allow_missing": True})[0] == 404
    assert refused(beta.schema.list_schemas, parent=f"{COLLECTION}/dataStores/none")[0] == 404
