"""Tools of MCP servers in an app, through the official clients."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.clients import Clients, texts
from tests.apis.ces.mcp_servers import result, serve_official, serve_scripted, tool
from tests.apis.ces.test_resources import refused
from tests.apis.discoveryengine.answer_backend import AnswerBackend

pytestmark = [pytest.mark.client, pytest.mark.model]


@pytest.fixture(scope="module")
def official():
    with serve_official() as port:
        yield port


@pytest.fixture
def scripted():
    with serve_scripted() as server:
        yield server


@pytest.fixture(scope="module")
def mcp_backend(tmp_path_factory):
    made = AnswerBackend(tmp_path_factory.mktemp("mcp"), agent_hosts=("127.0.0.1",))
    yield made
    made.close()


@pytest.fixture(scope="module")
def mcp_clients(mcp_backend):
    made = Clients("v1beta", "grpc", mcp_backend.server.port)
    yield made
    made.close()


def make_post(clients, port, tool_ids=(), **toolset):
    """Create an app whose agent has the server's tools; return its name and the toolset's."""
    app = clients.make_app(
        variable_declarations=[
            {"name": "token", "description": "d", "schema": {"type_": "STRING", "default": ""}}
        ]
    )
    body = {"server_address": f"http://127.0.0.1:{port}/mcp", **toolset}
    made = clients.agent.create_toolset(
        parent=app,
        toolset={"display_name": "Post", "mcp_toolset": body, "timeout": {"seconds": 5}},
        toolset_id="post",
    )
    root = clients.make_agent(
        app, "root", toolsets=[{"toolset": made.name, "tool_ids": list(tool_ids)}]
    )
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app, made.name


def execute(clients, app, toolset, tool_id, args, **more):
    named = {"toolset": toolset, "tool_id": tool_id}
    request = {"parent": app, "toolset_tool": named, "args": args, **more}
    return clients.tool.execute_tool(request=request)


def attributes(outputs):
    return MessageToDict(type(outputs[-1]).pb(outputs[-1]))["diagnosticInfo"]["rootSpan"][
        "attributes"
    ]


def test_a_session_calls_the_server_and_says_what_it_answers(mcp_clients, official):
    app, toolset = make_post(mcp_clients, official)
    outputs = mcp_clients.run(app, "where is parcel 4711")
    assert "Kiel" in texts(outputs)[0]
    assert attributes(outputs)["hallucination"]["score"] == 1
    chunks = [chunk for message in outputs[-1].diagnostic_info.messages for chunk in message.chunks]
    (call,) = [chunk.tool_call for chunk in chunks if "tool_call" in chunk]
    assert (call.toolset_tool.toolset, call.toolset_tool.tool_id) == (toolset, "find_parcel")
    assert MessageToDict(type(call).pb(call))["args"] == {"parcel_id": "4711"}
    assert "9 to 17" in texts(mcp_clients.run(app, "what are the opening hours"))[0]


def test_an_agent_has_only_the_tools_that_it_names(mcp_clients, official):
    app, _ = make_post(mcp_clients, official, tool_ids=["find_parcel"])
    assert "9 to 17" not in " ".join(texts(mcp_clients.run(app, "what are the opening hours")))


def test_a_toolset_lists_its_tools_with_schemas(mcp_clients, official):
    app, toolset = make_post(
        mcp_clients,
        official,
        tool_overrides=[
            {"tool": "find_parcel", "name_override": "track", "description_override": "Tracks."}
        ],
    )
    listed = mcp_clients.tool.retrieve_tools(request={"toolset": toolset}).tools
    assert [item.display_name for item in listed] == ["track", "opening_hours"]
    first = listed[0].mcp_tool
    assert (first.name, first.name_override, first.description) == (
        "find_parcel",
        "track",
        "Tracks.",
    )
    assert list(first.input_schema.required) == ["parcel_id"]
    assert first.server_address == f"http://127.0.0.1:{official}/mcp"
    named = {"toolset": toolset, "tool_id": "find_parcel"}
    schema = mcp_clients.tool.retrieve_tool_schema(request={"parent": app, "toolset_tool": named})
    assert set(schema.input_schema.properties) == {"parcel_id", "pieces"}
    found = execute(mcp_clients, app, toolset, "find_parcel", {"parcel_id": "1"})
    assert MessageToDict(type(found).pb(found))["response"]["result"]["place"] == "Kiel"
    refused(lambda: execute(mcp_clients, app, toolset, "nothing", {}), 404, "tools/nothing")
    refused(
        lambda: execute(mcp_clients, app, toolset, "find_parcel", {}), 400, "parcel_id is missing"
    )


def test_choices_that_are_no_texts_are_shown_as_texts(mcp_clients, scripted):
    count = {"type": "integer", "enum": [1, 2], "default": 1}
    scripted.answers["tools/list"] = lambda message: result(
        message, {"tools": [tool("count", type="object", properties={"n": count})]}
    )
    _, toolset = make_post(mcp_clients, scripted.server_port)
    (listed,) = mcp_clients.tool.retrieve_tools(request={"toolset": toolset}).tools
    assert list(listed.mcp_tool.input_schema.properties["n"].enum) == ["1", "2"]


def test_headers_and_tokens_come_from_variables_and_tokens_go_with_calls_only(
    mcp_clients, scripted
):
    app, toolset = make_post(
        mcp_clients,
        scripted.server_port,
        custom_headers={"X-Tenant": "$context.variables.token"},
        api_authentication={"bearer_token_config": {"token": "$context.variables.token"}},
    )
    execute(mcp_clients, app, toolset, "look_up", {}, variables={"token": "s3cret"})
    sent = {message["method"]: headers for _, headers, message in scripted.seen}
    assert sent["tools/call"]["Authorization"] == "Bearer s3cret"
    assert sent["tools/call"]["X-Tenant"] == "s3cret"
    listing = next(h for _, h, message in scripted.seen if message["method"] == "tools/list")
    assert "Authorization" not in listing
    assert listing["X-Tenant"] == "s3cret"
    refused(lambda: execute(mcp_clients, app, toolset, "look_up", {}), 400, "needs the header")


def test_a_session_goes_on_without_the_tools_of_a_server_that_is_down(mcp_clients, scripted):
    app, toolset = make_post(mcp_clients, scripted.server_port)
    scripted.answers["tools/list"] = (503, {}, b"starting")
    outputs = mcp_clients.run(app, "please do the look up")
    assert "HTTP 503" in attributes(outputs)["toolsetsNotRead"][toolset]
    refused(lambda: mcp_clients.tool.retrieve_tools(request={"toolset": toolset}), 503, "HTTP 503")
    scripted.answers["tools/list"] = lambda message: result(message, {"tools": [tool("look_up")]})
    outputs = mcp_clients.run(app, "please do the look up")
    assert "HTTP 503" in attributes(outputs)["toolsetsNotRead"][toolset], (
        "it is not asked again yet"
    )
    assert mcp_clients.tool.retrieve_tools(request={"toolset": toolset}).tools
    outputs = mcp_clients.run(app, "please do the look up")
    assert "toolsetsNotRead" not in attributes(outputs)
    assert texts(outputs) == ["done"]


def test_a_call_that_fails_is_said(mcp_clients, scripted):
    app, _ = make_post(mcp_clients, scripted.server_port)
    scripted.answers["tools/call"] = (500, {}, b"broken")
    assert "HTTP 500: broken" in texts(mcp_clients.run(app, "please do the look up"))[0]


def test_no_host_is_called_that_the_operator_does_not_name(beta, scripted):
    app, toolset = make_post(beta, scripted.server_port)
    refused(lambda: beta.run(app, "please do the look up"), 400, "agent_hosts")
    refused(lambda: beta.tool.retrieve_tools(request={"toolset": toolset}), 400, "agent_hosts")
    assert scripted.seen == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"server_address": ""}, "must be an http or https URL"),
        ({"server_address": "ftp://x/mcp"}, "must be an http or https URL"),
        ({"server_address": "http://a:b@x/mcp"}, "no user name"),
        ({"server_address": "http://x:99999/mcp"}, "is no URL"),
        ({"server_address": "http://x/", "custom_headers": {"Host": "y"}}, '"Host" is no header'),
        ({"server_address": "http://x/", "custom_headers": {"a b": "y"}}, '"a b" is no header'),
    ],
)
def test_an_address_or_header_that_is_none_is_refused(beta, body, words):
    app = beta.make_app()
    toolset = {"display_name": "x", "mcp_toolset": body}
    refused(lambda: beta.agent.create_toolset(parent=app, toolset=toolset), 400, words)
