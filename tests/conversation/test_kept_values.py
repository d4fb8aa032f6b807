"""What tools, callbacks and models return can be kept and sent, or is an error of theirs."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from google.protobuf.json_format import ParseDict

from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.ces.convert import kept_message
from toulmin.conversation import tool_runs
from toulmin.conversation.callbacks import Callbacks
from toulmin.conversation.json_schemas import api_schema
from toulmin.conversation.kept_values import DEEPEST, unkept, whole_text
from toulmin.conversation.leader import LedCall, _read
from toulmin.conversation.led import _call_problem
from toulmin.conversation.mcp_results import response_of, tool_of
from toulmin.conversation.prompting import Functions
from toulmin.conversation.python_runner import PythonResult
from toulmin.conversation.python_tools import Ran
from toulmin.conversation.schemas import changed
from toulmin.errors import FailedPrecondition


def nested(levels, *, lists=False):
    value = 1
    for _ in range(levels):
        value = [value] if lists else {"a": value}
    return value


BAD = {
    "levels deep": nested(DEEPEST + 1),
    "levels": nested(DEEPEST + 1, lists=True),
    "64 bits": {"serial": 2**64},
    "surrogate": ["fine", {"text": "a\ud800"}],
    "JSON does not know": {"price": float("nan")},
}
GOOD = [None, True, 0, -(2**63), 1e300, "é😀", nested(DEEPEST), {"a": [1, {"b": []}]}]


@pytest.mark.parametrize("value", GOOD)
def test_what_json_is_can_be_kept(value):
    assert unkept(value) == ""


@pytest.mark.parametrize(("why", "value"), BAD.items())
def test_what_cannot_be_kept_says_why(why, value):
    assert why in unkept(value)
    assert why in unkept({"deep": {"inside": value}})


def test_a_name_that_is_no_text_and_a_hundred_thousand_levels():
    assert "surrogate" in unkept({"a\udfff": 1})
    assert unkept(nested(100_000))


def test_the_deepest_value_fits_into_the_messages_around_it():
    value = nested(DEEPEST - 1)
    chunk = {"toolResponse": {"tool": "t", "response": {"result": value}}}
    output = kept_message("SessionOutput")
    messages = [{"role": "Root", "chunks": [chunk]}]
    fill_from_json(output, {"diagnosticInfo": {"messages": messages}})
    turns = [{"messages": messages}]
    ParseDict({"name": "x", "turns": turns}, kept_message("Conversation"))


@pytest.mark.parametrize(("why", "value"), BAD.items())
def test_a_tool_that_returns_it_has_failed(why, value, monkeypatch):
    monkeypatch.setattr(tool_runs, "run_tool", lambda *_, **__: Ran({"result": value}))
    tool = SimpleNamespace(kind="pythonFunction", fake_code="")
    run = tool_runs.run_here(tool, {}, {}, rooms=SimpleNamespace(python=None))
    assert list(run.response) == ["error"]
    assert why in run.response["error"]


@pytest.mark.parametrize(("why", "value"), BAD.items())
def test_a_callback_that_returns_it_is_named(why, value):
    python = SimpleNamespace(run=lambda *_, **__: PythonResult(value=value))
    app = SimpleNamespace(tools={}, variables={})
    agent = SimpleNamespace(name="agents/a", display_name="A", callbacks={"before_agent": ("x",)})
    with pytest.raises(FailedPrecondition, match=r"agents/a before_agent_callbacks\[0\]") as raised:
        Callbacks(app, python=python).ask(agent, "before_agent")
    assert raised.value.reason == "CALLBACK_FAILED"
    assert why in raised.value.message


def test_a_variable_keeps_its_value_where_a_tool_writes_such_a_one():
    declared = {"n": {"type": "NUMBER"}, "t": {"type": "STRING"}, "o": {"type": "OBJECT"}}
    after = {"n": float("inf"), "t": "\ud800", "o": BAD["levels deep"]}
    assert changed(after, {"n": 1, "t": "x", "o": {}}, declared) == {}


@pytest.mark.parametrize(
    "arguments",
    ['{"n": 1' + "0" * 400 + "}", '{"t": "\\ud800"}', json.dumps(nested(90)), '{"n": NaN}'],
)
def test_a_model_is_told_that_its_arguments_cannot_be_kept(arguments):
    tool = SimpleNamespace(kind="clientFunction", parameters={})
    functions = Functions(described=(), tools={"f": tool}, agents={})
    assert _call_problem(LedCall("1", "f", arguments), functions)
    assert not _call_problem(LedCall("1", "f", '{"n": 1}'), functions)


def test_a_model_that_transfers_to_a_list_is_told_whom_there_is():
    functions = Functions(described=(), tools={}, agents={"Helper": "agents/h"})
    call = LedCall("1", "transfer_to_agent", '{"agent_name": ["Helper"]}')
    assert "Helper" in _call_problem(call, functions)
    assert "transfer_to_agent" in _call_problem(LedCall("1", "none", "{}"), functions)


def test_what_a_model_says_is_text():
    assert _read({"content": "Hello \ud800 friend"}).text == "Hello ? friend"
    assert whole_text("é😀") == "é😀"


def test_an_mcp_text_with_what_is_no_json_stays_a_text():
    text = '{"price": NaN}'
    assert response_of({"content": [{"type": "text", "text": text}]}) == {"result": text}


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"enum": 5}, {}),
        ({"enum": ["a", {"b": 1}]}, {}),
        ({"enum": ["a", 1]}, {"enum": ["a", 1]}),
        ({"minimum": "a", "maximum": 3}, {"maximum": 3}),
        ({"description": 7, "nullable": "x"}, {}),
        ({"default": nested(90)}, {}),
    ],
)
def test_what_a_schema_says_wrongly_is_left_out(given, left):
    schema = {"type": "object", "properties": {"x": {"type": "string", **given}}}
    assert api_schema(schema, schema)["properties"]["x"] == {"type": "STRING", **left}


def test_a_tool_of_a_server_is_text():
    tool = tool_of({"name": "a\ud800", "description": ["not a text"]})
    assert tool.name == "a?"
    assert isinstance(tool.description, str)
