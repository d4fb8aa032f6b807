"""Chat tokens: what a web page holds to talk in one session, instead of a key.

A token is `chat1.CLAIMS.MAC`: claims as JSON and their HMAC-SHA256, both in URL-safe base64. It
names a session, a deployment, when it ends and who made it; nothing of it is stored. One algorithm
and no header that could ask for another, so there is no need of a library for more.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import json
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from toulmin.callers import LOCAL, ChatScope
from toulmin.errors import FailedPrecondition, Unauthenticated
from toulmin.settings import Settings

_PREFIX: Final = "chat1."
_FILE: Final = "chat_tokens.key"
_SECRET_BYTES: Final = 32
_SHOWN: Final = ("key:", "setting:")
_DIGEST_CHARS: Final = 12
_CLOCK_LEEWAY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ChatGrant:
    """What a token says, once it is known that it was made here and holds.

    Attributes:
        scope: What it is for.
        maker: Id of the caller that had it made; of one with a token of an issuer a digest, since
            whoever holds a chat token can read it.
    """

    scope: ChatScope
    maker: str


def is_chat_token(text: str) -> bool:
    """Return whether a bearer's credentials have the form of a chat token."""
    return text.startswith(_PREFIX)


class ChatTokens:
    """Makes and reads tokens; threads and processes may share the secret's file.

    Args:
        file: Where the secret is; made when the first token is.
        lifetime: How long a token holds.
        now: Returns the time in UTC.
    """

    def __init__(
        self,
        file: Path,
        lifetime: timedelta,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._file = file
        self._lifetime = lifetime
        self._now = now

    @classmethod
    def from_settings(cls, settings: Settings) -> ChatTokens:
        """Return what the settings say."""
        file = Path(settings.chat_token_file or settings.data_dir / _FILE)
        return cls(file, timedelta(seconds=settings.chat_token_s))

    def make(self, scope: ChatScope, maker: str) -> tuple[str, datetime]:
        """Return a token and the time from which on it is refused, in whole seconds.

        Args:
            scope: What it is for.
            maker: Id of the caller that asks for it.

        Raises:
            FailedPrecondition: The secret cannot be read or written, or others may read it.
        """
        secret = self._secret(make=True)
        if maker != LOCAL.id and not maker.startswith(_SHOWN):
            maker = f"token:{_mac(secret, maker.encode()).hex()[:_DIGEST_CHARS]}"
        expires = self._now().replace(microsecond=0) + self._lifetime
        claims = {
            "session": scope.session,
            "deployment": scope.deployment,
            "expires": int(expires.timestamp()),
            "maker": maker,
        }
        content = json.dumps(claims, separators=(",", ":")).encode()
        return f"{_PREFIX}{_text(content)}.{_text(_mac(secret, content))}", expires

    def read(self, token: str) -> ChatGrant:
        """Return what a token says.

        Raises:
            Unauthenticated: It was not made here, or its time is over.
            FailedPrecondition: The secret cannot be read, or others may read it.
        """
        secret = self._secret(make=False)
        claims_text, _, mac_text = token.removeprefix(_PREFIX).partition(".")
        content = _bytes(claims_text)
        if not secret or not hmac.compare_digest(_mac(secret, content), _bytes(mac_text)):
            raise Unauthenticated(
                "The chat token is not valid: it was not made by this server",
                reason="CHAT_TOKEN_INVALID",
            )
        claims: Any = json.loads(content)
        left = timedelta(seconds=claims["expires"] - self._now().timestamp())
        # One that holds longer than any is given was made by a clock that was ahead: it would hold
        # until the clock is there again.
        if not timedelta(0) < left <= self._lifetime + _CLOCK_LEEWAY:
            raise Unauthenticated(
                "The chat token has expired; have generateChatToken make another one",
                reason="CHAT_TOKEN_EXPIRED",
            )
        return ChatGrant(ChatScope(claims["session"], claims["deployment"]), claims["maker"])

    def _secret(self, *, make: bool) -> bytes:
        """Return the secret; empty: there is none yet.

        Read each time, so that one that was replaced or taken away holds no longer.
        """
        try:
            if make and not self._file.exists():
                _write_secret(self._file)
            with self._file.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                secret = file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise FailedPrecondition(
                f"The secret of chat tokens cannot be read or written: {error}",
                reason="CHAT_SECRET_UNUSABLE",
            ) from None
        if mode & 0o077 or len(secret) < _SECRET_BYTES:
            wrong = f"may be read by others (chmod 600 {self._file})"
            if len(secret) < _SECRET_BYTES:
                wrong = f"has {len(secret)} bytes; at least {_SECRET_BYTES} are needed"
            raise FailedPrecondition(
                f"The secret of chat tokens, {self._file}, {wrong}", reason="CHAT_SECRET_UNUSABLE"
            )
        return secret


def _write_secret(path: Path) -> None:
    """Write a new secret, readable by its owner only from its first byte on; the first one wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was faster: its secret holds
            os.link(partial, path)
    finally:
        partial.unlink()


def _mac(secret: bytes, content: bytes) -> bytes:
    return hmac.new(secret, b"toulmin chat token\n" + content, hashlib.sha256).digest()


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    """Return the bytes of base64; none where it is wrong, which no MAC fits."""
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
