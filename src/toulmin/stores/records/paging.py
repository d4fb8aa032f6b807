"""Page tokens: where the last page ended, for one list and no other.

A token says "after this position" and never "skip so many", so rows written or deleted between two
pages neither repeat nor hide the others. It is a version byte, a checksum over the list it was
made for and the position, and the position; in base64url without padding.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import orjson

from toulmin.errors import InvalidArgument

_VERSION = b"\x01"
_CHECKSUM_BYTES = 9

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items of a list, and the token for the next ones; empty: there are no more."""

    items: tuple[Item, ...]
    next_page_token: str = ""


def make_token(position: Sequence[str | int], *, scope: Sequence[str]) -> str:
    """Return the token for what follows `position` in the list that `scope` describes.

    Args:
        position: Sort values of the last item given out.
        scope: Whatever must be the same in the next request: kind of list, parent, filter, order.
    """
    content = orjson.dumps(list(position))
    raw = _VERSION + _checksum(content, scope) + content
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_token(token: str, *, scope: Sequence[str], types: Sequence[type]) -> list[str | int]:
    """Return the position in `token`.

    Args:
        token: What `make_token` returned.
        scope: The list that is asked for now.
        types: Types of the position's values.

    Raises:
        InvalidArgument: The token is damaged, of another version, or of another list.
    """
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _refusal(token) from None
    checksum, content = raw[1 : 1 + _CHECKSUM_BYTES], raw[1 + _CHECKSUM_BYTES :]
    if raw[:1] != _VERSION or checksum != _checksum(content, scope):
        raise _refusal(token)
    position: list[str | int] = orjson.loads(content)
    if [type(value) for value in position] != list(types):
        raise _refusal(token)
    return position


def _checksum(content: bytes, scope: Sequence[str]) -> bytes:
    hasher = hashlib.blake2b(orjson.dumps(list(scope)), digest_size=_CHECKSUM_BYTES)
    hasher.update(_VERSION + content)
    return hasher.digest()


def _refusal(token: str) -> InvalidArgument:
    shown = token if len(token) <= 40 else token[:40] + "..."
    return InvalidArgument.of_field(
        "page_token",
        f"{shown!r} is not a token of this list; use the next_page_token of a response to the same"
        " request (parent, filter and order unchanged), or none to begin again.",
    )
