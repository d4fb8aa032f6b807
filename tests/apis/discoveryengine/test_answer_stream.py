"""Answers as they grow: over REST as an array and as events, over gRPC; whole, left, or broken."""

from __future__ import annotations

import http.client
import json
import re
import threading

import pytest
from google.api_core.exceptions import GoogleAPICallError, NotFound, ServiceUnavailable

from tests.apis.discoveryengine.answer_backend import as_json, request_of
from tests.patience import PATIENCE_S, wait_for
from toulmin.answering.compose import ExtractiveComposer
from toulmin.answering.composing import ComposedSentence
from toulmin.errors import Cancelled, Unavailable

pytestmark = pytest.mark.client

QUESTION = "What does the café serve?"
FIRST = "The café “Zür Linde” 🍵 was founded by Jürgen Müller in 1911."
WITH_CITATIONS = {
    "answer_generation_spec": {"include_citations": True},
    "related_questions_spec": {"enable": True},
}


@pytest.fixture(params=["v1-rest", "v1-grpc", "v1beta-rest", "v1beta-grpc"])
def streamers(request, library):
    return library.connect(*request.param.split("-"))


@pytest.fixture
def sentences(monkeypatch):
    """Replaces what the composer says: with this list of sentences, errors and events."""

    script = []

    def compose(self, question, query, passages, *, reading, work):
        for item in script:
            if isinstance(item, Exception):
                raise item
            if isinstance(item, threading.Event):
                while not item.wait(0.01):
                    try:
                        work.check()
                    except Cancelled:
                        script.append("stopped")
                        return
                continue
            yield ComposedSentence(item, "", (0,))

    monkeypatch.setattr(ExtractiveComposer, "compose", compose)
    return script


def stream(clients, name, question=QUESTION, **fields):
    return clients.conversational_search.stream_answer_query(
        request_of(name, question, **{**WITH_CITATIONS, **fields})
    )


def joined(items):
    """Return what a client has when it adds up the items of a stream."""
    whole = {"text": "", "citations": [], "references": [], "steps": [], "related": []}
    for answer in items:
        whole["text"] += answer.get("answerText", "")
        whole["citations"] += answer.get("citations", [])
        whole["references"] += answer.get("references", [])
        whole["steps"] += answer.get("steps", [])
        whole["related"] += answer.get("relatedQuestions", [])
    return whole


def test_the_parts_make_up_the_answer_that_the_last_item_repeats(streamers, library):
    session = f"{library.guides}/sessions/-"
    responses = list(stream(streamers, library.guides, session=session))
    items = [as_json(response)["answer"] for response in responses]
    states = [item["state"] for item in items]
    assert states[0] == "IN_PROGRESS"
    assert set(states[1:-1]) == {"STREAMING"}
    assert len(states) > 3
    assert states[-1] == "SUCCEEDED"
    kept = as_json(streamers.conversational_search.get_answer(name=items[-1]["name"]))
    assert len(kept["citations"]) == 2
    parts = joined(items[:-1])
    assert parts["text"] == kept["answerText"]
    assert parts["citations"] == kept["citations"]
    assert parts["references"] == kept["references"]
    assert parts["steps"] == kept["steps"][: len(parts["steps"])]
    assert parts["related"] == []
    assert items[-1] == kept
    assert responses[-1].session.turns[0].answer == items[-1]["name"]
    assert kept["completeTime"] == items[-1]["completeTime"]
    assert all("completeTime" not in item for item in items[:-1])


def test_citations_come_with_their_sentence(streamers, library):
    end = 0
    *parts, _ = stream(streamers, library.guides)
    for response in parts:
        answer = as_json(response)["answer"]
        end += len(answer.get("answerText", "").encode())
        for citation in answer.get("citations", []):
            assert int(citation["endIndex"]) == end
    assert end


def test_an_answer_and_its_stream_say_the_same(reader, library):
    for question in (QUESTION, "Is the tower made of steel?", "Who is the king of Ruritania?"):
        whole = reader.conversational_search.answer_query(request_of(library.guides, question))
        parts = list(stream(reader, library.guides, question))
        assert parts[-1].answer.answer_text == whole.answer.answer_text
        assert parts[-1].answer.references == whole.answer.references
        assert list(parts[-1].answer.answer_skipped_reasons) == list(
            whole.answer.answer_skipped_reasons
        )


def test_no_score_before_there_is_a_text(streamers, library):
    spec = {"grounding_spec": {"include_grounding_supports": True}}
    items = [as_json(item)["answer"] for item in stream(streamers, library.guides, **spec)]
    assert [("groundingScore" in item) for item in items] == [
        bool(item.get("answerText")) for item in items
    ]
    assert items[-1]["groundingScore"] > 0.5


