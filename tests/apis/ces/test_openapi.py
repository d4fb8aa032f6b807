"""Tools that a server describes with OpenAPI, called on a real server."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict

from tests.apis.ces.api_server import description, serve_api
from tests.apis.ces.clients import Clients, texts
from tests.apis.ces.test_resources import refused
from tests.apis.ces.test_session import as_dict
from tests.apis.discoveryengine.answer_backend import AnswerBackend

pytestmark = [pytest.mark.client, pytest.mark.model]


@pytest.fixture(scope="module")
def api():
    with serve_api() as server:
        yield server


@pytest.fixture(scope="module")
def backend_with_hosts(tmp_path_factory, api):
    hosts = (f"127.0.0.1:{api.server_port}",)
    made = AnswerBackend(tmp_path_factory.mktemp("openapi"), agent_hosts=hosts)
    yield made
    made.close()


@pytest.fixture(scope="module")
def clients_with_hosts(backend_with_hosts):
    made = Clients("v1beta", "grpc", backend_with_hosts.server.port)
    yield made
    made.close()


def make_post(clients, api, **toolset):
    """Create an app whose agent has the server's operations; return its name and the toolset's."""
    app = clients.make_app(
        variable_declarations=[
            {"name": "token", "description": "d", "schema": {"type_": "STRING", "default": ""}}
        ]
    )
    body = {"open_api_schema": description(api.server_port), **toolset}
    made = clients.agent.create_toolset(
        parent=app,
        toolset={"display_name": "Post", "open_api_toolset": body, "timeout": {"seconds": 1}},
        toolset_id="post",
    )
    root = clients.make_agent(app, "root", toolsets=[{"toolset": made.name}])
    clients.agent.update_app(
        app={"name": app, "root_agent": root}, update_mask={"paths": ["root_agent"]}
    )
    return app, made.name


def execute(clients, app, toolset, tool, args, **more):
    request = {
        "parent": app,
        "toolset_tool": {"toolset": toolset, "tool_id": tool},
        "args": args,
        **more,
    }
    return clients.tool.execute_tool(request=request)


def test_a_session_calls_the_server_and_says_what_it_answers(clients_with_hosts, api):
    app, toolset = make_post(clients_with_hosts, api)
    outputs = clients_with_hosts.run(app, "where is parcel AB-4711")
    assert "Kiel" in texts(outputs)[0]
    assert api.seen[-1][:2] == ("GET", "/v1/parcels/AB-4711")
    (call,) = [
        chunk.tool_call
        for message in outputs[-1].diagnostic_info.messages
        for chunk in message.chunks
        if "tool_call" in chunk
    ]
    assert (call.toolset_tool.toolset, call.toolset_tool.tool_id) == (toolset, "findParcel")


def test_an_operation_that_changes_things_is_called_after_a_yes(clients_with_hosts, api):
    app, _ = make_post(clients_with_hosts, api)
    before = len(api.seen)
    outputs = clients_with_hosts.run(app, "book a pickup on Friday")
    assert texts(outputs) == ['Shall I do "book pickup" with day "Friday"?']
    attributes = as_dict(outputs[-1])["diagnosticInfo"]["rootSpan"]["attributes"]
    assert attributes["confirming"] == {"tool": "bookPickup", "args": {"day": "Friday"}}
    outputs = clients_with_hosts.run(app, "no, on Monday")
    assert texts(outputs) == ['Shall I do "book pickup" with day "Monday"?']
    assert len(api.seen) == before
    assert texts(clients_with_hosts.run(app, "yes"))
    assert api.seen[-1][3] == b'{"day": "Monday"}'
    assert len(api.seen) == before + 1


def test_path_query_header_and_body_are_filled_in(clients_with_hosts, api):
    app, toolset = make_post(clients_with_hosts, api)
    args = {"parcel_id": "a/b c", "lang": "de&x", "X-Trace": "1\r\nEvil: 2"}
    found = execute(clients_with_hosts, app, toolset, "findParcel", args)
    assert MessageToDict(type(found).pb(found))["response"] == {
        "result": {"place": "Kiel", "weight": 3.0}
    }
    method, path, headers, _ = api.seen[-1]
    assert (method, path) == ("GET", "/v1/parcels/a%2Fb%20c?lang=de%26x")
    assert (headers["X-Trace"], headers.get("Evil")) == ("1  Evil: 2", None)
    execute(clients_with_hosts, app, toolset, "bookPickup", {"day": "Monday", "pieces": 2})
    assert api.seen[-1][3] == b'{"day": "Monday", "pieces": 2}'


def test_a_bearer_token_comes_from_a_variable(clients_with_hosts, api):
    config = {"bearer_token_config": {"token": "$context.variables.token"}}
    app, toolset = make_post(clients_with_hosts, api, api_authentication=config)
    args = {"parcel_id": "1"}
    execute(clients_with_hosts, app, toolset, "findParcel", args, variables={"token": "s3cret"})
    assert api.seen[-1][2]["Authorization"] == "Bearer s3cret"
    refused(
        lambda: execute(clients_with_hosts, app, toolset, "findParcel", args),
        400,
        "The variable token has no value",
    )


@pytest.mark.parametrize(
    ("id_", "words"),
    [("none", "HTTP 404"), ("big", "longer than the 1,048,576 bytes"), ("slow", "within 1 s")],
)
def test_what_goes_wrong_there_is_the_tools_error(clients_with_hosts, api, id_, words):
    app, toolset = make_post(clients_with_hosts, api)
    found = execute(clients_with_hosts, app, toolset, "findParcel", {"parcel_id": id_})
    assert words in found.response["error"]


def test_a_toolset_lists_its_tools(clients_with_hosts, api):
    app, toolset = make_post(clients_with_hosts, api)
    listed = clients_with_hosts.tool.retrieve_tools(request={"toolset": toolset}).tools
    assert [tool.display_name for tool in listed] == ["findParcel", "bookPickup"]
    some = {"toolset": toolset, "tool_ids": ["bookPickup"]}
    assert len(clients_with_hosts.tool.retrieve_tools(request=some).tools) == 1
    schema = clients_with_hosts.tool.retrieve_tool_schema(
        request={"parent": app, "toolset_tool": {"toolset": toolset, "tool_id": "bookPickup"}}
    ).input_schema
    assert list(schema.required) == ["day"]
    refused(
        lambda: clients_with_hosts.tool.retrieve_tools(
            request={"toolset": toolset, "tool_ids": ["nothing"]}
        ),
        400,
        "nothing are not in",
    )


def test_no_host_is_called_that_the_operator_does_not_name(beta, api):
    app, toolset = make_post(beta, api)
    before = len(api.seen)
    refused(
        lambda: execute(beta, app, toolset, "findParcel", {"parcel_id": "1"}), 400, "agent_hosts"
    )
    assert len(api.seen) == before


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("[]", "must be an object"),
        ("{}", "is no OpenAPI 3 description"),
        ('{"openapi": "3.0.0", "paths": {}}', "must be an http or https URL"),
        ('{"openapi": "3.0.0", "paths": {}, "servers": [{"url": "http://x"}]}', "no operations"),
    ],
)
def test_a_description_that_is_none_is_refused(beta, schema, words):
    app = beta.make_app()
    refused(
        lambda: beta.agent.create_toolset(
            parent=app,
            toolset={"display_name": "x", "open_api_toolset": {"open_api_schema": schema}},
        ),
        400,
        words,
    )
