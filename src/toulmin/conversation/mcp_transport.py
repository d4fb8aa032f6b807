"""What goes to an MCP server and comes back, over streamable HTTP: JSON-RPC in POSTs.

An answer is JSON or a stream of events, of which only the one with the answer is read. Redirects
are not followed.

Source: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.conversation.outgoing import LARGEST_ANSWER
from toulmin.domain import JsonObject
from toulmin.models.http_post import OpenAnswer, Watch, open_post

_LONGEST_DETAIL: Final = 300
_ACCEPTED: Final = "application/json, text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer:
    """An MCP server, and what is sent to it with every request.

    Attributes:
        address: Its http or https URL.
        headers: Headers by name.
        timeout_s: Longest time of a call.
    """

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from others."""
        return (self.address, *sorted(self.headers.items()))


class McpFailed(Exception):
    """The server cannot be reached, or does not answer as the protocol says."""


class McpForgotten(McpFailed):
    """The server does not know the session any more."""


@contextmanager
def posted(
    server: McpServer, headers: Mapping[str, str], body: JsonObject, watch: Watch
) -> Iterator[OpenAnswer]:
    """POST a message; give the open answer, whose status is a good one.

    Raises:
        McpForgotten: The server does not know the session.
        McpFailed: It cannot be reached, or answers with a failure.
        TimeoutError, Cancelled: As `Watch.check`.
    """
    sent = {"Accept": _ACCEPTED, **server.headers, **headers}
    with ExitStack() as stack:
        content = json.dumps(body).encode()
        try:
            opened = open_post(server.address, content, headers=sent, watch=watch)
            answer = stack.enter_context(opened)
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise McpFailed(f"it cannot be reached: {why_of(error)}") from error
        if "Mcp-Session-Id" in headers and answer.status == http.client.NOT_FOUND:
            raise McpForgotten("it does not know the session that it began")
        if not http.client.OK <= answer.status < http.client.MULTIPLE_CHOICES:
            raise _refusal(answer)
        yield answer


def _refusal(answer: OpenAnswer) -> McpFailed:
    """Return the failure that an answer's status means."""
    if answer.status < http.client.BAD_REQUEST:
        where = answer.headers.get("location", "elsewhere")
        return McpFailed(f"HTTP {answer.status}: it points to {where}; redirects are not followed")
    return McpFailed(f"HTTP {answer.status}: {_text(answer)[:_LONGEST_DETAIL]}".rstrip(": "))


def result_in(answer: OpenAnswer, id_: int) -> JsonObject:
    """Return the result of the request with an id.

    Raises:
        McpFailed: It is an error, or not there.
    """
    is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
    for text in _events(answer) if is_stream else [_text(answer)]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise McpFailed(f"it answers what is no JSON: {text[:100]!r}") from None
        if not isinstance(value, dict) or value.get("id") != id_ or "method" in value:
            continue  # a notification, or a request of the server's own
        if isinstance(value.get("result"), dict):
            result: JsonObject = value["result"]
            return result
        error = value.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        raise McpFailed(str(said or "the answer has no result")[:_LONGEST_DETAIL])
    raise McpFailed("there is no answer to the request")


def _events(answer: OpenAnswer) -> Iterator[str]:
    """Yield the data of a stream's events as they come."""
    data: list[str] = []
    for line in _lines(answer):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def _lines(answer: OpenAnswer) -> Iterator[str]:
    left = b""
    for chunk in _chunks(answer):
        *whole, left = (left + chunk).replace(b"\r\n", b"\n").split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")
    yield left.decode("utf-8", "replace")


def _text(answer: OpenAnswer) -> str:
    return b"".join(_chunks(answer)).decode("utf-8", "replace")


def _chunks(answer: OpenAnswer) -> Iterator[bytes]:
    size = 0
    try:
        for chunk in answer.chunks():
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise McpFailed(
                    f"the answer is longer than the {LARGEST_ANSWER:,} bytes that are allowed"
                )
            yield chunk
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise McpFailed(f"the answer broke off: {why_of(error)}") from error


def why_of(error: BaseException) -> str:
    """Return what an error says, cut to what is told of it; its kind if it says nothing."""
    return (str(error) or type(error).__name__)[:_LONGEST_DETAIL]
