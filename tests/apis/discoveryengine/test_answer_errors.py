"""Requests that cannot be answered: which error, which field, and the session as it was."""

from __future__ import annotations

import pytest
import requests
from google.api_core.exceptions import (
    BadRequest,
    MethodNotImplemented,
    NotFound,
    ResourceExhausted,
)

from tests.apis.discoveryengine.answer_backend import (
    AnswerBackend,
    as_json,
    ask,
    request_of,
    text,
    violations,
)
from tests.apis.discoveryengine.clients import new_id
from tests.models.chat_server import Reply
from tests.patience import PATIENCE_S, wait_for
from toulmin.answering.pipeline import Answerer
from toulmin.apis.discoveryengine.answers_later import AnswersLater
from toulmin.errors import ResourceExhausted as NoRoom
from toulmin.errors import Unavailable

pytestmark = pytest.mark.client

OPENED = "When was the Varn Tower opened?"
PARAMS = "search_spec.search_params"


def params(**fields):
    return {"search_spec": {"search_params": fields}}


def spec(**fields):
    return {"answer_generation_spec": fields}


def results(*items):
    return {"search_spec": {"search_result_list": {"search_results": list(items)}}}


WRONG = {
    "no question": ("", {}, "query.text"),
    "white space": (" \n\t ", {}, "query.text"),
    "100,000 characters": ("why " * 25_000, {}, "query.text"),
    "an id of no question": ("", {"query": {"query_id": "none"}}, "query.query_id"),
    "rephrase steps": (
        OPENED,
        {"query_understanding_spec": {"query_rephraser_spec": {"max_rephrase_steps": 6}}},
        "query_understanding_spec.query_rephraser_spec.max_rephrase_steps",
    ),
    "filter": (OPENED, params(filter='kind: ANY("a"'), f"{PARAMS}.filter"),
    "order": (OPENED, params(order_by="kind sideways"), f"{PARAMS}.order_by"),
    "count": (OPENED, params(max_return_results=-1), f"{PARAMS}.max_return_results"),
    "boost": (
        OPENED,
        params(boost_spec={"condition_boost_specs": [{"condition": "kind: ANY(", "boost": 0.5}]}),
        f"{PARAMS}.boost_spec.condition_boost_specs[0].condition",
    ),
    "data store": (
        OPENED,
        params(data_store_specs=[{"data_store": "projects/p/locations/global/dataStores/none"}]),
        f"{PARAMS}.data_store_specs[0].data_store",
    ),
    "language": (
        OPENED,
        spec(answer_language_code="no language"),
        "answer_generation_spec.answer_language_code",
    ),
    "preamble": (
        OPENED,
        spec(prompt_spec={"preamble": "x" * 20_001}),
        "answer_generation_spec.prompt_spec.preamble",
    ),
    "user": (OPENED, {"user_pseudo_id": "x" * 129}, "user_pseudo_id"),
    "label": (OPENED, {"user_labels": {"Bad Key": "x"}}, "user_labels"),
    "empty result": (OPENED, results({}), "search_spec.search_result_list.search_results[0]"),
    "results without text": (
        OPENED,
        results({"chunk_info": {"chunk": "c"}}),
        "search_spec.search_result_list.search_results",
    ),
    "empty context": (
        OPENED,
        {"end_user_spec": {"end_user_metadata": [{"chunk_info": {"content": " "}}]}},
        "end_user_spec.end_user_metadata[0].chunk_info.content",
    ),
    "category twice": (
        OPENED,
        {
            "safety_spec": {
                "enable": True,
                "safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT"}] * 2,
            }
        },
        "safety_spec.safety_settings[1].category",
    ),
    "no class": (
        OPENED,
        {"query_understanding_spec": {"query_classification_spec": {"types": [0]}}},
        "query_understanding_spec.query_classification_spec.types[0]",
    ),
    "a session's name": (OPENED, {"session": "sessions/1"}, "session"),
}


