"""Callbacks of agents: an app's Python that is asked before and after agent, model and tool.

Where there is no language model, "the model" is the planner: what it says or calls is the model's
response. A callback that returns something takes the place of what it was asked about; the others
of its kind are not asked then. One that fails ends the turn, and the session stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toulmin.conversation.definition import AgentSpec, AppSpec, ToolSpec
from toulmin.conversation.guardrails import Guard
from toulmin.conversation.kept_values import unkept
from toulmin.conversation.log import USER
from toulmin.conversation.python_runner import PythonCall, PythonResult, PythonRunner
from toulmin.conversation.schemas import changed
from toulmin.conversation.transfer_rules import FUNCTION, TransferRule
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition
from toulmin.work import UNLIMITED, Work

CALLBACK_S: Final = 10.0
"""Longest time of one callback."""
MOST_EVENTS: Final = 200
"""Messages of the session that a callback sees, the latest."""

Parts = list[dict[str, Any]]


class Callbacks:
    """The callbacks of an app, in one turn.

    Args:
        app: The app.
        python: Runs them, if the operator allows it.
        session_id: Id of the session.
        turn_index: Number of the turn.
        earlier: Messages of the session before this turn, oldest first.
        work: Asked while one runs.
    """

    def __init__(
        self,
        app: AppSpec,
        *,
        python: PythonRunner,
        session_id: str = "",
        turn_index: int = 0,
        earlier: Sequence[JsonObject] = (),
        work: Work = UNLIMITED,
    ) -> None:
        self._app = app
        self._python = python
        self._told = {"session_id": session_id, "turn_index": turn_index}
        self._earlier = earlier
        self._work = work
        self.variables: dict[str, Any] = {}
        self.messages: list[JsonObject] = []

    def watch(self, variables: dict[str, Any], messages: list[JsonObject]) -> None:
        """Take the session's variables and the turn's messages, which both go on changing."""
        self.variables, self.messages = variables, messages

    def has(self, agent: AgentSpec, kind: str) -> bool:
        """Return whether an agent has callbacks of a kind."""
        return bool(agent.callbacks.get(kind))

    def ask(
        self, agent: AgentSpec, kind: str, *, tool: ToolSpec | None = None, **more: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Ask the callbacks of a kind; return what the first one returned, and changed variables.

        Args:
            agent: The agent.
            kind: "before_agent", "after_agent", "before_model", "after_model", "before_tool" or
                "after_tool".
            tool: The tool that it is about.
            more: What callbacks of that kind are told besides.

        Raises:
            FailedPrecondition: One failed, or the operator does not allow Python.
            Cancelled: Nobody waits any more.
        """
        updated: dict[str, Any] = {}
        for number, code in enumerate(agent.callbacks.get(kind, ())):
            where = f"{agent.name} {kind}_callbacks[{number}]"
            told = {**self._context(agent), "kind": kind, **more}
            result = self._result(code, where, told, tool, {**self.variables, **updated})
            updated |= changed(result.variables, self.variables, self._app.variables)
            if result.value is not None:
                return result.value, updated
        return None, updated

    def judge(self, guard: Guard, agent: AgentSpec, text: str, side: str) -> str:
        """Return why a guardrail's callbacks stop a text; empty: they do not.

        Args:
            guard: The guardrail.
            agent: Who talks.
            text: What was said.
            side: Who said it: "input" (the user) or "response" (the agent).

        Raises:
            FailedPrecondition: One failed, or Python is not allowed.
            Cancelled: Nobody waits any more.
        """
        if side == "response":
            response = {"role": "model", "parts": [{"text": text}]}
            return self.triggers(guard, agent, "after_model", response=response)
        return self.triggers(guard, agent, "before_agent") or self.triggers(
            guard, agent, "before_model", contents=self.contents()
        )

    def triggers(self, guard: Guard, agent: AgentSpec, kind: str, **more: Any) -> str:
        """Return why a guardrail's callback of a kind is triggered; empty: it is not.

        What it writes into the variables is not kept: it judges.

        Raises:
            FailedPrecondition: It failed, says neither OK nor TRIGGER, or Python is not allowed.
            Cancelled: Nobody waits any more.
        """
        code = guard.callback(kind)
        if not code:
            return ""
        where = f"{guard.name} {kind}_callback"
        told = {**self._context(agent), "kind": kind, **more}
        value = self._result(code, where, told, None, dict(self.variables)).value
        decision = value.get("decision") if isinstance(value, Mapping) else None
        if decision not in ("OK", "TRIGGER"):
            raise FailedPrecondition(
                f"{where}: returned {str(value)[:100]}; it must return a dict with 'decision': 'OK'"
                " or 'TRIGGER'",
                reason="CALLBACK_FAILED",
            )
        return str(value.get("reason") or "TRIGGER") if decision == "TRIGGER" else ""

    def transfers(self, rule: TransferRule, agent: AgentSpec) -> bool:
        """Return whether the Python of a transfer rule says that it applies.

        What it writes into the variables is not kept: it judges.

        Raises:
            FailedPrecondition: It failed, returns neither True nor False, or Python is not allowed.
            Cancelled: Nobody waits any more.
        """
        told = {**self._context(agent), "kind": FUNCTION.removesuffix("_callback")}
        value = self._result(rule.python, rule.name, told, None, dict(self.variables)).value
        if not isinstance(value, bool):
            raise FailedPrecondition(
                f"{rule.name}: returned {str(value)[:100]}; it must return True or False",
                reason="CALLBACK_FAILED",
            )
        return value

    def _result(
        self,
        code: str,
        where: str,
        told: JsonObject,
        tool: ToolSpec | None,
        variables: dict[str, Any],
    ) -> PythonResult:
        kind = told["kind"]
        result = self._python.run(
            PythonCall(
                code=code,
                file=where,
                functions=(f"{kind}_callback",),
                args={},
                variables=variables,
                tool=tool.display_name if tool else "",
                callback=told,
                timeout_s=CALLBACK_S,
            ),
            work=self._work,
        )
        problem = unkept(result.value)
        error = result.error or (problem and f"what it returned {problem}")
        if error:
            raise FailedPrecondition(f"{where}: {error}", reason="CALLBACK_FAILED")
        return result

    def contents(self) -> list[dict[str, Any]]:
        """Return the session as the model is told it: texts, calls and responses."""
        return [
            {"role": "user" if event["author"] == USER else "model", "parts": event["parts"]}
            for event in self._events()
        ]

    def _context(self, agent: AgentSpec) -> dict[str, Any]:
        functions = {
            tool.display_name: str(tool.body.get("pythonCode", ""))
            for tool in self._app.tools.values()
            if tool.kind == "pythonFunction"
        }
        told = {**self._told, "agent_name": agent.display_name, "tools": functions}
        return {**told, "events": self._events()}

    def _events(self) -> list[dict[str, Any]]:
        found = []
        for message in [*self._earlier, *self.messages][-MOST_EVENTS:]:
            parts = [part for chunk in message["chunks"] if (part := _part(chunk))]
            if parts:
                role = message["role"]
                found.append(
                    {"author": role, "role": "user" if role == USER else "model", "parts": parts}
                )
        return found


