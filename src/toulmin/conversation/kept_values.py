"""Can a value be kept with a session, and be sent?

Those of tools, callbacks and models come as JSON that may be more than the API's messages and the
store can hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

DEEPEST: Final = 20
"""Objects and lists within each other; the API's own messages lie around them, and what reads JSON
into messages stops at 100 in all."""
_LEAST, _MOST = -(2**63), 2**63 - 1


def unkept(value: Any) -> str:
    """Return why a value cannot be kept, as the end of a sentence; empty: it can.

    Args:
        value: What a JSON reader returns.
    """
    rest: list[tuple[Any, int]] = [(value, 1)]
    while rest:
        item, depth = rest.pop()
        if isinstance(item, Mapping | list | tuple):
            if depth > DEEPEST:
                return f"is nested more than {DEEPEST} levels deep"
            inside = [*item, *item.values()] if isinstance(item, Mapping) else item
            rest += [(part, depth + 1) for part in inside]
        elif problem := _single_problem(item):
            return problem
    return ""


def whole_text(text: str) -> str:
    """Return a text with a mark in the place of halves of surrogate pairs, which are no letters."""
    return text.encode("utf-8", "replace").decode()


def _single_problem(item: Any) -> str:
    if isinstance(item, str) and not _is_text(item):
        return "has a character that is none (half of a surrogate pair)"
    if isinstance(item, float) and not math.isfinite(item):
        return f"has the number {item}, which JSON does not know"
    if isinstance(item, int) and not _LEAST <= item <= _MOST:
        return "has an integer of more than 64 bits"
    return ""


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
