"""ToolService: a tool by itself, outside of any session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toulmin.apis.aip.deadline import stop_of
from toulmin.apis.aip.operations import fill_from_json
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import to_json
from toulmin.apis.ces.names import parse_app, parse_in_app
from toulmin.apis.ces.session import running_app
from toulmin.conversation.definition import AppSpec, ToolSpec
from toulmin.conversation.documents import answer_from_documents
from toulmin.conversation.python_tools import run_tool
from toulmin.conversation.rooms import Rooms
from toulmin.conversation.schemas import value_problem
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, InvalidArgument, NotFound, Unimplemented
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class ToolHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]
    rooms: Callable[[], Rooms]

    def execute(self, request: Any, context: CallContext) -> Any:
        """Answer ExecuteTool: Python functions and data stores; what goes wrong is in `error`."""
        app, tool = self._tool(request)
        if request.HasField("mock_config"):
            raise Unimplemented("mock_config is not implemented in this version of Toulmin")
        args = to_json(request.args)
        if problem := value_problem(args, tool.parameters):
            raise InvalidArgument.of_field("args", problem)
        variables = self._variables(request, app)
        response: Any = context.new_message()
        response.tool = tool.name
        if tool.kind == "dataStoreTool":
            found = answer_from_documents(
                tool,
                str(args["query"]),
                answerer=self.rooms().answerer(),
                data_stores_of=self.rooms().data_stores_of,
                should_stop=stop_of(context, "the tool"),
            )
            value = {"response": found.response, "citations": {"citedChunks": list(found.cited)}}
        elif tool.kind == "pythonFunction":
            ran = run_tool(
                tool,
                args,
                variables,
                python=self.rooms().python,
                should_stop=stop_of(context, "the tool"),
            )
            variables |= ran.updated(app.variables, variables)
            value = {"response": ran.response}
        elif tool.kind == "clientFunction":
            raise FailedPrecondition(f"{tool.name} is a client function; the client runs it.")
        else:
            raise Unimplemented(
                f"{tool.name} is of the kind {tool.kind or 'unknown'}; this version of Toulmin"
                " executes pythonFunction and dataStoreTool"
            )
        fill_from_json(response, {**value, "variables": variables})
        return response

    def schema(self, request: Any, context: CallContext) -> Any:
        """Answer RetrieveToolSchema."""
        _, tool = self._tool(request)
        response: Any = context.new_message()
        response.tool = tool.name
        output = tool.body.get("response", {})
        fill_from_json(response, {"inputSchema": tool.parameters, "outputSchema": output})
        return response

    def _tool(self, request: Any) -> tuple[AppSpec, ToolSpec]:
        app_name = parse_app(request.parent, field="parent")
        if request.WhichOneof("tool_identifier") != "tool":
            if request.HasField("toolset_tool"):
                raise Unimplemented("toolset_tool is not implemented in this version of Toulmin")
            raise InvalidArgument.of_field("tool", "is empty; it is required")
        name = parse_in_app(request.tool, "tools", field="tool")
        if name.app != app_name:
            raise InvalidArgument.of_field("tool", f'"{name.name[:200]}" is not of {app_name}')
        with self.records().read() as transaction:
            app = running_app(transaction, app_name)
        if name.name not in app.tools:
            raise NotFound(f"{name.name} does not exist.")
        return app, app.tools[name.name]

    @staticmethod
    def _variables(request: Any, app: AppSpec) -> dict[str, Any]:
        """Return the variables that the tool sees: the app's defaults, and what was sent."""
        sent: JsonObject = to_json(request.variables)
        if request.WhichOneof("tool_execution_context") == "context":
            sent = to_json(request.context).get("state", {})
        return {**app.defaults(), **sent}
