"""Tools that are Python: an app's functions, and fakes that stand in for any tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toulmin.conversation.definition import ToolSpec
from toulmin.conversation.python_runner import PythonCall, PythonResult, PythonRunner
from toulmin.domain import JsonObject
from toulmin.errors import Unimplemented
from toulmin.work import UNLIMITED, Work


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a tool.

    Attributes:
        response: The tool's response: {"result": ...} or {"error": ...}; a fake's own object.
        variables: The variables afterwards.
    """

    response: JsonObject
    variables: Mapping[str, Any] = field(default_factory=dict)


def run_tool(
    tool: ToolSpec,
    args: JsonObject,
    variables: JsonObject,
    *,
    python: PythonRunner,
    use_fakes: bool = False,
    work: Work = UNLIMITED,
) -> Ran:
    """Run a Python function, or a tool's fake where fakes are asked for.

    Raises:
        FailedPrecondition: The operator does not allow Python.
        Unimplemented: The fake returned None, so the tool itself is to run, which is no function.
        Cancelled: Nobody waits any more.
    """
    if use_fakes and tool.fake_code:
        result = python.run(_fake_call(tool, args, variables), work=work)
        if result.error or isinstance(result.value, Mapping):
            return _ran(result, is_fake=True)
        if tool.kind != "pythonFunction":
            raise Unimplemented(
                f"The fake of {tool.name} returned None, and tools of the kind {tool.kind} do not"
                " run in its place in this version of Toulmin"
            )
    name = str(tool.body.get("name", ""))
    call = PythonCall(
        code=str(tool.body.get("pythonCode", "")),
        file=tool.name,
        functions=(name,),
        args=args,
        variables=variables,
        timeout_s=tool.timeout_s,
    )
    return _ran(python.run(call, work=work), is_fake=False)


def _fake_call(tool: ToolSpec, args: JsonObject, variables: JsonObject) -> PythonCall:
    id_ = tool.name.rpartition("/")[2]
    return PythonCall(
        code=tool.fake_code,
        file=f"{tool.name} (fake)",
        functions=(f"fake_{tool.display_name}", f"fake_{id_}", "fake_tool_call"),
        args={},
        variables=variables,
        tool=tool.display_name,
        callback={"kind": "fake", "input": dict(args)},
        timeout_s=tool.timeout_s,
    )


def _ran(result: PythonResult, *, is_fake: bool) -> Ran:
    if result.error:
        return Ran({"error": result.error})
    response = dict(result.value) if is_fake else {"result": result.value}
    return Ran(response, result.variables)
