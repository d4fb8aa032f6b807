"""The language model that leads an agent: it is shown the conversation and the tools, and answers.

What it answers is taken as it comes: which tool that is, and whether the arguments fit, is for
whoever asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toulmin.conversation.kept_values import whole_text
from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition
from toulmin.models.openai_client import OpenAiClient
from toulmin.work import UNLIMITED, Work

MOST_CALLS: Final = 10
"""Tool calls of one message that are read."""
_TICK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class LedCall:
    """A tool call as the model wrote it.

    Attributes:
        id: The model's id of it.
        name: Name of the function.
        arguments: Its arguments as JSON, as far as that is JSON.
    """

    id: str
    name: str
    arguments: str

    def to_json(self) -> JsonObject:
        """Return it as the chat has it."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Led:
    """A message of the model.

    Attributes:
        text: What it says; empty: nothing.
        calls: The tools that it calls.
    """

    text: str
    calls: tuple[LedCall, ...]


class Leader:
    """Asks the language model; serves all threads.

    Args:
        client: The model's server.
        concurrency: Requests at the same time.
    """

    def __init__(self, client: OpenAiClient, *, concurrency: int) -> None:
        self._client = client
        self._free = threading.BoundedSemaphore(concurrency)

    def next(
        self,
        messages: Sequence[JsonObject],
        tools: Sequence[JsonObject],
        *,
        work: Work = UNLIMITED,
    ) -> Led:
        """Return the model's next message.

        Args:
            messages: The chat, as the protocol has it.
            tools: The functions that it may call, as the protocol has them.
            work: Asked while waiting.

        Raises:
            Cancelled: Nobody waits any more.
            DeadlineExceeded, Unavailable, FailedPrecondition: The model gave no message; their
                reason begins with "LLM_".
        """
        request: dict[str, Any] = {"messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        while not self._free.acquire(timeout=_TICK_S):
            work.check()
        try:
            return _read(self._client.message(request, work=work))
        finally:
            self._free.release()


def _read(message: Mapping[str, Any]) -> Led:
    content = message.get("content")
    given = message.get("tool_calls") or ()
    calls = tuple(
        call
        for number, item in enumerate(given[:MOST_CALLS] if isinstance(given, list) else ())
        if (call := _call(item, number))
    )
    text = whole_text(content).strip() if isinstance(content, str) else ""
    if not (text or calls):
        why = str(message.get("refusal") or "it is empty")[:300]
        raise FailedPrecondition(
            f"the language model gave no answer: {why}", reason="LLM_NO_ANSWER"
        )
    return Led(text, calls)


def _call(item: Any, number: int) -> LedCall | None:
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(function, dict) or not function.get("name"):
        return None
    arguments = function.get("arguments")
    if not isinstance(arguments, str):  # some servers send an object
        arguments = json.dumps(arguments or {})
    id_ = str(item.get("id") or f"c{number}")
    return LedCall(whole_text(id_), whole_text(str(function["name"])), whole_text(arguments))
