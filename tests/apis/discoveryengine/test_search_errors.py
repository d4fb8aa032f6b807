"""Searches that are refused: with the field, the limit, the value and the right code."""

from __future__ import annotations

import re

import pytest
from google.api_core import exceptions
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import COLLECTION, Clients
from tests.apis.discoveryengine.search_backend import SearchBackend

pytestmark = pytest.mark.client

INVALID, MISSING, UNIMPLEMENTED = 400, 404, 501


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("search"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=["v1-rest", "v1beta-grpc", "v1alpha-rest"])
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def beta(backend):
    made = Clients("v1beta", "grpc", backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def v1(backend):
    made = Clients("v1", "rest", backend.server.port)
    yield made
    made.close()


def refusal(clients, name, query="kettle", **fields):
    config = name if "servingConfigs" in name else f"{name}/servingConfigs/default_search"
    with pytest.raises(GoogleAPICallError) as caught:
        clients.search.search({"serving_config": config, "query": query, **fields})
    # Over REST the client puts method and URL before the message.
    caught.value.said = re.sub(r"^(GET|POST) \S+: ", "", caught.value.message)
    return caught.value


def content(**spec):
    return {"content_search_spec": spec}


def conditions(**spec):
    return {"boost_spec": {"condition_boost_specs": [spec]}}


def facet(**key):
    return {"facet_specs": [{"facet_key": {"key": "kind", **key}}]}


AROUND = "content_search_spec.chunk_spec.num_previous_chunks"
EXTRACTS = "content_search_spec.extractive_content_spec"
BOOST = "boost_spec.condition_boost_specs[0]"

BAD = [
    ({"query": "x" * 10_001}, "query", "10,001"),
    ({"page_size": -1}, "page_size", "-1"),
    ({"offset": -1}, "offset", "-1"),
    ({"offset": 20_000}, "offset", "10,000"),
    ({"page_token": "nonsense"}, "page_token", "nonsense"),
    ({"filter": 'kind: ANY("a" AND'}, "filter", "column"),
    ({"filter": "price >"}, "filter", "column 8"),
    ({"canonical_filter": "kind ="}, "canonical_filter", "column"),
    ({"order_by": "price down"}, "order_by", "column 7"),
    ({"order_by": "price,, kind"}, "order_by", "column 7"),
    ({"order_by": ",".join(f"f{n}" for n in range(11))}, "order_by", "11"),
    ({"user_pseudo_id": "x" * 129}, "user_pseudo_id", "129"),
    ({"user_labels": {f"k{n}": "" for n in range(65)}}, "user_labels", "65"),
    ({"user_labels": {"Team": "a"}}, "user_labels", "Team"),
    ({"user_labels": {"team": "a b"}}, "user_labels.team", "a b"),
    (conditions(condition="price >", boost=0.5), f"{BOOST}.condition", "column"),
    (conditions(condition="price > 1", boost=1.5), f"{BOOST}.boost", "1.5"),
    (
        {"boost_spec": {"condition_boost_specs": [{"boost": 0.1}] * 101}},
        "boost_spec.condition_boost_specs",
        "101",
    ),
    (
        conditions(boost_control_spec={"attribute_type": "NUMERICAL"}),
        f"{BOOST}.boost_control_spec.field_name",
        "missing",
    ),
    (
        conditions(boost_control_spec={"field_name": "price", "attribute_type": "NUMERICAL"}),
        f"{BOOST}.boost_control_spec.control_points",
        "empty",
    ),
    (
        conditions(
            boost_control_spec={
                "field_name": "sold",
                "attribute_type": "FRESHNESS",
                "control_points": [{"attribute_value": "soon", "boost_amount": 0.1}],
            }
        ),
        f"{BOOST}.boost_control_spec.control_points[0].attribute_value",
        "soon",
    ),
    (facet(key=""), "facet_specs[0].facet_key.key", "missing"),
    (facet(order_by="size"), "facet_specs[0].facet_key.order_by", "size"),
    (facet(prefixes=["a"] * 11), "facet_specs[0].facet_key.prefixes", "11"),
    (facet(contains=["a"] * 11), "facet_specs[0].facet_key.contains", "11"),
    (facet(restricted_values=["a"] * 11), "facet_specs[0].facet_key.restricted_values", "11"),
    (facet(intervals=[{"minimum": 1}] * 31), "facet_specs[0].facet_key.intervals", "31"),
    (
        facet(intervals=[{"minimum": float("nan")}]),
        "facet_specs[0].facet_key.intervals[0].minimum",
        "nan",
    ),
    ({"facet_specs": [{"facet_key": {"key": "a"}, "limit": -1}]}, "facet_specs[0].limit", "-1"),
    (
        {"facet_specs": [{"facet_key": {"key": "a"}, "excluded_filter_keys": ["a"] * 101}]},
        "facet_specs[0].excluded_filter_keys",
        "101",
    ),
    ({"facet_specs": [{"facet_key": {"key": "a"}}] * 101}, "facet_specs", "101"),
    (
        content(extractive_content_spec={"max_extractive_answer_count": -1}),
        f"{EXTRACTS}.max_extractive_answer_count",
        "-1",
    ),
    (
        content(extractive_content_spec={"num_next_segments": 4}),
        f"{EXTRACTS}.num_next_segments",
        "4",
    ),
    (
        content(search_result_mode="CHUNKS", chunk_spec={"num_previous_chunks": 4}),
        AROUND,
        "4",
    ),
    ({"relevance_threshold": 9}, "relevance_threshold", "9"),
]


@pytest.mark.parametrize(("fields", "field", "words"), BAD)
def test_wrong_values_are_named(clients, backend, fields, field, words):
    error = refusal(clients, backend.goods, **fields)
    assert error.code == INVALID
    assert error.said.startswith(f"{field}: ")
    assert words in error.said


def test_an_age_without_a_number_or_a_nan_is_no_boost(beta, backend):
    for value in ("", "P", "7", "D", "nan"):
        control = {
            "field_name": "sold",
            "attribute_type": "FRESHNESS",
            "control_points": [{"attribute_value": value, "boost_amount": 0.1}],
        }
        error = refusal(beta, backend.goods, **conditions(boost_control_spec=control))
        assert error.code == INVALID, value
        assert "attribute_value" in error.said
    control = {
        "field_name": "price",
        "attribute_type": "NUMERICAL",
        "control_points": [{"attribute_value": "nan", "boost_amount": 0.1}],
    }
    assert refusal(beta, backend.goods, **conditions(boost_control_spec=control)).code == INVALID


NOT_BUILT = [
    ("image_query", {"image_query": {"image_bytes": "aGVsbG8="}}),
    ("ranking_expression", {"ranking_expression": "relevance_score"}),
    ("search_as_you_type_spec", {"search_as_you_type_spec": {"condition": "ENABLED"}}),
    (
        "natural_language_query_understanding_spec",
        {"natural_language_query_understanding_spec": {"filter_extraction_condition": "ENABLED"}},
    ),
    (
        "query_expansion_spec.pin_unexpanded_results",
        {"query_expansion_spec": {"condition": "AUTO", "pin_unexpanded_results": True}},
    ),
]
NOT_BUILT_IN_V1 = [
    ("one_box_page_size", {"one_box_page_size": 3}),
    ("page_categories", {"page_categories": ["Kitchen"]}),
    ("crowding_specs", {"crowding_specs": [{"field": "kind", "max_count": 1}]}),
    ("custom_ranking_params", {"custom_ranking_params": {"expressions_to_precompute": ["a"]}}),
    ("entity", {"entity": "us"}),
]


@pytest.mark.parametrize(("field", "fields"), NOT_BUILT)
def test_what_is_not_built_is_said(clients, backend, field, fields):
    error = refusal(clients, backend.goods, **fields)
    assert error.code == UNIMPLEMENTED
    assert error.said.startswith(f"{field} is not implemented")


@pytest.mark.parametrize(("field", "fields"), NOT_BUILT_IN_V1)
def test_what_v1_alone_could_ask_for_is_said(v1, backend, field, fields):
    error = refusal(v1, backend.goods, **fields)
    assert error.code == UNIMPLEMENTED
    assert error.said.startswith(f"{field} is not implemented")


def test_embeddings_fine_tuning_and_operators_are_not_built(beta, backend):
    spec = {"embedding_spec": {"embedding_vectors": [{"field_path": "v", "vector": [0.1]}]}}
    assert refusal(beta, backend.goods, **spec).code == UNIMPLEMENTED
    specs = [{"data_store": backend.goods, "custom_search_operators": "type:x"}]
    error = refusal(beta, backend.engine, data_store_specs=specs)
    assert error.code == UNIMPLEMENTED
    assert "data_store_specs[0].custom_search_operators" in error.said
    alpha = Clients("v1alpha", "grpc", backend.server.port)
    spec = {"custom_fine_tuning_spec": {"enable_search_adaptor": True}}
    assert refusal(alpha, backend.goods, **spec).code == UNIMPLEMENTED
    alpha.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dataStores/none/servingConfigs/default_search", "dataStores/none"),
        ("engines/none/servingConfigs/default_search", "engines/none"),
        ("dataStores/goods/servingConfigs/mine", "servingConfigs/mine"),
        ("engines/shop/servingConfigs/mine", "servingConfigs/mine"),
    ],
)
def test_what_is_not_there_is_not_found(clients, name, words):
    error = refusal(clients, f"{COLLECTION}/{name}")
    assert error.code == MISSING
    assert words in error.said


