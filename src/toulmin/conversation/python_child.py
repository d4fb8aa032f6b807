"""The child process: runs one function of an app and ends. Standard library only.

    python -I python_child.py        one JSON object in, one JSON object out

It has no environment, an empty folder to be in, and may neither write files, nor open sockets, nor
start programs; memory and processor time are limited. That keeps code that is merely wrong in
bounds. It is no wall against code that wants out.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.kill",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
    "shutil.",
    "ctypes.",
    "pty.",
    "signal.",
    "sqlite3.connect",
)
_SHARED = (
    *("Part", "Content", "LlmRequest", "LlmResponse", "Event", "Tool"),
    *("FunctionCall", "FunctionResponse"),
)
_READABLE = tuple({sys.prefix, sys.base_prefix, sys.exec_prefix, "/usr/share/zoneinfo"})


def main() -> None:
    """Run what standard input asks for."""
    asked = json.load(sys.stdin)
    answer = sys.stdout
    sys.stdout = io.StringIO()  # what the function prints must not get into the answer
    types = _types()
    _limit(asked["memory_bytes"], asked["seconds"])
    told = asked["callback"]
    events = [
        types.Event(item["author"], types.content_of(item)) for item in told.get("events", ())
    ]
    context = types.Context(asked["variables"], events, told)
    space: dict[str, Any] = {"__name__": "tool", "context": context, "callback_context": context}
    space |= {"CallbackContext": types.Context, "ToolContext": types.Context}
    space |= {name: getattr(types, name) for name in _SHARED}
    space["tools"] = types.Tools(told.get("tools", {}), dict(space))
    sys.addaudithook(_refuse)
    try:
        code = compile(asked["code"], asked["file"], "exec")
        exec(code, space)  # noqa: S102 - this is what the process is for
        function = _function(space, asked["functions"])
        value = function(*_positional(types, asked, context), **asked["args"])
        found = {"value": types.result_of(value), "variables": context.state}
        text = json.dumps(found, default=str)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
        line = _line_of(error, asked["file"])
        what = f"{type(error).__name__}: {error}"
        text = json.dumps({"error": what[:2000], "line": line})
    answer.write(text)
    answer.flush()


def _types() -> ModuleType:
    """Return the module beside this one, which cannot be imported: there is no path to it."""
    module = ModuleType("ces_types")
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    source = Path(__file__).with_name("python_types.py").read_text(encoding="utf-8")
    exec(compile(source, "python_types.py", "exec"), module.__dict__)  # noqa: S102 - our own
    return module


def _positional(types: ModuleType, asked: Mapping[str, Any], context: Any) -> list[Any]:
    """Return what a fake or a callback is given; a function of an app is given its arguments."""
    told = asked["callback"]
    kind = told.get("kind", "")
    if not kind:
        return []
    if kind in ("before_agent", "after_agent", "should_trigger_transfer"):
        return [context]
    if kind == "before_model":
        return [context, types.LlmRequest([types.content_of(item) for item in told["contents"]])]
    if kind == "after_model":
        return [context, types.LlmResponse(types.content_of(told["response"]))]
    given = [types.Tool(asked["tool"]), told["input"], context]
    return [*given, told["response"]] if kind == "after_tool" else given


def _function(space: dict[str, Any], names: Sequence[str]) -> Callable[..., Any]:
    for name in names:
        found = space.get(name)
        if callable(found):
            function: Callable[..., Any] = found
            return function
    raise NameError(f"there is no function {' or '.join(names)}")


def _line_of(error: BaseException, file: str) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _limit(memory_bytes: int, seconds: float) -> None:
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for limit, value in (
        (kind, memory_bytes),
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(limit, (value, value))
        except (OSError, ValueError):
            continue  # macOS has no limit of memory


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        reading = not (isinstance(flags, int) and flags & 0o3)
        if not reading or not isinstance(path, str) or not path.startswith(_READABLE):
            raise PermissionError(f"open {path!r} in a tool")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} in a tool")


if __name__ == "__main__":
    main()
