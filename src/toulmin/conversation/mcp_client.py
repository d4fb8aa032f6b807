"""A client of MCP servers: what tools they have, and a call of one, over streamable HTTP.

JSON-RPC in POSTs; an answer is JSON or a stream of events, of which only the one with the answer is
read. A session is begun with the first request to a server and kept for the next ones; one that the
server has forgotten is begun anew. Redirects are not followed.

Source: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

from __future__ import annotations

import http.client
import itertools
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from toulmin.conversation.json_schemas import api_schema
from toulmin.conversation.kept_values import whole_text
from toulmin.conversation.outgoing import LARGEST_ANSWER, check_host, whole_numbers
from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.errors import Unavailable
from toulmin.models.http_post import OpenAnswer, Watch, open_post
from toulmin.work import UNLIMITED, Work

VERSIONS: Final = ("2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05")
"""Versions of the protocol that are spoken, the one that is asked for first."""
MOST_TOOLS: Final = 500
MOST_PAGES: Final = 50
KEPT_S: Final = 300.0
"""How long a list of tools is kept before the server is asked again."""
FAILED_KEPT_S: Final = 30.0
"""How long it is kept that a server does not list its tools: every turn would wait for it."""
LONGEST_LISTING_S: Final = 10.0
_MOST_SERVERS: Final = 256
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


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool of a server.

    Attributes:
        name: Its name.
        description: What it is for.
        parameters: The API's `Schema` of its arguments.
        output: The API's `Schema` of what it returns; empty: the server does not say.
        changes: Whether a call changes something, by its annotations; None: they do not say.
    """

    name: str
    description: str
    parameters: JsonObject
    output: JsonObject = field(default_factory=lambda: NO_FIELDS)
    changes: bool | None = None


@dataclass(frozen=True, slots=True)
class _Session:
    """A session with a server: its id (empty: the server has none) and protocol version."""

    id: str
    version: str

    @property
    def headers(self) -> dict[str, str]:
        named = {"Mcp-Session-Id": self.id} if self.id else {}
        return {"MCP-Protocol-Version": self.version, **named}


class _Failed(Exception):
    """The server cannot be reached, or does not answer as the protocol says."""


class _Forgotten(_Failed):
    """The server does not know the session any more."""


