"""Which number or identifier in a sentence belongs to which argument.

"Keep rental A7781 for 2 more days" has two of them; each goes to the argument whose name stands
nearest, and no one of them to two arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from toulmin.conversation.clues import IDENTIFYING, is_identifier
from toulmin.conversation.spoken_numbers import TIME_UNITS, UNIT_AFTER, Word, words_in
from toulmin.domain import JsonObject

_MAY_BE_ONE: Final = re.compile(r"\d{1,3} \d{3}")
_IDENTIFIER: Final = re.compile(r"#?(?!\d+(?:st|nd|rd|th)\Z)(?=[\w-]*\d)([A-Za-z0-9][\w-]*)\Z")
_PLATE: Final = re.compile(
    r"(?=[A-Z]*\d)[A-Z0-9]{2,5} (?!(?:ID|OK|UK|US|TV|PM|AM|PS)\b)[A-Z]{2,3}\b"
)
_MINUS: Final = re.compile(r"(?:^|(?<=\s))(?:-|minus\s+)\Z", re.IGNORECASE)
_SUMS: Final = re.compile(r"\b(?:so|makes|totals|total of|altogether)\s+\Z", re.IGNORECASE)
_IN_ALL: Final = re.compile(r"\s+(?:in all|in total|altogether)\b", re.IGNORECASE)
_WINDOW: Final = 3
"""Words between a numeral and the name that it belongs to, at most, counting that name."""
_UNNAMED: Final = 5.0
"""Cost of a numeral that no name stands near to."""
_ODD: Final = 1.5
"""Cost of a number that looks like an identifier where a count is wanted, or the reverse."""
_STEM: Final = 4
_FAR: Final = 20
"""Characters before a word that are looked at: "minus"."""
_EMPTY: Final = frozenset(
    {
        "the",
        "a",
        "an",
        "of",
        "in",
        "to",
        "for",
        "is",
        "at",
        "which",
        "what",
        "how",
        "it",
        "many",
        "be",
    }
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number or identifier.

    Attributes:
        text: As it stands, without "#".
        start: First character.
        end: One past the last.
        number: Its value as a number; None: it is none.
        is_word: Whether it is a number in letters.
        unit: Unit of time that follows, in the singular; empty: none.
    """

    text: str
    start: int
    end: int
    number: float | None
    is_word: bool = False
    unit: str = ""

    @property
    def is_short(self) -> bool:
        """Whether it is written as "10k", which may be the name of a thing as well."""
        return self.number is not None and self.text[-1] in "kK" and self.text[0].isdigit()


@dataclass(frozen=True, slots=True)
class _Offer:
    cost: float
    place: int
    name: str
    numeral: Numeral


def assign_numerals(
    wanted: Mapping[str, JsonObject],
    said: str,
    *,
    asked: bool = False,
    if_named: Collection[str] = (),
) -> tuple[dict[str, Numeral], frozenset[str]]:
    """Return which numeral belongs to which argument, and which arguments have several to choose.

    Args:
        wanted: Schemas of the arguments by name; those that are neither numbers nor identifiers
            are left alone.
        said: What was said.
        asked: Whether that answers the question for the argument, so that any numeral will do.
        if_named: Arguments that get a numeral only where their name stands near it.
    """
    words = words_in(said)
    texts = [word.text.lower() for word in words]
    numerals = [(at, found) for at, word in enumerate(words) if (found := _numeral(word, said))]
    offers = [
        _Offer(cost, order, name, numeral)
        for order, (at, numeral) in enumerate(numerals)
        for name, schema in wanted.items()
        if (cost := _cost(name, schema, numeral, at, texts, asked=asked)) is not None
        and (cost < _UNNAMED or name not in if_named)
    ]
    if asked and (summed := _summed(numerals, said)):
        offers = [offer for offer in offers if offer.numeral == summed]
    assigned: dict[str, Numeral] = {}
    unclear: set[str] = set()
    for offer in sorted(offers, key=lambda offer: (offer.cost, offer.place)):
        if offer.name in assigned or offer.name in unclear or offer.numeral in assigned.values():
            continue
        rivals = [
            other
            for other in offers
            if other.name == offer.name
            and other.cost == offer.cost
            and other.numeral not in assigned.values()
        ]
        if len(rivals) > 1 and offer.cost >= _UNNAMED:
            unclear.add(offer.name)
        else:
            assigned[offer.name] = offer.numeral
    for one, other in pairwise(numeral for _, numeral in numerals):
        # "1 500 euros": neither is taken where only one of them would be
        if _MAY_BE_ONE.fullmatch(said[one.start : other.end]):
            taken = [name for name, numeral in assigned.items() if numeral in (one, other)]
            if len(taken) == 1:
                del assigned[taken[0]]
    in_units = {name: _in_units_of(name, wanted[name], one) for name, one in assigned.items()}
    return in_units, frozenset(unclear)