def test_nothing_leaves_before_a_filter_has_seen_the_whole(reader, library):
    filtered = {"grounding_spec": {"filtering_level": "FILTERING_LEVEL_HIGH"}}
    texts = [response.answer.answer_text for response in stream(reader, library.guides, **filtered)]
    assert not any(texts[:-1])
    assert texts[-1].startswith(FIRST)


def _post(library, query=""):
    connection = http.client.HTTPConnection("127.0.0.1", library.server.port, timeout=PATIENCE_S)
    body = json.dumps({"query": {"text": QUESTION}, "session": f"{library.guides}/sessions/-"})
    path = f"/v1/{library.guides}/servingConfigs/default_search:streamAnswer{query}"
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    return connection, connection.getresponse()


def test_over_rest_it_is_one_array(library):
    connection, response = _post(library)
    assert response.headers["Content-Type"].startswith("application/json")
    body = response.read()
    connection.close()
    assert body[:1] == b"["
    assert body[-1:] == b"]"
    assert [item["answer"]["state"] for item in json.loads(body)][-1] == "SUCCEEDED"


def test_over_rest_it_is_events_when_asked(library):
    connection, response = _post(library, "?alt=sse")
    assert response.headers["Content-Type"].startswith("text/event-stream")
    events = re.split(r"\r?\n\r?\n", response.read().decode().strip())
    connection.close()
    items = [json.loads(event.removeprefix("data: "))["answer"] for event in events]
    assert joined(items[:-1])["text"].startswith(FIRST)
    assert items[-1]["answerText"] == joined(items[:-1])["text"]
    assert items[-1]["state"] == "SUCCEEDED"


def sessions_of(library):
    pages = library.clients.session.list_sessions(parent=library.guides)
    return {session.name for session in pages}


def test_a_client_that_hangs_up_stops_the_work_and_leaves_nothing(library, sentences):
    before = sessions_of(library)
    sentences += [FIRST, threading.Event()]
    connection, response = _post(library)
    read = b""
    while b"STREAMING" not in read:  # it waits for the second sentence now
        read += response.read1()
    response.close()
    connection.close()
    wait_for(lambda: sentences[-1] == "stopped")
    assert sessions_of(library) == before
    del sentences[1:]
    connection, response = _post(library)  # the thread is free for others
    assert json.loads(response.read())[-1]["answer"]["state"] == "SUCCEEDED"
    connection.close()


def test_a_client_that_cancels_over_grpc_stops_the_work(library, sentences):
    before = sessions_of(library)
    sentences += [FIRST, threading.Event()]
    call = stream(
        library.connect("v1", "grpc"), library.guides, session=f"{library.guides}/sessions/-"
    )
    states = iter(call)
    while next(states).answer.state.name != "STREAMING":
        pass
    call.cancel()
    wait_for(lambda: sentences[-1] == "stopped")
    assert sessions_of(library) == before


def test_a_failure_halfway_over_grpc_is_an_error_after_a_failed_item(library, sentences):
    before = sessions_of(library)
    sentences += [FIRST, Unavailable("the disk is gone")]
    clients = library.connect("v1", "grpc")
    items = []
    responses = stream(clients, library.guides, session=f"{library.guides}/sessions/-")
    with pytest.raises(ServiceUnavailable, match="the disk is gone"):
        items.extend(response.answer for response in responses)
    assert [item.state.name for item in items] == ["IN_PROGRESS", "STREAMING", "FAILED"]
    assert items[1].answer_text == FIRST
    assert not items[-1].answer_text
    assert sessions_of(library) == before
    with pytest.raises(NotFound):
        clients.conversational_search.get_answer(name=items[-1].name)


def test_a_failure_halfway_over_rest_is_a_failed_item_and_an_open_array(library, sentences):
    sentences += [FIRST, Unavailable("the disk is gone")]
    connection, response = _post(library)
    assert response.status == 200
    body = response.read().decode()
    connection.close()
    assert not body.endswith("]")
    *items, error = json.loads(body + "]")
    assert [item["answer"]["state"] for item in items] == ["IN_PROGRESS", "STREAMING", "FAILED"]
    assert error["error"]["status"] == "UNAVAILABLE"
    with pytest.raises(ValueError, match="Unfinished stream"):
        list(stream(library.connect("v1", "rest"), library.guides))


def test_a_failure_before_the_first_item_is_a_plain_error(library, monkeypatch):
    def read(self, query, passages, *, work):
        raise Unavailable("no reader today")

    monkeypatch.setattr(ExtractiveComposer, "read", read)
    for transport in ("rest", "grpc"):
        with pytest.raises(GoogleAPICallError, match="no reader today") as caught:
            list(stream(library.connect("v1beta", transport), library.guides))
        assert caught.value.code == 503
    connection, response = _post(library)
    assert response.status == 503
    response.read()
    connection.close()
