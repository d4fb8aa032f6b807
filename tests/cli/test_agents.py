"""`toulmin agents`: import, run, test, export."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from toulmin.agents import App, Dialogue, DialogueTurn
from toulmin.cli import main
from toulmin.stores.records import RecordStore

ORDER = {
    "clientFunction": {
        "name": "find_order",
        "description": "Says where an order is and when it arrives.",
        "parameters": {
            "type": "OBJECT",
            "properties": {"order_id": {"type": "STRING", "description": "The order number"}},
            "required": ["order_id"],
        },
    }
}
GOLDENS = """\
common_session_parameters: {plan: gold}
conversations:
- conversation: parcel
  turns:
  - user: "<event>welcome</event>"
    agent: Hello, this is Shop. How can I help you?
  - user: Where is my order 4711?
    agent: "Arrival: Friday"
    tool_calls:
    - action: find_order
      args: {order_id: {$matchType: regexp, $matchValue: "^47"}}
      response: {output: {arrival: Friday}}
  expectations: [The agent must be kind.]
- conversation: wrong
  turns:
  - user: Where is my order 4711?
    agent: Your parcel arrives on Friday.
    tool_calls:
    - action: find_order
      args: {order_id: "4712"}
    - action: refund
"""
NUMBERS = """\
conversations:
- conversation: the same
  turns:
  - user: Where is my order 4711?
    agent: The balance is $45.00.
    tool_calls: &calls
    - {action: find_order, args: {order_id: "4711"}, response: {output: {balance: "$45.00"}}}
- conversation: another
  turns:
  - user: Where is my order 4711?
    agent: The balance is $142.50.
    tool_calls: *calls
"""
CANCELLING = """\
conversations:
- conversation: at once
  turns:
  - user: Cancel my order 4711
    agent: It is cancelled.
    tool_calls:
    - {action: cancel_order, args: {order_id: "4711"}, response: {output: It is cancelled.}}
- conversation: asked first
  turns:
  - user: Cancel my order 4711
    agent: Shall I do "cancel order" with order id "4711"?
  - user: "yes"
    agent: It is cancelled.
    tool_calls:
    - {action: cancel_order, args: {order_id: "4711"}, response: {output: It is cancelled.}}
"""
LOOK_UP = {"name": "look_up", "pythonCode": "tools/look_up/python_function/python_code.py"}
BALANCE = '''
def look_up(account_id: str) -> dict:
    """Looks up the balance of an account.

    Args:
        account_id: The account.
    """
    context.state["plan"] = context.state.get("plan") or "basic"
    if account_id != "1":
        return {"agent_action": "ask again", "plan": context.state.get("plan")}
    return {"status": "success", "account": {"plan": "gold", "balance": 45}, "items": ["a", "b"]}
'''
TOOL_TESTS = """\
tests:
- name: known
  tool: look_up
  args: {account_id: "1"}
  expectations:
    response:
    - {path: $.result.status, operator: equals, value: success}
    - {path: "$.result['account'].balance", operator: less_than, value: 46}
    - {path: $.result.items, operator: length_equals, value: 2}
    - {path: "$.result.items[1]", operator: contains, value: b}
    - {path: $.result.agent_action, operator: is_null}
- name: unknown
  tool: look_up
  args: {account_id: "2"}
  variables: {plan: silver}
  expectations:
    response:
    - {path: $.result.agent_action, operator: is_not_null}
    - {path: $.result.plan, operator: equals, value: silver}
    variables:
    - {path: $.plan, operator: equals, value: silver}
- name: differs
  tool: look_up
  args: {account_id: "1"}
  expectations:
    response:
    - {path: $.result.account.balance, operator: greater_than, value: 100}
    - {path: $.result.account.plan, operator: is_null}
    - {path: "$.result.items[2]", operator: equals, value: a}
    - {path: $.result.account.plan, operator: less_than, value: 3}
    variables:
    - {path: $.plan, operator: equals, value: gold}
