"""Tokens for one session: what they say, and what is no token of this server."""

from __future__ import annotations

import base64
import json
import stat
import threading
from datetime import UTC, datetime, timedelta

import pytest

from toulmin.callers import ChatScope
from toulmin.errors import FailedPrecondition, Unauthenticated
from toulmin.services.chat_tokens import ChatTokens, is_chat_token

SCOPE = ChatScope("projects/p/locations/l/apps/a/sessions/s", "projects/p/.../deployments/d")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.time = NOON

    def __call__(self):
        return self.time


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tokens(tmp_path, clock):
    return ChatTokens(tmp_path / "data" / "secret", timedelta(hours=1), clock)


def reason_of(tokens, token):
    with pytest.raises(Unauthenticated) as caught:
        tokens.read(token)
    return caught.value.reason


def test_what_was_said_comes_back_until_the_time_is_over(tokens, clock):
    token, expires = tokens.make(SCOPE, "key:abc")
    assert is_chat_token(token)
    assert expires == NOON + timedelta(hours=1)
    clock.time = expires - timedelta(seconds=1)
    grant = tokens.read(token)
    assert (grant.scope, grant.maker) == (SCOPE, "key:abc")
    clock.time = expires
    assert reason_of(tokens, token) == "CHAT_TOKEN_EXPIRED"


def test_a_token_made_while_the_clock_was_years_ahead_does_not_hold_for_years(tokens, clock):
    clock.time = NOON + timedelta(days=3650)
    ahead, _ = tokens.make(SCOPE, "key:abc")
    clock.time = NOON
    assert reason_of(tokens, ahead) == "CHAT_TOKEN_EXPIRED"
    token, _ = tokens.make(SCOPE, "key:abc")
    clock.time = NOON - timedelta(seconds=30)
    assert tokens.read(token).maker == "key:abc", "a small correction ends no talk"


def test_the_secret_is_for_its_owner_alone_and_its_folder_too(tokens, tmp_path):
    tokens.make(SCOPE, "local")
    folder = tmp_path / "data"
    assert [file.name for file in folder.iterdir()] == ["secret"]
    assert stat.S_IMODE((folder / "secret").stat().st_mode) == 0o600
    assert len((folder / "secret").read_bytes()) == 32


def test_every_character_of_a_token_counts(tokens):
    token, _ = tokens.make(SCOPE, "local")
    prefix, claims, mac = token.split(".")
    for changed in (
        f"{prefix}.{claims[:-1]}.{mac}",
        f"{prefix}.{claims}.{mac[:-2]}",
        f"{prefix}.{claims}.",
        f"{prefix}.{claims}",
        f"{prefix}..",
        f"{prefix}.",
        f"{prefix}.{claims}.{mac}.{mac}",
        f"{prefix}.{claims}.\u00e9",
    ):
        assert reason_of(tokens, changed) == "CHAT_TOKEN_INVALID"
    said = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    said["session"] += "2"
    forged = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
    assert reason_of(tokens, f"{prefix}.{forged}.{mac}") == "CHAT_TOKEN_INVALID"


def test_another_secret_or_none_makes_every_token_wrong(tokens, tmp_path):
    token, _ = tokens.make(SCOPE, "local")
    file = tmp_path / "data" / "secret"
    file.write_bytes(bytes(32))
    assert reason_of(tokens, token) == "CHAT_TOKEN_INVALID"
    file.unlink()
    assert reason_of(tokens, token) == "CHAT_TOKEN_INVALID"
    assert not file.exists()


def test_a_secret_that_others_may_read_or_that_is_short_is_not_used(tokens, tmp_path):
    token, _ = tokens.make(SCOPE, "local")
    file = tmp_path / "data" / "secret"
    file.chmod(0o640)
    for use in (lambda: tokens.read(token), lambda: tokens.make(SCOPE, "local")):
        with pytest.raises(FailedPrecondition, match="chmod 600"):
            use()
    file.chmod(0o600)
    file.write_bytes(b"short")
    with pytest.raises(FailedPrecondition, match="5 bytes; at least 32"):
        tokens.read(token)


def test_who_signed_in_elsewhere_is_not_named_to_whoever_holds_the_token(tokens):
    first, _ = tokens.make(SCOPE, "token:ann@example.org")
    second, _ = tokens.make(SCOPE, "token:bob@example.org")
    makers = [tokens.read(token).maker for token in (first, first, second)]
    assert makers[0] == makers[1] != makers[2]
    assert all(maker.startswith("token:") for maker in makers)
    claims = base64.urlsafe_b64decode(first.split(".")[1] + "==")
    assert b"ann" not in claims


def test_makers_that_come_at_once_share_one_secret(tokens):
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(tokens.make(SCOPE, "local")[0]))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tokens.read(token).scope for token in made} == {SCOPE}
    assert len(made) == 16
