"""A client of MCP servers: what tools they have, and a call of one, over streamable HTTP.

A session is begun with the first request to a server and kept for the next ones; one that the
server has forgotten is begun anew.

Source: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

from __future__ import annotations

import itertools
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from toulmin.conversation.mcp_results import McpTool, response_of, tool_of
from toulmin.conversation.mcp_transport import (
    McpFailed,
    McpForgotten,
    McpServer,
    posted,
    result_in,
    why_of,
)
from toulmin.conversation.outgoing import check_host, whole_numbers
from toulmin.domain import JsonObject
from toulmin.errors import Unavailable
from toulmin.models.http_post import Watch
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


@dataclass(frozen=True, slots=True)
class _Session:
    """A session with a server: its id (empty: the server has none) and protocol version."""

    id: str
    version: str

    @property
    def headers(self) -> dict[str, str]:
        named = {"Mcp-Session-Id": self.id} if self.id else {}
        return {"MCP-Protocol-Version": self.version, **named}


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

    def check_allowed(self, server: McpServer) -> None:
        """Return if the operator allows the host of a server.

        Raises:
            FailedPrecondition: They do not.
        """
        check_host(server.address, self._allowed, "The MCP server")

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
        self.check_allowed(server)
        with self._lock:
            until, found = self._lists.get(server.key, (0.0, ()))
        if self._clock() < until and not (again and isinstance(found, str)):
            if isinstance(found, str):
                raise Unavailable(found, reason="MCP_UNAVAILABLE")
            return found
        watch = _watch(min(server.timeout_s, LONGEST_LISTING_S), work)
        try:
            found = tuple(self._listed(server, watch))
        except (McpFailed, TimeoutError) as error:
            why = f"The MCP server {server.address} does not list its tools: {why_of(error)}"
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
            return response_of(self._ask(server, "tools/call", params, watch))
        except TimeoutError:
            return {"error": f"there was no answer within {server.timeout_s:g} s"}
        except McpFailed as error:
            return {"error": why_of(error)}

    def _listed(self, server: McpServer, watch: Watch) -> Iterator[McpTool]:
        params: dict[str, Any] = {}
        count = 0
        for _ in range(MOST_PAGES):
            page = self._ask(server, "tools/list", params, watch)
            listed = page.get("tools", [])
            if not isinstance(listed, list):
                raise McpFailed("its list of tools is no list")
            for item in listed:
                tool = tool_of(item)
                count += tool is not None
                if count > MOST_TOOLS:
                    raise McpFailed(f"it has more than {MOST_TOOLS} tools")
                if tool is not None:
                    yield tool
            if not page.get("nextCursor"):
                return
            params = {"cursor": page["nextCursor"]}
        raise McpFailed(f"its list has more than {MOST_PAGES} pages")

    def _ask(self, server: McpServer, method: str, params: JsonObject, watch: Watch) -> JsonObject:
        """Return the result of a request, in a session that is begun where there is none."""
        with self._lock:
            session = self._sessions.get(server.key)
        if session is not None:
            try:
                return self._request(server, session, method, params, watch)
            except McpForgotten:  # so it has not done anything either
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
        with posted(server, {}, body, watch) as answer:
            found = result_in(answer, id_)
            version = str(found.get("protocolVersion", ""))
            session = _Session(answer.headers.get("mcp-session-id", ""), version)
        if version not in VERSIONS:
            raise McpFailed(f'it speaks version "{version[:50]}" of the protocol only')
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        with posted(server, session.headers, note, watch):
            return session

    def _request(
        self, server: McpServer, session: _Session, method: str, params: JsonObject, watch: Watch
    ) -> JsonObject:
        id_ = next(self._ids)
        body = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        with posted(server, session.headers, body, watch) as answer:
            return result_in(answer, id_)

    def _remember(self, kept: OrderedDict[Any, Any], server: McpServer, value: Any) -> None:
        with self._lock:
            kept[server.key] = value
            kept.move_to_end(server.key)
            while len(kept) > _MOST_SERVERS:
                kept.popitem(last=False)


def _watch(seconds: float, work: Work) -> Watch:
    return Watch(time.monotonic() + seconds, work)
