"""Files of web servers, `https://`, without letting callers reach into the server's own network.

The name is resolved here, every address it has must be a public one, and the connection goes to an
address that was looked at, so a name that changes its mind between the two gains nothing; the same
again for each redirect. Proxies of the environment are not used: what they connect to could not be
looked at.
https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
"""

from __future__ import annotations

import io
import ipaddress
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from typing import BinaryIO

from toulmin.errors import (
    DeadlineExceeded,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ToulminError,
    Unavailable,
)
from toulmin.ingestion.parsing.file_format import mime_type_of_name
from toulmin.ingestion.sources.storage import Fetched, Found, Stat, check_size
from toulmin.ingestion.sources.uri import name_of

MAX_REDIRECTS = 5
_CONNECT_S = 10.0
_BLOCK = 256 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "toulmin", "Connection": "close"}
# Networks whose last 32 bits are an IPv4 address: NAT64, and the old "IPv4-compatible" form, in
# which `::127.0.0.1` would pass for a public address.
_HOLD_IPV4 = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet, whatever it is wrapped in."""
    found: ipaddress.IPv4Address | ipaddress.IPv6Address
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if any(found in network for network in _HOLD_IPV4):
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        found = inner or found
    return found.is_global and not found.is_multicast


class HttpsStorage:
    """Files of web servers.

    Args:
        enabled: Whether it is allowed at all.
        seconds: Time for one file, redirects included.
        limit: Bytes of one file.
        allow: Whether an IP address may be connected to.
        tls: Certificates to trust; None takes the system's.
    """

    def __init__(
        self,
        *,
        enabled: bool,
        seconds: float,
        limit: int,
        allow: Callable[[str], bool] = is_public,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._enabled = enabled
        self._seconds = seconds
        self._limit = limit
        self._allow = allow
        self._tls = tls

    def check(self, uri: str) -> None:
        """Raise PermissionDenied unless the setting import_https is on, or the URI is wrong."""
        if not self._enabled:
            raise PermissionDenied(
                f"{uri}: files of web servers may not be imported; the setting import_https allows"
                " it",
                reason="IMPORT_NOT_ALLOWED",
            )
        _host_and_port(uri)

    def find(self, uri: str) -> Iterator[Found]:
        """Yield the one file; there are no folders or patterns here."""
        if "*" in urllib.parse.urlsplit(uri).path:
            raise InvalidArgument(f"{uri}: a web server cannot be asked for a pattern")
        yield Found(uri, name_of(uri) or "index.html", named=True)

    def stat(self, uri: str) -> Stat:
        """Return what a HEAD request says; an unknown version where it is not answered."""
        try:
            with self._request("HEAD", uri) as response:
                return _stat(uri, response)
        except (NotFound, Unavailable, DeadlineExceeded):
            return Stat(None, "", mime_type_of_name(name_of(uri)))

    def open(self, uri: str) -> BinaryIO:
        """Return the whole file, held in memory."""
        return io.BytesIO(self.read(uri, self._limit).data)

    def read(self, uri: str, limit: int) -> Fetched:
        """Return a whole file.

        Raises:
            PermissionDenied: It, or what it redirects to, is at an address that is not public.
            ResourceExhausted: It is too large.
            DeadlineExceeded: It took too long.
            NotFound: The server says so.
            Unavailable: The server cannot be reached, or says that something else is wrong.
        """
        with self._request("GET", uri) as response:
            encoding = response.headers.get("Content-Encoding", "identity")
            if encoding.lower() != "identity":
                raise InvalidArgument(
                    f"{uri}: is sent packed as {encoding!r}, though that was not asked for"
                )
            check_size(uri, response.length or 0, limit)
            data = bytearray()
            while block := response.read(_BLOCK):
                data += block
                check_size(uri, len(data), limit)
            if response.length:
                raise Unavailable(f"{uri}: ended {response.length} bytes too early")
            known = _stat(uri, response)
            return Fetched(bytes(data), known.mime_type, known.version)

    @contextmanager
    def _request(self, method: str, uri: str) -> Iterator[HTTPResponse]:
        """Give the answer of status 200, redirects followed, within the time for one file."""
        deadline = time.monotonic() + self._seconds
        place = uri
        for _ in range(MAX_REDIRECTS + 1):
            self.check(place)
            with self._exchange(method, place, deadline) as response:
                if response.status not in _REDIRECTS:
                    _check_status(uri, response)
                    yield response
                    return
                place = urllib.parse.urljoin(place, response.headers.get("Location", ""))
            if not place.startswith("https://"):
                raise PermissionDenied(f"{uri}: redirects to {place!r}, which is not https")
        raise Unavailable(f"{uri}: redirects more than {MAX_REDIRECTS} times")

    @contextmanager
    def _exchange(self, method: str, uri: str, deadline: float) -> Iterator[HTTPResponse]:
        connection: HTTPSConnection | None = None
        timer: threading.Timer | None = None
        expired = threading.Event()
        try:
            connection = self._connect(uri, deadline)
            # A socket's timeout is one for each read; a server that sends a byte now and then
            # would never run into it.
            timer = threading.Timer(deadline - time.monotonic(), _cut, (connection.sock, expired))
            timer.daemon = True
            timer.start()
            parts = urllib.parse.urlsplit(uri)
            target = urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
            if parts.query:
                target += "?" + urllib.parse.quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
            connection.request(method, target, headers=_HEADERS)
            with connection.getresponse() as response:
                yield response
                if expired.is_set():
                    raise _too_late(uri)
        except ToulminError:
            if expired.is_set():
                raise _too_late(uri) from None
            raise
        except (OSError, HTTPException) as error:
            if expired.is_set() or isinstance(error, TimeoutError):
                raise _too_late(uri) from error
            raise Unavailable(
                f"{uri}: cannot be read: {type(error).__name__}: {error}",
                reason="DOCUMENT_UNREADABLE",
            ) from error
        finally:
            if timer is not None:
                timer.cancel()
            if connection is not None:
                connection.close()

    def _connect(self, uri: str, deadline: float) -> HTTPSConnection:
        host, port = _host_and_port(uri)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise Unavailable(f"{uri}: the name {host!r} is not known: {error}") from error
        addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
        for address in addresses:
            if not self._allow(address):
                raise PermissionDenied(
                    f"{uri}: {host!r} is at {address}, which is not an address of the public"
                    " internet",
                    reason="IMPORT_NOT_ALLOWED",
                )
        tls = self._tls or ssl.create_default_context()
        failure: OSError = OSError("it has no address")
        for address in addresses:
            left = min(_CONNECT_S, deadline - time.monotonic())
            if left <= 0:
                raise TimeoutError
            try:
                plain = socket.create_connection((address, port), timeout=left)
            except OSError as error:
                failure = error
                continue
            connection = HTTPSConnection(host, port, context=tls)
            try:
                connection.sock = tls.wrap_socket(plain, server_hostname=host)
            except BaseException:
                plain.close()
                raise
            return connection
        raise failure


def _cut(sock: socket.socket, expired: threading.Event) -> None:
    """End a connection from another thread: whoever reads from it wakes up."""
    expired.set()
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it had ended by itself


def _host_and_port(uri: str) -> tuple[str, int]:
    try:
        parts = urllib.parse.urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidArgument(f"{uri!r} is not a URI: {error}") from error
    if parts.scheme.lower() != "https" or not host or parts.username is not None:
        raise InvalidArgument(f"{uri!r} must be https://host/path, without a user name")
    return host, port or 443


def _check_status(uri: str, response: HTTPResponse) -> None:
    if response.status == 200:
        return
    said = f"{uri}: the server answers {response.status} {response.reason}"
    if response.status in (404, 410):
        raise NotFound(said, reason="DOCUMENT_NOT_FOUND")
    if response.status in (401, 403):
        raise PermissionDenied(said, reason="DOCUMENT_UNREADABLE")
    raise Unavailable(said, reason="DOCUMENT_UNREADABLE")


def _stat(uri: str, response: HTTPResponse) -> Stat:
    version = response.headers.get("ETag", "") or response.headers.get("Last-Modified", "")
    mime_type = response.headers.get("Content-Type", "")
    return Stat(None, version.strip('"'), mime_type or mime_type_of_name(name_of(uri)))


def _too_late(uri: str) -> DeadlineExceeded:
    return DeadlineExceeded(f"{uri}: was not read in the time allowed", reason="DOCUMENT_TOO_SLOW")
