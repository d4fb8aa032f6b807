"""Sessions and what is kept of them, through the official clients."""

from __future__ import annotations

import base64
import json
import urllib.request

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import WAIT_S, calls, new_id, responses, texts
from tests.apis.ces.pictures import JPEG, WEBP, png
from tests.apis.ces.test_resources import refused

pytestmark = [pytest.mark.client, pytest.mark.model]


@pytest.fixture(scope="module")
def shop(beta, backend):
    return beta.make_shop(backend)


def kinds(messages):
    """Return the role and the kinds of chunks of messages."""
    return [(message.role, [chunk_kind(chunk) for chunk in message.chunks]) for message in messages]


def chunk_kind(chunk):
    return type(chunk).pb(chunk).WhichOneof("data")


def as_dict(message):
    return MessageToDict(type(message).pb(message))


def test_a_client_tool_is_called_and_its_response_is_said(clients, shop):
    session = new_id("s")
    first = clients.run(shop, "Where is my order 4711-AB?", session=session)
    (call,) = calls(first)
    assert call.tool == f"{shop}/tools/find_order"
    assert call.display_name == "find_order"
    assert dict(call.args) == {"order_id": "4711-AB"}
    assert call.id
    assert first[-1].turn_index == 1
    assert not first[-1].turn_completed
    answer = responses((call.id, {"output": {"status": "shipped", "arrival": "Friday"}}))
    second = clients.run(shop, answer, session=session)
    assert texts(second) == ["Arrival: Friday\nStatus: shipped"]
    last = second[-1]
    assert (last.turn_index, last.turn_completed) == (1, True)
    assert kinds(last.diagnostic_info.messages) == [
        ("user", ["default_variables", "text"]),
        ("Root", ["tool_call"]),
        ("user", ["tool_response"]),
        ("Root", ["text"]),
    ]


def test_what_was_said_is_kept_listed_and_deleted(clients, shop):
    session = new_id("s")
    clients.run(shop, "hello", session=session)
    clients.run(shop, {"variables": {"plan": "gold"}}, "thank you", session=session)
    name = f"{shop}/conversations/{session}"
    kept = clients.agent.get_conversation(name=name)
    assert (kept.name, kept.turn_count, len(kept.turns)) == (name, 2, 2)
    assert kinds(kept.turns[1].messages) == [
        ("user", ["updated_variables", "text"]),
        ("Root", ["text"]),
    ]
    assert kept.turns[1].messages[0].event_time >= kept.start_time
    assert [kind.name for kind in kept.input_types] == ["INPUT_TYPE_TEXT", "INPUT_TYPE_VARIABLES"]
    assert kept.turns[0].root_span.name == "turn"
    listed = clients.agent.list_conversations(parent=shop)
    assert name in [item.name for item in listed]
    clients.agent.delete_conversation(name=name)
    refused(lambda: clients.agent.get_conversation(name=name), 404, session)


def test_conversations_are_deleted_together(beta, shop):
    names = []
    for _ in range(2):
        session = new_id("s")
        beta.run(shop, "hello", session=session)
        names.append(f"{shop}/conversations/{session}")
    request = {"parent": shop, "conversations": [*names, f"{shop}/conversations/none"]}
    done = beta.agent.batch_delete_conversations(request=request).result(timeout=WAIT_S)
    assert list(done.deleted_conversations) == names
    assert list(done.failed_conversations) == [f"{shop}/conversations/none"]
    assert "does not exist" in done.error_messages[0]


def test_conversations_come_in_pages_newest_first(beta, backend):
    app = beta.make_shop(backend)
    for session in ("one", "two", "three"):
        beta.run(app, "hello", session=session)
    pager = beta.agent.list_conversations(request={"parent": app, "page_size": 2})
    pages = [[item.name.rpartition("/")[2] for item in page.conversations] for page in pager.pages]
    assert pages == [["three", "two"], ["one"]]
    page = next(beta.agent.list_conversations(request={"parent": app, "page_size": 2}).pages)
    other = {"parent": app, "filter": "turn_count > 0", "page_token": page.next_page_token}
    refused(lambda: list(beta.agent.list_conversations(request=other)), 400, "page_token")
    found = beta.agent.list_conversations(request={"parent": app, "filter": "turn_count > 1"})
    assert list(found) == []
    assert list(beta.agent.list_conversations(request={"parent": app, "sources": ["EVAL"]})) == []


