"""What words around a quantity make of it: "no more than 5 kg", "18 years or over"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from toulmin.grounding.quantities.numbers import DATA

_LOOK_BACK = 24
"""Characters before a quantity that its bound is looked for in."""


class Bound(StrEnum):
    """How a quantity is meant."""

    EXACT = "exact"
    ABOUT = "about"
    ALMOST = "almost"
    AT_MOST = "at_most"
    AT_LEAST = "at_least"
    UNDER = "under"
    OVER = "over"


def _phrases(key: str) -> Iterator[tuple[str, Bound]]:
    for bound, listed in DATA[key].items():
        for phrase in listed.split(","):
            yield " ".join(phrase.split()), Bound(bound)


_BEFORE_WORDS = dict(_phrases("before"))
_BEHIND_WORDS = dict(_phrases("behind"))
_BEFORE = re.compile(
    r"(?:^|(?<=[\s(]))("
    + "|".join(re.escape(phrase) for phrase in sorted(_BEFORE_WORDS, key=len, reverse=True))
    + r")(?:\s(?:a|an|the|some|total of|only))?\s?$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s?("
    + "|".join(re.escape(phrase) for phrase in sorted(_BEHIND_WORDS, key=len, reverse=True))
    + r")(?!\w)",
    re.IGNORECASE,
)


def bound_before(text: str, start: int) -> Bound | None:
    """Return the bound of what starts there; None: no words before it say one."""
    found = _BEFORE.search(text[max(0, start - _LOOK_BACK) : start])
    return _BEFORE_WORDS[found[1].lower()] if found else None


def bound_of(text: str, start: int, end: int) -> Bound:
    """Return how the quantity in a range of a text is meant."""
    behind = _BEHIND.match(text, end)
    said_behind = _BEHIND_WORDS[behind[1].lower()] if behind else Bound.EXACT
    return bound_before(text, start) or said_behind
