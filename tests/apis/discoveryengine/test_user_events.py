"""UserEventService through the official clients: what is kept, counted, purged and refused."""

from __future__ import annotations

import http.client
import json
from urllib.parse import quote

import pytest
from google.api_core.exceptions import GoogleAPICallError, InvalidArgument

from tests.apis.discoveryengine.answer_backend import violations
from tests.apis.discoveryengine.clients import APIS, COLLECTION, LOCATION, OFTEN, Clients
from tests.apis.discoveryengine.search_backend import SearchBackend
from tests.patience import PATIENCE_S
from toulmin.apis.discoveryengine.user_event import PIXEL

pytestmark = pytest.mark.client

VIEW = {"event_type": "view-item", "user_pseudo_id": "u", "documents": [{"id": "kettle"}]}
SEARCHED = {
    "event_type": "search",
    "user_pseudo_id": "u",
    "search_info": {"search_query": "kettle"},
}


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("events"))
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


@pytest.fixture
def place(beta):
    """A data store of the test's own."""
    return beta.make_data_store().name


def write(clients, parent, event, **fields):
    return clients.user_event.write_user_event({"parent": parent, "user_event": event, **fields})


def purge(clients, parent, filter_="*"):
    operation = clients.user_event.purge_user_events({"parent": parent, "filter": filter_})
    return operation.result(timeout=PATIENCE_S, polling=OFTEN).purge_count, operation


def import_(clients, parent, events):
    operation = clients.user_event.import_user_events(
        {"parent": parent, "inline_source": {"user_events": events}}
    )
    return operation.result(timeout=PATIENCE_S, polling=OFTEN), operation


def test_an_event_is_kept_and_comes_back_with_what_is_known_of_its_documents(clients, backend):
    event = {**VIEW, "documents": [{"id": "kettle"}, {"id": "nothing"}]}
    written = write(clients, backend.goods, event)
    assert [document.joined for document in written.documents] == [True, False]
    assert written.event_time is not None
    assert written.user_pseudo_id == "u"
    count, operation = purge(clients, backend.goods, 'userPseudoId = "u"')
    assert count == 1
    assert operation.metadata.success_count == 1


def test_a_location_takes_events_that_say_whose_they_are(beta, backend):
    name = f"{backend.goods}/branches/0/documents/kettle"
    write(beta, LOCATION, {**VIEW, "documents": [{"name": name}]})
    write(beta, LOCATION, {**SEARCHED, "data_store": backend.goods})
    assert purge(beta, backend.goods)[0] == 2
    one = beta.make_data_store("only-one").name
    engine = beta.make_engine("only-one").name
    write(beta, LOCATION, {**SEARCHED, "engine": engine})
    assert purge(beta, one)[0] == 1
    for event in (SEARCHED, {**SEARCHED, "engine": backend.engine}):
        with pytest.raises(InvalidArgument) as caught:
            write(beta, LOCATION, event)
        assert violations(caught.value)[0][0] == "user_event.data_store"


def test_an_import_says_how_many_events_are_of_documents_that_are_there(clients, backend):
    time = {"event_time": "2026-01-02T03:04:05Z"}
    gone = {**VIEW, "documents": [{"id": "gone"}]}
    found, operation = import_(
        clients, backend.goods, [{**event, **time} for event in (VIEW, gone, SEARCHED)]
    )
    assert (found.joined_events_count, found.unjoined_events_count) == (2, 1)
    assert operation.metadata.success_count == 3
    assert purge(clients, backend.goods)[0] == 3


def test_an_import_with_a_wrong_event_stores_none(beta, place):
    time = {"event_time": "2026-01-02T03:04:05Z"}
    with pytest.raises(InvalidArgument) as caught:
        import_(beta, place, [{**SEARCHED, **time}, SEARCHED])
    assert violations(caught.value)[0][0] == "inline_source.user_events[1].event_time"
    assert purge(beta, place)[0] == 0


