"""Days and amounts that a statement and a line of a tool's response both give, and that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toulmin.conversation.words import words_of

_DAY: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\Z", re.IGNORECASE)
_AMOUNT: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z|\d+(?:\.\d+)?\Z")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,'\u2019-][^\W_]+)*")
_STEM: Final = 5
"""Letters in which two words are the same: "arrival", "arrives"."""
_DAY_WINDOW: Final = 4
_AMOUNT_WINDOW: Final = 2
"""Words, at most, from what is named to its day or amount."""


def said_instead(stated: str, line: str, *, without: Sequence[str] = ()) -> str:
    """Return a statement with a line's day or amount in the place of its own; empty: no such thing.

    Args:
        stated: What somebody says.
        line: What is known: a name, a colon, a value.
        without: Texts that are no amounts, such as the numbers of orders.
    """
    name, colon, value = line.partition(": ")
    named = words_of(name)[-1:]
    value = value.strip()
    tokens = list(_TOKEN.finditer(stated))
    at = next((n for n, token in enumerate(tokens) if named and _same(token[0], named[0])), None)
    if not colon or at is None:
        return ""
    if _DAY.match(value):
        form, window = _DAY, _DAY_WINDOW
    elif _AMOUNT.match(value):
        form, window = _AMOUNT, _AMOUNT_WINDOW
    else:
        return ""
    given = [
        (abs(n - at), token)
        for n, token in enumerate(tokens)
        if form.match(token[0]) and token[0] not in without
    ]
    if len(given) != 1 or given[0][0] > window or _equal(given[0][1][0], value):
        return ""
    token = given[0][1]
    return f"{stated[: token.start()]}{value}{stated[token.end() :]}."


def _same(word: str, name: str) -> bool:
    word = word.lower()
    return word == name or (min(len(word), len(name)) >= _STEM and word[:_STEM] == name[:_STEM])


def _equal(one: str, other: str) -> bool:
    plain = (one.replace(",", "").lower(), other.replace(",", "").lower())
    return plain[0] == plain[1] or (
        _AMOUNT.match(one) is not None and float(plain[0]) == float(plain[1])
    )
