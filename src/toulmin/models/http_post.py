"""One HTTP POST of JSON that can be stopped at any moment: by a deadline, or by its caller.

The standard library's client, with one connection a call. Its own timeout is one for each read,
so a server that sends a byte now and then would never run into it; here the whole exchange has
one deadline. Redirects are not followed: they could carry a key to another host. Proxies are
those of the environment (`HTTPS_PROXY`, `NO_PROXY`), as `urllib` reads them.
"""

from __future__ import annotations

import base64
import errno
import io
import os
import selectors
import socket
import ssl
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any

from toulmin.work import Work

_TICK_S = 0.05
_CONNECT_S = 10.0
_LARGEST_ANSWER = 8 * 1024 * 1024
_LARGEST_READ = 64 * 1024


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


class Watch:
    """A deadline of its own, which may be moved, and the work that it is for.

    Args:
        deadline: When to give up, on `time.monotonic()`.
        work: Whether it is still wanted.
    """

    def __init__(self, deadline: float, work: Work) -> None:
        self.deadline = deadline
        self._work = work

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, at least a tick."""
        return max(self.deadline - time.monotonic(), _TICK_S)

    def check(self) -> None:
        """Go on or not.

        Raises:
            Cancelled: The caller is gone.
            TimeoutError: The deadline has passed.
        """
        self._work.check()
        if time.monotonic() >= self.deadline:
            raise TimeoutError("the time is up")


class OpenAnswer:
    """An HTTP response whose body is still on its way.

    Attributes:
        status: The status code.
        headers: By lower-case name.
    """

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it comes, without delay.

        Raises:
            Cancelled, TimeoutError, OSError, http.client.HTTPException: As `post_json`.
        """
        size = 0
        while chunk := self._response.read1(_LARGEST_READ):
            size += len(chunk)
            if size > _LARGEST_ANSWER:
                raise ConnectionError(f"the answer is over {_LARGEST_ANSWER:,} bytes")
            yield chunk
        if self._response.length:  # `read1` does not say so itself
            raise IncompleteRead(b"", self._response.length)

    def whole(self) -> Answer:
        """Return the response with its whole body; raises what `chunks` does."""
        return Answer(self.status, self.headers, b"".join(self.chunks()))


def post_json(
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str],
    deadline: float,
    work: Work,
) -> Answer:
    """Return the answer to a POST, whatever its status.

    Args:
        url: An http or https URL without a fragment.
        body: JSON in UTF-8.
        headers: Sent beside Content-Type.
        deadline: When to give up, on `time.monotonic()`.
        work: Asked about every 50 ms while waiting for the answer.

    Raises:
        Cancelled: Nobody waits any more.
        TimeoutError: The deadline has passed, or no connection came about in 10 s.
        OSError: There is no connection, or it broke.
        http.client.HTTPException: The answer is not HTTP, or breaks off, or is over 8 MiB.
    """
    with open_post(url, body, headers=headers, watch=Watch(deadline, work)) as answer:
        return answer.whole()


@contextmanager
def open_post(
    url: str, body: bytes, *, headers: Mapping[str, str], watch: Watch
) -> Iterator[OpenAnswer]:
    """Give the answer to a POST once its head is there; the connection is closed at the end.

    Args:
        url: An http or https URL without a fragment.
        body: JSON in UTF-8.
        headers: Sent beside Content-Type.
        watch: Asked about every 50 ms while waiting; its deadline may be moved meanwhile.

    Raises:
        Cancelled, TimeoutError, OSError, http.client.HTTPException: As `post_json`.
    """
    watch.check()
    connection, target, proxy_headers = _connection_to(url)
    connection.timeout = min(_CONNECT_S, watch.left_s)
    connection._create_connection = _watched_connect(watch)  # type: ignore[attr-defined]
    try:
        connection.connect()
        connection.sock.settimeout(watch.left_s)
        sent = {"Content-Type": "application/json", "Connection": "close", **proxy_headers}
        connection.request("POST", target, body, {**sent, **headers})
        connection.sock.settimeout(_TICK_S)
        with HTTPResponse(_Watched(connection.sock, watch.check), method="POST") as response:  # type: ignore[arg-type]
            response.begin()
            yield OpenAnswer(response)
    finally:
        connection.close()


def _watched_connect(watch: Watch) -> Callable[..., socket.socket]:
    """Return a `socket.create_connection` that a caller who goes away ends."""

    def connect(address: tuple[str, int], timeout: float, *_: object) -> socket.socket:
        failure = OSError(f"{address[0]} has no address")
        for family, kind, protocol, _name, place in socket.getaddrinfo(
            *address, type=socket.SOCK_STREAM
        ):
            sock = socket.socket(family, kind, protocol)
            try:
                _finish_connecting(sock, place, time.monotonic() + timeout, watch)
            except OSError as error:
                sock.close()
                watch.check()
                failure = error
            except BaseException:
                sock.close()
                raise
            else:
                sock.settimeout(timeout)
                return sock
        raise failure

    return connect


def _finish_connecting(sock: socket.socket, place: Any, until: float, watch: Watch) -> None:
    sock.settimeout(0)
    status = sock.connect_ex(place)
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_WRITE)
        while status in {errno.EINPROGRESS, errno.EWOULDBLOCK}:
            watch.check()
            if time.monotonic() >= until:
                raise TimeoutError("no connection came about in time")
            if selector.select(_TICK_S):
                status = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if status:
        raise OSError(status, os.strerror(status))


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
