"""Names as words, values as texts, and texts as they are read."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_LONGEST_QUOTED: Final = 100
_BLANKS: Final = re.compile(r"(?<!\s)(\s{40})\s++")


def spaced(name: str) -> str:
    """Return a name with a space before each capital inside: "orderId" is "order Id"."""
    return _INNER_CAPITAL.sub(" ", name)


def words_of(text: str) -> list[str]:
    """Return the words of a text or a name, lower case: "orderId" is "order", "id"."""
    return [word.lower() for word in _WORDS.findall(spaced(text.replace("_", " ")))]


def without_long_blanks(text: str) -> str:
    """Return a text with at most 40 blanks in a row: what reads it may look at each from each."""
    return _BLANKS.sub(r"\1", text)


def shown(value: Any) -> str:
    """Return a value as users are told it: "yes" and "no", whole numbers without a point."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def quoted(value: Any, *, longest: int = _LONGEST_QUOTED) -> str:
    """Return a value as JSON has it, cut to what an error tells of it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else f"{text[:longest]}..."