@pytest.mark.parametrize(
    ("filter_", "why"),
    [
        ('turn_count = "abc"', "turn_count"),
        ("start_time = soon", "start_time"),
        ("source > 3", "source"),
    ],
)
def test_a_filter_that_nothing_can_fulfil_is_refused(beta, shop, filter_, why):
    request = {"parent": shop, "filter": filter_}
    refused(lambda: beta.agent.list_conversations(request=request), 400, why)


@pytest.mark.parametrize("id_", ["a b", "-a", "_a", "a.b", "ä", "a" * 64])
def test_the_id_of_a_session_is_checked(beta, shop, id_):
    refused(lambda: beta.run(shop, "hello", session=id_), 400, "config.session")
    names = [item.name for item in beta.agent.list_conversations(parent=shop)]
    assert f"{shop}/conversations/{id_}" not in names


def test_an_id_of_63_letters_digits_and_signs_is_one(beta, shop):
    id_ = "9" + "aB_-" * 15 + "zz"
    assert texts(beta.run(shop, "hello", session=id_))
    assert beta.agent.get_conversation(name=f"{shop}/conversations/{id_}").turn_count == 1


def test_documents_answer_with_citations(clients, shop):
    outputs = clients.run(shop, "When was the Varn Tower opened?", session=new_id("s"))
    assert "1932" in texts(outputs)[0]
    (cited,) = [output.citations for output in outputs if output.citations.cited_chunks]
    assert "Queen Ingrid" in cited.cited_chunks[0].text
    info = outputs[-1].diagnostic_info
    assert kinds(info.messages)[1:] == [
        ("Root", ["tool_call"]),
        ("Root", ["tool_response"]),
        ("Root", ["text"]),
    ]
    verdict = as_dict(outputs[-1])["diagnosticInfo"]["rootSpan"]["attributes"]["hallucination"]
    assert (verdict["score"], verdict["label"]) == (1, "Justified")


def test_tools_with_the_same_documents_search_them_once(beta, backend):
    app = beta.make_shop(backend)
    kettle = beta.make_tool(
        app,
        "kettle",
        data_store_tool={
            "name": "kettle",
            "description": "Answers questions about the kettle.",
            "data_store_source": {"data_store": {"name": backend.guides}},
            "modality_configs": [
                {"modality_type": "TEXT", "grounding_config": {"grounding_level": 5}}
            ],
        },
    )
    root = beta.agent.get_agent(name=f"{app}/agents/root")
    beta.agent.update_agent(
        agent={"name": root.name, "tools": [*root.tools, kettle]},
        update_mask={"paths": ["tools"]},
    )
    outputs = beta.run(app, "what is the capital of Peru")
    chunks = [chunk for item in outputs[-1].diagnostic_info.messages for chunk in item.chunks]
    called = [chunk.tool_call.display_name for chunk in chunks if chunk_kind(chunk) == "tool_call"]
    assert called == ["guide"]


def test_what_is_missing_is_asked_for_and_a_transfer_is_recorded(clients, shop):
    session = new_id("s")
    first = clients.run(shop, "I want my money back for an order", session=session)
    assert texts(first) == ["What is the order number?"]
    assert kinds(first[-1].diagnostic_info.messages)[1] == ("Root", ["agent_transfer"])
    transfer = first[-1].diagnostic_info.messages[1].chunks[0].agent_transfer
    assert (transfer.target_agent, transfer.display_name) == (f"{shop}/agents/returns", "Returns")
    second = clients.run(shop, "it is 4711", session=session)
    assert texts(second) == ["Can you tell me why it is returned?"]
    third = clients.run(shop, "because the kettle leaks", session=session)
    assert texts(third) == [
        'Shall I do "refund order" with order id "4711" and reason "because the kettle leaks"?'
    ]
    assert not calls(third)
    assert third[-1].turn_completed
    (call,) = calls(clients.run(shop, "yes", session=session))
    assert dict(call.args) == {"order_id": "4711", "reason": "because the kettle leaks"}


