"""Tools of MCP servers in an app: listed by the server when a turn begins, and called."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator

from toulmin.agents import Toolset
from toulmin.conversation.definition import AppSpec, ToolSpec, seconds_of
from toulmin.conversation.mcp_client import McpClient, McpServer, McpTool
from toulmin.conversation.outgoing import credentials_of, filled, header_value
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, Unavailable
from toulmin.work import UNLIMITED, Work

_KIND = "mcpToolset"
KIND = "mcpTool"


def with_mcp_tools(
    app: AppSpec,
    variables: JsonObject,
    *,
    client: McpClient,
    work: Work = UNLIMITED,
    only: str = "",
) -> tuple[AppSpec, dict[str, str]]:
    """Return an app with the tools that its MCP servers list, and what could not be read.

    Only toolsets that an agent has are read. Where a server does not answer, the app goes without
    its tools.

    Args:
        app: The app.
        variables: Of the session; headers can be of them.
        client: Asks the servers.
        work: Asked while a server is waited for.
        only: Name of the toolset that is read, whoever has it; empty: all that an agent has.

    Returns:
        The app, and for each toolset that could not be read, by its name, why.

    Raises:
        FailedPrecondition: The operator does not allow a server's host.
        Cancelled: Nobody waits any more.
    """
    tools: dict[str, ToolSpec] = {}
    unread: dict[str, str] = {}
    for toolset in app.mcp_toolsets:
        if not (toolset.name == only if only else _is_used(toolset, app)):
            continue
        try:
            listed = mcp_tools(toolset, variables, client=client, work=work)
        except Unavailable as error:
            unread[toolset.name] = error.message
            continue
        tools |= {tool.name: tool for tool in listed}
    shown = json.dumps([[t.name, t.description, t.parameters] for t in tools.values()])
    version = f"{app.version} {hashlib.sha256(shown.encode()).hexdigest()}"
    found = dataclasses.replace(app, tools={**app.tools, **tools}, mcp_toolsets=(), version=version)
    return found, unread


def mcp_tools(
    toolset: Toolset,
    variables: JsonObject,
    *,
    client: McpClient,
    again: bool = False,
    work: Work = UNLIMITED,
) -> list[ToolSpec]:
    """Return the tools that the server of a toolset lists.

    Args:
        toolset: The toolset.
        variables: Headers can be of them.
        client: Asks the server.
        again: Whether it is asked again where it did not list them lately.
        work: Asked while it is waited for.

    Raises:
        FailedPrecondition: The operator does not allow the host.
        Unavailable: The server does not answer as the protocol says.
        Cancelled: Nobody waits any more.
    """
    body: JsonObject = toolset.fields.get(_KIND, {})
    timeout_s = seconds_of(toolset)
    headers = {name: value for name, value in _headers(body, variables) if value}
    server = McpServer(address=str(body["serverAddress"]), headers=headers, timeout_s=timeout_s)
    listed = client.tools(server, again=again, work=work)
    overrides = {item.get("tool"): item for item in body.get("toolOverrides", ())}
    return [_spec(tool, toolset, body, timeout_s, overrides.get(tool.name, {})) for tool in listed]


def call_mcp_tool(
    tool: ToolSpec,
    args: JsonObject,
    variables: JsonObject,
    *,
    client: McpClient,
    work: Work = UNLIMITED,
) -> JsonObject:
    """Call a tool and return {"result": ...} or {"error": ...}.

    Raises:
        FailedPrecondition: The operator does not allow the host, or a variable that a header or
            the credentials name has no value.
        Unimplemented: The credentials are of a kind that needs Google's services.
        Cancelled: Nobody waits any more.
    """
    headers = dict(_headers(tool.body, variables))
    if missing := sorted(name for name, value in headers.items() if not value):
        raise FailedPrecondition(
            f"{tool.name} needs the header {missing[0]}; its variable has no value."
        )
    given = credentials_of(tool.body.get("apiAuthentication", {}), variables, "api_authentication")
    server = McpServer(
        address=str(tool.body["serverAddress"]),
        headers={**headers, **given.headers},
        timeout_s=tool.timeout_s,
    )
    return client.call(server, str(tool.body["name"]), args, work=work)


def _spec(
    tool: McpTool, toolset: Toolset, body: JsonObject, timeout_s: float, override: JsonObject
) -> ToolSpec:
    return ToolSpec(
        name=f"{toolset.name}/tools/{tool.name}",
        display_name=str(override.get("nameOverride") or tool.name),
        kind=KIND,
        description=str(override.get("descriptionOverride") or tool.description),
        parameters=tool.parameters,
        body={**body, "name": tool.name, "response": tool.output},
        toolset=toolset.name,
        timeout_s=timeout_s,
        changes=tool.changes,
    )


def _is_used(toolset: Toolset, app: AppSpec) -> bool:
    return any(
        name.startswith(f"{toolset.name}/") for agent in app.agents.values() for name in agent.tools
    )


def _headers(body: JsonObject, variables: JsonObject) -> Iterator[tuple[str, str]]:
    for name, value in body.get("customHeaders", {}).items():
        yield str(name), header_value(filled(str(value), variables))
