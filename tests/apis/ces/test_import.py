"""ImportApp: an archive of files becomes an app."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from tests.apis.ces.clients import LOCATION, WAIT_S, new_id, texts
from tests.apis.ces.test_resources import refused
from toulmin.apis.ces.app_import import unzipped
from toulmin.errors import InvalidArgument

pytestmark = pytest.mark.client

CODE = (
    'def look_up(order_id: str, full: bool = False) -> dict:\n    """Looks up."""\n    return {}\n'
)
FILES = {
    "app.json": {
        "_comment": ["not a field"],
        "name": "shop",
        "displayName": "Shop",
        "rootAgent": "root agent",
        "tools": ["look_up"],
        "variableDeclarations": [
            {"name": "plan", "description": "d", "schema": {"type": "STRING", "default": ""}}
        ],
    },
    "agents/root_agent/root_agent.json": {
        "displayName": "root agent",
        "instruction": "agents/root_agent/instruction.txt",
        "tools": ["look_up", "end_session"],
        "childAgents": ["returns"],
        "flavour": "mild",
    },
    "agents/root_agent/instruction.txt": "Be kind. Call {@TOOL: look_up} for orders.",
    "agents/returns/returns.json": {"displayName": "Returns", "description": "Takes back goods."},
    "tools/look_up/look_up.json": {
        "pythonFunction": {"name": "look_up", "pythonCode": "tools/look_up/python_function/code.py"}
    },
    "tools/look_up/python_function/code.py": CODE,
    "examples/one/one.json": {
        "displayName": "One",
        "messages": [
            {"role": "user", "chunks": [{"text": "take it back"}]},
            {"role": "root agent", "chunks": [{"agentTransfer": {"targetAgent": "returns"}}]},
        ],
    },
}


def archive(files, top="Shop/"):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for path, value in files.items():
            made.writestr(
                top + path, value if isinstance(value, str) else json.dumps(value, indent=1)
            )
    return content.getvalue()


def import_app(clients, files, app_id="", **fields):
    request = {
        "parent": LOCATION,
        "app_id": app_id or new_id("app"),
        "app_content": archive(files),
        **fields,
    }
    return clients.agent.import_app(request=request).result(timeout=WAIT_S)


def test_an_archive_becomes_an_app(clients):
    done = import_app(clients, FILES)
    app = clients.agent.get_app(name=done.name)
    assert app.display_name == "Shop"
    assert app.root_agent == f"{done.name}/agents/root_agent"
    agent = clients.agent.get_agent(name=app.root_agent)
    assert agent.instruction.startswith("Be kind.")
    assert list(agent.tools) == [f"{done.name}/tools/look_up", f"{done.name}/tools/end_session"]
    assert list(agent.child_agents) == [f"{done.name}/agents/returns"]
    tool = clients.agent.get_tool(name=f"{done.name}/tools/look_up")
    assert (tool.display_name, tool.python_function.python_code) == ("look_up", CODE)
    example = clients.agent.get_example(name=f"{done.name}/examples/one")
    transfer = example.messages[1].chunks[0].agent_transfer
    assert transfer.target_agent == f"{done.name}/agents/returns"
    assert list(done.warnings) == [
        'agents/root_agent/root_agent.json: Agent has no field "flavour"; left out'
    ]


@pytest.mark.model
def test_an_imported_app_runs_by_its_examples(beta):
    done = import_app(beta, FILES)
    outputs = beta.run(done.name, "please take it back")
    assert texts(outputs)[0] == "You are talking to Returns now."


def test_an_app_is_replaced_as_asked(beta):
    app_id = new_id("app")
    name = import_app(beta, FILES, app_id).name
    fewer = {path: value for path, value in FILES.items() if not path.startswith("examples")}
    import_app(beta, fewer, app_id, import_options={"conflict_resolution_strategy": "REPLACE"})
    assert len(list(beta.agent.list_examples(parent=name))) == 1
    import_app(beta, fewer, app_id, import_options={"conflict_resolution_strategy": "OVERWRITE"})
    assert list(beta.agent.list_examples(parent=name)) == []
    refused(lambda: import_app(beta, FILES, app_id, display_name="X"), 400, "display_name")
    locked = {"app": {"name": name, "locked": True}, "update_mask": {"paths": ["locked"]}}
    beta.agent.update_app(request=locked)
    refused(lambda: import_app(beta, FILES, app_id), 400, "locked")
    import_app(beta, FILES, app_id, ignore_app_lock=True)


def test_everything_that_is_wrong_is_listed_with_file_and_line(beta):
    wrong = {
        **FILES,
        "agents/root_agent/root_agent.json": {
            "displayName": "root agent",
            "instruction": "agents/root_agent/nothing.txt",
            "tools": ["look_up", "fly"],
        },
        "agents/returns/returns.json": '{\n "displayName": "Returns",\n}',
        "tools/look_up/python_function/code.py": "import os\n\ndef look_up(:\n",
        "tools/second/second.json": '{"displayName": "second",\n "timeout":\n  "soon"}',
    }
    app_id = new_id("app")
    refused(
        lambda: import_app(beta, wrong, app_id),
        400,
        "The app has 5 problems",
        "tools/second/second.json:2: timeout",
        "agents/returns/returns.json:2: is not JSON",
        'agents/root_agent/root_agent.json:3: the file "agents/root_agent/nothing.txt" is missing',
        'agents/root_agent/root_agent.json:6: "fly" is none of the tools',
        "tools/look_up/python_function/code.py:3: is not Python",
    )
    refused(lambda: beta.agent.get_app(name=f"{LOCATION}/apps/{app_id}"), 404)


def test_a_value_of_the_wrong_type_is_named(beta):
    wrong = {**FILES, "agents/returns/returns.json": {"displayName": 7, "description": ["x"]}}
    refused(lambda: import_app(beta, wrong), 400, "agents/returns/returns.json:2: display")
    unnamed = {**FILES, "agents/returns/returns.json": {"description": "x"}}
    refused(lambda: import_app(beta, unnamed), 400, "agent.display_name", "required")


def test_what_is_no_archive_of_an_app_is_refused(beta):
    request = {"parent": LOCATION, "app_id": new_id("app"), "app_content": b"PK no"}
    refused(lambda: beta.agent.import_app(request=request), 400, "app_content", "zip")
    refused(lambda: import_app(beta, {"readme.txt": "hello"}), 400, "app.json", "missing")
    request = {"parent": LOCATION, "gcs_uri": "gs://a/b"}
    refused(lambda: beta.agent.import_app(request=request), 501, "gcs_uri")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"app.json": "[" * 100_000}, "app.json:1: is not JSON"),
        ({"app.json": '{"a":' * 150 + "1" + "}" * 150}, "app.json:1: is nested deeper than 100"),
        ({"app.json": '{"displayName": "\\ud800"}'}, "app.json:1: is not JSON"),
        ({"agents/returns/returns.json": {"toolsets": 5, "transferRules": [3]}}, "transfer_rules"),
        ({"agents/returns/returns.json": {"toolsets": None, "displayName": 1}}, "display_name"),
        ({"guardrails/g/g.json": {"action": ["x"]}}, "guardrails/g/g.json:2"),
        ({"examples/one/one.json": {"messages": ["x", {"chunks": [1]}]}}, "examples/one/one.json"),
        (
            {"tools/look_up/python_function/code.py": "def f(a: " + "-" * 50_000 + "1): pass"},
            "code.py:1: is nested too deeply",
        ),
    ],
)
def test_files_of_any_shape_are_refused_by_name(beta, files, words):
    refused(lambda: import_app(beta, {**FILES, **files}), 400, words)


def broken_archives():
    whole = archive({"app.json": {"displayName": "é"}}, top="")
    at = whole.index(b"PK\x01\x02")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("app.json", b'{"displayName": "a b c"}' * 9)
    name = at + 46
    return {
        "deflated": packed.getvalue()[:40] + b"\xff\xff" + packed.getvalue()[42:],
        "name": whole[: at + 9] + b"\x08" + whole[at + 10 : name] + b"\xff" + whole[name + 1 :],
        "no name": whole[: at + 28] + b"\0\0\x08\0" + whole[at + 32 :],
        "place": whole[: at + 42] + b"\xff\xff\xff\xff" + whole[at + 46 :],
        "cut": whole[: at + 20] + whole[-22:],
    }


@pytest.mark.parametrize("kind", sorted(broken_archives()))
def test_a_broken_archive_is_refused(kind):
    with pytest.raises(InvalidArgument, match="app_content: is no zip archive"):
        unzipped(broken_archives()[kind])
