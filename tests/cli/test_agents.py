"""`toulmin agents`: import, run, test."""

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
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["wrong"]


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
