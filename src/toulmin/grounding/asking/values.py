# ruff: noqa: SIM905 - lists of words.
"""The values of a claim, each as a question with the question word in its place.

English only: the model that answers reads English, and a name's own number ("Kestrel 2") is told by
the capital before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from toulmin.grounding.quantities.numbers import NUMBER_WORDS, number_at, tokens_of

MOST_ASKED = 2
"""Values of a claim that are asked for, the last ones: each costs a run of the model."""
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_MONTHS = (
    "January|February|March|April|June|July|August|September|October|November|December"  # not May
)
_WORDS = "|".join(word for word in NUMBER_WORDS if word not in {"zero", "one"})
_VALUE = re.compile(
    r"(?<![\w.,:/-])(?:"
    r"(?P<time>\d{1,2}:\d{2})(?![\w:])"
    r"|(?P<year>1[5-9]\d\d|20\d\d)(?![\w%-]|[.,:/]\d)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w-]|[.,:/]\d)"
    rf"|(?P<day>{_DAYS})(?=s?\b)|(?P<month>{_MONTHS})\b"
    rf"|(?P<word>(?i:{_WORDS}))\b(?!-))"
)
_ASKED = {
    "time": "what time",
    "year": "what year",
    "number": "how many",
    "day": "which day",
    "month": "which month",
    "word": "how many",
}
_NAME_BEFORE = re.compile(r"(?<=[^.!?] )[A-Z][\w-]*\s$|^[A-Z]{2,}\s$")
"""A capital inside the sentence, before a number: the number is the name's."""
_UNIT = re.compile(r"[ \u00a0-]?([^\W\d_]+|%|°)")
_NO_UNIT = frozenset(
    "a an the and or of in on at to by for from with as is are was were per than but if".split()
)
_STEM = 3
"""Letters that "metre", "metres" and "met." have in common."""


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A value of a claim.

    Attributes:
        question: The claim with a question word where the value stood.
        value: The value in one form for all ways of writing it.
        kind: "time", "day", "month", "year" or "number": only values of one kind are compared.
        unit: The word behind a number, in lower case; empty: there is none.
    """

    question: str
    value: str
    kind: str
    unit: str = ""


def asked_values(claim: str) -> list[AskedValue]:
    """Return the values of a claim that can be asked for, at most `MOST_ASKED`, the last ones."""
    found = [
        AskedValue(
            f"{claim[:start]}{_ASKED[group]}{claim[end:].rstrip(' .!?')}?",
            _plain(group, claim[start:end]),
            _kind(group),
            unit_after(claim[end:]) if _kind(group) == "number" else "",
        )
        for group, start, end in _places(claim)
        if not _NAME_BEFORE.search(claim[:start])
    ]
    return found[-MOST_ASKED:]


def values_in(text: str, kind: str) -> set[str]:
    """Return the values of a kind that stand in a text, each in its one form."""
    found = {_plain(group, text[a:b]) for group, a, b in _places(text) if _kind(group) == kind}
    if kind == "number":
        tokens = tokens_of(text)
        numbers = (number_at(tokens, at) for at in range(len(tokens)))
        found |= {_written(number.value) for number in numbers if number is not None}
    return found


def unit_after(text: str) -> str:
    """Return the word that a text begins with, after a space or a hyphen; empty: no word does."""
    match = _UNIT.match(text)
    return "" if match is None or match[1].lower() in _NO_UNIT else match[1].lower()


def same_unit(one: str, other: str) -> bool:
    """Return whether two words can be the same unit; one that is not there can be any."""
    return not one or not other or one[:_STEM] == other[:_STEM]


def _places(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _VALUE.finditer(text):
        group = match.lastgroup
        if group is not None:
            yield group, *match.span(group)


def _kind(group: str) -> str:
    return "number" if group == "word" else group


def _plain(group: str, written: str) -> str:
    if group == "time":
        return written.zfill(5)
    if group in ("day", "month"):
        return written.lower()
    number = number_at(tokens_of(written), 0)
    return written.lower() if number is None else _written(number.value)


def _written(value: Fraction) -> str:
    return f"{float(value):g}" if value.denominator != 1 else str(value.numerator)
