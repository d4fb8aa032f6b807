"""Where a session stands between two requests. Kept as JSON beside the conversation."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any

from toulmin.domain import JsonObject

MOST_EXCHANGES = 10
"""Exchanges that follow-ups are understood by."""


@dataclass(slots=True, kw_only=True)
class WaitingCall:
    """A tool call that the client is to answer.

    Attributes:
        id: Its id.
        tool: Name of the tool.
        args: Its arguments.
        question: What the user had said.
        issued: Seconds since 1970.
        timeout_s: How long the response may take.
        asynchronous: Whether the session goes on meanwhile.
    """

    id: str
    tool: str
    args: dict[str, Any]
    question: str
    issued: float
    timeout_s: float
    asynchronous: bool = False


@dataclass(slots=True, kw_only=True)
class Asking:
    """A tool that lacks an argument, for which the user was asked.

    Attributes:
        tool: Name of the tool.
        args: The arguments that are known.
        missing: The one that was asked for.
        question: What the user had said first.
        tries: How often it was asked for.
    """

    tool: str
    args: dict[str, Any]
    missing: str
    question: str
    tries: int = 1


@dataclass(slots=True, kw_only=True)
class Confirming:
    """A call for which the user's yes is awaited.

    Attributes:
        tool: Name of the tool.
        args: Its arguments.
        question: What the user had said first.
        inside: The calls, as the API's `ToolCall`s, that it makes and that the yes is about, where
            the tool is an agent.
    """

    tool: str
    args: dict[str, Any]
    question: str
    inside: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class SessionState:
    """A session between two requests.

    Attributes:
        agent: Name of the agent that speaks; empty: the session has not begun.
        variables: Values of the declared variables.
        waiting: Calls that the client is to answer.
        asking: What the user was asked for; None: nothing.
        confirming: What the user was asked to agree to; None: nothing.
        exchanges: What was said lately: question and answer, oldest first.
        calls: Number of tool calls so far; ids are made of it.
        is_open: Whether the last turn goes on with the next request.
        ended: Whether the session has ended.
    """

    agent: str = ""
    variables: dict[str, Any] = field(default_factory=dict)
    waiting: list[WaitingCall] = field(default_factory=list)
    asking: Asking | None = None
    confirming: Confirming | None = None
    exchanges: list[list[str]] = field(default_factory=list)
    calls: int = 0
    is_open: bool = False
    ended: bool = False

    def to_json(self) -> JsonObject:
        """Return it as JSON."""
        fields = dataclasses.asdict(self)
        if self.confirming is None:  # versions that do not know it go on with the session
            del fields["confirming"]
        return fields

    @classmethod
    def from_json(cls, value: JsonObject) -> SessionState:
        """Return what `to_json` made JSON of; an empty object is a session that has not begun."""
        fields = copy.deepcopy(dict(value))
        fields["waiting"] = [WaitingCall(**item) for item in fields.get("waiting", ())]
        asking = fields.get("asking")
        fields["asking"] = Asking(**asking) if asking else None
        confirming = fields.get("confirming")
        fields["confirming"] = Confirming(**confirming) if confirming else None
        return cls(**fields)

    @property
    def has_asked(self) -> bool:
        """Whether the user was asked something that is open."""
        return self.asking is not None or self.confirming is not None

    @property
    def open_questions(self) -> list[str]:
        """What the user had said of all that is still under way."""
        plans = [plan for plan in (self.asking, self.confirming) if plan is not None]
        return [item.question for item in (*self.waiting, *plans)]

    def drop_plans(self) -> None:
        """Forget what the user was asked."""
        self.asking = self.confirming = None

    def remember(self, question: str, answer: str) -> None:
        """Note what was said."""
        self.exchanges.append([question, answer])
        del self.exchanges[:-MOST_EXCHANGES]
