"""`/v1/chat/completions` over HTTP: who may, what is logged, how it fails."""

import pytest

from tests.server.conftest import post, request
from toulmin.apis.aip.registry import Registry
from toulmin.apis.schema import load_schema

PATH = "/v1/chat/completions"
BODY = {"model": "store", "messages": [{"role": "user", "content": "When?"}]}


@pytest.fixture
def registry():
    made = Registry(load_schema())

    def respond(context, text):
        response = context.new_message()
        response.candidates.add().content.parts.add(text=text)
        return response

    def generate(asked, context):
        return respond(context, asked.contents[-1].parts[0].text.upper())

    def stream(requests, context):
        for asked in requests:
            for word in asked.contents[-1].parts[0].text.split():
                yield respond(context, word)

    service = "GroundedGenerationService"
    made.register("discoveryengine", service, "GenerateGroundedContent", generate)
    made.register("discoveryengine", service, "StreamGenerateGroundedContent", stream)
    return made


@pytest.mark.parametrize("path", [PATH, "/openai/v1/chat/completions"])
def test_a_chat_is_answered(serve, registry, path):
    reply = post(serve(registry=registry), path, BODY)
    assert reply.status == 200
    assert reply.json["object"] == "chat.completion"
    assert reply.json["id"] == f"chatcmpl-{reply.headers['x-request-id']}"
    assert reply.json["choices"][0]["message"]["content"] == "WHEN?"


def test_a_stream_is_events_and_ends_with_done(serve, registry):
    said = BODY | {"stream": True, "messages": [{"role": "user", "content": "a b"}]}
    reply = post(serve(registry=registry), PATH, said)
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = [line for line in reply.body.decode().split("\r\n\r\n") if line]
    assert len(events) == 5
    assert events[-1] == "data: [DONE]"


def test_a_chat_needs_a_key_where_keys_are_set(serve, registry):
    server = serve(registry=registry, api_keys=("longenough",))
    assert post(server, PATH, BODY).status == 401
    assert post(server, PATH, BODY, {"authorization": "Bearer longenough"}).status == 200


def test_what_is_wrong_is_said(serve, registry):
    server = serve(registry=registry)
    reply = post(server, PATH, BODY | {"n": 3})
    assert reply.status == 400
    assert "n" in reply.error["message"]
    assert request(server, "GET", PATH).status == 404
