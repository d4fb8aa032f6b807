"""Callbacks around agent, model and tool, and agents as tools."""

from __future__ import annotations

import pytest

from tests.apis.ces.clients import responses, texts
from tests.apis.ces.test_python_tools import python, python_backend  # noqa: F401 - fixtures
from tests.apis.ces.test_resources import refused
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.client, pytest.mark.model]

LOOK_UP = (
    "def look_up(order_id: str):\n    return {'place': 'Kiel', 'seen': context.state['seen']}\n"
)
GREETING = """
def before_model_callback(callback_context, llm_request):
    for part in callback_context.get_last_user_input():
        if part.text == "<event>session start</event>":
            return LlmResponse.from_parts(parts=[Part.from_text(text="Hi, I am the clerk.")])
"""
ESCALATE = """
def before_model_callback(callback_context, llm_request):
    if callback_context.state.get("seen") == "escalate":
        callback_context.state["seen"] = ""
        return LlmResponse.from_parts(parts=[
            Part.from_text(text="I connect you."),
            Part.from_function_call(name="look_up", args={"order_id": "9"}),
            Part.from_end_session(reason="asked", escalated=True),
        ])
"""


def make_shop(clients, code=LOOK_UP, **callbacks):
    """Create an app with one function and an agent with callbacks, given as {kind: sources}."""
    app = clients.make_app(
        variable_declarations=[
            {"name": "seen", "description": "d", "schema": {"type_": "STRING", "default": ""}}
        ]
    )
    tool = clients.make_tool(
        app,
        "look_up",
        python_function={
            "name": "look_up",
            "python_code": code,
            "description": "Says where an order is.",
        },
    )
    given = {
        f"{kind}_callbacks": [{"python_code": code} for code in sources]
        for kind, sources in callbacks.items()
    }
    root = clients.make_agent(app, "root", tools=[tool, f"{app}/tools/end_session"], **given)
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app


def chunks(outputs):
    return [chunk for message in outputs[-1].diagnostic_info.messages for chunk in message.chunks]


def test_a_callback_before_the_model_answers_in_its_place(python):  # noqa: F811
    app = make_shop(python, before_model=[GREETING])
    event = {"event": {"event": "session start"}}
    assert texts(python.run(app, event)) == ["Hi, I am the clerk."]
    assert "Kiel" in texts(python.run(app, "where is order 4711"))[0]


def test_it_calls_tools_and_ends_the_session(python):  # noqa: F811
    app = make_shop(python, before_model=[ESCALATE])
    outputs = python.run(app, {"variables": {"seen": "escalate"}}, {"text": "where is order 4711"})
    assert texts(outputs) == ["I connect you."]
    assert outputs[-1].end_session.metadata["session_escalated"] is True
    calls = [chunk.tool_call for chunk in chunks(outputs) if "tool_call" in chunk]
    assert (calls[0].display_name, dict(calls[0].args)) == (
        "look_up",
        {"order_id": "9"},
    )
    assert calls[1].display_name == "end_session"


def test_a_trigger_that_a_tool_sets_is_seen_before_its_response_is_said(python):  # noqa: F811
    code = "def look_up(order_id: str):\n    context.state['seen'] = 'escalate'\n    return 1\n"
    outputs = python.run(make_shop(python, code, before_model=[ESCALATE]), "where is order 4711")
    assert texts(outputs) == ["I connect you."]
    calls = [chunk.tool_call for chunk in chunks(outputs) if "tool_call" in chunk]
    assert [dict(call.args).get("order_id") for call in calls] == ["4711", "9", None]


def test_a_callback_after_the_model_changes_what_is_said(python):  # noqa: F811
    code = """
def after_model_callback(callback_context, llm_response):
    parts = llm_response.content.parts
    if any(part.has_function_call("end_session") for part in parts):
        return LlmResponse.from_parts(parts=[Part.from_text(text="Farewell."), parts[-1]])
"""
    app = make_shop(python, after_model=[code])
    assert "Kiel" in texts(python.run(app, "where is order 4711"))[0]
    outputs = python.run(app, "goodbye")
    assert texts(outputs) == ["Farewell."]
    assert any("end_session" in output for output in outputs)