def parts_of(value: Any) -> Parts:
    """Return the parts of what a callback returned instead of a model's or an agent's response.

    Raises:
        FailedPrecondition: It is neither a response nor a content.
    """
    if isinstance(value, Mapping) and isinstance(value.get("parts"), list):
        return list(value["parts"])
    raise FailedPrecondition(
        f"A callback returned {str(value)[:100]}; it must return LlmResponse, Content or None",
        reason="CALLBACK_FAILED",
    )


def response_of(value: Any) -> JsonObject:
    """Return what a callback returned instead of a tool's response.

    Raises:
        FailedPrecondition: It is no dictionary.
    """
    if isinstance(value, Mapping):
        return dict(value)
    raise FailedPrecondition(
        f"A callback returned {str(value)[:100]}; it must return a dict or None",
        reason="CALLBACK_FAILED",
    )


def _part(chunk: JsonObject) -> dict[str, Any] | None:
    if "text" in chunk:
        return {"text": chunk["text"]}
    for key, name, inside in (
        ("toolCall", "functionCall", "args"),
        ("toolResponse", "functionResponse", "response"),
    ):
        if key in chunk:
            given = chunk[key]
            found = {"name": given.get("displayName", ""), "id": given.get("id", "")}
            return {name: found | {inside: given.get(inside, {})}}
    return None
