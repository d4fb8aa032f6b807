"""A Toulmin server's REST API, asked with the standard library's client.

Redirects are not followed: they could carry a key to another host. Proxies and certificate
authorities are those of the environment (`HTTPS_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`).
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final
from urllib.parse import quote, urlencode, urlsplit

import orjson

from toulmin.cli.access import VERSION
from toulmin.errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    ToulminError,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)

_TIMEOUT_S: Final = 120.0
_TRIES: Final = 5
_FIRST_PAUSE_S: Final = 0.5
_BUSY: Final = (429, 503)
_PATH_CHARS: Final = "/:@-._~!$&'()*+,;="
_ERRORS: Final[Mapping[str, type[ToulminError]]] = {
    "CANCELLED": Cancelled,
    "INVALID_ARGUMENT": InvalidArgument,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "PERMISSION_DENIED": PermissionDenied,
    "RESOURCE_EXHAUSTED": ResourceExhausted,
    "FAILED_PRECONDITION": FailedPrecondition,
    "ABORTED": Aborted,
    "UNIMPLEMENTED": Unimplemented,
    "INTERNAL": Internal,
    "UNAVAILABLE": Unavailable,
    "UNAUTHENTICATED": Unauthenticated,
}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        _request: urllib.request.Request,
        _body: IO[bytes],
        _code: int,
        _reason: str,
        _headers: HTTPMessage,
        _url: str,
    ) -> None:
        return None


class ServerApi:
    """The API of one server; see `access.Api`.

    Args:
        url: Its address, such as "http://127.0.0.1:8080".
        api_key: Sent as `x-goog-api-key`; empty: none is.
        timeout_s: Longest wait for the server's next bytes.

    Raises:
        InvalidArgument: `url` is no http or https address.
    """

    def __init__(self, url: str, *, api_key: str = "", timeout_s: float = _TIMEOUT_S) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidArgument.of_field(
                "--server", f"{url!r} must be an address such as http://127.0.0.1:8080"
            )
        self._base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["x-goog-api-key"] = api_key
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects())

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the response's JSON; a server that is busy is asked again a few times.

        Raises:
            ToulminError: What the server answered.
            Unavailable: It cannot be reached, or does not answer as a Toulmin server.
        """
        url = f"{self._base}/{VERSION}/{quote(path, safe=_PATH_CHARS)}"
        if query:
            url += f"?{urlencode(query)}"
        content = None if body is None else orjson.dumps(body)
        status, answer = self._exchange(method, url, content)
        pause = _FIRST_PAUSE_S
        for _ in range(_TRIES - 1):
            if status not in _BUSY:
                break
            time.sleep(pause)
            pause *= 2
            status, answer = self._exchange(method, url, content)
        return _read(self._base, status, answer)

    def _exchange(self, method: str, url: str, content: bytes | None) -> tuple[int, bytes]:
        request = urllib.request.Request(url, content, self._headers, method=method)  # noqa: S310 - the scheme was looked at
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", None) or error
            raise Unavailable(f"{self._base} cannot be reached: {why}") from error


def _read(base: str, status: int, answer: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(answer)
    except orjson.JSONDecodeError as error:
        raise Unavailable(
            f"{base} does not answer as a Toulmin server (status {status}, no JSON)."
        ) from error
    if status < 300 and isinstance(value, dict):
        return value
    said = value.get("error") if isinstance(value, dict) else None
    if not isinstance(said, dict):
        raise Unavailable(f"{base} does not answer as a Toulmin server (status {status}).")
    kind = _ERRORS.get(str(said.get("status")), Unavailable)
    raise kind(str(said.get("message") or f"status {status}"))
