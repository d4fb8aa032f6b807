"""Every RPC that takes an app, a session or a conversation says that it is not there, and which."""

from __future__ import annotations

import pytest

from tests.apis.ces.clients import Clients, new_id
from tests.apis.ces.test_resources import refused
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.client, pytest.mark.model]

# What is asked of an app; a session that was never talked in begins with its first turn, so that
# only its conversation can be missing.
BY_APP = {
    "run": lambda clients, app: clients.run(app, "hi"),
    "stream": lambda clients, app: clients.stream(app, "hi"),
    "token": lambda clients, app: clients.widget.generate_chat_token(
        request={"name": f"{app}/sessions/s", "deployment": f"{app}/deployments/live"}
    ),
    "list": lambda clients, app: list(clients.agent.list_conversations(parent=app)),
    "get": lambda clients, app: clients.agent.get_conversation(name=f"{app}/conversations/s"),
    "delete": lambda clients, app: clients.agent.delete_conversation(name=f"{app}/conversations/s"),
    "batch delete": lambda clients, app: clients.agent.batch_delete_conversations(
        request={"parent": app, "conversations": [f"{app}/conversations/s"]}
    ),
    "tool": lambda clients, app: clients.tool.execute_tool(
        request={"parent": app, "tool": f"{app}/tools/t"}
    ),
    "schema": lambda clients, app: clients.tool.retrieve_tool_schema(
        request={"parent": app, "tool": f"{app}/tools/t"}
    ),
    "tools": lambda clients, app: clients.tool.retrieve_tools(
        request={"toolset": f"{app}/toolsets/t", "tool_ids": ["t"]}
    ),
}
BY_CONVERSATION = {
    "get": lambda clients, name: clients.agent.get_conversation(name=name),
    "delete": lambda clients, name: clients.agent.delete_conversation(name=name),
}


@pytest.fixture(scope="module")
def shop(beta, backend):
    return beta.make_shop(backend)


@pytest.mark.parametrize("rpc", BY_APP)
def test_an_app_that_is_not_there(clients, rpc):
    app = f"projects/p/locations/us/apps/{new_id('none')}"
    refused(lambda: BY_APP[rpc](clients, app), 404, app)


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_an_app_that_is_not_there_on_a_stream_of_both_ways(backend, version):
    clients = Clients(version, "grpc", backend.server.port)
    app = f"projects/p/locations/us/apps/{new_id('none')}"
    said = [{"config": {"session": f"{app}/sessions/s"}}, {"realtime_input": {"text": "hi"}}]

    def talk():
        return list(clients.session.bidi_run_session(requests=iter(said), timeout=PATIENCE_S))

    refused(talk, 404, app)
    clients.close()


@pytest.mark.parametrize("rpc", BY_CONVERSATION)
def test_a_session_that_nobody_talked_in_has_no_conversation(clients, shop, rpc):
    name = f"{shop}/conversations/{new_id('none')}"
    refused(lambda: BY_CONVERSATION[rpc](clients, name), 404, name)


@pytest.mark.parametrize("talk", ["run", "stream"])
@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        ({"entry_agent": "{app}/agents/none"}, 400, "config.entry_agent"),
        ({"deployment": "{app}/deployments/none"}, 404, "deployments/none"),
    ],
)
def test_what_a_turn_names_and_is_not_there_begins_no_session(
    clients, shop, talk, config, code, words
):
    session = new_id("s")
    named = {key: value.format(app=shop) for key, value in config.items()}
    refused(lambda: getattr(clients, talk)(shop, "hi", session=session, **named), code, words)
    refused(
        lambda: clients.agent.get_conversation(name=f"{shop}/conversations/{session}"), 404, session
    )


def test_a_refused_first_turn_begins_no_session(clients, shop):
    session = new_id("s")
    for given in ({"dtmf": "x"}, {"variables": {"visits": "many"}}):
        refused(lambda given=given: clients.run(shop, given, session=session), 400, "inputs[0]")
    name = f"{shop}/conversations/{session}"
    refused(lambda: clients.agent.get_conversation(name=name), 404, session)