@pytest.mark.parametrize(
    ("filter_", "left"),
    [
        ("*", 0),
        ('eventType = "search"', 1),
        ('eventTime > "2026-01-01T00:00:00Z" eventTime < "2026-01-03T00:00:00Z"', 2),
        ('eventTime >= "2026-01-05T00:00:00Z" AND eventTime <= "2026-01-05T00:00:00Z"', 2),
        ('userPseudoId = "u" userId = "me"', 2),
        ('userPseudoId = "nobody"', 3),
    ],
)
def test_a_purge_takes_what_its_filter_names(beta, place, filter_, left):
    import_(
        beta,
        place,
        [
            {**SEARCHED, "event_time": "2026-01-02T00:00:00Z"},
            {**VIEW, "event_time": "2026-01-05T00:00:00Z", "user_info": {"user_id": "me"}},
            {**SEARCHED, "event_time": "2026-01-07T00:00:00Z", "user_pseudo_id": "v"},
        ],
    )
    purge(beta, place, filter_)
    assert purge(beta, place)[0] == left


def test_events_go_with_their_data_store(beta):
    store = beta.make_data_store("goes").name
    write(beta, store, SEARCHED)
    beta.data_store.delete_data_store(name=store).result(timeout=PATIENCE_S)
    again = beta.make_data_store("goes").name
    assert purge(beta, again)[0] == 0


def test_a_collected_event_is_kept_through_the_client(clients, backend):
    response = clients.user_event.collect_user_event(
        {"parent": backend.goods, "user_event": json.dumps(VIEW_JSON), "uri": "https://a.example/"}
    )
    assert response.content_type == "image/gif"
    assert response.data == PIXEL
    assert purge(clients, backend.goods)[0] == 1


VIEW_JSON = {"eventType": "view-item", "userPseudoId": "u", "documents": [{"id": "kettle"}]}


def test_a_page_gets_an_image(backend, beta):
    path = f"/v1/{backend.goods}/userEvents:collect?user_event={quote(json.dumps(VIEW_JSON))}&ets=1"
    connection = http.client.HTTPConnection("127.0.0.1", backend.server.port, timeout=PATIENCE_S)
    connection.request("GET", path)
    response = connection.getresponse()
    assert (response.status, response.headers["content-type"]) == (200, "image/gif")
    assert response.read() == PIXEL
    connection.close()
    assert purge(beta, backend.goods, 'eventTime < "1970-01-02T00:00:00Z"')[0] == 1


BAD = [
    ({"event_type": ""}, "event_type", "search, view-item"),
    ({"event_type": "look"}, "event_type", '"look"'),
    ({"user_pseudo_id": ""}, "user_pseudo_id", "required"),
    ({"user_pseudo_id": "x" * 129}, "user_pseudo_id", "129"),
    ({"session_id": "é" * 65}, "session_id", "130 bytes; at most 128"),
    ({"documents": []}, "documents", "view-item"),
    ({"documents": [{}]}, "documents[0].id", "missing"),
    ({"documents": [{"uri": "https://a.example"}]}, "documents[0].uri", "websites"),
    ({"documents": [{"id": "a", "quantity": 0}]}, "documents[0].quantity", "0 must"),
    (
        {"documents": [{"name": f"{COLLECTION}/dataStores/x/branches/0/documents/a"}]},
        "documents[0].name",
        "no document of",
    ),
    ({"conversion_type": "watch"}, "conversion_type", "conversion"),
    ({"event_type": "conversion", "conversion_type": "A b"}, "conversion_type", '"A b"'),
    (
        {"event_type": "conversion", "conversion_type": "watch"},
        "documents[0].conversion_value",
        "missing",
    ),
    ({"event_type": "search"}, "search_info.search_query", "empty"),
    ({"search_info": {"search_query": "a"}}, "search_info", "search"),
    (
        {"event_type": "search", "search_info": {"search_query": "a" * 5_001}},
        "search_info.search_query",
        "5,001 characters; at most 5,000",
    ),
    (
        {"event_type": "search", "search_info": {"search_query": "a", "offset": -1}},
        "search_info.offset",
        "-1",
    ),
    ({"event_type": "view-category-page"}, "page_info.page_category", "empty"),
    ({"page_info": {"page_category": "a"}}, "page_info.page_category", "view-category-page"),
    ({"transaction_info": {"currency": "EUR"}}, "transaction_info.value", "required"),
    ({"transaction_info": {"value": 1, "currency": "euro"}}, "transaction_info.currency", "euro"),
    ({"panel": {"display_name": "a"}}, "panel.panel_id", "required"),
    ({"panel": {"panel_id": "a", "panel_position": 1}}, "panel.total_panels", "panel_position"),
    ({"attributes": {"a": {"text": [""]}}}, 'attributes["a"].text[0]', "empty"),
    ({"attributes": {"a": {"numbers": [1] * 401}}}, 'attributes["a"].numbers', "401 values"),
    (
        {"media_info": {"media_progress_percentage": 1.5}},
        "media_info.media_progress_percentage",
        "1.5",
    ),
    ({"promotion_ids": ["a", "b"]}, "promotion_ids", "2 ids"),
    ({"data_store": f"{COLLECTION}/dataStores/questions"}, "data_store", "parent"),
]


