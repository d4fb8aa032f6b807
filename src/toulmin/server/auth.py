"""Who calls: nobody but this machine by default, callers with a key once there are keys.

Keys are those of the settings, which may do everything, and those that `toulmin keys` makes, which
have a role and projects. Tokens of an issuer (`tokens.py`) have these by their claims. A chat token
is for one session, on an open server too: whoever presents one wants no more.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import hmac
import ipaddress
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from toulmin.apis.aip.access import project_of
from toulmin.callers import LOCAL, Caller, Role
from toulmin.errors import FailedPrecondition, PermissionDenied, Unauthenticated
from toulmin.server.stored_keys import StoredKeys
from toulmin.server.tokens import TokenVerifier, looks_like_token
from toulmin.services.chat_tokens import ChatGrant, ChatTokens, is_chat_token
from toulmin.settings import Settings
from toulmin.stores.records import ApiKey, digest_of

_BEARER: Final = "bearer "
_SESSION_CHARS: Final = 12
_PROJECT_HEADER: Final = "x-goog-user-project"


class Authenticator:
    """Says who a caller is. While there is no key of any kind, everybody is `LOCAL`.

    Args:
        keys: The keys of the settings; only their hashes are kept.
        stored: The keys of the record store; None: there are none.
        tokens: Verifies tokens of an issuer; None: none are taken.
        chats: Reads chat tokens; None: none are taken.
    """

    def __init__(
        self,
        keys: Sequence[str],
        stored: StoredKeys | None = None,
        tokens: TokenVerifier | None = None,
        chats: ChatTokens | None = None,
    ) -> None:
        self._digests = [digest_of(key) for key in keys]
        self._stored = stored
        self._tokens = tokens
        self._chats = chats

    async def is_open(self) -> bool:
        """Return whether no key is needed: there is none, nor ever was, and no issuer of tokens.

        Raises:
            Unavailable: The stored keys cannot be read.
        """
        if self._digests or self._tokens is not None:
            return False
        return not await self._stored_keys()

    async def check(self, headers: Mapping[str, str], *, query_key: str = "") -> Caller:
        """Return who presents the first key or token that is right.

        Args:
            headers: Lower-case HTTP headers or gRPC metadata.
            query_key: Value of the query parameter `key`.

        Raises:
            Unauthenticated: No key or token was presented, or none that is right.
            PermissionDenied: The caller says that it works for a project that it may not use, or
                its token gives it neither role nor project.
            Unavailable: The stored keys cannot be read, or the issuer cannot be reached.
        """
        is_open = await self.is_open()
        presented = [
            key
            for key in _presented(headers, query_key)
            if key and (is_chat_token(key) or not is_open)
        ]
        if is_open and not presented:
            return LOCAL
        if not presented:
            raise Unauthenticated(
                "This server needs an API key: send it as header x-goog-api-key, as query"
                " parameter key, or as Authorization: Bearer",
                reason="CREDENTIALS_MISSING",
            )
        refusal = Unauthenticated("The API key is not valid", reason="API_KEY_INVALID")
        for key in presented:
            try:
                caller = await self._caller_of(key)
            except Unauthenticated as error:
                refusal = error
                continue
            if caller is not None:
                return _working_for(caller, headers.get(_PROJECT_HEADER, ""))
        raise refusal

    async def _caller_of(self, key: str) -> Caller | None:
        """Return whose key or token it is; None: nobody's."""
        digest = digest_of(key)
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        if any(matches):
            return Caller(f"setting:{matches.index(True) + 1}", Role.ADMIN)
        stored = (await self._stored_keys()).get(digest)
        if stored is not None:
            return _caller_of_stored(stored)
        if self._chats is not None and is_chat_token(key):
            return await self._chatting(await asyncio.to_thread(self._chats.read, key))
        if self._tokens is not None and looks_like_token(key):
            return await self._tokens.caller_of(key)
        return None

    async def _chatting(self, grant: ChatGrant) -> Caller:
        """Return whoever holds a chat token, which is worth what its maker still is.

        Raises:
            Unauthenticated: The key that it was made with does not hold any more.
        """
        kind, _, id_ = grant.maker.partition(":")
        if kind == "key":
            for key in (await self._stored_keys()).values():
                if key.id == id_:
                    _caller_of_stored(key)
        if grant.maker == LOCAL.id and not await self.is_open():
            raise Unauthenticated(
                "The chat token was made while this server asked nobody for a key",
                reason="CHAT_TOKEN_INVALID",
            )
        session = hashlib.sha256(grant.scope.session.encode()).hexdigest()[:_SESSION_CHARS]
        return Caller(
            f"{grant.maker}/chat:{session}",
            Role.VIEWER,
            frozenset({project_of(grant.scope.session)}),
            chat=grant.scope,
            payer=grant.maker,
        )

    async def _stored_keys(self) -> Mapping[bytes, ApiKey]:
        return {} if self._stored is None else await self._stored.current()


def _caller_of_stored(key: ApiKey) -> Caller:
    state = key.state(datetime.now(UTC))
    if state != "active":
        raise Unauthenticated(f"The API key is {state}", reason=f"API_KEY_{state.upper()}")
    return Caller(f"key:{key.id}", key.role, key.projects)


def _working_for(caller: Caller, wanted: str) -> Caller:
    """Return the caller with the project that it works for: the one it says, or its only one.

    Raises:
        PermissionDenied: It may not use that project.
    """
    if wanted and not caller.may_use(wanted):
        raise PermissionDenied(
            f"Header {_PROJECT_HEADER}: this caller may not use project {wanted[:100]!r}",
            reason="USER_PROJECT_DENIED",
        )
    if not wanted and caller.projects is not None and len(caller.projects) == 1:
        (wanted,) = caller.projects
    return dataclasses.replace(caller, project=wanted)


def _presented(headers: Mapping[str, str], query_key: str) -> Iterable[str]:
    yield headers.get("x-goog-api-key", "")
    authorization = headers.get("authorization", "")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        yield authorization[len(_BEARER) :].strip()
    yield query_key


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine only."""
    name = host.strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def require_safe_address(settings: Settings, has_keys: Callable[[], bool] | None = None) -> None:
    """Return if the server may listen where the settings say.

    Args:
        settings: Address and keys.
        has_keys: Asks whether keys were made with `toulmin keys`; None: none were.

    Raises:
        FailedPrecondition: Others could reach the server and nobody would ask them for a key.
    """
    if is_loopback(settings.host) or settings.api_keys or settings.allow_unauthenticated:
        return
    if settings.oidc_issuer:
        return
    if has_keys is not None and has_keys():
        return
    raise FailedPrecondition(
        f"Refusing to listen on {settings.host!r}: other machines could use the server without a"
        " key. Either make keys (`toulmin keys create`), configure some (api_keys_file, or"
        " environment TOULMIN_API_KEYS), or say --allow-unauthenticated",
        reason="UNSAFE_ADDRESS",
    )
