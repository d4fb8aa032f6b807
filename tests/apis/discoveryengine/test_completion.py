"""CompleteQuery and AdvancedCompleteQuery through the official client."""

from __future__ import annotations

import threading
import time

import pytest
from google.api_core.exceptions import GoogleAPICallError

from tests.apis.discoveryengine.clients import APIS, COLLECTION, Clients
from tests.apis.discoveryengine.search_backend import SearchBackend, text
from tests.patience import PATIENCE_S
from toulmin.apis.discoveryengine.suggestions import document_suggestions, event_suggestions

pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    made = SearchBackend(tmp_path_factory.mktemp("search"))
    yield made
    made.close()


@pytest.fixture(
    scope="module", params=[f"{version}-{way}" for version in APIS for way in ("rest", "grpc")]
)
def clients(request, backend):
    made = Clients(*request.param.split("-"), backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["rest", "grpc"])
def beta(request, backend):
    made = Clients("v1beta", request.param, backend.server.port)
    yield made
    made.close()


def complete(clients, data_store, query, **fields):
    request = {"data_store": data_store, "query": query, **fields}
    return clients.completion.complete_query(request)


def texts(response):
    return [suggestion.suggestion for suggestion in response.query_suggestions]


def test_titles_and_headings_complete_a_query(clients, backend):
    assert texts(complete(clients, backend.goods, "ket")) == ["Kettle manual"]
    assert texts(complete(clients, backend.goods, "MAN")) == ["Kettle manual", "Toaster manual"]
    assert texts(complete(clients, backend.goods, "xyz")) == []
    short = backend.goods.replace("/collections/default_collection", "")
    for model in ("", "document", "document-completable"):
        found = complete(clients, short, "toa", query_model=model)
        assert texts(found) == ["Toaster manual"]
        assert not found.tail_match_triggered


def test_tails_are_completed_when_asked_and_only_then(clients, backend):
    query = "cheap used ket"
    assert texts(complete(clients, backend.goods, query)) == []
    found = complete(clients, backend.goods, query, include_tail_suggestions=True)
    assert texts(found) == ["cheap used Kettle manual"]
    assert found.tail_match_triggered
    found = complete(clients, backend.goods, "kettle m", include_tail_suggestions=True)
    assert texts(found) == ["Kettle manual"]
    assert not found.tail_match_triggered
    nothing = complete(clients, backend.goods, "cheap xyz", include_tail_suggestions=True)
    assert texts(nothing) == []
    assert not nothing.tail_match_triggered


BAD = [
    ({"query": ""}, 400, "query: "),
    ({"query": "  "}, 400, "query: "),
    ({"query": "x" * 129}, 400, "129"),
    ({"query_model": "search-history"}, 501, "search-history"),
    ({"query_model": "best"}, 400, "query_model: "),
    ({"user_pseudo_id": "x" * 129}, 400, "user_pseudo_id: "),
    ({"data_store": f"{COLLECTION}/dataStores/none"}, 404, "dataStores/none"),
]


@pytest.mark.parametrize(("fields", "code", "words"), BAD)
def test_what_cannot_be_completed_is_refused(clients, backend, fields, code, words):
    request = {"data_store": backend.goods, "query": "ket", **fields}
    with pytest.raises(GoogleAPICallError) as caught:
        clients.completion.complete_query(request)
    assert caught.value.code == code
    assert words in caught.value.message


def test_what_several_users_searched_for_completes_a_query(clients, backend):
    searches = [
        ("ana", "Kettle lid"),
        ("bo", "kettle  LID"),
        ("cy", "kettle lid"),
        ("ana", "kettle spout"),
        ("bo", "kettle spout"),
        ("bo", "kettle spout"),
        ("ana", "kettle for my ex"),
        ("ana", "kettle for my ex"),
    ]
    store = clients.make_data_store().name
    for user, query in searches:
        clients.user_event.write_user_event(
            {
                "parent": store,
                "user_event": {
                    "event_type": "search",
                    "user_pseudo_id": user,
                    "search_info": {"search_query": query},
                },
            }
        )
    found = complete(clients, store, "ket", query_model="user-event")
    assert texts(found) == ["Kettle lid", "kettle spout"]
    assert texts(complete(clients, store, "ket")) == []
    assert texts(complete(clients, backend.goods, "ket", query_model="user-event")) == []


def advanced(beta, owner, query="", **fields):
    request = {"completion_config": f"{owner}/completionConfig", "query": query, **fields}
    return beta.completion.advanced_complete_query(request)


