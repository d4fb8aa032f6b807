"""One HTTP POST of JSON that can be stopped at any moment: by a deadline, or by its caller.

The standard library's client, with one connection a call. Its own timeout is one for each read,
so a server that sends a byte now and then would never run into it; here the whole exchange has
one deadline. Redirects are not followed: they could carry a key to another host. Proxies are
those of the environment (`HTTPS_PROXY`, `NO_PROXY`), as `urllib` reads them.
"""

from __future__ import annotations

import base64
import io
import socket
import ssl
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any

from toulmin.errors import Cancelled

_TICK_S = 0.05
_CONNECT_S = 10.0
_LARGEST_ANSWER = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response.

    Attributes:
        status: The status code.
        headers: By lower-case name.
        body: The whole body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def post_json(
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str],
    deadline: float,
    should_stop: Callable[[], bool],
) -> Answer:
    """Return the answer to a POST, whatever its status.

    Args:
        url: An http or https URL without a fragment.
        body: JSON in UTF-8.
        headers: Sent beside Content-Type.
        deadline: When to give up, on `time.monotonic()`.
        should_stop: Asked about every 50 ms while waiting for the answer.

    Raises:
        Cancelled: `should_stop()` became true.
        TimeoutError: The deadline has passed, or no connection came about in 10 s.
        OSError: There is no connection, or it broke.
        http.client.HTTPException: The answer is not HTTP, or breaks off, or is over 8 MiB.
    """

    def check() -> None:
        if should_stop():
            raise Cancelled("the caller is gone; the rest is not computed")
        if time.monotonic() >= deadline:
            raise TimeoutError("the time is up")

    check()
    connection, target, proxy_headers = _connection_to(url)
    try:
        connection.timeout = min(_CONNECT_S, max(deadline - time.monotonic(), _TICK_S))
        connection.connect()
        connection.sock.settimeout(max(deadline - time.monotonic(), _TICK_S))
        sent = {"Content-Type": "application/json", "Connection": "close", **proxy_headers}
        connection.request("POST", target, body, {**sent, **headers})
        connection.sock.settimeout(_TICK_S)
        with HTTPResponse(_Watched(connection.sock, check), method="POST") as response:  # type: ignore[arg-type]
            response.begin()
            content = response.read(_LARGEST_ANSWER + 1)
            if len(content) > _LARGEST_ANSWER:
                raise ConnectionError(f"the answer is over {_LARGEST_ANSWER:,} bytes")
            if response.length:  # `read` with a size does not say so itself
                raise IncompleteRead(content, response.length)
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, content)
    finally:
        connection.close()


class _Watched:
    """A socket, as `HTTPResponse` wants one, whose reads ask now and then whether to go on."""

    def __init__(self, sock: socket.socket, check: Callable[[], None]) -> None:
        self._sock = sock
        self._check = check

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_WatchedReader(self._sock, self._check))


class _WatchedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, check: Callable[[], None]) -> None:
        self._sock = sock
        self._check = check

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            self._check()
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue


def _connection_to(url: str) -> tuple[HTTPConnection, str, dict[str, str]]:
    """Return a connection not made yet, what to ask it for, and what a proxy needs to hear."""
    parts = urllib.parse.urlsplit(url)
    host, target = parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else "")
    proxy = urllib.request.getproxies().get(parts.scheme)
    if not proxy or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return _plain_or_tls(parts.scheme, host, parts.port), target, {}
    through = urllib.parse.urlsplit(proxy if "//" in proxy else f"//{proxy}")
    credentials = _proxy_credentials(through)
    if parts.scheme == "http":
        connection = HTTPConnection(through.hostname or "", through.port)
        return connection, url, credentials
    tunnel = _plain_or_tls("https", through.hostname or "", through.port or 80)
    tunnel.set_tunnel(host, parts.port or 443, credentials)
    return tunnel, target, {}


def _plain_or_tls(scheme: str, host: str, port: int | None) -> HTTPConnection:
    if scheme == "https":
        return HTTPSConnection(host, port, context=ssl.create_default_context())
    return HTTPConnection(host, port)


def _proxy_credentials(proxy: urllib.parse.SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
