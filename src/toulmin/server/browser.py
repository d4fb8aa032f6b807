"""Web pages of others must not use this server through somebody's browser.

A browser sends `Origin` with every request from a script to another site, and a page can make its
own host name point to 127.0.0.1. Both are refused unless configured; programs send neither. Images
come without `Origin`; `Sec-Fetch-Site` says of them that another site's page asks, and while no key
is needed that is refused, too: `userEvents:collect` is a GET that writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from toulmin.errors import PermissionDenied
from toulmin.server.auth import is_loopback
from toulmin.settings import Settings

_ALLOWED_HEADERS: Final = (
    b"authorization, content-type, content-encoding, x-goog-api-key, x-goog-api-client,"
    b" x-goog-fieldmask, x-goog-user-project, x-http-method-override, x-request-id,"
    b" x-server-timeout"
)


@dataclass(frozen=True, slots=True)
class BrowserRules:
    """Which pages may call.

    Attributes:
        origins: Allowed origins besides the server's own.
        local_names_only: Whether the Host header must name this machine while no key is needed.
    """

    origins: frozenset[str]
    local_names_only: bool

    @classmethod
    def from_settings(cls, settings: Settings) -> BrowserRules:
        """Return the rules for the settings."""
        return cls(
            origins=frozenset(origin.rstrip("/").lower() for origin in settings.cors_origins),
            local_names_only=not settings.allow_unauthenticated,
        )

    def check(self, headers: Mapping[str, str], *, is_open: bool) -> None:
        """Return if the request may come from where it says it comes.

        Args:
            headers: Lower-case names.
            is_open: Whether the server asks nobody for a key.

        Raises:
            PermissionDenied: Another site's page sent it, or it used a strange host name.
        """
        host = headers.get("host", "")
        if is_open and self.local_names_only and host and not is_loopback(_name_of(host)):
            raise PermissionDenied(
                f"Host {host[:100]!r} is not a name of this machine. Make keys, or start the"
                " server with --allow-unauthenticated, to serve under other names",
                reason="HOST_NOT_ALLOWED",
            )
        origin = headers.get("origin")
        if origin is None and is_open and _is_part_of_another_site(headers):
            raise PermissionDenied(
                "Pages of other sites may not use this server while it asks nobody for a key",
                reason="ORIGIN_NOT_ALLOWED",
            )
        if origin is None or self.is_listed(origin):
            return
        if _netloc(origin) != host.lower():
            raise PermissionDenied(
                f"Pages of {origin[:100]!r} may not call this server; setting cors_origins lists"
                " those that may",
                reason="ORIGIN_NOT_ALLOWED",
            )

    def is_listed(self, origin: str) -> bool:
        """Return whether the origin is one of the configured ones."""
        return origin.lower() in self.origins

    def response_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Return the CORS headers of a response; none unless the origin is configured."""
        origin = headers.get("origin")
        if origin is None or not self.is_listed(origin):
            return []
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"vary", b"Origin"),
            (b"access-control-expose-headers", b"x-request-id"),
        ]

    def preflight_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Return the headers that let a configured page send its request."""
        if not self.response_headers(headers):
            return []
        return [
            (b"access-control-allow-headers", _ALLOWED_HEADERS),
            (b"access-control-max-age", b"600"),
        ]


def _is_part_of_another_site(headers: Mapping[str, str]) -> bool:
    """Return whether a page of another site shows what is asked for, as an image or the like."""
    is_link = headers.get("sec-fetch-mode") == "navigate"
    return headers.get("sec-fetch-site") == "cross-site" and not is_link


def _netloc(origin: str) -> str:
    """Return host and port of an origin in lower case; empty when it is none ("null")."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """Return a Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0].removeprefix("[")
    return host.rpartition(":")[0] if ":" in host else host
