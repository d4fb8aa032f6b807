"""A chat completion's request, as `generateGroundedContent` reads it.

Source: https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from toulmin.errors import InvalidArgument

SOURCES: Final = "\n\nSources:\n"
"""What stands between an answer and the list of its sources."""

_MOST_MESSAGES: Final = 40
_LONGEST_SAID: Final = 10_000
_STORE: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_NAME: Final = re.compile(r"projects/[^/]+/locations/[^/]+/(?:collections/[^/]+/)?[a-zA-Z]+/[^/]+")
_INSTRUCTING: Final = ("system", "developer")
_NOT_DONE: Final[Mapping[str, Sequence[object]]] = {
    "n": (None, 1),
    "tools": (None, []),
    "functions": (None, []),
    "logprobs": (None, False),
    "audio": (None,),
    "response_format": (None, {"type": "text"}),
}
"""Options that would change the answer's form, with the values that change nothing."""


@dataclass(frozen=True, slots=True)
class Chat:
    """What is asked.

    Attributes:
        model: As the caller names it.
        stream: Whether the answer is wanted as it grows.
        path: What `generateGroundedContent` belongs to: "projects/p/locations/global".
        request: Its request as JSON.
    """

    model: str
    stream: bool
    path: str
    request: dict[str, Any]


def read_chat(body: bytes, *, project: str) -> Chat:
    """Return what a request asks.

    `model` is the id of a data store, or the name of a data store or an engine. System messages
    are instructions for the language model, where one is set. Of a long conversation the last 40
    messages are read. Options that only steer how a language model samples are not read, but
    `temperature`.

    Args:
        body: JSON, as sent.
        project: Whose data store a bare id means.

    Raises:
        InvalidArgument: It is no chat, or asks for what there is not; the message names the field.
    """
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument(f"The body is not JSON: {error}") from None
    if not isinstance(asked, dict):
        raise InvalidArgument("The body must be a JSON object")
    for name, harmless in _NOT_DONE.items():
        if asked.get(name) not in harmless:
            raise InvalidArgument.of_field(
                name, "asks for what answers from documents cannot give; leave it out"
            )
    model = asked.get("model")
    if not isinstance(model, str):
        raise InvalidArgument.of_field("model", "must be the id of a data store")
    owner = _owner(model, project)
    request: dict[str, Any] = {
        **_conversation(asked.get("messages")),
        "groundingSpec": {
            "groundingSources": [
                {"searchSource": {"servingConfig": f"{owner}/servingConfigs/default_search"}}
            ]
        },
    }
    if asked.get("temperature") is not None:
        request["generationSpec"] = {"temperature": asked["temperature"]}
    stream = asked.get("stream") or False
    if not isinstance(stream, bool):
        raise InvalidArgument.of_field("stream", "must be true or false")
    path = "/".join(owner.split("/")[:4])
    return Chat(model, stream, path, request)


def _owner(model: str, project: str) -> str:
    if _NAME.fullmatch(model):
        return model
    if not _STORE.fullmatch(model):
        raise InvalidArgument.of_field(
            "model",
            f"is {model[:200]!r}; it must be the id of a data store, such as 'default', or the name"
            " of a data store or an engine",
        )
    place = f"projects/{project}/locations/global/collections/default_collection"
    return f"{place}/dataStores/{model}"


def _conversation(messages: Any) -> dict[str, Any]:
    """Return contents and instruction of the messages."""
    if not isinstance(messages, list) or not messages:
        raise InvalidArgument.of_field("messages", "must be a list with the question as the last")
    instructions: list[str] = []
    contents: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        field = f"messages[{number}]"
        role = message.get("role") if isinstance(message, dict) else None
        if role not in (*_INSTRUCTING, "user", "assistant"):
            raise InvalidArgument.of_field(
                f"{field}.role", f"is {role!r}; it must be system, developer, user or assistant"
            )
        text = _text(message.get("content"), f"{field}.content")
        if role in _INSTRUCTING:
            instructions.append(text)
        elif role == "user":
            contents.append({"role": "user", "parts": [{"text": text}]})
        elif said := text.partition(SOURCES)[0].strip():
            # What an assistant said is only context; a long one need not be refused.
            contents.append({"role": "model", "parts": [{"text": said[:_LONGEST_SAID]}]})
    if not contents or contents[-1]["role"] != "user":
        raise InvalidArgument.of_field("messages", "must end with a message of the user")
    found: dict[str, Any] = {"contents": contents[-_MOST_MESSAGES:]}
    if any(instructions):
        found["systemInstruction"] = {"parts": [{"text": text} for text in instructions if text]}
    return found


def _text(content: Any, field: str) -> str:
    """Return a message's text; it is one, or a list of parts that are.

    Raises:
        InvalidArgument: It is neither.
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        raise InvalidArgument.of_field(field, "must be a text, or a list of parts of type text")
    texts = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            raise InvalidArgument.of_field(field, "has a part that is not of type text")
        texts.append(text)
    return "\n".join(texts)
