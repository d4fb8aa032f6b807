"""Python functions of an app, each call in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import FailedPrecondition
from toulmin.work import UNLIMITED, Work

MEMORY_BYTES: Final = 512 * 1024 * 1024
MOST_REPLY_BYTES: Final = 1024 * 1024
_CHILD: Final = Path(__file__).with_name("python_child.py")
_POLL_S: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall:
    """A function to run.

    Attributes:
        code: Source of the module that has it.
        file: What the source is called in errors.
        functions: Names to look for; the first one that is there is called.
        args: Its arguments.
        variables: The session's variables.
        tool: Name of the tool that a fake or a callback is about.
        callback: What a fake or a callback is told, as `python_child.py` reads it; empty: it is a
            function that is called with `args`.
        timeout_s: Longest time that it may take.
    """

    code: str
    file: str
    functions: Sequence[str]
    args: JsonObject
    variables: JsonObject
    tool: str = ""
    callback: JsonObject = field(default_factory=lambda: NO_FIELDS)
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonResult:
    """What came of it.

    Attributes:
        value: What the function returned, as JSON.
        variables: The variables afterwards.
        error: Why there is no value; empty: there is one.
    """

    value: Any = None
    variables: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class PythonRunner:
    """Runs functions; threads may share it.

    Args:
        allowed: Whether the operator allows it.
        memory_bytes: Most memory of one call.
    """

    def __init__(self, *, allowed: bool, memory_bytes: int = MEMORY_BYTES) -> None:
        self._allowed = allowed
        self._memory_bytes = memory_bytes

    def run(self, call: PythonCall, *, work: Work = UNLIMITED) -> PythonResult:
        """Run a function and return what came of it; what it does wrong is in `error`.

        Raises:
            FailedPrecondition: The operator does not allow it.
            Cancelled: Nobody waits any more.
        """
        if not self._allowed:
            raise FailedPrecondition(
                f"{call.file} is Python, which this server does not run; the setting agent_python"
                " allows it",
                reason="PYTHON_NOT_ALLOWED",
            )
        asked = json.dumps(
            {
                "code": call.code,
                "file": call.file,
                "functions": list(call.functions),
                "args": dict(call.args),
                "variables": dict(call.variables),
                "tool": call.tool,
                "callback": dict(call.callback),
                "memory_bytes": self._memory_bytes,
                "seconds": call.timeout_s,
            }
        )
        with tempfile.TemporaryDirectory(prefix="toulmin-tool-") as folder:
            return self._ended(asked, call, folder, work)

    def _ended(self, asked: str, call: PythonCall, folder: str, work: Work) -> PythonResult:
        process = subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-I", "-B", "-X", "utf8", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd=folder,
            start_new_session=True,  # what it may have started ends with it
        )
        waited, reply = 0.0, b""
        given: bytes | None = asked.encode()
        try:
            while True:
                try:
                    reply, _ = process.communicate(given, timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    waited, given = waited + _POLL_S, None
                    work.check()
                    if waited >= call.timeout_s:
                        return PythonResult(error=f"did not end within {call.timeout_s:g} s")
        finally:
            _kill(process)
        return _result(reply, process.returncode)


def _result(reply: bytes, code: int) -> PythonResult:
    if len(reply) > MOST_REPLY_BYTES:
        return PythonResult(
            error=f"returned {len(reply):,} bytes; at most {MOST_REPLY_BYTES:,} are allowed"
        )
    try:
        found = json.loads(reply)
    except ValueError:
        return PythonResult(error=f"ended without an answer (code {code}): too much memory or time")
    if "error" in found:
        where = f" (line {found['line']})" if found.get("line") else ""
        return PythonResult(error=f"{found['error']}{where}")
    return PythonResult(value=found["value"], variables=found["variables"])


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
