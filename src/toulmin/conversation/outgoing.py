"""What tools carry to other servers, and which servers they may call."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toulmin.domain import JsonObject
from toulmin.errors import FailedPrecondition, Unimplemented

LARGEST_ANSWER: Final = 1024 * 1024
"""Bytes of an answer that are read."""
_VARIABLE: Final = re.compile(r"\$context\.variables\.(\w+)\Z")
_WRONG_IN_HEADER: Final = re.compile(r"[\r\n\0]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What a call carries so that the server lets it in.

    Attributes:
        headers: Headers.
        query: Query parameters.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


def check_host(url: str, allowed: frozenset[str], what: str) -> None:
    """Let a call go only to a host that the operator named, as "host" or "host:port".

    Raises:
        FailedPrecondition: The operator does not allow the host.
    """
    parts = urllib.parse.urlsplit(url)
    if not {parts.netloc, parts.hostname} & allowed:
        raise FailedPrecondition(
            f"{what} is at {parts.netloc}, which this server does not call; the setting"
            " agent_hosts allows it",
            reason="HOST_NOT_ALLOWED",
        )


def address_problem(url: str) -> str:
    """Return what is wrong with a server's address, as the end of a sentence; empty: nothing."""
    shown = f'"{url[:200]}"'
    try:
        parts = urllib.parse.urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return f"{shown} is no URL"
    if parts.scheme not in ("http", "https") or not has_host or not url.isascii():
        return f"{shown} must be an http or https URL"
    if parts.username is not None or parts.fragment or any(char <= " " for char in url):
        return f"{shown} must have no user name, fragment or space"
    return ""


def credentials_of(config: JsonObject, variables: JsonObject, field_name: str) -> Credentials:
    """Return the credentials of an `ApiAuthentication`, the API's JSON.

    Raises:
        FailedPrecondition: It names a variable that has no value.
        Unimplemented: It is of a kind that needs Google's services.
    """
    if not config:
        return Credentials()
    if "bearerTokenConfig" not in config:
        raise Unimplemented(
            f"{field_name}.{next(iter(config))} is not implemented in this version of Toulmin; use"
            " bearer_token_config"
        )
    token = filled(str(config["bearerTokenConfig"].get("token", "")), variables)
    if not token:
        raise FailedPrecondition(
            f"{_missing(str(config['bearerTokenConfig'].get('token', '')))}; a tool needs it."
        )
    if _WRONG_IN_HEADER.search(token):
        raise FailedPrecondition("The bearer token of a tool has a line break.")
    return Credentials(headers={"Authorization": f"Bearer {token}"})


def filled(text: str, variables: JsonObject) -> str:
    """Return a text, or the value of the variable that it names; empty: that has none."""
    found = _VARIABLE.match(text)
    return text if found is None else str(variables.get(found[1]) or "")


def header_value(text: str) -> str:
    """Return a text as it may stand in a header: without line breaks."""
    return _WRONG_IN_HEADER.sub(" ", text)


def whole_numbers(value: Any) -> Any:
    """Return a JSON value with whole numbers as integers: the API's JSON knows floats only."""
    if isinstance(value, Mapping):
        return {name: whole_numbers(inside) for name, inside in value.items()}
    if isinstance(value, list):
        return [whole_numbers(inside) for inside in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _missing(text: str) -> str:
    found = _VARIABLE.match(text)
    return f"The variable {found[1]} has no value" if found else "The bearer token is empty"
