"""Controls of a serving config, at work in a search."""

from __future__ import annotations

import pytest

from tests.apis.discoveryengine.clients import Clients, new_id
from tests.apis.discoveryengine.search_backend import SearchBackend

pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("search"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=["v1beta-rest", "v1beta-grpc"])
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture
def search(clients, backend):
    """Return a function that searches the goods with controls: field of the config -> control."""

    def run(query, *, owner=None, **controls):
        owner = owner or backend.goods
        made = {
            field: clients.make_control(owner, use_cases=["SEARCH_USE_CASE_SEARCH"], **control)
            for field, control in controls.items()
        }
        ids = {field: [control.name.rsplit("/", 1)[1]] for field, control in made.items()}
        config = clients.serving_config.create_serving_config(
            parent=owner,
            serving_config={
                "display_name": "Test",
                "solution_type": "SOLUTION_TYPE_SEARCH",
                **ids,
            },
            serving_config_id=new_id("config"),
        )
        response = next(
            iter(clients.search.search({"serving_config": config.name, "query": query}).pages)
        )
        names = {control.name: field for field, control in made.items()}
        return response, [names[name] for name in response.applied_controls]

    return run


def ids(response):
    return [result.id for result in response.results]


def when(*words, full=False):
    return [{"query_terms": [{"value": word, "full_match": full} for word in words]}]


def test_a_filter_that_is_triggered(search):
    control = {
        "filter_action": {"filter": 'kind: ANY("kitchen")'},
        "conditions": when("manual"),
    }
    response, applied = search("a manual!", filter_control_ids=control)
    assert set(ids(response)) == {"kettle", "toaster"}
    assert applied == ["filter_control_ids"]
    response, applied = search("canvas", filter_control_ids=control)
    assert len(ids(response)) == 5
    assert applied == []


def test_a_boost(search):
    plain, _ = search("clean and charge")
    second = ids(plain)[1]
    control = {"boost_action": {"filter": f'id: ANY("{second}")', "fixed_boost": 1.0}}
    boosted, applied = search("clean and charge", boost_control_ids=control)
    assert ids(boosted)[0] == second
    assert applied == ["boost_control_ids"]


def test_a_boost_along_a_field(search):
    curve = {
        "field_name": "price",
        "attribute_type": "NUMERICAL",
        "interpolation_type": "LINEAR",
        "control_points": [
            {"attribute_value": "30", "boost_amount": -1.0},
            {"attribute_value": "900", "boost_amount": 1.0},
        ],
    }
    control = {"boost_action": {"filter": "price > 0", "interpolation_boost_spec": curve}}
    response, _ = search("", boost_control_ids=control)
    assert ids(response)[0] == "bicycle"
    assert ids(response)[-1] == "kettle"


def test_synonyms_are_searched_beside_the_query(search):
    control = {"synonyms_action": {"synonyms": ["velocipede", "bicycle"]}}
    response, applied = search("velocipede", synonyms_control_ids=control)
    assert ids(response)[0] == "bicycle"
    assert applied == ["synonyms_control_ids"]
    assert response.corrected_query == ""
    response, applied = search("VELOCIPEDE?", synonyms_control_ids=control)
    assert ids(response)[0] == "bicycle"
    assert applied == ["synonyms_control_ids"]
    _, applied = search("velocipedes", synonyms_control_ids=control)
    assert applied == []


def test_a_redirect_instead_of_results(search):
    control = {
        "redirect_action": {"redirect_uri": "https://shop.example/help"},
        "conditions": when("help", full=True),
    }
    response, applied = search("Help", redirect_control_ids=control)
    assert response.redirect_uri == "https://shop.example/help"
    assert ids(response) == []
    assert applied == ["redirect_control_ids"]
    response, applied = search("help with a kettle", redirect_control_ids=control)
    assert response.redirect_uri == ""
    assert ids(response)
    assert applied == []


def test_controls_of_an_engine_hold_for_the_data_store_they_name(search, backend):
    control = {"filter_action": {"filter": 'kind: ANY("policy")', "data_store": backend.questions}}
    response, applied = search("", owner=backend.engine, filter_control_ids=control)
    assert applied == ["filter_control_ids"]
    assert len(ids(response)) == 6
    assert "returns" in ids(response)
    assert "kettle-colours" not in ids(response)