def _in_units_of(name: str, schema: JsonObject, numeral: Numeral) -> Numeral:
    """Return a number in the unit of time that an argument has: an hour is 60 minutes."""
    own = _unit_of(name, schema)
    if not (own and numeral.unit and numeral.number is not None) or own == numeral.unit:
        return numeral
    return replace(numeral, number=numeral.number * TIME_UNITS[numeral.unit] / TIME_UNITS[own])


def _unit_of(name: str, schema: JsonObject) -> str:
    """Return the only unit of time that an argument's name or description has; empty: none."""
    words = _about(f"{name} {schema.get('description', '')}")
    units = {unit for unit in TIME_UNITS if {unit, f"{unit}s"} & words}
    return next(iter(units)) if len(units) == 1 else ""


def _summed(numerals: Sequence[tuple[int, Numeral]], said: str) -> Numeral | None:
    """Return the number that sums the others up: "my wife and two children, so 4 in all"."""
    for _, numeral in numerals:
        if _SUMS.search(said, max(0, numeral.start - _FAR), numeral.start) or _IN_ALL.match(
            said, numeral.end
        ):
            return numeral
    return None


def numerals_in(said: str) -> list[Numeral]:
    """Return the numbers and identifiers of a text, in order."""
    return [found for word in words_in(said) if (found := _numeral(word, said))]


def parts_between(joints: re.Pattern[str], said: str) -> list[str]:
    """Return the parts of a text between joints; those inside a number part nothing.

    "one hundred and twenty" is one number, and so is "1,500".
    """
    numbers = [
        word
        for word in words_in(said)
        if word.number is not None or word.is_unsure or any(map(str.isdigit, word.text))
    ]
    parts, start = [], 0
    for joint in joints.finditer(said):
        if not any(one.start < joint.end() and joint.start() < one.end for one in numbers):
            parts.append(said[start : joint.start()])
            start = joint.end()
    return [*parts, said[start:]]


def _numeral(word: Word, said: str) -> Numeral | None:
    if word.number is not None:
        after = UNIT_AFTER.match(said, word.end)
        unit = after["unit"].lower() if after else ""
        if minus := _MINUS.search(said, max(0, word.start - _FAR), word.start):
            return Numeral(word.text, minus.start(), word.end, -word.number, word.is_word, unit)
        return Numeral(word.text, word.start, word.end, word.number, word.is_word, unit)
    if not word.is_unsure and (found := _IDENTIFIER.fullmatch(word.text)):
        more = _PLATE.match(said, word.start)
        if more and more.end() > word.end:  # "KX21 LPO" is one
            return Numeral(more[0], word.start, more.end(), None)
        return Numeral(found[1], word.start, word.end, None)
    return None


def _cost(
    name: str,
    schema: JsonObject,
    numeral: Numeral,
    at: int,
    words: Sequence[str],
    *,
    asked: bool,
) -> float | None:
    """Return how little a numeral looks like an argument's; None: it cannot be one."""
    counts = schema.get("type") in ("INTEGER", "NUMBER")
    if not counts and not is_identifier(name, schema):
        return None
    distance = _distance(name, schema, at, words, counts=counts)
    named = distance is not None or asked
    cost = float(distance) if distance is not None else _UNNAMED
    digits = len(numeral.text)
    if numeral.is_short and not named:
        return None
    if counts:
        if numeral.number is None or (numeral.text.lower() in ("one", "a", "an") and not named):
            return None
        is_article = numeral.text.lower() in ("a", "an")
        if is_article and not _unit_of(name, schema):
            return None
        cost += 1.0 if is_article else 0.0
        return cost + (_ODD if digits > 4 and not (named or numeral.is_word) else 0.0)
    if numeral.is_word or (numeral.number is not None and digits < 3 and not named):
        return None
    return cost + (_ODD if numeral.number is not None and digits < 5 and not named else 0.0)


def _distance(
    name: str, schema: JsonObject, at: int, words: Sequence[str], *, counts: bool
) -> int | None:
    """Return how many words lie between a numeral and the argument's name; None: too many."""
    about = _about(f"{name} {schema.get('description', '')}") - (IDENTIFYING if counts else set())
    found = []
    for other in range(max(0, at - _WINDOW), min(len(words), at + _WINDOW + 1)):
        away = at - other
        if not counts and away < 0:
            continue  # an identifier stands behind its name
        if away and any(alike(word, words[other]) for word in about):
            found.append(abs(away))
    return min(found, default=None)


def _about(text: str) -> set[str]:
    words = {word.lower() for word in re.findall(r"[^\W_]+", text.replace("_", " "))}
    return words - _EMPTY


def alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: equal, or alike up to their endings."""
    if other in (one, f"{one}s") or one == f"{other}s":
        return True
    short = min(len(one), len(other))
    return (
        short >= _STEM
        and abs(len(one) - len(other)) <= 2
        and one[: short - 1] == other[: short - 1]
    )