def test_what_is_wrongly_taken_for_granted_is_named(clients, shop):
    asked = "Since my order 4711 was delivered yesterday, where is my order?"
    for status, named in (("SHIPPED", True), ("DELIVERED", False)):
        session = new_id("s")
        (call,) = calls(clients.run(shop, asked, session=session))
        given = responses((call.id, {"output": {"status": status}}))
        outputs = clients.run(shop, given, session=session)
        said = texts(outputs)
        assert said[0] == f"Status: {status}"
        assert (
            said[1:]
            == [
                'You wrote "my order 4711 was delivered yesterday", but what I have says otherwise:'
                ' "Status: SHIPPED".'
            ]
            * named
        )
        attributes = as_dict(outputs[-1])["diagnosticInfo"]["rootSpan"]["attributes"]
        assert ("falsePremises" in attributes) is named


def test_what_an_earlier_turn_found_is_known(beta, shop):
    session = new_id("s")
    (call,) = calls(beta.run(shop, "Where is my order 4711?", session=session))
    beta.run(shop, responses((call.id, {"output": {"status": "shipped"}})), session=session)
    asked = "As my order 4711 has arrived, how tall is the Varn Tower?"
    said = texts(beta.run(shop, asked, session=session))
    assert 'otherwise: "Status: shipped"' in said[-1]
    other = "As my order 4712 has arrived, how tall is the Varn Tower?"
    assert "otherwise" not in " ".join(texts(beta.run(shop, other, session=session)))


def test_the_agents_above_take_over_again(beta, shop):
    session = new_id("s")
    beta.run(shop, "I want my money back for order 4711", session=session)
    beta.run(shop, "never mind", session=session)
    outputs = beta.run(shop, "Where is my order 4712?", session=session)
    (call,) = calls(outputs)
    assert call.display_name == "find_order"


def test_a_goodbye_ends_the_session(clients, shop):
    session = new_id("s")
    outputs = clients.run(shop, "Goodbye!", session=session)
    assert texts(outputs) == ["Goodbye."]
    assert outputs[-1].end_session.metadata["session_escalated"] is False
    assert outputs[-1].turn_completed
    refused(lambda: clients.run(shop, "Hello?", session=session), 400, "ended")


def test_a_person_is_called_for(beta, shop):
    outputs = beta.run(shop, "I want to speak to a real person", session=new_id("s"))
    assert outputs[-1].end_session.metadata["session_escalated"] is True


def test_what_no_tool_is_for_is_not_answered(beta, shop):
    outputs = beta.run(shop, "Which languages are spoken in Suriname?", session=new_id("s"))
    assert texts(outputs)[0].startswith("I cannot help with that. I can help with:")


@pytest.mark.parametrize("event", [{"event": {"event": "welcome"}}, "<event>welcome</event>"])
def test_a_session_begins_with_a_greeting(beta, shop, event):
    outputs = beta.run(shop, event, session=new_id("s"))
    assert texts(outputs) == ["Hello, this is Shop. How can I help you?"]


def test_a_stream_has_the_same_outputs(clients, shop):
    question = "When was the Varn Tower opened?"
    whole = clients.run(shop, question, session=new_id("s"))
    streamed = clients.stream(shop, question, session=new_id("s"))
    assert texts(streamed) == texts(whole)
    assert [output.turn_completed for output in streamed] == [False, True]


def test_the_entry_agent_is_the_one_asked_for(beta, shop):
    outputs = beta.run(
        shop, "refund order 4711", session=new_id("s"), entry_agent=f"{shop}/agents/returns"
    )
    assert kinds(outputs[-1].diagnostic_info.messages) == [
        ("user", ["default_variables", "text"]),
        ("Returns", ["text"]),
    ]
    refused(
        lambda: beta.run(shop, "hi", session=new_id("s"), entry_agent=f"{shop}/agents/none"),
        400,
        "config.entry_agent",
    )
    session = new_id("s")
    beta.run(shop, "hello", session=session)
    refused(
        lambda: beta.run(shop, "hi", session=session, entry_agent=f"{shop}/agents/none"),
        400,
        "config.entry_agent",
    )


