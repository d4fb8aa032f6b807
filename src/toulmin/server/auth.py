"""Who may call: nobody but this machine by default, callers with a key when keys are configured."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from toulmin.errors import FailedPrecondition, Unauthenticated
from toulmin.settings import Settings

_BEARER = "bearer "


class Authenticator:
    """Checks the keys that a caller presents. Without configured keys everybody passes.

    Args:
        keys: The configured keys; only their hashes are kept.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._digests = [_digest(key) for key in keys]

    @property
    def is_open(self) -> bool:
        """Return whether no key is needed."""
        return not self._digests

    def check(self, headers: Mapping[str, str], *, query_key: str = "") -> None:
        """Return if one of the presented keys is right.

        Args:
            headers: Lower-case HTTP headers or gRPC metadata.
            query_key: Value of the query parameter `key`.

        Raises:
            Unauthenticated: None is.
        """
        if self.is_open:
            return
        presented = [key for key in _presented(headers, query_key) if key]
        if not presented:
            raise Unauthenticated(
                "This server needs an API key: send it as header x-goog-api-key, as query"
                " parameter key, or as Authorization: Bearer",
                reason="CREDENTIALS_MISSING",
            )
        if not any(self._is_known(key) for key in presented):
            raise Unauthenticated("The API key is not valid", reason="API_KEY_INVALID")

    def _is_known(self, key: str) -> bool:
        digest = _digest(key)
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        return any(matches)


def _presented(headers: Mapping[str, str], query_key: str) -> Iterable[str]:
    yield headers.get("x-goog-api-key", "")
    authorization = headers.get("authorization", "")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        yield authorization[len(_BEARER) :].strip()
    yield query_key


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "surrogateescape")).digest()


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine only."""
    name = host.strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def require_safe_address(settings: Settings) -> None:
    """Return if the server may listen where the settings say.

    Raises:
        FailedPrecondition: Others could reach the server and nobody would ask them for a key.
    """
    if is_loopback(settings.host) or settings.api_keys or settings.allow_unauthenticated:
        return
    raise FailedPrecondition(
        f"Refusing to listen on {settings.host!r}: other machines could use the server without a"
        " key. Either configure keys (environment TOULMIN_API_KEYS, or api_keys in the settings"
        " file) or say --allow-unauthenticated",
        reason="UNSAFE_ADDRESS",
    )
