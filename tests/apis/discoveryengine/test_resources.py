"""Data stores, engines and schemas, with the official clients of every version."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import COLLECTION, LOCATION, SEARCH, Clients, new_id
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.client


def refused(call, *arguments, **keywords):
    """Return HTTP status and message of what a call raises."""
    with pytest.raises(GoogleAPICallError) as caught:
        call(*arguments, **keywords)
    return caught.value.code, str(caught.value)


def test_a_data_store_from_creation_to_deletion(clients):
    service = clients.data_store
    id_ = new_id()
    operation = service.create_data_store(
        parent=LOCATION,
        data_store_id=id_,
        data_store={
            "display_name": "Bücher",
            "industry_vertical": "GENERIC",
            "solution_types": [SEARCH],
            "content_config": "CONTENT_REQUIRED",
            "document_processing_config": {
                "chunking_config": {
                    "layout_based_chunking_config": {
                        "chunk_size": 250,
                        "include_ancestor_headings": True,
                    }
                },
                "parsing_config_overrides": {"pdf": {"layout_parsing_config": {}}},
            },
        },
    )
    assert operation.done()
    assert operation.operation.name.startswith(f"{COLLECTION}/operations/create-data-store-")
    created = operation.result(timeout=PATIENCE_S)
    assert operation.metadata.create_time == created.create_time
    assert created.name == f"{COLLECTION}/dataStores/{id_}"
    assert created.default_schema_id == "default_schema"
    assert created.content_config.name == "CONTENT_REQUIRED"
    config = created.document_processing_config
    assert config.name == f"{created.name}/documentProcessingConfig"
    assert config.chunking_config.layout_based_chunking_config.chunk_size == 250
    assert "layout_parsing_config" in config.parsing_config_overrides["pdf"]
    assert service.get_data_store(name=f"{LOCATION}/dataStores/{id_}") == created
    assert created in list(service.list_data_stores(parent=COLLECTION))

    updated = service.update_data_store(
        data_store={"name": created.name, "display_name": "Books", "solution_types": []},
        update_mask={"paths": ["display_name"]},
    )
    assert (updated.display_name, list(updated.solution_types)) == (
        "Books",
        list(created.solution_types),
    )
    deletion = service.delete_data_store(name=created.name)
    deletion.result(timeout=PATIENCE_S)
    assert deletion.metadata.create_time
    assert refused(service.get_data_store, name=created.name)[0] == 404
    assert refused(service.delete_data_store, name=created.name)[0] == 404


def test_content_config_is_no_content_if_unset(beta):
    assert beta.make_data_store().content_config.name == "NO_CONTENT"


def test_a_data_store_is_there_once(clients):
    store = clients.make_data_store()
    code, message = refused(clients.make_data_store, store.name.rpartition("/")[2])
    assert code == 409
    assert store.name in message


@pytest.mark.parametrize(
    ("request_fields", "code", "words"),
    [
        ({"data_store_id": ""}, 400, "data_store_id"),
        ({"data_store_id": "Über"}, 400, "data_store_id"),
        ({"data_store_id": "x" * 64}, 400, "1 to 63 characters"),
        ({"data_store": {}}, 400, "data_store.display_name: is empty"),
        ({"data_store": {"display_name": "x" * 129}}, 400, "at most 128"),
        ({"parent": "projects/p"}, 400, "parent"),
        ({"data_store": {"display_name": "x", "content_config": "PUBLIC_WEBSITE"}}, 501, "sites"),
        ({"data_store": {"display_name": "x", "acl_enabled": True}}, 501, "acl_enabled"),
        ({"data_store": {"display_name": "x", "kms_key_name": "k"}}, 501, "kms_key_name"),
        ({"cmek_config_name": "k"}, 501, "cmek_config_name"),
    ],
)
def test_a_wrong_data_store(beta, request_fields, code, words):
    request = {
        "parent": COLLECTION,
        "data_store_id": new_id(),
        "data_store": {"display_name": "x"},
        **request_fields,
    }
    found, message = refused(beta.data_store.create_data_store, request)
    assert (found, words in message) == (code, True), message


@pytest.mark.parametrize("size", [1, 99, 501, -1])
def test_chunk_sizes_have_limits(beta, size):
    config = {"chunking_config": {"layout_based_chunking_config": {"chunk_size": size}}}
    code, message = refused(beta.make_data_store, document_processing_config=config)
    assert code == 400
    field = "document_processing_config.chunking_config.layout_based_chunking_config.chunk_size"
    assert f"data_store.{field}: {size} must be from 100 to 500" in message


@pytest.mark.parametrize(
    "overrides",
    [{"exe": {"digital_parsing_config": {}}}, {"html": {"ocr_parsing_config": {}}}],
)
def test_parsing_overrides_are_for_known_types(beta, overrides):
    config = {"parsing_config_overrides": overrides}
    code, message = refused(beta.make_data_store, document_processing_config=config)
    assert code == 400
    assert next(iter(overrides)) in message


def test_what_cannot_be_changed_is_refused(beta):
    store = beta.make_data_store(industry_vertical="GENERIC")
    change = {"name": store.name, "display_name": "New", "content_config": "CONTENT_REQUIRED"}
    code, message = refused(beta.data_store.update_data_store, data_store=change)
    assert code == 400
    assert "data_store.content_config: cannot be changed from NO_CONTENT" in message
    everything = {"name": store.name, "display_name": "New"}
    updated = beta.data_store.update_data_store(data_store=everything, update_mask={"paths": ["*"]})
    assert (updated.display_name, updated.industry_vertical) == ("New", store.industry_vertical)


def test_an_unknown_path_in_the_mask(clients):
    store = clients.make_data_store()
    code, message = refused(
        clients.data_store.update_data_store,
        data_store={"name": store.name},
        update_mask={"paths": ["colour"]},
    )
    assert code == 400
    assert 'update_mask: "colour"' in message
    missing = {"name": f"{store.name}-2", "display_name": "x"}
    assert refused(clients.data_store.update_data_store, data_store=missing)[0] == 404


def test_fields_of_another_version_survive_an_update(beta, resource_server):
    store = beta.make_data_store(is_infobot_faq_data_store=True)
    older = Clients("v1", "grpc", resource_server.port)
    assert older.data_store.get_data_store(name=store.name).display_name == "Books"
    older.data_store.update_data_store(data_store={"name": store.name, "display_name": "New"})
    older.close()
    found = beta.data_store.get_data_store(name=store.name)
    assert (found.display_name, found.is_infobot_faq_data_store) == ("New", True)


def test_lists_are_paged_and_filtered(clients):
    parent = f"{LOCATION}/collections/{new_id('list')}"
    for number in range(5):
        kinds = [SEARCH] if number % 2 else ["SOLUTION_TYPE_RECOMMENDATION"]
        clients.make_data_store(f"d{number}", parent=parent, solution_types=kinds)

    def ids(**request):
        pager = clients.data_store.list_data_stores({"parent": parent, **request})
        return [[store.name[-2:] for store in page.data_stores] for page in pager.pages]

    assert ids(page_size=2) == [["d0", "d1"], ["d2", "d3"], ["d4"]]
    assert ids(filter=f"solution_type:{SEARCH}", page_size=1)[:2] == [["d1"], ["d3"]]
    assert ids(filter=f"solution_type:{SEARCH}", page_size=2)[0] == ["d1", "d3"]
    assert ids() == [["d0", "d1", "d2", "d3", "d4"]]
    assert refused(ids, filter="colour:red")[0] == 400
    assert refused(ids, page_size=-1)[0] == 400
    assert refused(ids, page_token="none")[0] == 400
    assert ids(page_size=1000) == [["d0", "d1", "d2", "d3", "d4"]]


def test_processing_config_of_v1alpha(resource_server, resource_transport):
    clients = Clients("v1alpha", resource_transport, resource_server.port)
    service = clients.data_store
    store = clients.make_data_store()
    name = f"{store.name}/documentProcessingConfig"
    assert service.get_document_processing_config(name=name).name == name
    change = {
        "name": name,
        "chunking_config": {"layout_based_chunking_config": {"chunk_size": 100}},
    }
    updated = service.update_document_processing_config(document_processing_config=change)
    assert updated.chunking_config.layout_based_chunking_config.chunk_size == 100
    assert service.get_data_store(name=store.name).document_processing_config == updated
    change["chunking_config"]["layout_based_chunking_config"]["chunk_size"] = 7
    code, message = refused(
        service.update_document_processing_config, document_processing_config=change
    )
    assert (code, "must be from 100" in message) == (400, True)
    assert (
        refused(
            service.get_document_processing_config, name=f"{store.name}x/documentProcessingConfig"
        )[0]
        == 404
    )
    clients.close()


def test_an_engine_from_creation_to_deletion(clients):
    service = clients.engine
    one, two = (clients.make_data_store().name.rpartition("/")[2] for _ in range(2))
    created = clients.make_engine(
        one,
        two,
        search_engine_config={
            "search_tier": "SEARCH_TIER_ENTERPRISE",
            "search_add_ons": ["SEARCH_ADD_ON_LLM"],
        },
        common_config={"company_name": "ACME"},
    )
    assert list(created.data_store_ids) == [one, two]
    assert created.search_engine_config.search_tier.name == "SEARCH_TIER_ENTERPRISE"
    assert created.solution_type.name == SEARCH
    assert created.create_time == created.update_time
    assert service.get_engine(name=created.name) == created
    assert created in list(service.list_engines(parent=COLLECTION, timeout=PATIENCE_S))
    asked = {"parent": COLLECTION, "filter": "solution_type=SOLUTION_TYPE_CHAT"}
    assert created not in list(service.list_engines(asked))

    updated = service.update_engine(
        engine={"name": created.name, "display_name": "New", "data_store_ids": [two]},
        update_mask={"paths": ["data_store_ids", "display_name"]},
    )
    assert (updated.display_name, list(updated.data_store_ids)) == ("New", [two])
    assert updated.common_config.company_name == "ACME"
    assert updated.update_time > created.update_time
    code, message = refused(
        clients.data_store.delete_data_store, name=f"{COLLECTION}/dataStores/{two}"
    )
    assert (code, created.name in message) == (400, True)
    clients.data_store.delete_data_store(name=f"{COLLECTION}/dataStores/{one}")

    service.delete_engine(name=created.name).result(timeout=PATIENCE_S)
    assert refused(service.get_engine, name=created.name)[0] == 404
    clients.data_store.delete_data_store(name=f"{COLLECTION}/dataStores/{two}").result(
        timeout=PATIENCE_S
    )


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"display_name": ""}, 400, "engine.display_name"),
        ({"solution_type": 0}, 400, "engine.solution_type: is required"),
        ({"data_store_ids": []}, 400, "give 1 to 50"),
        ({"data_store_ids": ["a", "a"]}, 400, 'names "a" twice'),
        ({"data_store_ids": [f"d{n}" for n in range(51)]}, 400, "has 51 data stores"),
        ({"data_store_ids": ["nowhere"]}, 404, "dataStores/nowhere does not exist"),
    ],
)
def test_a_wrong_engine(beta, fields, code, words):
    found, message = refused(beta.make_engine, **fields)
    assert (found, words in message) == (code, True), message


def test_the_solution_type_of_an_engine_stays(beta):
    engine = beta.make_engine(beta.make_data_store().name.rpartition("/")[2])
    change = {"name": engine.name, "solution_type": "SOLUTION_TYPE_CHAT"}
    code, message = refused(beta.engine.update_engine, engine=change)
    assert (code, "SOLUTION_TYPE_SEARCH to SOLUTION_TYPE_CHAT" in message) == (400, True)
    assert refused(beta.engine.pause_engine, name=engine.name)[0] == 501
