"""Length of a text in tokens, by a rule that needs no model.

A token is a run of up to 6 Latin letters, of up to 3 other letters or digits, one Han, kana or
hangul character, or one mark. Google's rule of thumb for its models is about four characters a
token; how far this rule is from real tokenizers: docs/decisions/0013-parsing.md.
"""

from __future__ import annotations

import re
from itertools import islice

from toulmin.text.scripts import (
    EAST_ASIAN,
    HALF_WIDTH_HANGUL,
    HALF_WIDTH_KANA,
    HALF_WIDTH_SOUND_MARKS,
    HAN_COMPATIBILITY,
    HAN_SUPPLEMENT,
    HANGUL,
    HANGUL_JAMO,
    LATIN,
)

_WIDE = (
    f"{EAST_ASIAN}{HANGUL}{HANGUL_JAMO}{HAN_COMPATIBILITY}{HAN_SUPPLEMENT}"
    f"{HALF_WIDTH_KANA}{HALF_WIDTH_SOUND_MARKS}{HALF_WIDTH_HANGUL}"
)
_TOKEN = re.compile(rf"[{LATIN}]{{1,6}}|[{_WIDE}]|\d{{1,3}}|[^\W\d_{_WIDE}]{{1,3}}|[^\w\s]|_+")


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text; never less than that of a part of it, roughly.

    It may differ by one where a text is cut inside a word.
    """
    return len(_TOKEN.findall(text))


def end_of_tokens(text: str, count: int, start: int = 0, end: int | None = None) -> int:
    """Return one past the last character of the first `count` tokens from `start` on.

    With fewer tokens in the range, or none, return its end. No more is read than these tokens.
    """
    end = len(text) if end is None else end
    last = next(islice(_TOKEN.finditer(text, start, end), count - 1, None), None)
    return end if last is None else last.end()


def has_tokens(text: str, start: int, end: int) -> bool:
    """Return whether a range has a token: anything but white space."""
    return _TOKEN.search(text, start, end) is not None