def test_an_engine_completes_from_all_its_data_stores(beta, backend):
    found = advanced(beta, backend.engine, "kettle")
    assert texts(found) == ["Kettle manual", "Kettle colours"]
    assert [list(row.data_store) for row in found.query_suggestions] == [
        [backend.goods],
        [backend.questions],
    ]
    spec = [{"suggestion_type": "QUERY", "max_suggestions": 1}]
    assert texts(advanced(beta, backend.engine, "kettle", suggestion_type_specs=spec)) == [
        "Kettle manual"
    ]
    assert texts(advanced(beta, backend.questions, "kettle")) == ["Kettle colours"]
    found = advanced(beta, backend.engine, "a red kettle c", include_tail_suggestions=True)
    assert texts(found) == ["a red Kettle colours"]
    assert found.tail_match_triggered


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"query": ""}, 400),
        ({"suggestion_types": ["PEOPLE"]}, 501),
        ({"suggestion_type_specs": [{"suggestion_type": "RECENT_SEARCH"}]}, 501),
        ({"suggestion_type_specs": [{"max_suggestions": -1}]}, 400),
        ({"boost_spec": {"condition_boost_specs": [{"condition": "x", "boost": 1}]}}, 501),
    ],
)
def test_what_is_not_suggested_is_said(beta, backend, fields, code):
    with pytest.raises(GoogleAPICallError) as caught:
        advanced(beta, backend.engine, **{"query": "ket", **fields})
    assert caught.value.code == code


class Later:
    """Keeps the work that would be done beside the caller."""

    def __init__(self):
        self.work = []

    def __call__(self, work):
        self.work.append(work)

    def do(self):
        self.work.pop(0)()


def suggestions_of(backend, start=None, renewed_after_s=0.0):
    return document_suggestions(
        lambda: backend.records,
        lambda: backend.indexer,
        renewed_after_s=renewed_after_s,
        start=start,
    )


def test_changed_events_are_suggested_after_the_renewal(backend, beta):
    later = Later()
    suggestions = event_suggestions(lambda: backend.records, renewed_after_s=0.0, start=later)
    store = beta.make_data_store().name
    assert suggestions.suggest(store, "drill", limit=5) == ()
    for user in ("ana", "bo"):
        event = {
            "event_type": "search",
            "user_pseudo_id": user,
            "search_info": {"search_query": "drill"},
        }
        beta.user_event.write_user_event({"parent": store, "user_event": event})
    assert suggestions.suggest(store, "drill", limit=5) == ()
    later.do()
    assert suggestions.suggest(store, "drill", limit=5) == ("drill",)
    beta.user_event.purge_user_events({"parent": store, "filter": 'userPseudoId = "ana"'}).result(
        timeout=PATIENCE_S
    )
    suggestions.suggest(store, "drill", limit=5)
    later.do()
    assert suggestions.suggest(store, "drill", limit=5) == ()


def test_changed_documents_are_suggested_after_the_renewal(backend):
    later = Later()
    suggestions = suggestions_of(backend, later)
    assert suggestions.suggest(backend.goods, "drill", limit=5) == ()
    assert later.work == []  # nothing has changed
    backend.add(backend.goods, [text("drill", "# Drill manual\n\nIt drills.", "text/markdown")])
    assert suggestions.suggest(backend.goods, "drill", limit=5) == ()
    assert suggestions.suggest(backend.goods, "drill", limit=5) == ()
    assert len(later.work) == 1  # one renewal at a time
    later.do()
    assert suggestions.suggest(backend.goods, "drill", limit=5) == ("Drill manual",)
    assert suggestions.suggest(backend.questions, "drill", limit=5) == ()
    assert later.work == []


def test_a_change_elsewhere_or_too_early_renews_nothing(backend):
    later = Later()
    suggestions = suggestions_of(backend, later)
    early = suggestions_of(backend, later, renewed_after_s=60.0)
    for kept in (suggestions, early):
        kept.suggest(backend.goods, "saw", limit=5)
    backend.add(backend.questions, [{"id": "q", "struct_data": {"title": "Saw blades"}}])
    for kept in (suggestions, early):
        kept.suggest(backend.goods, "saw", limit=5)
    assert later.work == []
    backend.add(backend.goods, [text("saw", "# Saw manual\n\nIt saws.", "text/markdown")])
    early.suggest(backend.goods, "saw", limit=5)
    assert later.work == []


def test_a_renewal_that_fails_leaves_what_there_was(backend, monkeypatch):
    later = Later()
    suggestions = suggestions_of(backend, later)
    assert suggestions.suggest(backend.goods, "toa", limit=5) == ("Toaster manual",)
    backend.add(backend.goods, [text("file", "# File manual\n\nIt files.", "text/markdown")])
    suggestions.suggest(backend.goods, "toa", limit=5)
    with monkeypatch.context() as broken:
        broken.setattr(suggestions, "_phrases", lambda data_store: 1 / 0)
        later.do()
    assert suggestions.suggest(backend.goods, "toa", limit=5) == ("Toaster manual",)
    later.do()  # it is tried again
    assert suggestions.suggest(backend.goods, "file", limit=5) == ("File manual",)


def test_threads_share_what_the_first_of_them_makes(backend):
    suggestions = suggestions_of(backend, renewed_after_s=60.0)
    made = []
    headlines = suggestions._phrases
    suggestions._phrases = lambda name: made.append(name) or time.sleep(0.1) or headlines(name)
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(suggestions.suggest(backend.goods, "ket", limit=5))
        )
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [backend.goods]
    assert found == [("Kettle manual",)] * 5
