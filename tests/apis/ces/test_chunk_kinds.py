"""Every kind of chunk of a message: made by a session, kept, and read back by the official clients.

A transcript is of audio, which is not built: no session makes one. One that is sent as history is
understood.
"""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import Clients, calls, new_id, responses, texts
from tests.apis.ces.pictures import png
from tests.apis.ces.test_python_tools import python_backend  # noqa: F401 - a fixture
from tests.apis.ces.test_resources import refused
from tests.apis.ces.test_session import chunk_kind, kinds

pytestmark = [pytest.mark.client, pytest.mark.model]

PNG = png(text=bytes(range(256)))
PDF = b"%PDF-1.7 \xff\xfe\x00"
SHOW = """
from json import dumps

def before_model_callback(callback_context, llm_request):
    said = callback_context.get_last_user_input()[-1].text or ""
    if "map" in said:
        return LlmResponse.from_parts(parts=[
            Part.from_text(text="Hier ist der Plan: 🗺"),
            Part.from_json(data=dumps({"karte": "Grüße", "stops": [1, 2.5, None, True]})),
        ])
    if "list" in said:
        return LlmResponse.from_parts(parts=[Part.from_json(data="[1]")])
"""
KINDS = {
    *("text", "blob", "payload", "image", "tool_call", "tool_response", "agent_transfer"),
    *("updated_variables", "default_variables"),
}


@pytest.fixture(params=["v1-rest", "v1-grpc", "v1beta-rest", "v1beta-grpc"])
def reader(request, python_backend):  # noqa: F811
    made = Clients(*request.param.split("-"), python_backend.server.port)
    yield made
    made.close()


@pytest.fixture(scope="module")
def talk(python_backend):  # noqa: F811
    """Talk with an app until every kind was there; return its name and the session's."""
    clients = Clients("v1beta", "grpc", python_backend.server.port)
    app, session = clients.make_shop(python_backend), new_id("s")
    clients.agent.update_agent(
        agent={"name": f"{app}/agents/root", "before_model_callbacks": [{"python_code": SHOW}]},
        update_mask={"paths": ["before_model_callbacks"]},
    )
    first = clients.run(
        app,
        {"variables": {"plan": "gold", "visits": 3}},
        "Wo? Where is my order 4711?",
        {"image": {"mime_type": "image/png", "data": PNG}},
        {"blob": {"mime_type": "application/pdf", "data": PDF}},
        session=session,
    )
    (call,) = calls(first)
    answer = responses((call.id, {"output": {"place": "Køge", "pieces": 2, "late": False}}))
    clients.run(app, answer, session=session)
    outputs = clients.run(app, "show me the map", session=session)
    (payload,) = [item.payload for item in outputs if "payload" in item]
    assert dict(payload) == {"karte": "Grüße", "stops": [1.0, 2.5, None, True]}
    clients.run(app, "I want my money back for an order", session=session)
    refused(lambda: clients.run(app, "show a list", session="list"), 400, "must be a JSON object")
    clients.close()
    return app, session, call.id


def test_every_kind_is_read_back_as_it_was(reader, talk):
    app, session, call_id = talk
    kept = reader.agent.get_conversation(name=f"{app}/conversations/{session}")
    first, second, third = kept.turns
    assert kinds(first.messages) == [
        ("user", ["default_variables", "updated_variables", "text", "image", "blob"]),
        ("Root", ["tool_call"]),
        ("user", ["tool_response"]),
        ("Root", ["text"]),
    ]
    assert kinds(second.messages) == [
        ("user", ["text"]),
        ("Root", ["text"]),
        ("Root", ["payload"]),
    ]
    assert kinds(third.messages)[1] == ("Root", ["agent_transfer"])
    messages = [message for turn in kept.turns for message in turn.messages]
    assert {chunk_kind(chunk) for message in messages for chunk in message.chunks} == KINDS
    assert all(message.event_time for message in messages)
    defaults, updated, text, image, blob = first.messages[0].chunks
    assert dict(defaults.default_variables) == {"plan": "basic"}
    assert dict(updated.updated_variables) == {"plan": "gold", "visits": 3.0}
    assert text.text == "Wo? Where is my order 4711?"
    assert (image.image.mime_type, image.image.data) == ("image/png", PNG)
    assert (blob.blob.mime_type, blob.blob.data) == ("application/pdf", PDF)
    call = first.messages[1].chunks[0].tool_call
    assert (call.id, call.display_name, call.tool) == (
        call_id,
        "find_order",
        f"{app}/tools/find_order",
    )
    assert dict(call.args) == {"order_id": "4711"}
    response = first.messages[2].chunks[0].tool_response
    assert (response.id, response.display_name, response.tool) == (
        call_id,
        "find_order",
        f"{app}/tools/find_order",
    )
    assert as_json(response)["response"] == {
        "output": {"place": "Køge", "pieces": 2.0, "late": False}
    }
    said, payload = second.messages[1].chunks[0], second.messages[2].chunks[0]
    assert said.text == "Hier ist der Plan: 🗺"
    assert as_json(payload)["payload"] == {"karte": "Grüße", "stops": [1.0, 2.5, None, True]}
    transfer = third.messages[1].chunks[0].agent_transfer
    assert (transfer.target_agent, transfer.display_name) == (f"{app}/agents/returns", "Returns")


def test_a_transcript_that_is_sent_as_history_is_understood(reader, talk):
    history = [
        {"role": "user", "chunks": [{"transcript": "When was the Varn Tower opened?"}]},
        {"role": "agent", "chunks": [{"transcript": "It was opened on 3 May 1932."}]},
    ]
    outputs = reader.run(
        talk[0], "How tall is it?", session=new_id("s"), historical_contexts=history
    )
    assert "214 metres" in texts(outputs)[0]


def as_json(message):
    return MessageToDict(type(message).pb(message))