@pytest.mark.parametrize(("fields", "path", "words"), BAD)
def test_a_wrong_event_is_refused_by_its_field(beta, backend, fields, path, words):
    with pytest.raises(InvalidArgument) as caught:
        write(beta, backend.goods, {**VIEW, **fields})
    ((field, description),) = violations(caught.value)
    assert field == f"user_event.{path}"
    assert words in description


@pytest.mark.parametrize(
    ("filter_", "words"),
    [
        ("", "empty"),
        ("x" * 5_001, "5,001 characters; at most 5,000"),
        ('eventTime = "2026-01-01T00:00:00Z"', "eventTime takes"),
        ('eventTime > "yesterday"', "yesterday"),
        ('eventType = "search" OR eventType = "view-item"', "from character 21 on"),
        ('colour = "red"', '"colour"'),
        ('eventType = "a" eventType = "b"', "two conditions"),
    ],
)
def test_a_wrong_filter_of_a_purge_is_refused(beta, place, filter_, words):
    with pytest.raises(InvalidArgument) as caught:
        purge(beta, place, filter_)
    ((field, description),) = violations(caught.value)
    assert field == "filter"
    assert words in description


def test_what_is_wrong_with_a_request_is_said(beta, backend):
    events = beta.user_event
    time = {"event_time": "2026-01-02T03:04:05Z"}
    for call, code, words in (
        (lambda: events.write_user_event({"parent": backend.goods}), 400, "user_event: "),
        (lambda: write(beta, f"{COLLECTION}/dataStores/none", SEARCHED), 404, "dataStores/none"),
        (lambda: write(beta, "projects/p", SEARCHED), 400, "parent: "),
        (lambda: import_(beta, backend.goods, []), 400, "1 to 10,000"),
        (lambda: import_(beta, backend.goods, [{**SEARCHED, **time}] * 10_001), 400, "10,001"),
        (lambda: events.import_user_events({"parent": backend.goods}), 400, "source: "),
        (
            lambda: events.import_user_events(
                {"parent": backend.goods, "gcs_source": {"input_uris": ["gs://b/a"]}}
            ),
            501,
            "gcs_source",
        ),
        (
            lambda: events.import_user_events(
                {"parent": backend.goods, "bigquery_source": {"dataset_id": "d", "table_id": "t"}}
            ),
            501,
            "bigquery_source",
        ),
        (
            lambda: events.collect_user_event({"parent": backend.goods, "user_event": "{"}),
            400,
            "user_event: ",
        ),
        (
            lambda: events.collect_user_event({"parent": backend.goods, "user_event": '{"a": 1}'}),
            400,
            'Unknown name "a"',
        ),
        (lambda: events.collect_user_event({"parent": backend.goods}), 400, "user_event: "),
    ):
        with pytest.raises(GoogleAPICallError) as caught:
            call()
        assert caught.value.code == code
        assert words in caught.value.message
