"""A Toulmin server's REST API, asked with the standard library's client.

Redirects are not followed: they could carry a key to another host. Proxies and certificate
authorities are those of the environment (`HTTPS_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`).
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final
from urllib.parse import quote, urlencode, urlsplit

import orjson

from toulmin.cli.addresses import VERSION
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
_EVENTS: Final = "text/event-stream"
_DATA: Final = b"data: "
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
        token: OAuth access token; empty: none is sent.
        timeout_s: Longest wait for the server's next bytes.
        flag: Where `url` is from, for errors.

    Raises:
        InvalidArgument: `url` is no http or https address.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str = "",
        token: str = "",
        timeout_s: float = _TIMEOUT_S,
        flag: str = "--server",
    ) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidArgument.of_field(
                flag, f"{url!r} must be an address such as http://127.0.0.1:8080"
            )
        self._base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["x-goog-api-key"] = api_key
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects())

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        *,
        version: str = VERSION,
    ) -> dict[str, Any]:
        """Return the response's JSON; a server that is busy is asked again a few times.

        Raises:
            ToulminError: What the server answered.
            Unavailable: It cannot be reached, or does not answer as a Toulmin server.
        """
        url = f"{self._base}/{version}/{quote(path, safe=_PATH_CHARS)}"
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

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield each response of a streaming method as it comes, read as server-sent events.

        Raises:
            ToulminError: What the server answered, or said in the middle of its answer.
            Unavailable: It cannot be reached, does not answer as a Toulmin server, or went away.
        """
        url = f"{self._base}/{VERSION}/{quote(path, safe=_PATH_CHARS)}?alt=sse"
        request = urllib.request.Request(url, orjson.dumps(body), self._headers, method="POST")  # noqa: S310 - the scheme was looked at
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                if response.headers.get_content_type() != _EVENTS:
                    raise _error(self._base, response.status, None)
                for line in response:
                    if line.startswith(_DATA):
                        yield _read_event(self._base, line.removeprefix(_DATA))
        except urllib.error.HTTPError as error:
            with error:
                _read(self._base, error.code, error.read())
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error

    def _exchange(self, method: str, url: str, content: bytes | None) -> tuple[int, bytes]:
        request = urllib.request.Request(url, content, self._headers, method=method)  # noqa: S310 - the scheme was looked at
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: OSError | HTTPException) -> Unavailable:
        why = getattr(error, "reason", None) or error
        return Unavailable(f"{self._base} cannot be reached: {why}")


def _read(base: str, status: int, answer: bytes) -> dict[str, Any]:
    """Return an answer's JSON, or raise the error that it is."""
    value = _json(base, status, answer)
    if status < 300 and isinstance(value, dict):
        return value
    if isinstance(value, list) and len(value) == 1:  # of a streaming method
        value = value[0]
    raise _error(base, status, value)


def _read_event(base: str, answer: bytes) -> dict[str, Any]:
    """Return a part of a stream; an error in its place is raised."""
    value = _json(base, 200, answer)
    if not isinstance(value, dict) or value.keys() == {"error"}:
        raise _error(base, 200, value)
    return value


def _json(base: str, status: int, answer: bytes) -> Any:
    try:
        return orjson.loads(answer)
    except orjson.JSONDecodeError as error:
        raise Unavailable(
            f"{base} does not answer as a Toulmin server (status {status}, no JSON)."
        ) from error


def _error(base: str, status: int, value: Any) -> ToulminError:
    said = value.get("error") if isinstance(value, dict) else None
    if not isinstance(said, dict):
        return Unavailable(f"{base} does not answer as a Toulmin server (status {status}).")
    kind = _ERRORS.get(str(said.get("status")), Unavailable)
    return kind(str(said.get("message") or f"status {status}"))
