"""Tools that run here: Python functions, fakes, data stores, OpenAPI operations, MCP servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toulmin.answering.question import Exchange
from toulmin.conversation.checking import CheckedText
from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.documents import answer_from_documents
from toulmin.conversation.kept_values import unkept
from toulmin.conversation.mcp_tools import KIND as MCP
from toulmin.conversation.mcp_tools import call_mcp_tool
from toulmin.conversation.openapi import call_operation
from toulmin.conversation.outgoing import credentials_of
from toulmin.conversation.python_tools import run_tool
from toulmin.conversation.rooms import Rooms
from toulmin.domain import JsonObject
from toulmin.errors import Unimplemented
from toulmin.work import UNLIMITED, Work

HERE: Final = ("pythonFunction", "dataStoreTool", "openApiTool", MCP)
"""Kinds of tools that run here."""
KINDS: Final = (
    "clientFunction, pythonFunction, dataStoreTool, openApiTool, tools of toolsets, agentTool"
    " and end_session"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """What came of a tool.

    Attributes:
        response: What it returned.
        text: What is said of it; empty: what the response says.
        cited: The API's `CitedChunk`s as JSON.
        variables: The variables afterwards; empty: as before.
        answered: Whether it has an answer; only a data store may have none.
        facts: What its text was made from, and is checked against in the response's place: an
            answer would bear itself out.
        checked: Its text as it was checked against these facts already; None: it was not.
    """

    response: JsonObject
    text: str = ""
    cited: tuple[JsonObject, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    answered: bool = True
    facts: tuple[str, ...] = ()
    checked: CheckedText | None = None


def runs_here(tool: ToolSpec, *, use_fakes: bool) -> bool:
    """Return whether a tool runs here."""
    return tool.kind in HERE or bool(use_fakes and tool.fake_code)


def run_here(  # noqa: PLR0913 - what a tool stands on, by name
    tool: ToolSpec,
    args: JsonObject,
    variables: JsonObject,
    *,
    rooms: Rooms,
    use_fakes: bool = False,
    history: Sequence[Exchange] = (),
    work: Work = UNLIMITED,
) -> ToolRun:
    """Run a tool and return what came of it; what it does wrong is in the response's `error`.

    A response that cannot be kept, nested too deeply or with what is no JSON, is such an error.

    Raises:
        FailedPrecondition: The operator does not allow Python, or the host.
        NotFound: A data store is not there.
        Unimplemented: It is of a kind that does not run here.
        Cancelled: Nobody waits any more.
    """
    run = _ran(tool, args, variables, rooms=rooms, use_fakes=use_fakes, history=history, work=work)
    if problem := unkept(run.response):
        return replace(run, response={"error": f"what it returned {problem}"}, text="", cited=())
    return run


def _ran(  # noqa: PLR0913 - as `run_here`
    tool: ToolSpec,
    args: JsonObject,
    variables: JsonObject,
    *,
    rooms: Rooms,
    use_fakes: bool,
    history: Sequence[Exchange],
    work: Work,
) -> ToolRun:
    if tool.kind == "pythonFunction" or (use_fakes and tool.fake_code):
        ran = run_tool(tool, args, variables, python=rooms.python, use_fakes=use_fakes, work=work)
        return ToolRun(response=ran.response, variables=ran.variables)
    if tool.kind == "dataStoreTool":
        found = answer_from_documents(
            tool,
            str(args.get("query", "")),
            answerer=rooms.answerer(),
            data_stores_of=rooms.data_stores_of,
            history=history,
            work=work,
        )
        return ToolRun(
            response=found.response,
            text=found.text,
            cited=found.cited,
            answered=found.answered,
            facts=found.facts,
            checked=found.checked,
        )
    if tool.kind == "openApiTool" and tool.operation is not None:
        response = call_operation(
            tool.operation,
            args,
            credentials=credentials_of(
                tool.body.get("apiAuthentication", {}), variables, "api_authentication"
            ),
            allowed_hosts=rooms.allowed_hosts,
            timeout_s=tool.timeout_s,
            work=work,
        )
        return ToolRun(response=response)
    if tool.kind == MCP:
        response = call_mcp_tool(tool, args, variables, client=rooms.mcp, work=work)
        return ToolRun(response=response)
    raise Unimplemented(
        f"{tool.name} is of the kind {tool.kind or 'unknown'}; this version of Toulmin runs {KINDS}"
    )