def test_callbacks_around_a_tool_see_and_replace_arguments_and_response(python):  # noqa: F811
    before = """
def before_tool_callback(tool, input, callback_context):
    callback_context.state["seen"] = tool.name + input["order_id"]
    if input["order_id"] == "1":
        return {"result": "It is not for sale."}
"""
    after = """
def after_tool_callback(tool, input, callback_context, tool_response):
    if isinstance(tool_response["result"], dict):
        return {"result": dict(tool_response["result"], place="Bonn")}
"""
    app = make_shop(python, before_tool=[before], after_tool=[after])
    outputs = python.run(app, "where is order 4711")
    assert "Bonn" in texts(outputs)[0]
    (response,) = [chunk.tool_response for chunk in chunks(outputs) if "tool_response" in chunk]
    assert dict(response.response["result"]) == {"place": "Bonn", "seen": "look_up4711"}
    assert texts(python.run(app, "where is order 1", session="2")) == ["It is not for sale."]


def test_callbacks_around_an_agent(python):  # noqa: F811
    before = """
def before_agent_callback(callback_context):
    callback_context.state["seen"] = callback_context.agent_name
    if callback_context.turn_index == 2:
        return Content(parts=[Part.from_text("Closed.")])
"""
    after = """
def after_agent_callback(callback_context):
    said = callback_context.get_last_agent_output()[0].text_or_transcript()
    return Content(parts=[Part.from_text(str(len(callback_context.events)) + " " + said)])
"""
    app = make_shop(python, before_agent=[before], after_agent=[after])
    first = texts(python.run(app, "hello"))
    assert first[-1].endswith(first[0]), first
    second = texts(python.run(app, "hello"))
    assert second[0] == "Closed."
    updated = [c.updated_variables for c in chunks(python.run(app, "hello", session="2"))]
    assert {"seen": "Clerk"} in [dict(item) for item in updated if item]


def test_tools_are_called_from_callbacks(python):  # noqa: F811
    code = """
def before_model_callback(callback_context, llm_request):
    found = tools.look_up(order_id="5")
    try:
        tools.other()
    except AttributeError as error:
        found["error"] = str(error)
    last = llm_request.contents[-1].parts[0].text
    return LlmResponse.from_parts(parts=[Part.from_text(f"{last}: {found}")])
"""
    (said,) = texts(python.run(make_shop(python, before_model=[code]), "hello there"))
    assert said.startswith("hello there: {'place': 'Kiel', 'seen': ''")
    assert "other is no Python function of this app" in said


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def before_model_callback(c, r):\n    return r.nothing\n", "AttributeError"),
        ("def other(c, r):\n    return None\n", "there is no function before_model_callback"),
        ("def before_model_callback(c, r):\n    return 'text'\n", "must return LlmResponse"),
        (
            "def before_model_callback(c, r):\n"
            "    return LlmResponse.from_parts([Part.from_function_call('nothing', {})])\n",
            "none of its tools",
        ),
        (
            "def before_model_callback(c, r):\n"
            "    return LlmResponse.from_parts([Part.from_function_call('look_up',"
            " {'order_id': '1'})])\n",
            "has called 20 tools",
        ),
    ],
)
def test_one_that_fails_ends_the_turn_and_leaves_the_session_as_it_was(python, code, words):  # noqa: F811
    app = make_shop(python, before_model=[code])
    refused(lambda: python.run(app, "hello there you"), 400, words)
    refused(
        lambda: python.agent.get_conversation(name=f"{app}/conversations/s"), 404, "does not exist"
    )


TROUBLE = """
def before_model_callback(callback_context, llm_request):
    callback_context.state["seen"] = "lost"
    said = callback_context.get_last_user_input()[-1].text or ""
    if "raise" in said:
        raise ValueError("no such order")
    if "hang" in said:
        while True:
            pass
    if "memory" in said:
        return bytearray(4 * 1024**3)
"""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("please raise", "ValueError: no such order (line 6)"),
        ("please hang", "did not end within 1 s"),
        ("please take memory", "MemoryError"),
    ],
)
def test_a_session_goes_on_after_a_callback_that_does_harm(python, monkeypatch, said, words):  # noqa: F811
    monkeypatch.setattr("toulmin.conversation.callbacks.CALLBACK_S", PATIENCE_S)
    quiet = "def before_model_callback(callback_context, llm_request):\n    return None\n"
    app = make_shop(python, before_model=[quiet])
    python.run(app, {"variables": {"seen": "kept"}}, "where is order 4711")
    before = python.agent.get_conversation(name=f"{app}/conversations/s")
    troubled = {"name": f"{app}/agents/root", "before_model_callbacks": [{"python_code": TROUBLE}]}
    python.agent.update_agent(agent=troubled, update_mask={"paths": ["before_model_callbacks"]})
    if "hang" in said:
        monkeypatch.setattr("toulmin.conversation.callbacks.CALLBACK_S", 1.0)
    refused(lambda: python.run(app, said), 400, "agents/root before_model_callbacks[0]: ", words)
    assert python.agent.get_conversation(name=f"{app}/conversations/s") == before
    calm = {"name": f"{app}/agents/root", "before_model_callbacks": []}
    python.agent.update_agent(agent=calm, update_mask={"paths": ["before_model_callbacks"]})
    (answer,) = texts(python.run(app, "where is order 12"))
    assert "Kiel" in answer
    assert "kept" in answer


