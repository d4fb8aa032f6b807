"""What callbacks of an app see: the globals of the API's sandbox. Standard library only.

Read by the child process (`python_child.py`); in pytest, callback tests import it. The names are
those of the makers' callback reference.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class FunctionCall:
    """A call of a tool."""

    name: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass
class FunctionResponse:
    """What a tool returned."""

    name: str = ""
    response: dict[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass
class Part:
    """A text, a call of a tool, what it returned, or a payload for the client."""

    text: str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    payload: dict[str, Any] | None = None

    def text_or_transcript(self) -> str | None:
        """Return the text; there is no audio."""
        return self.text

    def has_function_call(self, name: str) -> bool:
        """Return whether it is a call of this tool."""
        return self.function_call is not None and self.function_call.name == name

    def has_function_response(self, name: str) -> bool:
        """Return whether it is a response of this tool."""
        return self.function_response is not None and self.function_response.name == name

    @classmethod
    def from_text(cls, text: str) -> Part:
        """Return a text."""
        return cls(text=text)

    @classmethod
    def from_function_call(cls, name: str, args: dict[str, Any]) -> Part:
        """Return a call."""
        return cls(function_call=FunctionCall(name, dict(args)))

    @classmethod
    def from_function_response(cls, name: str, response: dict[str, Any]) -> Part:
        """Return a response."""
        return cls(function_response=FunctionResponse(name, dict(response)))

    @classmethod
    def from_json(cls, data: str) -> Part:
        """Return a payload for the client: an object as JSON."""
        value = json.loads(data)
        if not isinstance(value, dict):
            raise ValueError(f"a payload must be a JSON object, not {data[:100]}")  # noqa: TRY004
        return cls(payload=value)

    @classmethod
    def from_agent_transfer(cls, agent: str) -> Part:
        """Return the call by which another agent takes over."""
        return cls.from_function_call("transfer_to_agent", {"agent_name": agent})

    @classmethod
    def from_end_session(cls, *, reason: str, escalated: bool = False) -> Part:
        """Return the call that ends the session."""
        args = {"reason": reason, "session_escalated": escalated}
        return cls.from_function_call("end_session", args)


@dataclass
class Content:
    """What one side said at once."""

    parts: list[Part] = field(default_factory=list)
    role: str = "model"

    def is_user(self) -> bool:
        """Return whether the user said it."""
        return self.role == "user"

    def is_model(self) -> bool:
        """Return whether an agent said it."""
        return self.role == "model"


@dataclass
class LlmRequest:
    """What is asked of the model, or of the planner where there is none."""

    contents: list[Content] = field(default_factory=list)


@dataclass
class LlmResponse:
    """What the model answers."""

    content: Content = field(default_factory=Content)

    @classmethod
    def from_parts(cls, parts: Sequence[Part]) -> LlmResponse:
        """Return a response of these parts."""
        return cls(Content(list(parts)))


@dataclass
class Event:
    """Something that was said or done in the session."""

    author: str
    content: Content

    def is_user(self) -> bool:
        """Return whether the user did it."""
        return self.author == "user"

    def is_agent(self, agent_name: str | None = None) -> bool:
        """Return whether an agent, or this one, did it."""
        return not self.is_user() if agent_name is None else self.author == agent_name

    def parts(self) -> list[Part]:
        """Return what it was."""
        return self.content.parts


class Context:
    """What a function sees as `context`, and a callback as `callback_context`.

    Attributes:
        state: The session's variables; what is written here is kept where it is declared.
        variables: The same.
        events: The session so far, oldest first.
        agent_name: The agent that speaks.
        session_id: Id of the session.
        turn_index: Number of the turn.
    """

    def __init__(
        self, state: dict[str, Any], events: Sequence[Event] = (), told: Mapping[str, Any] = {}
    ) -> None:
        self.state = state
        self.variables = state
        self.events = list(events)
        self.agent_name = told.get("agent_name", "")
        self.session_id = told.get("session_id", "")
        self.turn_index = told.get("turn_index", 0)

    def get_variable(self, key: str, default: Any = None) -> Any:
        """Return a variable."""
        return self.state.get(key, default)

    def set_variable(self, key: str, value: Any) -> None:
        """Write a variable."""
        self.state[key] = value

    def remove_variable(self, key: str) -> None:
        """Remove a variable."""
        del self.state[key]

    def get_last_user_input(self) -> list[Part]:
        """Return what the user sent last."""
        return self._last(by_user=True)

    def get_last_agent_output(self) -> list[Part]:
        """Return what an agent said last."""
        return self._last(by_user=False)

    @property
    def user_content(self) -> Content:
        """What the user sent last."""
        return Content(self.get_last_user_input(), "user")

    def _last(self, *, by_user: bool) -> list[Part]:
        for event in reversed(self.events):
            if event.is_user() == by_user:
                return list(event.parts())
        return []


class Tool:
    """The tool that a fake or a callback is about."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = name


class Tools:
    """The app's tools, as callbacks call them: its Python functions."""

    def __init__(self, sources: Mapping[str, str], space: Mapping[str, Any]) -> None:
        self._sources = sources
        self._space = space

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function that a tool is; other kinds cannot be called from a callback."""
        if name not in self._sources:
            raise AttributeError(f"{name} is no Python function of this app")
        space = dict(self._space)
        exec(compile(self._sources[name], f"tool {name}", "exec"), space)  # noqa: S102 - as above
        function: Callable[..., Any] = space[name]

        def called(*args: Any, **named: Any) -> Any:
            """Call it with arguments by name, or with one object of them, as the service does."""
            whole = len(args) == 1 and not named and isinstance(args[0], Mapping)
            if whole and set(args[0]) <= set(inspect.signature(function).parameters):
                return function(**args[0])
            return function(*args, **named)

        return called


def part_of(value: Mapping[str, Any]) -> Part:
    """Return a part from JSON."""
    call, response = value.get("functionCall"), value.get("functionResponse")
    return Part(
        text=value.get("text"),
        function_call=FunctionCall(**call) if call else None,
        function_response=FunctionResponse(**response) if response else None,
    )


def content_of(value: Mapping[str, Any]) -> Content:
    """Return what was said from JSON."""
    return Content([part_of(item) for item in value["parts"]], value["role"])


def result_of(value: Any) -> Any:
    """Return what a callback returned as JSON."""
    if isinstance(value, LlmResponse):
        value = value.content
    if not isinstance(value, Content):
        return value
    return {"parts": [_to_json(part) for part in value.parts]}


def _to_json(part: Part) -> dict[str, Any]:
    if part.function_call is not None:
        return {"functionCall": {"name": part.function_call.name, "args": part.function_call.args}}
    return {"text": part.text or ""} if part.payload is None else {"payload": part.payload}
