"""When a language model's sentences leave: over the wire, as the official client reads it."""

from __future__ import annotations

import json

import pytest
import requests

from tests.apis.discoveryengine.answer_backend import AnswerBackend, as_json, request_of
from tests.models.chat_server import Reply

pytestmark = pytest.mark.client

QUESTION = "When was the Varn Tower opened?"
WRONG = "The Varn Tower was opened by Queen Ingrid on 3 May 1941."
RIGHT = "The Varn Tower was opened by Queen Ingrid on 3 May 1932."
SPEC = {
    "answer_generation_spec": {"include_citations": True},
    "grounding_spec": {"include_grounding_supports": True},
}


@pytest.fixture
def asked(tmp_path):
    """Return what makes a server of one release, whose model says one sentence."""
    backends = []

    def make(release, said=WRONG):
        backend = AnswerBackend(
            tmp_path / release, [Reply(content=said)], answer_llm_stream=release
        )
        backends.append(backend)
        return backend

    yield make
    for backend in backends:
        backend.close()


def items(backend, transport="grpc"):
    clients = backend.connect("v1beta", transport).conversational_search
    stream = clients.stream_answer_query(request_of(backend.guides, QUESTION, **SPEC))
    return [as_json(item)["answer"] for item in stream]


def test_marked_the_text_comes_before_its_marks(asked):
    backend = asked("mark", RIGHT)
    for transport in ("grpc", "rest"):
        _, text, marks, last = items(backend, transport)
        assert text["answerText"] == last["answerText"] == RIGHT
        assert not text.get("groundingSupports")
        assert not marks.get("answerText")
        assert marks["groundingSupports"][0]["groundingScore"] >= 0.6
        assert marks["citations"]
        assert marks["references"]
    response = openai(backend, stream=True)
    assert response.status_code == 200
    assert RIGHT in response.text


def test_corrected_the_last_item_has_the_right_text(asked):
    backend = asked("correct")
    _, text, correction, last = items(backend)
    assert text["answerText"] == WRONG
    assert not correction.get("answerText")
    assert correction["steps"][-1]["description"] == "Correct the language model."
    assert last["answerText"] == RIGHT
    (support,) = last["groundingSupports"]
    assert int(support["endIndex"]) == len(RIGHT)
    assert support["groundingScore"] >= 0.6
    whole = openai(backend)
    assert whole.json()["choices"][0]["message"]["content"].startswith(RIGHT)


def test_a_stream_that_cannot_take_back_is_refused_by_name(asked):
    backend = asked("correct")
    response = openai(backend, stream=True)
    assert response.status_code == 501
    assert "answer_llm_stream is `correct`" in response.text
    url = f"http://127.0.0.1:{backend.server.port}/v1/projects/p/locations/global"
    fact = {"groundingFacts": [{"factText": RIGHT}]}
    body = {
        "contents": [{"role": "user", "parts": [{"text": QUESTION}]}],
        "groundingSpec": {"groundingSources": [{"inlineSource": fact}]},
    }
    response = requests.post(f"{url}:streamGenerateGroundedContent", json=body, timeout=60)
    assert "UNIMPLEMENTED" in response.text
    assert "use streamAnswer" in response.text


def openai(backend, *, stream=False):
    return requests.post(
        f"http://127.0.0.1:{backend.server.port}/v1/chat/completions",
        data=json.dumps(
            {
                "model": backend.guides,
                "messages": [{"role": "user", "content": QUESTION}],
                "stream": stream,
            }
        ),
        timeout=60,
    )
