"""Recommend through the official clients: documents like those seen, and what is refused."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import APIS, COLLECTION, Clients
from tests.apis.discoveryengine.search_backend import SearchBackend, text

pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("recommendations"))
    yield made
    made.close()


@pytest.fixture(
    scope="module", params=[f"{version}-{way}" for version in APIS for way in ("rest", "grpc")]
)
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def beta(backend):
    made = Clients("v1beta", "grpc", backend.server.port)
    yield made
    made.close()


def view(*ids, user="u", **fields):
    documents = [{"id": id_} for id_ in ids]
    return {"event_type": "view-item", "user_pseudo_id": user, "documents": documents, **fields}


def home(user):
    return {"event_type": "view-home-page", "user_pseudo_id": user}


def recommend(clients, owner, event, **fields):
    config = f"{owner}/servingConfigs/default_search"
    return clients.recommendation.recommend(
        {"serving_config": config, "user_event": event, **fields}
    )


def ids(response):
    return [result.id for result in response.results]


@pytest.fixture(scope="module")
def recipes(backend, beta):
    """A data store in which it is plain what is like what."""
    store = beta.make_data_store("recipes", content_config="CONTENT_REQUIRED").name
    texts = {
        "apple-pie": "Apple pie with cinnamon crust.",
        "pear-pie": "Pear pie with cinnamon crust.",
        "apple-juice": "Apple juice pressed cold.",
        "fried-fish": "Fried fish over charcoal.",
    }
    backend.add(store, [text(id_, words) for id_, words in texts.items()])
    return store


def test_documents_like_the_one_seen_come_first(clients, recipes):
    found = recommend(clients, recipes, view("apple-pie"))
    assert ids(found) == ["pear-pie", "apple-juice", "fried-fish"]
    assert found.attribution_token
    assert not found.missing_ids
    again = recommend(clients, recipes, view("apple-pie"), page_size=1)
    assert ids(again) == ["pear-pie"]
    assert again.attribution_token == found.attribution_token


def test_a_document_is_as_near_as_to_the_nearest_of_those_seen(beta, recipes):
    found = recommend(beta, recipes, view("apple-pie", "fried-fish"))
    assert ids(found) == ["pear-pie", "apple-juice"]


def test_results_bring_their_documents_when_asked(clients, backend):
    found = recommend(
        clients, backend.goods, view("kettle"), page_size=1, params={"returnDocument": True}
    )
    (result,) = found.results
    assert result.document.name == f"{backend.goods}/branches/0/documents/{result.id}"
    assert not recommend(clients, backend.goods, view("kettle")).results[0].document.name


def test_what_was_seen_and_is_not_there_is_said(beta, backend):
    name = f"{backend.questions}/branches/0/documents/returns"
    event = view("kettle", "gone", "gone")
    event["documents"].append({"name": name})
    found = recommend(beta, backend.goods, event)
    assert list(found.missing_ids) == ["gone", "returns"]
    assert "toaster" in ids(found)


def test_a_filter_is_about_tags_or_any_field_when_asked(beta, backend):
    params = {"attributeFilteringSyntax": True}
    found = recommend(
        beta, backend.goods, view("kettle"), filter='kind: ANY("outdoor")', params=params
    )
    assert set(ids(found)) == {"bicycle", "tent"}
    assert not ids(recommend(beta, backend.goods, view("kettle"), filter='filter_tags: ANY("a")'))


def test_without_a_document_it_is_what_the_user_saw_before(beta, backend):
    assert ids(recommend(beta, backend.engine, home("ana"))) == []
    beta.user_event.write_user_event(
        {"parent": backend.goods, "user_event": view("kettle", user="ana")}
    )
    found = ids(recommend(beta, backend.engine, home("ana")))
    assert found == ids(recommend(beta, backend.engine, view("kettle")))
    assert ids(recommend(beta, backend.engine, home("bo"))) == []
    beta.user_event.purge_user_events(
        {"parent": backend.goods, "filter": 'userPseudoId = "ana"'}
    ).result()
    assert ids(recommend(beta, backend.engine, home("ana"))) == []


def test_a_request_can_be_tried_without_a_model(beta, backend):
    found = recommend(beta, backend.goods, view("kettle"), validate_only=True, page_size=2)
    assert found.validate_only
    assert ids(found) == ["bicycle", "kettle"]


BAD = [
    ({"user_event": None}, 400, "user_event: "),
    ({"user_event": {"event_type": "view-item"}}, 400, "user_event.user_pseudo_id: "),
    ({"user_event": view()}, 400, "user_event.documents: "),
    (
        {"user_event": {**view(), "documents": [{"uri": "https://a.example"}]}},
        400,
        "documents[0].uri: ",
    ),
    ({"page_size": -1}, 400, "page_size: -1"),
    ({"filter": "x" * 5_001}, 400, "filter: has 5,001 characters; at most 5,000"),
    ({"filter": 'kind: ANY("outdoor")'}, 400, '"kind" must be filter_tags'),
    ({"filter": "kind: ("}, 400, "filter: "),
    ({"params": {"colour": True}}, 400, "params.colour: "),
    ({"params": {"returnDocument": "yes"}}, 400, "params.returnDocument: "),
    ({"params": {"diversityLevel": "some"}}, 400, "params.diversityLevel: "),
    ({"params": {"returnScore": True}}, 501, "params.returnScore"),
    ({"params": {"strictFiltering": False}}, 501, "params.strictFiltering"),
    ({"params": {"diversityLevel": "high-diversity"}}, 501, "params.diversityLevel"),
    ({"user_labels": {"A": "b"}}, 400, "user_labels: "),
    (
        {"serving_config": f"{COLLECTION}/dataStores/none/servingConfigs/default_search"},
        404,
        "dataStores/none",
    ),
]


@pytest.mark.parametrize(("fields", "code", "words"), BAD)
def test_what_cannot_be_recommended_is_refused(beta, backend, fields, code, words):
    config = f"{backend.goods}/servingConfigs/default_search"
    request = {"serving_config": config, "user_event": view("kettle"), **fields}
    with pytest.raises(GoogleAPICallError) as caught:
        beta.recommendation.recommend(request)
    assert caught.value.code == code
    assert words in caught.value.message
