"""X-HTTP-Method-Override: any method for clients and proxies that let only GET and POST through.

A POST with the header means what the header says. Where that is GET, a form in the body stands for
the query, which may be longer than an address can be.

https://cloud.google.com/apis/docs/system-parameters
"""

from __future__ import annotations

from typing import Final

from toulmin.errors import InvalidArgument
from toulmin.server.exchange import Exchange

HEADER: Final = "x-http-method-override"
_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")
_FORM: Final = "application/x-www-form-urlencoded"


def meant_method(exchange: Exchange) -> str:
    """Return the HTTP method that a request means; HEAD is GET.

    Raises:
        InvalidArgument: The header of a POST names none that an API has.
    """
    if exchange.method == "HEAD":
        return "GET"
    given = exchange.headers.get(HEADER, "").strip()
    if exchange.method != "POST" or not given:
        return exchange.method
    if given.upper() not in _METHODS:
        raise InvalidArgument(
            f"Header X-HTTP-Method-Override is {given[:40]!r}; it must be one of"
            f" {', '.join(_METHODS)}"
        )
    return given.upper()


def body_as_query(exchange: Exchange, body: bytes) -> bytes:
    """Move the form of a POST that means GET to the query of `exchange`; return what is left.

    Raises:
        InvalidArgument: The header of a POST names no method that an API has.
    """
    content_type = exchange.headers.get("content-type", "").partition(";")[0].strip().lower()
    if exchange.method != "POST" or meant_method(exchange) != "GET" or content_type != _FORM:
        return body
    form = body.decode("latin-1").strip()  # percent-encoded: what is not ASCII is read as it came
    exchange.query = "&".join(part for part in (exchange.query, form) if part)
    return b""
