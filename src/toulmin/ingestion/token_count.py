"""Length of a text in tokens, by a rule that needs no model.

A token is a run of up to 6 Latin letters, of up to 3 other letters or digits, one Han, kana or
hangul character, or one mark. Google's rule of thumb for its models is about four characters a
token; how far this rule is from real tokenizers: docs/decisions/0013-parsing.md.
"""

from __future__ import annotations

import re

_WIDE = (
    "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(
    rf"[A-Za-z\u00c0-\u024f]{{1,6}}|[{_WIDE}]|\d{{1,3}}|[^\W\d_{_WIDE}]{{1,3}}|[^\w\s]|_+"
)


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text; never less than that of a part of it, roughly.

    It may differ by one where a text is cut inside a word.
    """
    return len(_TOKEN.findall(text))


def token_ends(text: str) -> list[int]:
    """Return one past the last character of each token."""
    return [match.end() for match in _TOKEN.finditer(text)]
