"""ToolService: a tool by itself, outside of any session."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from google.protobuf.message import Message

from toulmin.agents import Toolset
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import to_json
from toulmin.apis.ces.names import parse_app, parse_in_app
from toulmin.apis.ces.session import running_app
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.conversation.definition import AppSpec, ToolSpec, toolset_tools
from toulmin.conversation.mcp_tools import mcp_tools, with_mcp_tools
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.schemas import changed, value_problem
from toulmin.conversation.tool_runs import run_here
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound, Unavailable, Unimplemented
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class ToolHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    rooms: Callable[[], Rooms]

    def execute(
        self, request: pb.ExecuteToolRequest, context: CallContext
    ) -> pb.ExecuteToolResponse:
        """Answer ExecuteTool: what runs here, by itself; what goes wrong is in `error`."""
        app, tool = self._tool(request, context)
        if request.HasField("mock_config"):
            raise Unimplemented("mock_config is not implemented in this version of Toulmin")
        args = to_json(request.args)
        if problem := value_problem(args, tool.parameters):
            raise InvalidArgument.of_field("args", problem)
        variables = self._variables(request, app)
        response: pb.ExecuteToolResponse = context.new_message()
        _fill_reference(response, tool)
        if tool.kind == "clientFunction":
            raise FailedPrecondition(f"{tool.name} is a client function; the client runs it.")
        work = work_of(context, "the tool")
        run = run_here(tool, args, variables, rooms=self.rooms(), work=work)
        variables |= changed(run.variables, variables, app.variables)
        value: dict[str, Any] = {"response": run.response}
        if tool.kind == "dataStoreTool":
            value["citations"] = {"citedChunks": list(run.cited)}
        fill_from_json(response, {**value, "variables": variables})
        return response

    def schema(
        self, request: pb.RetrieveToolSchemaRequest, context: CallContext
    ) -> pb.RetrieveToolSchemaResponse:
        """Answer RetrieveToolSchema."""
        _, tool = self._tool(request, context)
        response: pb.RetrieveToolSchemaResponse = context.new_message()
        _fill_reference(response, tool)
        output = tool.body.get("response", {})
        shown = {"inputSchema": _as_message(tool.parameters), "outputSchema": _as_message(output)}
        fill_from_json(response, shown)
        return response

    def tools(
        self, request: pb.RetrieveToolsRequest, context: CallContext
    ) -> pb.RetrieveToolsResponse:
        """Answer RetrieveTools: the tools that a toolset describes."""
        name = parse_in_app(request.toolset, "toolsets", field="toolset")
        with self.records().read() as transaction:
            toolset = transaction.resources.get(Toolset, name.name)
        listed = self._listed(toolset, context)
        wanted = set(request.tool_ids)
        found = [tool for tool in listed if not wanted or _id_of(tool) in wanted]
        if missing := sorted(wanted - {_id_of(tool) for tool in found}):
            names = ", ".join(missing)[:200]
            raise InvalidArgument.of_field("tool_ids", f"{names} are not in {name.name}")
        response: pb.RetrieveToolsResponse = context.new_message()
        for tool in found:
            item = {"name": tool.name, "displayName": tool.display_name, **_shown(tool)}
            fill_from_json(response.tools.add(), item)
        return response

    def _listed(self, toolset: Toolset, context: CallContext) -> list[ToolSpec]:
        """Return the tools of a toolset, those of an MCP server as its app's defaults show them."""
        if "openApiToolset" in toolset.fields:
            return toolset_tools(toolset)
        if "mcpToolset" not in toolset.fields:
            raise Unimplemented(
                f"{toolset.name} is no open_api_toolset or mcp_toolset; this version reads no other"
            )
        with self.records().read() as transaction:
            defaults = running_app(transaction, toolset.parent).defaults()
        work = work_of(context, "the list of tools")
        return mcp_tools(toolset, defaults, client=self.rooms().mcp, again=True, work=work)

    def _tool(
        self, request: pb.ExecuteToolRequest | pb.RetrieveToolSchemaRequest, context: CallContext
    ) -> tuple[AppSpec, ToolSpec]:
        app_name = parse_app(request.parent, field="parent")
        kind = request.WhichOneof("tool_identifier")
        if kind is None:
            raise InvalidArgument.of_field("tool", "is empty; it is required")
        of_toolset = kind == "toolset_tool"
        given = request.toolset_tool.toolset if of_toolset else request.tool
        collection = "toolsets" if of_toolset else "tools"
        parsed = parse_in_app(given, collection, field=kind)
        if parsed.app != app_name:
            raise InvalidArgument.of_field(kind, f'"{given[:200]}" is not of {app_name}')
        tool = f"/tools/{request.toolset_tool.tool_id}" if of_toolset else ""
        name = f"{parsed.name}{tool}"
        with self.records().read() as transaction:
            app = running_app(transaction, app_name)
        if of_toolset and name not in app.tools:
            app, unread = with_mcp_tools(
                app,
                self._variables(request, app),
                client=self.rooms().mcp,
                work=work_of(context, "the tool"),
                only=parsed.name,
            )
            if unread:
                raise Unavailable(unread[parsed.name], reason="MCP_UNAVAILABLE")
        if name not in app.tools:
            raise NotFound(f"{name} does not exist.")
        return app, app.tools[name]

    @staticmethod
    def _variables(
        request: pb.ExecuteToolRequest | pb.RetrieveToolSchemaRequest, app: AppSpec
    ) -> dict[str, Any]:
        """Return the variables that the tool sees: the app's defaults, and what was sent."""
        if "variables" not in request.DESCRIPTOR.fields_by_name:
            return app.defaults()
        asked = cast("pb.ExecuteToolRequest", request)
        sent: JsonObject = to_json(asked.variables)
        if asked.WhichOneof("tool_execution_context") == "context":
            sent = to_json(asked.context).get("state", {})
        return {**app.defaults(), **sent}


def _id_of(tool: ToolSpec) -> str:
    return tool.name.removeprefix(f"{tool.toolset}/tools/")


def _as_message(schema: JsonObject) -> JsonObject:
    """Return a schema as the API's `Schema` holds it, whose choices are texts."""
    shown = dict(schema)
    if "enum" in shown:
        choices = shown["enum"]
        shown["enum"] = [item if isinstance(item, str) else json.dumps(item) for item in choices]
    if "properties" in shown:
        inside = shown["properties"].items()
        shown["properties"] = {name: _as_message(value) for name, value in inside}
    if "items" in shown:
        shown["items"] = _as_message(shown["items"])
    return shown


def _shown(tool: ToolSpec) -> JsonObject:
    """Return a tool of a toolset as the part of `Tool` that its kind is."""
    shown: dict[str, Any] = {"name": _id_of(tool), "description": tool.description}
    if tool.kind == "openApiTool":
        return {"openApiTool": shown}
    shown |= {
        "inputSchema": _as_message(tool.parameters),
        "serverAddress": tool.body["serverAddress"],
    }
    if tool.body.get("response"):
        shown["outputSchema"] = _as_message(tool.body["response"])
    if tool.display_name != shown["name"]:
        shown["nameOverride"] = tool.display_name
    return {"mcpTool": {**shown, "state": "ACTIVE"}}


def _fill_reference(response: Message, tool: ToolSpec) -> None:
    """Write which tool it is into a response."""
    fill_from_json(response, tool.reference)