HAND_OVER = """
def before_model_callback(callback_context, llm_request):
    if callback_context.state.get("seen") == "{when}":
        callback_context.state["seen"] = "{then}"
        return LlmResponse.from_parts(parts=[
            Part.from_text(text="{agent} takes over."), Part.from_agent_transfer(agent="{agent}")
        ])
"""


def make_pair(clients, first, second):
    """Create an app of two agents, each with a callback before the model; the second has a tool."""
    app = make_shop(clients)
    other = clients.make_agent(
        app,
        "other",
        display_name="Other",
        tools=[f"{app}/tools/look_up"],
        before_model_callbacks=[{"python_code": second}],
    )
    root = {
        "name": f"{app}/agents/root",
        "display_name": "Root",
        "tools": [],
        "child_agents": [other],
        "before_model_callbacks": [{"python_code": first}],
    }
    clients.agent.update_agent(agent=root, update_mask={"paths": list(root)[1:]})
    return app


def transfers(outputs):
    return [
        chunk.agent_transfer.display_name for chunk in chunks(outputs) if "agent_transfer" in chunk
    ]


def test_the_agent_that_a_callback_hands_over_to_answers_in_the_same_turn(python):  # noqa: F811
    go = HAND_OVER.format(when="go", then="", agent="Other")
    app = make_pair(python, go, HAND_OVER.format(when="back", then="", agent="Root"))
    outputs = python.run(app, {"variables": {"seen": "go"}}, "where is order 4711")
    announced, answer = texts(outputs)
    assert announced == "Other takes over."
    assert "Kiel" in answer
    assert transfers(outputs) == ["Other"]
    assert outputs[-1].diagnostic_info.messages[-1].role == "Other"


def test_callbacks_that_hand_over_for_ever_are_stopped(python):  # noqa: F811
    there = HAND_OVER.format(when="go", then="go", agent="Other")
    app = make_pair(python, there, there.replace("Other", "Root"))
    python.run(app, "where is order 4711")
    before = python.agent.get_conversation(name=f"{app}/conversations/s")
    refused(
        lambda: python.run(app, {"variables": {"seen": "go"}}, "where is order 4711"),
        400,
        "handed over 6 times in this turn",
        "at most 5",
    )
    assert python.agent.get_conversation(name=f"{app}/conversations/s") == before
    assert transfers(python.run(app, "hello")) == []


def test_without_the_setting_an_app_with_callbacks_is_refused(beta):
    refused(
        lambda: beta.run(make_shop(beta, before_model=[GREETING]), "hello there"),
        400,
        "agent_python",
    )
    disabled = {"python_code": GREETING, "disabled": True}
    app = beta.make_app()
    root = beta.make_agent(app, "root", before_model_callbacks=[disabled])
    beta.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    assert texts(beta.run(app, "hello there"))


def make_team(clients, description):
    """Create an app whose root agent has an agent as a tool, which has a client function."""
    app = clients.make_app()
    order = clients.make_tool(
        app, "find_order", client_function={"name": "find_order", "description": description}
    )
    clients.make_agent(app, "expert", display_name="Expert", tools=[order])
    asked = clients.make_tool(
        app,
        "ask_expert",
        agent_tool={
            "name": "ask_expert",
            "description": "Answers questions about parcels.",
            "agent": f"{app}/agents/expert",
        },
    )
    root = clients.make_agent(app, "root", tools=[asked])
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app


def test_an_agent_is_a_tool(beta):
    app = make_team(beta, "Paints pictures of horses.")
    outputs = beta.run(app, "I have a question about parcels please")
    (response,) = [c.tool_response for c in chunks(outputs) if "tool_response" in c]
    assert response.display_name == "ask_expert"
    assert response.response["result"].startswith("I cannot help with that.")
    assert texts(outputs) == [response.response["result"]]


def test_an_agent_that_is_a_tool_cannot_wait_for_the_client(beta):
    app = make_team(beta, "Answers questions about parcels.")
    outputs = beta.run(app, "I have a question about parcels please")
    assert "it needs find_order, which the client runs" in texts(outputs)[0]
    refused(
        lambda: beta.run(app, responses(("call-1", {"output": 1}))), 400, "no tool call that waits"
    )
