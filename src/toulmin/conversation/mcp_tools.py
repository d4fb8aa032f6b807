"""Tools of MCP servers in an app: listed by the server when a turn begins, and called."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from toulmin.agents import Toolset
from toulmin.conversation.definition import AppSpec, ToolSpec, seconds_of
from toulmin.conversation.mcp_client import McpClient
from toulmin.conversation.mcp_results import McpTool
from toulmin.conversation.mcp_transport import McpServer
from toulmin.conversation.outgoing import credentials_of, filled, header_value
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, Unavailable
from toulmin.work import UNLIMITED, Work

_KIND = "mcpToolset"
KIND = "mcpTool"
_MOST_AT_ONCE: Final = 32


def with_mcp_tools(
    app: AppSpec,
    variables: JsonObject,
    *,
    client: McpClient,
    work: Work = UNLIMITED,
    only: str = "",
) -> tuple[AppSpec, dict[str, str]]:
    """Return an app with the tools that its MCP servers list, and what could not be read.

    Only toolsets that an agent has are read, all at once: those that hang cost a turn the time of
    one. Where a server does not answer, the app goes without its tools.

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
    asked = [
        toolset
        for toolset in app.mcp_toolsets
        if (toolset.name == only if only else _is_used(toolset, app))
    ]
    for toolset, listed in zip(asked, _listed(asked, variables, client, work), strict=True):
        if isinstance(listed, Unavailable):
            unread[toolset.name] = listed.message
        else:
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
    server = _server_of(toolset, variables)
    listed = client.tools(server, again=again, work=work)
    overrides = {item.get("tool"): item for item in body.get("toolOverrides", ())}
    return [
        _spec(tool, toolset, body, server.timeout_s, overrides.get(tool.name, {}))
        for tool in listed
    ]


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


def _listed(
    toolsets: Sequence[Toolset], variables: JsonObject, client: McpClient, work: Work
) -> list[list[ToolSpec] | Unavailable]:
    """Return the tools of each toolset, or why its server could not be read; all asked at once."""
    for toolset in toolsets:
        client.check_allowed(_server_of(toolset, variables))

    def listed(toolset: Toolset) -> list[ToolSpec] | Unavailable:
        try:
            return mcp_tools(toolset, variables, client=client, work=work)
        except Unavailable as error:
            return error

    if len(toolsets) < 2:
        return [listed(toolset) for toolset in toolsets]
    with ThreadPoolExecutor(min(len(toolsets), _MOST_AT_ONCE), "mcp-tools") as threads:
        return list(threads.map(listed, toolsets))


def _server_of(toolset: Toolset, variables: JsonObject) -> McpServer:
    """Return the server of a toolset as its tools are listed: headers without a value left out."""
    body: JsonObject = toolset.fields.get(_KIND, {})
    headers = {name: value for name, value in _headers(body, variables) if value}
    return McpServer(
        address=str(body["serverAddress"]), headers=headers, timeout_s=seconds_of(toolset)
    )


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
