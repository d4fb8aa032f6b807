"""Agents that a language model leads: a scripted server, with everything that can go wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import Clients, calls, new_id, responses, texts
from tests.apis.ces.test_guardrails import filter_of, make_guard
from tests.apis.ces.test_resources import refused
from tests.apis.discoveryengine.answer_backend import AnswerBackend
from tests.models.chat_server import Reply, serve_chat
from toulmin.errors import InvalidArgument
from toulmin.services import build_services
from toulmin.settings import load_settings

pytestmark = [pytest.mark.client, pytest.mark.model]

SHIPPED = {"output": {"status": "shipped", "arrival": "Friday"}}


def says(text, *wanted):
    """Return a reply with a text and calls, given as (function, arguments)."""
    made = [
        {
            "id": f"m{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": args if isinstance(args, str) else json.dumps(args),
            },
        }
        for number, (name, args) in enumerate(wanted)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    return Reply(raw=json.dumps({"choices": [{"message": message}]}).encode())


@pytest.fixture(scope="module")
def chat():
    with serve_chat(Reply("unused")) as server:
        yield server


@pytest.fixture(scope="module")
def led_backend(tmp_path_factory, chat):
    made = AnswerBackend(
        tmp_path_factory.mktemp("led"),
        agent_model="llm",
        llm_base_url=chat.url,
        llm_model="scripted",
        llm_timeout_s=2.0,
        agent_hosts=("127.0.0.1",),
        agent_python=True,
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def led(led_backend):
    made = Clients("v1beta", "grpc", led_backend.server.port)
    yield made
    made.close()


@pytest.fixture
def app(led, led_backend):
    made = led.make_shop(led_backend)
    led.agent.update_agent(
        agent={
            "name": f"{made}/agents/root",
            "instruction": "Help customers of the {plan} plan. Use {@TOOL: find_order} for orders."
            " The shop is open from 9 to 17.",
        },
        update_mask={"paths": ["instruction"]},
    )
    return made


@pytest.fixture
def script(chat):
    """Return a function that sets what the model answers next."""

    def begin(*replies):
        chat.replies[:] = replies
        chat.requests.clear()
        return chat

    return begin


def attributes(outputs):
    return MessageToDict(type(outputs[-1]).pb(outputs[-1]))["diagnosticInfo"]["rootSpan"][
        "attributes"
    ]


def test_the_model_calls_a_client_function_and_says_what_came_of_it(led, app, script):
    chat = script(
        says("", ("find_order", {"order_id": "4711"})), says("It is shipped, arrival is Friday.")
    )
    (call,) = calls(led.run(app, "where is my stuff, number 4711?"))
    assert (call.display_name, dict(call.args)) == ("find_order", {"order_id": "4711"})
    outputs = led.run(app, responses((call.id, SHIPPED)))
    assert texts(outputs) == ["It is shipped, arrival is Friday."]
    assert outputs[-1].turn_completed
    found = attributes(outputs)
    assert found["hallucination"]["score"] == 1
    assert "languageModelFailed" not in found
    first, second = chat.requests
    system = first["messages"][0]["content"]
    assert 'Help customers of the basic plan. Use "find_order" for orders.' in system
    names = [item["function"]["name"] for item in first["tools"]]
    assert names == ["find_order", "guide", "end_session", "transfer_to_agent"]
    assert first["tools"][0]["function"]["parameters"]["required"] == ["order_id"]
    assert first["tools"][3]["function"]["parameters"]["properties"]["agent_name"]["enum"] == [
        "Returns"
    ]
    assert (first["temperature"], first["seed"]) == (0, 1)
    *_, user, called, answered = second["messages"]
    assert user["content"] == "where is my stuff, number 4711?"
    assert called["tool_calls"][0]["id"] == answered["tool_call_id"] == call.id
    assert json.loads(answered["content"]) == SHIPPED


def test_the_conversation_so_far_is_shown(led, app, script):
    chat = script(says("Hello, how can I help you?"))
    led.run(app, "hi")
    led.run(app, "and now?")
    told = [(item["role"], item["content"]) for item in chat.requests[-1]["messages"][1:]]
    assert told == [
        ("user", "hi"),
        ("assistant", "Hello, how can I help you?"),
        ("user", "and now?"),
    ]


def test_a_data_store_answers_and_is_cited(led, app, script):
    script(
        says(None, ("guide", {"query": "When was the Varn Tower opened?"})),
        says("The Varn Tower was opened on 3 May 1932."),
    )
    outputs = led.run(app, "when did the tower open?")
    assert texts(outputs) == ["The Varn Tower was opened on 3 May 1932."]
    cited = [chunk for output in outputs for chunk in output.citations.cited_chunks]
    assert "1932" in cited[0].text
    assert attributes(outputs)["hallucination"]["score"] == 1


def test_the_model_hands_over_and_the_other_agent_has_its_own_tools(led, app, script):
    chat = script(
        says("", ("transfer_to_agent", {"agent_name": "Returns"})),
        says("What is the order number?"),
    )
    outputs = led.run(app, "I want my money back")
    assert texts(outputs) == ["What is the order number?"]
    names = [item["function"]["name"] for item in chat.requests[-1]["tools"]]
    assert names == ["refund_order", "transfer_to_agent"]
    chunks = [chunk for m in outputs[-1].diagnostic_info.messages for chunk in m.chunks]
    assert any("agent_transfer" in chunk for chunk in chunks)
    script(says("", ("transfer_to_agent", {"agent_name": "Root"})), says("Here I am again."))
    assert texts(led.run(app, "no, back please"))


def test_the_model_speaks_for_the_agent_that_a_callback_hands_over_to(led, app, script):
    code = (
        "def before_model_callback(callback_context, llm_request):\n"
        "    return LlmResponse.from_parts([Part.from_agent_transfer(agent='Returns')])\n"
    )
    led.agent.update_agent(
        agent={"name": f"{app}/agents/root", "before_model_callbacks": [{"python_code": code}]},
        update_mask={"paths": ["before_model_callbacks"]},
    )
    chat = script(says("What is the order number?"))
    outputs = led.run(app, "I want my money back")
    assert texts(outputs) == ["What is the order number?"]
    (asked,) = chat.requests
    names = [item["function"]["name"] for item in asked["tools"]]
    assert names == ["refund_order", "transfer_to_agent"]


def test_agents_that_hand_over_for_ever_are_stopped(led, app, script):
    def back_and_forth():
        while True:
            yield says("", ("transfer_to_agent", {"agent_name": "Returns"}))
            yield says("", ("transfer_to_agent", {"agent_name": "Root"}))

    turns = back_and_forth()
    script(*[next(turns) for _ in range(40)])
    outputs = led.run(app, "round and round")
    assert "agents took over" in attributes(outputs)["languageModelFailed"]
    assert texts(outputs)


def test_the_model_ends_the_session(led, app, script):
    script(says("Goodbye.", ("end_session", {"reason": "done", "session_escalated": True})))
    outputs = led.run(app, "bye")
    assert texts(outputs) == ["Goodbye."]
    metadata = MessageToDict(type(outputs[-1]).pb(outputs[-1]))["endSession"]["metadata"]
    assert metadata == {"reason": "done", "session_escalated": True}
    refused(lambda: led.run(app, "hello?"), 400, "has ended")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("find_order", "{not json"), "no JSON"),
        (("find_order", "[1]"), "must be a JSON object"),
        (("find_order", {}), "order_id is missing"),
        (("find_order", {"order_id": 5}), "must be STRING"),
        (("look_up", {}), "there is no function look_up"),
        (("transfer_to_agent", {"agent_name": "Nobody"}), "must be one of Returns"),
    ],
)
def test_a_call_that_is_wrong_is_repaired(led, app, script, wrong, words):
    chat = script(says("", wrong), says("", ("find_order", {"order_id": "4711"})))
    (call,) = calls(led.run(app, "where is order 4711"))
    assert dict(call.args) == {"order_id": "4711"}
    corrected = chat.requests[-1]["messages"][-1]
    assert (corrected["role"], corrected["tool_call_id"]) == ("tool", "m0")
    assert words in json.loads(corrected["content"])["error"]


def test_calls_that_stay_wrong_are_left_to_the_planner(led, app, script):
    chat = script(says("", ("find_order", "{")))
    (call,) = calls(led.run(app, "where is order 4711"))
    assert dict(call.args) == {"order_id": "4711"}
    assert len(chat.requests) == 3


@pytest.mark.parametrize(
    "reply",
    [
        Reply("overloaded", status=500),
        Reply("no such model", status=404),
        Reply(raw=b"<html>"),
        Reply(raw=b'{"choices": []}'),
        Reply(raw=b'{"choices": [{"message": {"content": ""}}]}'),
        Reply(raw=b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}'),
        Reply(raw=b'{"choices": [{"message": 5}]}'),
        Reply(raw=b'{"choices": [{"message": {"content": "x"}}]}', breaks_off=True),
    ],
    ids=["500", "404", "html", "no choice", "empty", "refusal", "number", "breaks off"],
)
def test_the_planner_goes_on_where_the_model_fails(led, app, script, reply):
    script(reply)
    (call,) = calls(led.run(app, "where is order 4711"))
    assert dict(call.args) == {"order_id": "4711"}
    outputs = led.run(app, responses((call.id, SHIPPED)))
    assert texts(outputs) == ["Arrival: Friday\nStatus: shipped"]
    assert attributes(outputs)["languageModelFailed"]


def test_a_model_that_hangs_is_left_after_its_time(led, app, script):
    import threading

    held = threading.Event()
    script(Reply("late", wait=held))
    try:
        outputs = led.run(app, "hello")
    finally:
        held.set()
    assert "2 s" in attributes(outputs)["languageModelFailed"]


def test_a_sentence_that_nothing_bears_out_is_asked_for_again(led, app, script):
    wrong = "The parcel was lost in Paris on 12 March."
    chat = script(
        says("", ("guide", {"query": "When was the Varn Tower opened?"})),
        says(f"The Varn Tower was opened on 3 May 1932. {wrong}"),
        says("The Varn Tower was opened on 3 May 1932."),
    )
    outputs = led.run(app, "when did the tower open?")
    assert texts(outputs) == ["The Varn Tower was opened on 3 May 1932."]
    told = chat.requests[-1]["messages"][-1]["content"]
    assert wrong in told
    assert "3 May 1932" not in told


def test_a_sentence_that_is_said_again_is_left_out(led, app, script):
    wrong = "The parcel was lost in Paris on 12 March."
    script(
        says("", ("guide", {"query": "When was the Varn Tower opened?"})),
        says(f"The Varn Tower was opened on 3 May 1932. {wrong}"),
    )
    outputs = led.run(app, "when did the tower open?")
    assert texts(outputs) == ["The Varn Tower was opened on 3 May 1932."]
    assert attributes(outputs)["removedSentences"] == [wrong]
    assert attributes(outputs)["hallucination"]["score"] == 1
    script(says(wrong))
    assert texts(led.run(app, "where is my parcel?", session="2")) == [
        "I cannot say that for sure."
    ]


def test_the_model_may_say_who_it_is_and_which_day(led, app, script):
    day = f"{datetime.now(UTC):%A, %d %B %Y}"
    for said in ("Hello, I am Root.", f"Today is {day}."):
        script(says(said))
        outputs = led.run(app, "who are you, and which day is it?", session=new_id("s"))
        assert texts(outputs) == [said]
        assert "removedSentences" not in attributes(outputs)


def test_a_call_that_cannot_be_kept_is_given_back_to_the_model(led, app, script):
    for wrong in ("\ud800", 10**400, [[[[[[[[[[[[[[[[[[[[[["deep"]]]]]]]]]]]]]]]]]]]]]]):
        chat = script(
            says("", ("find_order", {"order_id": wrong})),
            says("", ("find_order", {"order_id": "4711"})),
        )
        (call,) = calls(led.run(app, "where is number 4711?", session=new_id("s")))
        assert dict(call.args) == {"order_id": "4711"}
        assert "what the arguments hold" in chat.requests[-1]["messages"][-1]["content"]


def test_what_the_instruction_says_may_be_said(led, app, script):
    script(says("We are open from 9 to 17."))
    outputs = led.run(app, "when are you open?")
    assert texts(outputs) == ["We are open from 9 to 17."]
    assert "removedSentences" not in attributes(outputs)


def test_guardrails_stand_before_and_behind_the_model(led, app, script):
    guard = filter_of("secret sauce") | {
        "action": {"respond_immediately": {"responses": [{"text": "Not that."}]}}
    }
    make_guard(led, app, guard)
    chat = script(says("The secret sauce is ketchup."))
    assert texts(led.run(app, "what is the secret sauce")) == ["Not that."]
    assert chat.requests == []
    assert texts(led.run(app, "what is on the burger", session="2"))[-1] in (
        "Not that.",
        "I cannot say that for sure.",
    )


@pytest.fixture
def pets(led, app):
    """Give the root agent a tool that no server answers."""
    schema = (
        '{"openapi": "3.0.0", "servers": [{"url": "http://127.0.0.1:9"}],'
        ' "paths": {"/pets": {"get": {"operationId": "pets"}}}}'
    )
    toolset = led.agent.create_toolset(
        parent=app, toolset={"display_name": "P", "open_api_toolset": {"open_api_schema": schema}}
    ).name
    led.agent.update_agent(
        agent={"name": f"{app}/agents/root", "toolsets": [{"toolset": toolset}]},
        update_mask={"paths": ["toolsets"]},
    )
    return says("", ("pets", {}))


def test_a_model_that_never_stops_calling_is_stopped(led, app, script, pets):
    chat = script(pets)
    outputs = led.run(app, "which pets do you have?")
    assert "has called 20 tools" in attributes(outputs)["languageModelFailed"]
    assert "cannot be called" in texts(outputs)[-1]
    assert len(chat.requests) == 21


def test_a_model_that_does_everything_but_end_is_stopped(led, app, script, pets):
    wrong = says("", ("pets", "[]"))
    away = says("", ("transfer_to_agent", {"agent_name": "Returns"}))
    back = says("", ("transfer_to_agent", {"agent_name": "Root"}))
    chat = script(wrong, wrong, away, back, away, back, *[pets] * 19, says("At last."))
    outputs = led.run(app, "which pets do you have?")
    assert "not come to an end in 25 messages" in attributes(outputs)["languageModelFailed"]
    assert "cannot be called" in texts(outputs)[-1]
    assert len(chat.requests) == 25


def test_a_model_may_use_up_its_messages(led, app, script, pets):
    wrong = says("", ("pets", "[]"))
    away = says("", ("transfer_to_agent", {"agent_name": "Returns"}))
    back = says("", ("transfer_to_agent", {"agent_name": "Root"}))
    chat = script(wrong, wrong, away, back, *[pets] * 20, says("The shop is open from 9 to 17."))
    outputs = led.run(app, "which pets do you have?")
    assert "languageModelFailed" not in attributes(outputs)
    assert texts(outputs) == ["The shop is open from 9 to 17."]
    assert len(chat.requests) == 25


def test_without_a_model_that_is_named_the_server_does_not_start(tmp_path):
    settings = load_settings(flags={"data_dir": tmp_path, "agent_model": "llm"}, environment={})
    with pytest.raises(InvalidArgument, match="llm_base_url"):
        build_services(settings)


POLICY = {
    "display_name": "Rivals",
    "enabled": True,
    "llm_policy": {
        "prompt": "No talk of rivals.",
        "policy_scope": "USER_QUERY_AND_AGENT_RESPONSE",
    },
    "action": {"respond_immediately": {"responses": [{"text": "Not that."}]}},
}


def test_a_policy_stops_what_the_user_or_the_model_says(led, app, script):
    name = make_guard(led, app, POLICY)
    chat = script(Reply('{"violates": true, "reason": "rivals"}'))
    outputs = led.run(app, "is the shop next door cheaper?")
    assert texts(outputs) == ["Not that."]
    assert attributes(outputs)["guardrails"] == [
        {"guardrail": name, "side": "input", "why": "rivals"}
    ]
    assert "No talk of rivals." in chat.requests[0]["messages"][0]["content"]
    fine = Reply('{"violates": false}')
    chat = script(fine, says("We are open from 9 to 17."), Reply('{"violates": true}'))
    outputs = led.run(app, "when are you open?")
    assert texts(outputs) == ["Not that."]
    assert attributes(outputs)["guardrails"][0]["side"] == "response"
    shown = json.loads(chat.requests[2]["messages"][1]["content"])
    assert shown["text"] == "We are open from 9 to 17."
    said = [part["text"] for item in shown["conversation"] for part in item["parts"]]
    assert said[:2] == ["is the shop next door cheaper?", "Not that."]


def test_a_model_that_fails_stops_the_turn_unless_the_policy_fails_open(led, app, script):
    fail = Reply("I would say that it is fine.")
    script(fail)
    make_guard(led, app, POLICY)
    outputs = led.run(app, "when are you open?", session="closed")
    assert texts(outputs) == ["Not that."]
    assert "language model failed" in attributes(outputs)["guardrails"][0]["why"]
    policy = POLICY["llm_policy"] | {"fail_open": True, "policy_scope": "USER_QUERY"}
    name = make_guard(led, app, POLICY | {"llm_policy": policy})
    script(fail, says("We are open from 9 to 17."))
    outputs = led.run(app, "when are you open?", session="open")
    assert texts(outputs) == ["We are open from 9 to 17."]
    assert attributes(outputs)["guardrailsNotRun"] == [name]
