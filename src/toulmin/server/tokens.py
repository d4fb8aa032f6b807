"""Who calls, by a token of an OpenID Connect issuer: verified, its claims made role and projects.

PyJWT (extra `oidc`) verifies; it fetches the issuer's keys when one is unknown or five minutes old,
and for unknown ones not more often than every ten seconds, whatever tokens strangers send.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import urlsplit

from toulmin.callers import Caller, Role
from toulmin.errors import (
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
    Unauthenticated,
    Unavailable,
)
from toulmin.settings import Settings

ALL_PROJECTS: Final = "*"
REFETCH_S: Final = 10.0
_RETRY_S: Final = 5.0
_FETCH_TIMEOUT_S: Final = 5.0
_KEYS_LIVE_S: Final = 300.0
_LEEWAY_S: Final = 60
_LONGEST_DOCUMENT: Final = 1024 * 1024
_LONGEST_SUBJECT: Final = 200
# Signatures by a private key only: with a shared secret, the public key could be taken for it.
_ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip


class TokenVerifier:
    """Makes callers of tokens.

    Args:
        issuer: Address of the issuer, as it stands in its tokens.
        audience: Whom the tokens must be for: one of these.
        role_claim: Path of the claim that says the role, "realm_access.roles".
        roles: What its values mean; empty: they are roles.
        project_claim: Path of the claim that says the projects.
        projects: What its values mean; empty: they are ids of projects. "*" is all of them.

    Raises:
        FailedPrecondition: The extra `oidc` is not installed.
    """

    def __init__(
        self,
        issuer: str,
        *,
        audience: Sequence[str],
        role_claim: str,
        roles: Mapping[str, Role],
        project_claim: str,
        projects: Mapping[str, str],
    ) -> None:
        try:
            import jwt
        except ImportError:
            raise FailedPrecondition(
                "Setting oidc_issuer needs the extra oidc: pip install 'toulmin[oidc]'",
                reason="EXTRA_MISSING",
            ) from None
        self._jwt: Any = jwt
        self._issuer = issuer
        self._audience = list(audience)
        self._role_claim, self._roles = role_claim, roles
        self._project_claim, self._projects = project_claim, projects
        self._lock = threading.Lock()
        self._keys: Any = None
        self._failed_at = float("-inf")
        # Of its own: an issuer that is slow must not hold up callers with keys.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="toulmin-tokens")

    @classmethod
    def from_settings(cls, settings: Settings) -> TokenVerifier | None:
        """Return the verifier that the settings ask for; None: they name no issuer.

        Raises:
            FailedPrecondition: The extra `oidc` is not installed.
            InvalidArgument: A setting is missing or makes no sense.
        """
        if not settings.oidc_issuer:
            return None
        _check_address(settings.oidc_issuer, "oidc_issuer")
        if not settings.oidc_audience:
            raise InvalidArgument.of_field(
                "oidc_audience", "is needed with oidc_issuer: a token for others is not for here"
            )
        named = _pairs(settings.oidc_roles, "oidc_roles")
        wrong = sorted(set(named.values()) - set(Role))
        if wrong:
            raise InvalidArgument.of_field(
                "oidc_roles", f"{wrong[0]!r} is no role; there are {', '.join(Role)}"
            )
        return cls(
            settings.oidc_issuer,
            audience=settings.oidc_audience,
            role_claim=settings.oidc_role_claim,
            roles={value: Role(role) for value, role in named.items()},
            project_claim=settings.oidc_project_claim,
            projects=_pairs(settings.oidc_projects, "oidc_projects"),
        )

    async def caller_of(self, token: str) -> Caller:
        """Return who presents a token.

        Raises:
            Unauthenticated: It is not one of the issuer's, not for here, or its time is over.
            PermissionDenied: It is, and gives neither role nor project.
            Unavailable: The issuer cannot be asked for its keys.
        """
        loop = asyncio.get_running_loop()
        return self._caller(await loop.run_in_executor(self._threads, self._claims, token))

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _claims(self, token: str) -> Mapping[str, Any]:
        """Return what a token claims, once its signature is verified."""
        jwt = self._jwt
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in _ALGORITHMS or not isinstance(header.get("kid"), str):
                raise _invalid("its header names no key or no algorithm that is allowed")
            claims: Mapping[str, Any] = jwt.decode(
                token,
                self._signing_key(header["kid"]),
                algorithms=list(_ALGORITHMS),
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise Unauthenticated("The token has expired", reason="TOKEN_EXPIRED") from None
        except jwt.InvalidAudienceError:
            raise _invalid("it is for another audience") from None
        except jwt.InvalidIssuerError:
            raise _invalid("it is of another issuer") from None
        except jwt.InvalidTokenError:
            raise _invalid("it is no token, or its signature or a claim is wrong") from None
        return claims

    def _signing_key(self, kid: str) -> Any:
        jwt = self._jwt
        with self._lock:
            if time.monotonic() - self._failed_at < _RETRY_S:
                raise self._unreachable()
            try:
                if self._keys is None:
                    self._keys = self._discovered()
                return self._keys.get_signing_key(kid)
            except (jwt.PyJWKClientConnectionError, OSError, ValueError) as error:
                self._failed_at = time.monotonic()
                raise self._unreachable() from error
            except (jwt.PyJWKClientError, jwt.PyJWKSetError):
                raise _invalid("it is signed by a key that the issuer does not have") from None

    def _discovered(self) -> Any:
        """Return a client of the issuer's keys, by what it says of itself."""
        url = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
        request = urllib.request.Request(url)  # noqa: S310 - `_check_address` has seen it
        opener = urllib.request.build_opener(_NoRedirects)
        with opener.open(request, timeout=_FETCH_TIMEOUT_S) as response:
            found = json.loads(response.read(_LONGEST_DOCUMENT))
        if not isinstance(found, dict) or found.get("issuer") != self._issuer:
            raise ValueError(f"{url} is not of that issuer")
        uri = str(found.get("jwks_uri"))
        _check_address(uri, "jwks_uri")
        return self._jwt.PyJWKClient(
            uri,
            lifespan=_KEYS_LIVE_S,
            timeout=_FETCH_TIMEOUT_S,
            cooldown_duration=REFETCH_S,
        )

    def _unreachable(self) -> Unavailable:
        return Unavailable(
            f"The token cannot be verified: the keys of {self._issuer} cannot be fetched; try again"
            " later",
            reason="ISSUER_UNREACHABLE",
        )

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        values = _values(claims, self._role_claim)
        roles = [role for role in Role if role in self._meant(values, self._roles)]
        if not roles:
            raise PermissionDenied(
                f"The token is right, but its claim {self._role_claim} gives no role",
                reason="TOKEN_WITHOUT_ROLE",
            )
        projects = self._meant(_values(claims, self._project_claim), self._projects)
        if not projects:
            raise PermissionDenied(
                f"The token is right, but its claim {self._project_claim} gives no project",
                reason="TOKEN_WITHOUT_PROJECT",
            )
        return Caller(
            f"token:{str(claims['sub'])[:_LONGEST_SUBJECT]}",
            roles[-1],
            None if ALL_PROJECTS in projects else frozenset(projects),
        )

    @staticmethod
    def _meant(values: Iterable[str], meanings: Mapping[str, str]) -> set[str]:
        if not meanings:
            return set(values)
        return {meanings[value] for value in values if value in meanings}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An issuer is where it says it is."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


def looks_like_token(text: str) -> bool:
    """Return whether a bearer's credentials are a signed token, and not a key."""
    return text.count(".") == 2


def _values(claims: Mapping[str, Any], path: str) -> list[str]:
    """Return the texts of a claim: those of a list, or the words of one text."""
    found: Any = claims.get(path)
    if found is None:  # not as it stands, so by its parts
        found = claims
        for part in path.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return found.split()
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def _pairs(items: Sequence[str], name: str) -> dict[str, str]:
    found = {}
    for item in items:
        value, equals, meaning = item.rpartition("=")
        if not value or not equals or not meaning:
            raise InvalidArgument.of_field(name, f"{item!r} is not of the form VALUE=MEANING")
        found[value] = meaning
    return found


def _check_address(address: str, name: str) -> None:
    parts = urlsplit(address)
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or parts.scheme not in (("https", "http") if local else ("https",)):
        raise InvalidArgument.of_field(
            name, f"{address[:200]!r} must be an https:// address (http:// on this machine only)"
        )


def _invalid(why: str) -> Unauthenticated:
    return Unauthenticated(f"The token is not valid: {why}", reason="TOKEN_INVALID")