def test_a_name_of_another_form_is_refused(beta):
    error = refusal(beta, "projects/p/servingConfigs/x")
    assert isinstance(error, exceptions.InvalidArgument)
    assert error.said.startswith("serving_config: ")


def test_branches(clients, backend):
    error = refusal(clients, backend.goods, branch=f"{backend.goods}/branches/7")
    assert error.code == MISSING
    error = refusal(clients, backend.goods, branch=f"{backend.questions}/branches/0")
    assert error.code == INVALID
    assert error.said.startswith("branch: ")
    assert refusal(clients, backend.goods, branch="0").code == INVALID


def test_data_stores_of_a_request_are_those_of_its_engine(clients, backend):
    def specs(*rows):
        return {"data_store_specs": list(rows)}

    other = {"data_store": f"{COLLECTION}/dataStores/other"}
    error = refusal(clients, backend.engine, **specs(other))
    assert error.code == INVALID
    assert error.said.startswith("data_store_specs[0].data_store: ")
    goods = {"data_store": backend.goods}
    error = refusal(clients, backend.engine, **specs(goods, goods))
    assert error.said.startswith("data_store_specs[1].data_store: ")
    assert "twice" in error.said
    if clients.version == "v1alpha":
        return
    wrong = goods | {"filter": "price >"}
    assert refusal(clients, backend.engine, **specs(wrong)).said.startswith(
        "data_store_specs[0].filter: "
    )
    wrong = goods | {"boost_spec": {"condition_boost_specs": [{"boost": 3}]}}
    error = refusal(clients, backend.engine, **specs(wrong))
    assert error.said.startswith("data_store_specs[0].boost_spec.condition_boost_specs[0].boost")
    error = refusal(clients, backend.engine, **specs(goods | {"num_results": -2}))
    assert error.said.startswith("data_store_specs[0].num_results: ")
    error = refusal(clients, backend.engine, num_results_per_data_store=-2)
    assert error.said.startswith("num_results_per_data_store: ")
    spec = {"semantic_search_threshold": {"semantic_relevance_threshold": 1.5}}
    error = refusal(clients, backend.goods, relevance_filter_spec=spec)
    assert "relevance_filter_spec.semantic_search_threshold" in error.said
