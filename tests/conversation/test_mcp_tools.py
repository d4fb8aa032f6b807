"""Tools of several MCP servers: all are listed at once."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from tests.apis.ces.mcp_servers import result, serve_scripted, tool
from tests.conversation.apps import APP, make_app
from toulmin.agents import Toolset
from toulmin.conversation.mcp_client import McpClient
from toulmin.conversation.mcp_tools import with_mcp_tools
from toulmin.errors import FailedPrecondition

MANY = 6


def app_with(*addresses):
    """Return an app whose root agent has a toolset at each address."""
    toolsets = tuple(
        Toolset(parent=APP, id=f"s{number}", fields={"mcpToolset": {"serverAddress": address}})
        for number, address in enumerate(addresses)
    )
    app = make_app([])
    (root,) = app.agents.values()
    named = tuple(f"{toolset.name}/*" for toolset in toolsets)
    agents = {root.name: dataclasses.replace(root, tools=named)}
    return dataclasses.replace(app, agents=agents, mcp_toolsets=toolsets)


@pytest.fixture
def client():
    return McpClient(frozenset({"127.0.0.1"}))


def test_all_servers_are_asked_at_once_and_each_failure_is_its_own(client):
    with serve_scripted() as server:
        all_are_asked = threading.Barrier(MANY)

        def listed(message):
            all_are_asked.wait(30)  # nobody comes through here alone
            name = f"look_up_{message['id']}"
            return result(message, {"tools": [tool(name)]})

        server.answers["tools/list"] = listed
        base = f"http://127.0.0.1:{server.server_port}"
        addresses = [f"{base}/{number}" for number in range(MANY)]
        app, unread = with_mcp_tools(app_with(*addresses), {}, client=client)
        assert unread == {}
        assert len(app.tools) == MANY
        assert {item.toolset for item in app.tools.values()} == {
            f"{APP}/toolsets/s{number}" for number in range(MANY)
        }
        assert list(app.tools) == sorted(app.tools)  # in the order of the toolsets

        server.answers["tools/list"] = (503, {}, b"starting")
        app, unread = with_mcp_tools(app_with(addresses[0], f"{base}/new"), {}, client=client)
        assert [item.toolset for item in app.tools.values()] == [f"{APP}/toolsets/s0"]
        assert "HTTP 503" in unread[f"{APP}/toolsets/s1"]


def test_a_host_that_is_not_allowed_is_named_before_any_server_is_asked(client):
    with serve_scripted() as server:
        allowed = f"http://127.0.0.1:{server.server_port}/mcp"
        with pytest.raises(FailedPrecondition, match="agent_hosts"):
            with_mcp_tools(app_with(allowed, "http://192.0.2.1/mcp"), {}, client=client)
        assert server.seen == []