@pytest.mark.parametrize("transport", ["rest", "grpc"])
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named(library, transport, case):
    question, fields, field = WRONG[case]
    clients = library.connect("v1beta", transport)
    request = {**request_of(library.guides, question), **fields}
    with pytest.raises(BadRequest) as caught:
        clients.conversational_search.answer_query(request)
    assert caught.value.code == 400
    ((named, description),) = violations(caught.value)
    assert named.startswith(field)
    assert description
    with pytest.raises(BadRequest) as streamed:
        list(clients.conversational_search.stream_answer_query(request))
    assert violations(streamed.value) == [(named, description)]


def test_a_wrong_filter_names_its_column(reader, library):
    with pytest.raises(BadRequest, match="column 14"):
        ask(reader, library.guides, OPENED, **params(filter='kind: ANY("a"'))


def test_limits_themselves_are_allowed(reader, library):
    answer, _ = ask(reader, library.guides, OPENED + " " * 20, user_pseudo_id="x" * 128)
    assert answer["answerText"].startswith("The Varn Tower was opened")
    for steps in (-1, 0, 5):  # below 1 is 1, says the API
        rephraser = {"query_rephraser_spec": {"max_rephrase_steps": steps}}
        answer, _ = ask(reader, library.guides, OPENED, query_understanding_spec=rephraser)
        assert answer["answerText"].startswith("The Varn Tower was opened")
    answer, _ = ask(reader, library.guides, "why " * 2_500)
    assert answer["state"] == "SUCCEEDED"
    with pytest.raises(BadRequest, match="at most 10,000"):
        ask(reader, library.guides, "why " * 2_500 + "x")