def test_a_value_that_is_nested_too_deeply_is_refused_and_leaves_no_trace(beta, shop):
    session = new_id("s")
    deep = 1
    for _ in range(25):
        deep = {"a": deep}
    refused(
        lambda: beta.run(shop, {"variables": {"plan": deep}}, "hello", session=session),
        400,
        "inputs[0].variables.plan",
        "20 levels",
    )
    (call,) = calls(beta.run(shop, "Where is my order 4711-AB?", session=session))
    refused(
        lambda: beta.run(shop, responses((call.id, {"output": deep})), session=session),
        400,
        "inputs[0].tool_responses.tool_responses[0].response",
        "20 levels",
    )
    kept = beta.agent.get_conversation(name=f"{shop}/conversations/{session}")
    assert len(kept.turns) == 1


def test_a_session_can_begin_with_a_history(beta, shop):
    history = [
        {"role": "user", "chunks": [{"text": "When was the Varn Tower opened?"}]},
        {"role": "agent", "chunks": [{"text": "It was opened on 3 May 1932."}]},
    ]
    outputs = beta.run(shop, "How tall is it?", session=new_id("s"), historical_contexts=history)
    assert "214 metres" in texts(outputs)[0]
    wrong = [{"role": "agent", "chunks": [{"agent_transfer": {"target_agent": "x"}}]}]
    refused(
        lambda: beta.run(shop, "hi", session=new_id("s"), historical_contexts=wrong),
        400,
        "historical_contexts[0].chunks[0].agent_transfer.target_agent",
    )


def test_variables_are_declared_typed_and_defaulted(beta, shop):
    session = new_id("s")
    outputs = beta.run(shop, {"variables": {"visits": 3, "unknown": "x"}}, "hello", session=session)
    message = as_dict(outputs[-1])["diagnosticInfo"]["messages"][0]
    assert message["chunks"][0] == {"defaultVariables": {"plan": "basic"}}
    assert message["chunks"][1] == {"updatedVariables": {"visits": 3}}
    attributes = as_dict(outputs[-1])["diagnosticInfo"]["rootSpan"]["attributes"]
    assert attributes["undeclaredVariables"] == ["unknown"]
    wrong = {"variables": {"visits": "many"}}
    refused(lambda: beta.run(shop, wrong, session=session), 400, "inputs[0].variables.visits")


def test_tool_responses_must_have_a_call(beta, shop):
    session = new_id("s")
    refused(
        lambda: beta.run(shop, responses(("none", {"a": 1})), session=session),
        400,
        "inputs[0].tool_responses.tool_responses[0].id",
    )
    (call,) = calls(beta.run(shop, "Where is my order 4711?", session=session))
    refused(lambda: beta.run(shop, "Hello?", session=session), 400, call.id, "waits")
    twice = responses((call.id, {"a": 1}), (call.id, {"a": 2}))
    refused(lambda: beta.run(shop, twice, session=session), 400, "tool_responses[1].id")
    large = responses((call.id, {"output": "x" * 1_100_000}))
    refused(lambda: beta.run(shop, large, session=session), 400, "1,048,576")
    beta.run(shop, responses((call.id, {"error": "no such order"})), session=session)
    kept = beta.agent.get_conversation(name=f"{shop}/conversations/{session}")
    assert kept.turns[0].messages[-1].chunks[0].text == '"find order" failed: no such order.'


def test_images_and_blobs_are_kept_by_their_content(clients, shop):
    session = new_id("s")
    data = png()
    outputs = clients.run(
        shop,
        {"image": {"mime_type": "image/png", "data": data}},
        {"blob": {"mime_type": "application/pdf", "data": b"%PDF-1.7 \xff\xfe"}},
        session=session,
    )
    chunks = outputs[-1].diagnostic_info.messages[0].chunks
    assert chunks[1].image.data == data
    assert chunks[2].blob.data == b"%PDF-1.7 \xff\xfe"
    assert "only read text" in texts(outputs)[0]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("padded", [True, False])
