"""Page tokens: where the last page ended, for one list and no other.

A token says "after this position" and never "skip so many", so rows written or deleted between two
pages neither repeat nor hide the others. It is a version byte, a checksum over the list it was
made for and the position, and the position; in base64url without padding. A position is made of
what the caller sees anyway (ids, times), never of a row's number: two of those would tell how many
rows others wrote in between.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeAlias, TypeVar

import orjson
from sqlalchemy import Row, String, and_, or_

from toulmin.errors import InvalidArgument
from toulmin.stores.records.tables import Moment

_VERSION = b"\x01"
_CHECKSUM_BYTES = 9

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Item = TypeVar("Item")
Order: TypeAlias = Sequence[tuple[Any, bool]]
"""Columns, texts or numbers or times, each with whether the largest comes first."""


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


def token_after(row: Row[Any], order: Order, *, scope: Sequence[str]) -> str:
    """Return the token for what follows a row in a list of that order."""
    values = [getattr(row, column.name) for column, _ in order]
    position = [
        (value - _EPOCH) // _MICROSECOND if isinstance(value, datetime) else value
        for value in values
    ]
    return make_token(position, scope=scope)


def follows(token: str, order: Order, *, scope: Sequence[str]) -> Any:
    """Return the condition that a row comes after the place in a token.

    Raises:
        InvalidArgument: The token is not of this list.
    """
    types = [str if isinstance(column.type, String) else int for column, _ in order]
    return _beyond(order, read_token(token, scope=scope, types=types))


def by(order: Order) -> list[Any]:
    """Return the order as SQL sorts by it."""
    return [column.desc() if descending else column for column, descending in order]


def _beyond(order: Order, place: Sequence[str | int]) -> Any:
    (column, descending), *others = order
    value: Any = place[0]
    if isinstance(column.type, Moment):
        try:
            value = _EPOCH + int(value) * _MICROSECOND
        except OverflowError:
            raise InvalidArgument.of_field("page_token", "is not a token of this list") from None
    further = column < value if descending else column > value
    if not others:
        return further
    return or_(further, and_(column == value, _beyond(others, place[1:])))


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