UNKNOWN = {
    "serving config": ("{guides}/servingConfigs/none-such", {}),
    "data store": ("{guides}-none/servingConfigs/default_search", {}),
    "engine": ("{engine}-none/servingConfigs/default_search", {}),
    "session": ("{guides}", {"session": "{guides}/sessions/none"}),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_is_not_there_is_not_found(readers, library, case):
    name, fields = UNKNOWN[case]
    fields = {key: value.format(guides=library.guides) for key, value in fields.items()}
    with pytest.raises(NotFound) as caught:
        ask(readers, name.format(guides=library.guides, engine=library.engine), OPENED, **fields)
    assert caught.value.code == 404


def test_a_session_of_another_data_store_is_refused(readers, library):
    _, response = ask(readers, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    with pytest.raises(BadRequest, match="is not a session of"):
        ask(readers, library.records, OPENED, session=response.session.name)
    with pytest.raises(BadRequest, match="is not a session of"):
        ask(readers, library.engine, OPENED, session=response.session.name)
    kept = readers.session.get_session(name=response.session.name)
    assert as_json(kept) == as_json(response.session)


def test_a_data_store_that_is_deleted(library):
    clients = library.connect("v1", "grpc")
    store = clients.make_data_store(new_id("gone"), content_config="CONTENT_REQUIRED").name
    library.add(store, [text("tower", "The Oda Tower was opened in 1950.")])
    answer, response = ask(
        clients, store, "When was the Oda Tower opened?", session=f"{store}/sessions/-"
    )
    assert "1950" in answer["answerText"]
    clients.data_store.delete_data_store(name=store).result(timeout=PATIENCE_S)
    with pytest.raises(NotFound):
        ask(clients, store, "When was the Oda Tower opened?")
    with pytest.raises(NotFound):
        clients.conversational_search.get_answer(name=answer["name"])
    with pytest.raises(NotFound):
        clients.session.get_session(name=response.session.name)


def test_a_session_is_unharmed_by_questions_that_fail(library, monkeypatch):
    clients = library.connect("v1", "rest")
    _, response = ask(clients, library.guides, OPENED, session=f"{library.guides}/sessions/-")
    name = response.session.name
    before = as_json(clients.session.get_session(name=name))
    for fields in (params(filter="kind ("), {"user_pseudo_id": "x" * 200}):
        with pytest.raises(BadRequest):
            ask(clients, library.guides, OPENED, session=name, **fields)

    def fail(self, question, **_):
        raise Unavailable("no answers today")

    with monkeypatch.context() as broken:
        broken.setattr(Answerer, "answer", fail)
        with pytest.raises(Exception, match="no answers today") as caught:
            ask(clients, library.guides, OPENED, session=name)
        assert caught.value.code == 503
    assert as_json(clients.session.get_session(name=name)) == before
    answer, _ = ask(clients, library.guides, "How tall is it?", session=name)
    assert "214" in answer["answerText"]


def test_an_answer_that_comes_later_and_fails_says_so(library, monkeypatch):
    clients = library.connect("v1beta", "grpc")

    def fail(self, question, **_):
        raise Unavailable("no answers today")

    monkeypatch.setattr(Answerer, "answer", fail)
    response = clients.conversational_search.answer_query(
        request_of(
            library.guides,
            OPENED,
            session=f"{library.guides}/sessions/-",
            asynchronous_mode=True,
        )
    )

    def finished():
        answer = clients.conversational_search.get_answer(name=response.answer.name)
        return answer if answer.state.name != "IN_PROGRESS" else None

    answer = wait_for(finished)
    assert answer.state.name == "FAILED"
    assert not answer.answer_text


def test_too_many_answers_that_come_later_are_refused(library, monkeypatch):
    def full(self):
        raise NoRoom("256 answers are waiting to be made")

    monkeypatch.setattr(AnswersLater, "check_room", full)
    clients = library.connect("v1", "grpc")
    before = len(list(clients.session.list_sessions(parent=library.guides)))
    with pytest.raises(ResourceExhausted):
        ask(
            clients,
            library.guides,
            OPENED,
            session=f"{library.guides}/sessions/-",
            asynchronous_mode=True,
        )
    assert len(list(clients.session.list_sessions(parent=library.guides))) == before


def test_what_is_not_built_says_so(library):
    clients = library.connect("v1beta", "grpc")
    understanding = {"filter_extraction_condition": "ENABLED"}
    fields = params(natural_language_query_understanding_spec=understanding)
    with pytest.raises(MethodNotImplemented, match="natural_language_query_understanding_spec"):
        ask(clients, library.guides, OPENED, **fields)
    understanding = {"filter_extraction_condition": "DISABLED"}
    fields = params(natural_language_query_understanding_spec=understanding)
    assert ask(clients, library.guides, OPENED, **fields)[0]["answerText"]
    alpha = library.connect("v1alpha", "grpc")
    fields = params(custom_fine_tuning_spec={"enable_search_adaptor": True})
    with pytest.raises(MethodNotImplemented, match="custom_fine_tuning_spec"):
        ask(alpha, library.guides, OPENED, **fields)


def test_curl_learns_which_field_is_wrong(library):
    url = f"http://127.0.0.1:{library.server.port}/v1/{library.guides}"
    response = requests.post(
        f"{url}/servingConfigs/default_search:answer", json={"query": {"text": ""}}, timeout=20
    )
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["details"][1]["fieldViolations"][0]["field"] == "query.text"


def test_a_language_model_that_refuses_is_stood_in_for(tmp_path):
    broken = Reply(status=401, content="who are you?")
    backend = AnswerBackend(tmp_path, [broken])
    try:
        answer, response = ask(
            backend.connect("v1", "rest"),
            backend.guides,
            OPENED,
            session=f"{backend.guides}/sessions/-",
        )
    finally:
        backend.close()
    assert answer["answerText"] == "The Varn Tower was opened by Queen Ingrid on 3 May 1932."
    failed = [step for step in answer["steps"] if step["state"] == "FAILED"]
    assert ["401" in step["thought"] for step in failed] == [True]
    assert [turn.answer for turn in response.session.turns] == [answer["name"]]