- {name: nobody, tool: fly}
- {name: client, tool: find_order, args: {order_id: "1"}}
"""
WRONG_TOOL_TESTS = """\
tests:
- {args: {}}
- {tool: a, expectations: {response: [{path: $.result, operator: is, value: 1}]}}
- {tool: a, expectations: {response: [{path: "$.result[*]", operator: is_null}]}}
- {tool: a, expectations: {response: [{path: $.result, operator: equals}]}}
- {tool: a, args: [1]}
- {tool: a, variables: {x: 1}, context: {state: {x: 1}}}
"""


@pytest.fixture
def folder(tmp_path):
    """A project with an app in it and goldens beside the app."""
    app = tmp_path / "project" / "cxas_app" / "Shop"
    files = {
        "app.json": {
            "displayName": "Shop",
            "rootAgent": "clerk",
            "variableDeclarations": [
                {"name": "plan", "description": "d", "schema": {"type": "STRING"}}
            ],
        },
        "agents/clerk/clerk.json": {"displayName": "clerk", "tools": ["find_order", "end_session"]},
        "tools/find_order/find_order.json": ORDER,
    }
    for path, value in files.items():
        file = app / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    goldens = tmp_path / "project" / "evals" / "goldens"
    goldens.mkdir(parents=True)
    (goldens / "parcels.yaml").write_text(GOLDENS)
    return app


def agents(monkeypatch, *arguments, said=""):
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    return main(["agents", *map(str, arguments)])


@pytest.mark.model
def test_talking_to_a_folder(folder, data, monkeypatch, capsys):
    said = (
        "/event welcome\nWhere is my parcel?\n4711\n" + '{"output": "It comes on Friday."}\nbye\n'
    )
    assert agents(monkeypatch, "run", folder.parent, *data, said=said) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Hello, this is Shop. How can I help you?",
        "What is the order number?",
        '[calls find_order {"order_id": "4711"}]',
        "It comes on Friday.",
        "Goodbye.",
        "[the session has ended]",
    ]


@pytest.mark.model
def test_the_end_of_the_input_is_no_answer_of_a_tool(folder, data, monkeypatch, capsys):
    assert agents(monkeypatch, "run", folder, *data, said="Where is my order 4711?\n") == 0
    assert capsys.readouterr().out.splitlines() == ['[calls find_order {"order_id": "4711"}]']


@pytest.mark.model
def test_a_variable_that_cannot_be_set_is_named(folder, data, monkeypatch, capsys):
    said = "/set plan\n/set nope=1\n"
    assert agents(monkeypatch, "run", folder, *data, said=said) == 1
    out = capsys.readouterr().out
    assert 'has no "="' in out
    assert "not declared by the app, so not set: nope" in out


@pytest.mark.model
def test_variables_go_with_what_is_said_next(folder, data, monkeypatch, capsys):
    code = "def before_agent_callback(callback_context):\n"
    code += "    state = callback_context.state\n"
    code += "    return Content(parts=[Part(text=str([state['plan'], state['visits']]))])\n"
    app = json.loads((folder / "app.json").read_text())
    app["variableDeclarations"] = [
        {"name": name, "schema": {"type": "STRING", "default": ""}} for name in ("plan", "visits")
    ]
    (folder / "app.json").write_text(json.dumps(app))
    (file,) = (folder / "agents").glob("*/*.json")
    agent = json.loads(file.read_text())
    (folder / "before.py").write_text(code)
    agent["beforeAgentCallbacks"] = [{"pythonCode": "before.py"}]
    file.write_text(json.dumps(agent))
    monkeypatch.setenv("TOULMIN_AGENT_PYTHON", "true")
    said = '/set plan=gold\n/set visits="3"\nhello\n/quit\nhello again\n'
    assert agents(monkeypatch, "run", folder, *data, said=said) == 0
    assert capsys.readouterr().out == "['gold', '3']\n"


@pytest.mark.model
def test_a_report_that_cannot_be_written_is_no_failed_test(folder, data, monkeypatch, capsys):
    file = folder / "nowhere" / "x.xml"
    assert agents(monkeypatch, "test", folder, "--junit", file, *data) == 2
    assert "--junit" in capsys.readouterr().err


@pytest.mark.model
def test_goldens_show_the_turn_that_differs(folder, data, monkeypatch, capsys, tmp_path):
    report = tmp_path / "report.xml"
    assert agents(monkeypatch, "test", folder, "--junit", report, *data) == 1
    out = capsys.readouterr().out
    assert "PASS parcel (1 expectations in prose not judged)" in out
    assert "FAIL wrong\n  turn 1: Where is my order 4711?\n" in out
    assert "find_order.order_id: '4711'\n      wanted: '4712'" in out
    assert "called: find_order\n      wanted: refund" in out
    assert out.endswith("1 of 2 goldens passed\n")
    suite = ET.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["wrong"]


@pytest.mark.model
def test_a_text_without_the_number_that_is_wanted_differs(folder, data, monkeypatch, capsys):
    goldens = folder.parent.parent / "evals" / "goldens" / "parcels.yaml"
    goldens.write_text(NUMBERS)
    assert agents(monkeypatch, "test", folder, *data) == 1
    out = capsys.readouterr().out
    assert "PASS the same" in out
    assert "FAIL another\n  turn 1: Where is my order 4711?\n    agent:  Balance: $45.00" in out


@pytest.mark.model
def test_a_golden_that_calls_a_tool_that_changes_things_has_agreed(
    folder, data, monkeypatch, capsys
):
    function = {**ORDER["clientFunction"], "name": "cancel_order", "description": "Cancels."}
    tool = folder / "tools" / "find_order" / "find_order.json"
    tool.write_text(json.dumps({"clientFunction": function}))
    goldens = folder.parent.parent / "evals" / "goldens" / "parcels.yaml"
    goldens.write_text(CANCELLING)
    assert agents(monkeypatch, "test", folder, *data) == 0
    assert "2 of 2 goldens passed" in capsys.readouterr().out


def test_tools_are_called_by_themselves_and_what_they_return_is_compared(
    folder, data, monkeypatch, capsys, tmp_path
):
    tool = folder / "tools" / "look_up"
    (tool / "python_function").mkdir(parents=True)
    (tool / "look_up.json").write_text(
        json.dumps({"displayName": "look_up", "pythonFunction": LOOK_UP})
    )
    (tool / "python_function" / "python_code.py").write_text(BALANCE)
    project = folder.parent.parent
    for file in (project / "evals" / "goldens").iterdir():
        file.unlink()
    (project / "evals" / "goldens").rmdir()
    (project / "evals" / "tool_tests").mkdir()
    (project / "evals" / "tool_tests" / "look_up.yaml").write_text(TOOL_TESTS)
    report = tmp_path / "report.xml"
    monkeypatch.setenv("TOULMIN_AGENT_PYTHON", "true")
    assert agents(monkeypatch, "test", folder, "--junit", report, *data) == 1
    out = capsys.readouterr().out
    assert "PASS known\nPASS unknown\nFAIL differs\n" in out
    assert "$.result.account.balance: 45\n      wanted: greater_than 100" in out
    assert "$.result.account.plan: 'gold'\n      wanted: is_null" in out
    assert "$.result.items[2]: (nothing)\n      wanted: equals 'a'" in out
    assert "$.result.account.plan: 'gold'\n      wanted: less_than 3" in out
    assert "variables $.plan: 'basic'\n      wanted: equals 'gold'" in out
    assert "FAIL nobody\n  tool: the app has no fly\n      it has: " in out
    assert "FAIL client\n  error: " in out
    assert out.endswith("2 of 5 tool tests passed\n")
    whole = ET.parse(report).getroot()
    assert [(suite.get("name"), suite.get("failures")) for suite in whole] == [("tool tests", "3")]


def test_everything_that_is_wrong_in_tool_tests_is_said(folder, data, monkeypatch, capsys):
    tests = folder.parent.parent / "evals" / "tool_tests"
    tests.mkdir()
    (tests / "a.yaml").write_text(WRONG_TOOL_TESTS)
    (tests / "b.yaml").write_text("test_cases: []\n")
    assert agents(monkeypatch, "test", folder, *data) == 2
    error = capsys.readouterr().err
    for words in (
        "a.yaml: tests[0] has no `tool`",
        'a.yaml: tests[1] has the operator "is"; known: equals, contains',
        'a.yaml: tests[2] has the path "$.result[*]"',
        "a.yaml: tests[3] has the operator equals without a `value`",
        "a.yaml: tests[4] has `args` that is no object",
        "a.yaml: tests[5] has `variables` and `context`",
        "b.yaml: must have a list `tests`",
    ):
        assert words in error


def test_importing_a_folder(folder, data, monkeypatch, capsys):
    assert agents(monkeypatch, "import", folder, "--app", "shop", *data) == 0
    assert capsys.readouterr().out == "projects/default/locations/global/apps/shop\n"


def test_a_folder_with_errors_lists_them_all(folder, data, monkeypatch, capsys):
    (folder / "agents/clerk/clerk.json").write_text(
        '{\n"displayName": "clerk",\n"tools": ["fly"]\n}'
    )
    (folder / "tools/find_order/find_order.json").write_text("{")
    assert agents(monkeypatch, "import", folder, *data) == 2
    error = capsys.readouterr().err
    assert "The app has 2 problems" in error
    assert 'agents/clerk/clerk.json:3: "fly" is none of the tools' in error
    assert "tools/find_order/find_order.json:1: is not JSON" in error


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no app.json"),
        ({"app.json": "{}"}, "evals/goldens"),
        ({"app.json": "{}", "evals/goldens/a.yaml": "a: [\n"}, "a.yaml"),
        ({"app.json": "{}", "evals/goldens/a.json": "{}"}, "conversations"),
    ],
)
def test_what_is_wrong_is_said(files, words, tmp_path, data, monkeypatch, capsys):
    folder = tmp_path / "app"
    folder.mkdir()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    assert agents(monkeypatch, "test", folder, *data) == 2
    assert words in capsys.readouterr().err


def test_conversations_are_written_as_lines_of_json(data, monkeypatch, capsys):
    app = App(parent="projects/default/locations/global", id="shop")
    store = RecordStore(Path(data[1]))
    with store.write() as transaction:
        transaction.resources.create(app)
        for number in range(3):
            said = {"role": "user", "chunks": [{"text": f"Grüße {number}\n"}]}
            transaction.dialogues.add_turn(
                Dialogue(parent=app.name, id=f"s{number}"), DialogueTurn(messages=(said,))
            )
    store.close()
    monkeypatch.setattr("toulmin.cli.agents._PAGE", 2)
    assert agents(monkeypatch, "export", "shop", *data) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {item["name"] for item in found} == {f"{app.name}/conversations/s{n}" for n in range(3)}
    texts = {item["turns"][0]["messages"][0]["chunks"][0]["text"] for item in found}
    assert texts == {f"Grüße {n}\n" for n in range(3)}
    assert agents(monkeypatch, "export", "nothing", *data) == 2
    assert "does not exist" in capsys.readouterr().err