class McpClient:
    """Asks MCP servers; serves all threads.

    Args:
        allowed_hosts: "host" or "host:port" that the operator lets tools call.
        clock: Seconds since some moment.
    """

    def __init__(
        self, allowed_hosts: frozenset[str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._allowed = allowed_hosts
        self._clock = clock
        self._ids = itertools.count(1)
        self._lock = Lock()
        self._sessions: OrderedDict[tuple[Any, ...], _Session] = OrderedDict()
        self._lists: OrderedDict[tuple[Any, ...], tuple[float, tuple[McpTool, ...] | str]] = (
            OrderedDict()
        )

    def tools(
        self, server: McpServer, *, again: bool = False, work: Work = UNLIMITED
    ) -> tuple[McpTool, ...]:
        """Return the tools of a server in its order, those of the last minutes where it was asked.

        That it did not list them is kept as well, for half a minute.

        Args:
            server: The server.
            again: Whether it is asked again where it did not list them lately.
            work: Asked while it is waited for.

        Raises:
            FailedPrecondition: The operator does not allow the host.
            Unavailable: The server cannot be asked, or does not answer as the protocol says.
            Cancelled: Nobody waits any more.
        """
        check_host(server.address, self._allowed, "The MCP server")
        with self._lock:
            until, found = self._lists.get(server.key, (0.0, ()))
        if self._clock() < until and not (again and isinstance(found, str)):
            if isinstance(found, str):
                raise Unavailable(found, reason="MCP_UNAVAILABLE")
            return found
        watch = _watch(min(server.timeout_s, LONGEST_LISTING_S), work)
        try:
            found = tuple(self._listed(server, watch))
        except (_Failed, TimeoutError) as error:
            why = f"The MCP server {server.address} does not list its tools: {_why(error)}"
            self._remember(self._lists, server, (self._clock() + FAILED_KEPT_S, why))
            raise Unavailable(why, reason="MCP_UNAVAILABLE") from error
        self._remember(self._lists, server, (self._clock() + KEPT_S, found))
        return found

    def call(
        self,
        server: McpServer,
        tool: str,
        args: JsonObject,
        *,
        work: Work = UNLIMITED,
    ) -> JsonObject:
        """Call a tool and return {"result": ...} or {"error": ...}.

        Raises:
            FailedPrecondition: The operator does not allow the host.
            Cancelled: Nobody waits any more.
        """
        check_host(server.address, self._allowed, tool)
        watch = _watch(server.timeout_s, work)
        params = {"name": tool, "arguments": whole_numbers(args)}
        try:
            return _response_of(self._ask(server, "tools/call", params, watch))
        except TimeoutError:
            return {"error": f"there was no answer within {server.timeout_s:g} s"}
        except _Failed as error:
            return {"error": _why(error)}

    def _listed(self, server: McpServer, watch: Watch) -> Iterator[McpTool]:
        params: dict[str, Any] = {}
        count = 0
        for _ in range(MOST_PAGES):
            page = self._ask(server, "tools/list", params, watch)
            listed = page.get("tools", [])
            if not isinstance(listed, list):
                raise _Failed("its list of tools is no list")
            for item in listed:
                tool = _tool_of(item)
                count += tool is not None
                if count > MOST_TOOLS:
                    raise _Failed(f"it has more than {MOST_TOOLS} tools")
                if tool is not None:
                    yield tool
            if not page.get("nextCursor"):
                return
            params = {"cursor": page["nextCursor"]}
        raise _Failed(f"its list has more than {MOST_PAGES} pages")

    def _ask(self, server: McpServer, method: str, params: JsonObject, watch: Watch) -> JsonObject:
        """Return the result of a request, in a session that is begun where there is none."""
        with self._lock:
            session = self._sessions.get(server.key)
        if session is not None:
            try:
                return self._request(server, session, method, params, watch)
            except _Forgotten:  # so it has not done anything either
                pass
        session = self._begun(server, watch)
        self._remember(self._sessions, server, session)
        return self._request(server, session, method, params, watch)

    def _begun(self, server: McpServer, watch: Watch) -> _Session:
        params = {
            "protocolVersion": VERSIONS[0],
            "capabilities": {},
            "clientInfo": {"name": "toulmin", "version": "1"},
        }
        id_ = next(self._ids)
        body = {"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": params}
        with _posted(server, {}, body, watch) as answer:
            found = _result_in(answer, id_)
            version = str(found.get("protocolVersion", ""))
            session = _Session(answer.headers.get("mcp-session-id", ""), version)
        if version not in VERSIONS:
            raise _Failed(f'it speaks version "{version[:50]}" of the protocol only')
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        with _posted(server, session.headers, note, watch):
            return session

    def _request(
        self, server: McpServer, session: _Session, method: str, params: JsonObject, watch: Watch
    ) -> JsonObject:
        id_ = next(self._ids)
        body = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        with _posted(server, session.headers, body, watch) as answer:
            return _result_in(answer, id_)

    def _remember(self, kept: OrderedDict[Any, Any], server: McpServer, value: Any) -> None:
        with self._lock:
            kept[server.key] = value
            kept.move_to_end(server.key)
            while len(kept) > _MOST_SERVERS:
                kept.popitem(last=False)


def _watch(seconds: float, work: Work) -> Watch:
    return Watch(time.monotonic() + seconds, work)


@contextmanager
def _posted(
    server: McpServer, headers: Mapping[str, str], body: JsonObject, watch: Watch
) -> Iterator[OpenAnswer]:
    """POST a message; give the open answer, whose status is a good one.

    Raises:
        _Forgotten: The server does not know the session.
        _Failed: It cannot be reached, or answers with a failure.
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
            raise _Failed(f"it cannot be reached: {_why(error)}") from error
        if "Mcp-Session-Id" in headers and answer.status == http.client.NOT_FOUND:
            raise _Forgotten("it does not know the session that it began")
        if not http.client.OK <= answer.status < http.client.MULTIPLE_CHOICES:
            raise _refusal(answer)
        yield answer


def _refusal(answer: OpenAnswer) -> _Failed:
    """Return the failure that an answer's status means."""
    if answer.status < http.client.BAD_REQUEST:
        where = answer.headers.get("location", "elsewhere")
        return _Failed(f"HTTP {answer.status}: it points to {where}; redirects are not followed")
    return _Failed(f"HTTP {answer.status}: {_text(answer)[:_LONGEST_DETAIL]}".rstrip(": "))


def _result_in(answer: OpenAnswer, id_: int) -> JsonObject:
    """Return the result of the request with an id.

    Raises:
        _Failed: It is an error, or not there.
    """
    is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
    for text in _events(answer) if is_stream else [_text(answer)]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise _Failed(f"it answers what is no JSON: {text[:100]!r}") from None
        if not isinstance(value, dict) or value.get("id") != id_ or "method" in value:
            continue  # a notification, or a request of the server's own
        if isinstance(value.get("result"), dict):
            result: JsonObject = value["result"]
            return result
        error = value.get("error")
        said = error.get("message") if isinstance(error, dict) else error
        raise _Failed(str(said or "the answer has no result")[:_LONGEST_DETAIL])
    raise _Failed("there is no answer to the request")


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
                raise _Failed(
                    f"the answer is longer than the {LARGEST_ANSWER:,} bytes that are allowed"
                )
            yield chunk
    except TimeoutError:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise _Failed(f"the answer broke off: {_why(error)}") from error


def _tool_of(item: Any) -> McpTool | None:
    """Return a tool as the server describes it; None: it has no name."""
    if not isinstance(item, dict) or not item.get("name"):
        return None
    schema = item.get("inputSchema") or {}
    output = item.get("outputSchema") or {}
    return McpTool(
        name=whole_text(str(item["name"])),
        description=whole_text(str(item.get("description") or item.get("title") or "")),
        parameters={"type": "OBJECT", **api_schema(schema, schema)},
        output=api_schema(output, output),
        changes=_changes(item.get("annotations")),
    )


def _changes(annotations: Any) -> bool | None:
    """Return whether a tool changes something, by what is said of it; None: nothing is."""
    if not isinstance(annotations, dict):
        return None
    read_only = annotations.get("readOnlyHint")
    if isinstance(read_only, bool):
        return not read_only
    return True if annotations.get("destructiveHint") is True else None


def _response_of(result: JsonObject) -> JsonObject:
    """Return the result of a call as a tool's response: what is structured, else its texts."""
    texts = list(_texts(result.get("content")))
    if result.get("isError"):
        return {"error": "\n".join(texts) or "the tool failed and does not say why"}
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        # Servers wrap what is no object into {"result": ...}, as is done here.
        return structured if set(structured) == {"result"} else {"result": structured}
    text = "\n".join(texts)
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        value = text
    return {"result": value if isinstance(value, dict | list) else text}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _texts(content: Any) -> Iterator[str]:
    for item in content if isinstance(content, list) else ():
        kind = item.get("type") if isinstance(item, dict) else ""
        resource = item.get("resource") if kind == "resource" else None
        if kind == "text":
            yield str(item.get("text", ""))
        elif isinstance(resource, dict) and "text" in resource:
            yield str(resource["text"])
        elif kind == "resource_link":
            yield str(item.get("uri", ""))
        elif kind:
            yield f"({kind}: not read by this version of Toulmin)"


def _why(error: BaseException) -> str:
    return (str(error) or type(error).__name__)[:_LONGEST_DETAIL]
