"""Python functions and fakes, in sessions and by themselves."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import Clients, new_id, texts
from tests.apis.ces.test_resources import refused
from tests.apis.discoveryengine.answer_backend import AnswerBackend

pytestmark = [pytest.mark.client, pytest.mark.model]

CODE = '''
def look_up(account_id: str) -> dict:
    """Look up the balance and plan of an account.

    Args:
        account_id: The customer's account ID.
    """
    context.state["seen"] = account_id
    context.state["undeclared"] = 1
    if account_id == "0":
        raise KeyError("no such account")
    return {"status": "success", "account": {"plan": "Premium", "balance": "$45.00"}}
'''
FAKE = "def fake_tool_call(tool, input, callback_context):\n    return {'output': 'faked ' + tool.name}\n"


@pytest.fixture(scope="module")
def python_backend(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("python"), agent_python=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def python(python_backend):
    made = Clients("v1beta", "grpc", python_backend.server.port)
    yield made
    made.close()


def make_bank(clients):
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
            "python_code": CODE,
            "description": "Looks up the balance and plan of an account.",
        },
        tool_fake_config={"code_block": {"python_code": FAKE}},
    )
    root = clients.make_agent(app, "root", tools=[tool])
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app


@pytest.fixture(scope="module")
def bank(python):
    return make_bank(python)


def as_dict(message):
    return MessageToDict(type(message).pb(message))


def test_a_python_function_runs_in_a_session(python, bank):
    session = new_id("s")
    asked = python.run(bank, "What is the balance of my account?", session=session)
    assert texts(asked) == ["What is the customer's account ID?"]
    outputs = python.run(bank, "9820", session=session)
    assert texts(outputs) == ["Account balance: $45.00"]
    info = as_dict(outputs[-1])["diagnosticInfo"]
    kinds = [next(iter(chunk)) for message in info["messages"] for chunk in message["chunks"]]
    assert kinds == ["text", "toolCall", "toolResponse", "updatedVariables", "text"]
    assert info["messages"][3]["chunks"][0]["updatedVariables"] == {"seen": "9820"}
    assert info["rootSpan"]["attributes"]["hallucination"]["score"] == 1


def test_what_goes_wrong_in_it_is_the_tools_error(python, bank):
    outputs = python.run(bank, "What is the balance of account 0?", session=new_id("s"))
    assert "KeyError: 'no such account'" in texts(outputs)[0]


def test_a_fake_stands_in(python, bank):
    outputs = python.run(
        bank, "What is the balance of account 12?", session=new_id("s"), use_tool_fakes=True
    )
    assert texts(outputs) == ["faked look_up"]


def test_a_tool_by_itself(python, bank):
    request = {
        "parent": bank,
        "tool": f"{bank}/tools/look_up",
        "args": {"account_id": "12"},
        "variables": {"seen": "x"},
    }
    done = as_dict(python.tool.execute_tool(request=request))
    assert done["response"]["result"]["account"]["balance"] == "$45.00"
    assert done["variables"] == {"seen": "12"}
    schema = python.tool.retrieve_tool_schema(
        request={"parent": bank, "tool": f"{bank}/tools/look_up"}
    )
    assert list(schema.input_schema.required) == ["account_id"]
    refused(lambda: python.tool.execute_tool(request={**request, "args": {}}), 400, "account_id")
    refused(lambda: python.tool.execute_tool(request={**request, "tool": f"{bank}/tools/x"}), 404)


def test_a_data_store_by_itself(python, python_backend):
    app = python.make_shop(python_backend)
    done = python.tool.execute_tool(
        request={
            "parent": app,
            "tool": f"{app}/tools/guide",
            "args": {"query": "When was the Varn Tower opened?"},
        }
    )
    assert "1932" in as_dict(done)["response"]["answer"]
    assert done.citations.cited_chunks
    client = {
        "parent": app,
        "tool": f"{app}/tools/refund",
        "args": {"order_id": "1", "reason": "x"},
    }
    refused(lambda: python.tool.execute_tool(request=client), 400, "client function")


def test_python_does_not_run_unless_it_is_allowed(beta):
    app = make_bank(beta)
    session = new_id("s")
    ask = "What is the balance of account 12?"
    refused(lambda: beta.run(app, ask, session=session), 400, "agent_python")
    refused(lambda: beta.agent.get_conversation(name=f"{app}/conversations/{session}"), 404)
