"""The makers' tool kit, cxas-scrapi, and google-cloud-ces, unmodified, over gRPC with TLS.

The app is a folder as the tool kit lays it out: linted, pushed, talked to, pulled, its golden
pushed and run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

os.environ["CES_API_ENDPOINT"] = os.environ["CLIENT_TLS"]  # read when the tool kit is imported
os.environ["CXAS_OAUTH_TOKEN"] = "none"  # it asks Google for one otherwise
os.environ["REQUESTS_CA_BUNDLE"] = os.environ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"]

from checks import expect, expect_equal, run_checks
from cxas_scrapi.cli.main import main as cxas_main
from cxas_scrapi.core.agents import Agents
from cxas_scrapi.core.conversation_history import ConversationHistory
from cxas_scrapi.core.sessions import Sessions
from cxas_scrapi.core.tools import Tools
from google.auth.credentials import AnonymousCredentials

PLACE = ("--project-id", "p", "--location", "us")
APP = "projects/p/locations/us/apps/parcels"
INSTRUCTION = """\
<role>You are the clerk of a shop. Today is {current_date}.</role>
<persona>Be brief and kind.</persona>
<taskflow>
<subtask name="Parcels">
<step name="Find">
<trigger>The customer asks where an order is</trigger>
<action>Call {@TOOL: find_order}; when they say goodbye call {@TOOL: end_session}</action>
</step>
</subtask>
</taskflow>
"""
FILES: dict[str, Any] = {
    "app.json": {
        "name": "parcels",
        "displayName": "Parcels",
        "rootAgent": "clerk",
        "modelSettings": {"model": "gemini-2.5-flash"},
        "variableDeclarations": [
            {"name": "plan", "description": "d", "schema": {"type": "STRING", "default": "basic"}}
        ],
    },
    "agents/clerk/clerk.json": {
        "name": "clerk",
        "displayName": "clerk",
        "instruction": "agents/clerk/instruction.txt",
        "tools": ["find_order", "end_session"],
    },
    "agents/clerk/instruction.txt": INSTRUCTION,
    "tools/find_order/find_order.json": {
        "name": "find_order",
        "displayName": "find_order",
        "executionType": "SYNCHRONOUS",
        "clientFunction": {
            "name": "find_order",
            "description": "Says where an order is and when it arrives.",
            "parameters": {
                "type": "OBJECT",
                "properties": {"order_id": {"type": "STRING", "description": "The order number"}},
                "required": ["order_id"],
            },
        },
    },
}
GREETING = "Hello, this is Parcels. How can I help you?"
GOLDEN = f"""\
conversations:
- conversation: greeting
  turns:
  - user: "<event>welcome</event>"
    agent: {GREETING}
"""

folder = Path(tempfile.mkdtemp())


def cxas(*arguments: str) -> tuple[int, str]:
    """Return the exit code of the tool kit's command, and what it printed."""
    sys.argv = ["cxas", *arguments]
    printed = io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            cxas_main()
        except SystemExit as end:
            code = end.code or 0
    return int(code), printed.getvalue()


def expect_done(*arguments: str) -> str:
    """Return what a command printed that ends with 0."""
    code, printed = cxas(*arguments)
    expect_equal(code, 0, printed[-1500:])
    return printed


def lint() -> None:
    for path, content in FILES.items():
        file = folder / "app" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    expect_done("lint", "--app-dir", str(folder / "app"))


def create_and_push() -> None:
    expect_done("create", "Parcels", "--app-id", "parcels", *PLACE)
    options = ("--overwrite", "--create-version", "--version-name", "first")
    pushed = expect_done(
        "push", "--app-dir", str(folder / "app"), "--app-name", APP, *PLACE, *options
    )
    expect("Created app version" in pushed, pushed)
    expect_equal(list(Tools(app_name=APP).get_tools_map().values()), ["find_order"], "tools")
    expect_equal(list(Agents(app_name=APP).get_agents_map().values()), ["clerk"], "agents")


def sessions_run() -> None:
    sessions = Sessions(app_name=APP)
    asked = sessions.run(session_id="one", text="where is my order 4711?")
    (call,) = sessions.get_structured_response(asked)["tool_calls"]
    named = (call["action"].rpartition("/")[2], call["args"])
    expect_equal(named, ("find_order", {"order_id": "4711"}), "call")
    (wire,) = [call for output in asked.outputs for call in output.tool_calls.tool_calls]
    answer = {"id": wire.id, "tool": wire.tool, "response": {"output": {"arrival": "Friday"}}}
    told = sessions.run(session_id="one", tool_responses=[answer])
    expect_equal(sessions.get_structured_response(told)["agent_text"], "Arrival: Friday", "text")
    kept = ConversationHistory(app_name=APP).get_conversation(f"{APP}/conversations/one")
    chunks = [chunk for turn in kept.turns for message in turn.messages for chunk in message.chunks]
    kinds = [type(chunk).pb(chunk).WhichOneof("data") for chunk in chunks]
    wanted = ["default_variables", "text", "tool_call", "tool_response", "text"]
    expect_equal(kinds, wanted, "what is kept")


def pull() -> None:
    expect_done("pull", APP, "--target-dir", str(folder / "pulled"), "--overwrite", *PLACE)
    (file,) = (folder / "pulled").rglob("app.json")
    instruction = file.parent / "agents" / "clerk" / "instruction.txt"
    expect_equal(instruction.read_text().strip(), INSTRUCTION.strip(), "instruction")
    tool = json.loads((file.parent / "tools" / "find_order" / "find_order.json").read_text())
    wanted = FILES["tools/find_order/find_order.json"]["clientFunction"]["description"]
    expect_equal(tool["clientFunction"]["description"], wanted, "tool")


def official_client(version: str) -> None:
    """google-cloud-ces, told nothing but the endpoint: it finds the tool kit's app and talks."""
    module = importlib.import_module(f"google.cloud.ces_{version}")
    options: dict[str, Any] = {
        "credentials": AnonymousCredentials(),
        "client_options": {"api_endpoint": os.environ["CLIENT_TLS"]},
    }
    app = module.AgentServiceClient(**options).get_app(name=APP)
    expect_equal(app.display_name, "Parcels", "name of the app")
    request = {
        "config": {"session": f"{APP}/sessions/{version}"},
        "inputs": [{"text": "where is my order 4711?"}],
    }
    (output,) = module.SessionServiceClient(**options).run_session(request=request).outputs
    expect_equal(dict(output.tool_calls.tool_calls[0].args), {"order_id": "4711"}, "arguments")


def golden() -> None:
    file = folder / "golden.yaml"
    file.write_text(GOLDEN)
    expect_done("push-eval", "--app-name", APP, "--file", str(file))
    run = ("run", "--app-name", APP, "--display-name-prefix", "greeting", "--wait")
    printed = expect_done(*run)
    expect("FINAL RESULT: PASS" in printed, printed)
    file.write_text(GOLDEN.replace(GREETING, "It rains in Rome today."))
    expect_done("push-eval", "--app-name", APP, "--file", str(file))
    code, printed = cxas(*run)
    expect_equal(code, 1, printed[-1500:])


if __name__ == "__main__":
    run_checks(
        "grpc_tls",
        {
            "lint": lint,
            "create, push with a version, list": create_and_push,
            "Sessions.run with a client function": sessions_run,
            "google-cloud-ces v1": partial(official_client, "v1"),
            "google-cloud-ces v1beta": partial(official_client, "v1beta"),
            "pull": pull,
            "push-eval and run: one that passes, one that fails": golden,
        },
    )
