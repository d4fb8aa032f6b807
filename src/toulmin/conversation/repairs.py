"""What users put right while they speak: "for 4, er, 5", "small? no, medium", "3 days, or no, 4".

Only what can be nothing else: a word that takes back (`EDIT`) between two values of one kind, or a
"not" before one.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from toulmin.conversation.day_patterns import DATE, TIME
from toulmin.conversation.forms import TAKING_BACK, Found
from toulmin.conversation.numerals import numerals_in

EDIT: Final = re.compile(
    r"[\s,.;?!\u2026-]*(?:\b(?:or|and|but|oh|well)\s+)?"
    rf"\b(?:{TAKING_BACK}|scratch that|correction)\b[\s,.;:!\u2026-]*"
    rf"(?:\b(?:{TAKING_BACK}|let'?s say|say|it'?s|that'?s|it is|the)\b[\s,.;:!-]*)*",
    re.IGNORECASE,
)
"""Words between a value and the one that takes its place."""
_NOT: Final = re.compile(r"[\s,]*\b(?:and\s+)?not\s+(?:the\s+|on\s+|at\s+)?\Z", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*(?:\w+\s*)?", re.IGNORECASE)
"""A unit may stand between a value and the edit: "3 days, no, 4"."""
_MOST: Final = 4


def mended(said: str) -> str:
    """Return a text with numbers, days and times that were taken back in it left out."""
    for _ in range(_MOST):
        changed = _once(said)
        if changed == said:
            break
        said = changed
    return said


def _once(said: str) -> str:
    for values in _kinds(said):
        for one, other in pairwise(values):
            between = said[one.end : other.start]
            unit = _BETWEEN.match(between)
            tail = between[unit.end() :] if unit else between
            if EDIT.fullmatch(between):
                return f"{said[: one.start]}{said[other.start :]}"
            if unit and EDIT.fullmatch(tail):
                kept = between[: unit.end()]
                return f"{said[: one.start]}{other.value}{kept.rstrip()}{said[other.end :]}"
            if negated := _NOT.search(between):
                start = one.end + negated.start()
                return f"{said[:start]}{said[other.end :]}"
    return said


def _kinds(said: str) -> list[list[Found]]:
    """Return the numbers, the days and the times of a text, each in their order."""
    days, times = (
        [Found(m[0], m.start(), m.end()) for m in pattern.finditer(said)]
        for pattern in (DATE, TIME)
    )
    numbers = [
        Found(said[n.start : n.end], n.start, n.end)
        for n in numerals_in(said)
        if n.number is not None
        and not any(one.start <= n.start < one.end for one in (*days, *times))
    ]
    return [numbers, days, times]
