"""What users put right while they speak: "for 4, er, 5", "small? no, medium", "3 days, or no, 4".

Only what can be nothing else: a word that takes back (`EDIT`) between two values of one kind, or a
"not" before one. Numbers are of one kind where they may count the same: "room 412, sorry, 2 nights"
takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from toulmin.conversation.day_patterns import DATE, TIME
from toulmin.conversation.forms import TAKING_BACK, Found
from toulmin.conversation.numerals import alike, numerals_in
from toulmin.conversation.spoken_numbers import TIME_UNITS
from toulmin.text.units import measured_by, unit_of

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
_WORD_BEFORE: Final = re.compile(r"(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)?)[\s.:#-]*\Z")
_COUNTED: Final = re.compile(r"(?:\s+[^\W\d_]+){1,3}")
_ENDS_SENTENCE: Final = re.compile(r"[.!?]")
_BEFORE_COUNTS: Final = (
    "for of to at by with about around from until in on and or but plus than a an the is are was"
    " were be been it its it's that's we're i'm me us you them i we have has had make need want"
    " take like get got book order buy rent borrow send pay transfer give add bring reserve set"
    " say just only maybe exactly actually no not sorry wait er um another all"
)
NO_LABELS: Final = frozenset(_BEFORE_COUNTS.split())
"""Words before a number that it is no number of: "for 4" counts, "room 4" is the fourth room."""
_BEHIND_COUNTS: Final = (
    "for of to at by with about from until in on and or but than is are was were be would will"
    " can could should has have had do does i we you they he she it this that my our your please"
    " thanks instead then as if so because when where not no sorry wait actually only just too also"
)
_NOT_COUNTED: Final = frozenset(_BEHIND_COUNTS.split())
"""Words behind a number that are nothing that it counts."""
_LOOK: Final = 80
"""Characters beside a number that are looked at."""
_LONG: Final = 3
"""Digits from which on a number may be that of a room or an order."""


def mended(said: str) -> str:
    """Return a text with numbers, days and times that were taken back in it left out."""
    for _ in range(_MOST):
        changed = _once(said)
        if changed == said:
            break
        said = changed
    return said


def _once(said: str) -> str:
    for one, other, unit_is_said_again in _of_one_kind(said):
        between = said[one.end : other.start]
        unit = _BETWEEN.match(between)
        tail = between[unit.end() :] if unit else between
        if EDIT.fullmatch(between):
            return f"{said[: one.start]}{said[other.start :]}"
        if unit and EDIT.fullmatch(tail):
            kept = "" if unit_is_said_again else between[: unit.end()]
            return f"{said[: one.start]}{other.value}{kept.rstrip()}{said[other.end :]}"
        if negated := _NOT.search(between):
            start = one.end + negated.start()
            return f"{said[:start]}{said[other.end :]}"
    return said


def _of_one_kind(said: str) -> Iterator[tuple[Found, Found, bool]]:
    """Return the numbers, the days and the times of a text, each with the next of its kind.

    And whether both are followed by what they count.
    """
    days, times = (
        [Found(m[0], m.start(), m.end()) for m in pattern.finditer(said)]
        for pattern in (DATE, TIME)
    )
    numbers = [
        (Found(said[n.start : n.end], n.start, n.end), n.number)
        for n in numerals_in(said)
        if n.number is not None
        and not any(one.start <= n.start < one.end for one in (*days, *times))
    ]
    for (one, value), (other, new) in pairwise(numbers):
        if _count_the_same(said, one, other, longer=_digits(value) - _digits(new)):
            behind = (counted(said[n.end : n.end + _LOOK]) for n in (one, other))
            yield one, other, all(behind)
    for kind in (days, times):
        yield from ((one, other, False) for one, other in pairwise(kind))


def _count_the_same(said: str, one: Found, other: Found, *, longer: int) -> bool:
    """Return whether two numbers may count the same.

    Args:
        said: The text.
        one: A number.
        other: The next one.
        longer: How many digits the first has more.
    """
    between = said[one.end : other.start]
    first, second = counted(between), counted(said[other.end : other.end + _LOOK])
    if first and second:
        measured = measure_of(first)
        return measured == measure_of(second) and (
            measured != "" or any(alike(word, noun) for word in first for noun in second)
        )
    before = _WORD_BEFORE.search(said, max(0, one.start - _LOOK), one.start)
    labelled = before is not None and before["word"].lower() not in NO_LABELS
    long = one.end - one.start >= _LONG
    if second:
        parted = _ENDS_SENTENCE.search(between)
        return not (labelled or parted or (long and longer > 0))
    return not (labelled and long and longer > 1)


def counted(text: str) -> list[str]:
    """Return the words that a number counts, which stand behind it; none: it counts nothing."""
    found = _COUNTED.match(text)
    words = found[0].lower().split() if found else []
    if words[:1] == ["of"]:  # "2 of them"
        return words[:1]
    ends = next((at for at, word in enumerate(words) if word in _NOT_COUNTED), len(words))
    return words[:ends]


def measure_of(words: Sequence[str]) -> str:
    """Return what the words behind a number measure: "money", "duration"; empty: nothing."""
    found = (
        "duration" if word.removesuffix("s") in TIME_UNITS else measured_by(unit_of(word))
        for word in words[:1]
    )
    return next(found, "")


def _digits(number: float | None) -> int:
    return len(str(abs(int(number or 0))))