def test_bytes_are_read_in_either_alphabet(backend, beta, shop, encode, padded):
    image = png(text=b"\xfb\xef\xff\xfe" * 5)
    session = f"{shop}/sessions/{new_id('s')}"
    data = encode(image).decode().rstrip("" if padded else "=")
    assert set(data) & set("+/-_")
    body = {
        "config": {"session": session},
        "inputs": [{"image": {"mimeType": "image/png", "data": data}}],
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{backend.server.port}/v1beta/{session}:runSession",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        assert response.status == 200
    kept = beta.agent.get_conversation(name=session.replace("/sessions/", "/conversations/"))
    images = [c.image.data for m in kept.turns[0].messages for c in m.chunks if c.image.data]
    assert images == [image]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("png", png()),
        ("jpeg", JPEG),
        ("webp", WEBP),
    ],
)
def test_each_kind_of_image_is_known_by_its_bytes(clients, shop, kind, data):
    image = {"image": {"mime_type": f"image/{kind}", "data": data}}
    outputs = clients.run(shop, image, session=new_id("s"))
    (kept,) = [
        chunk.image for chunk in outputs[-1].diagnostic_info.messages[0].chunks if chunk.image.data
    ]
    assert (kept.mime_type, kept.data) == (f"image/{kind}", data)


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({"image": {"mime_type": "image/png", "data": b"GIF89a"}}, 400, ["inputs[0].image.data"]),
        (
            {"image": {"mime_type": "image/png", "data": JPEG}},
            400,
            ["inputs[0].image.mime_type", "image/jpeg"],
        ),
        ({"blob": {"mime_type": "nonsense", "data": b"x"}}, 400, ["inputs[0].blob.mime_type"]),
        ({"blob": {"mime_type": "text/plain"}}, 400, ["inputs[0].blob.data", "empty"]),
        ({"dtmf": "12x"}, 400, ["inputs[0].dtmf"]),
        ({"event": {"event": " "}}, 400, ["inputs[0].event.event"]),
        ({"audio": b"x"}, 501, ["inputs[0].audio"]),
        ({"text": "x" * 10_001}, 400, ["inputs[0].text", "10,001", "10,000"]),
        ({}, 400, ["inputs[0]", "no input"]),
    ],
)
def test_an_input_that_is_wrong_is_refused_with_the_field(beta, shop, given, code, words):
    refused(lambda: beta.run(shop, given, session=new_id("s")), code, *words)


def test_what_is_not_there_is_said(beta, shop):
    refused(lambda: beta.run(shop.replace("app-", "none-"), "hi"), 404, "none-")
    refused(lambda: beta.run("here", "hi"), 400, "config.session")
    refused(lambda: beta.run(shop), 400, "inputs")
    bare = beta.make_app()
    refused(lambda: beta.run(bare, "hi"), 400, "root_agent")
    refused(lambda: beta.run(shop, "hi", deployment=f"{shop}/deployments/d"), 404, "deployments/d")


def test_a_refused_turn_leaves_the_session_as_it_was(beta, shop):
    session = new_id("s")
    beta.run(shop, "hello", session=session)
    before = beta.agent.get_conversation(name=f"{shop}/conversations/{session}")
    refused(lambda: beta.run(shop, {"dtmf": "x"}, session=session), 400)
    assert beta.agent.get_conversation(name=f"{shop}/conversations/{session}") == before


@pytest.mark.parametrize(
    "given", [{"text": "<event>welcome</event>"}, {"event": {"event": "welcome"}}]
)
def test_a_welcome_is_kept_as_the_start_of_the_session(beta, backend, given):
    app = beta.make_shop(backend)
    messages = beta.run(app, given)[-1].diagnostic_info.messages
    said = [chunk.text for chunk in messages[0].chunks if "text" in chunk]
    assert said == ["<event>session start</event>"]
    other = beta.run(app, {"event": {"event": "no_input"}}, session="2")[-1].diagnostic_info
    assert "<event>no_input</event>" in [chunk.text for chunk in other.messages[0].chunks]


def test_a_time_zone_is_one_of_the_database(clients, shop):
    refused(
        lambda: clients.run(shop, "Hello?", session=new_id("s"), time_zone="Mars/Olympus"),
        400,
        "config.time_zone",
        "Mars/Olympus",
    )
    assert clients.run(shop, "Hello?", session=new_id("s"), time_zone="Asia/Tokyo")
