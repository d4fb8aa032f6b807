"""The quantities of a text: how much, of which unit, and whether exactly so.

Amounts with a unit ("1.8 kg", "half an hour", "45 to 60 minutes", "$5bn"), shares ("two thirds",
"20 %", "one in five") and what is counted ("twelve loaves"). Number words, shares and bounds are
read in English; figures and units in any language. What has neither unit nor noun is not read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from toulmin.grounding.quantities.bounds import Bound, bound_before, bound_of
from toulmin.grounding.quantities.numbers import (
    BEGINNINGS,
    DATA,
    Number,
    Token,
    fraction_at,
    number_at,
    tokens_of,
    touches,
    word_at,
)
from toulmin.grounding.terms import STOPWORDS, to_term
from toulmin.text.units import in_smaller, measured_by, unit_of

STROKES = frozenset({"-", "\u2010", "\u2011", "\u2013", "\u2014"})
"""What joins a number with its unit, or with the end of a range."""
FRACTION = "fraction"
"""The unit of a share in words; its dimension is per cent."""
_TO = frozenset({"to", "or"}) | STROKES
_READ_TO = 20_000
"""Characters: several times what a model reads of a text."""
_UNIT_WORDS = 2
_NOUN_WORDS = 3
_BARE_UNITS = frozenset("gtmdhs")  # as one letter they are units in lower case only: 5G, 3D, 2T
_ONE_BEHIND = frozenset(DATA["words"]["one_behind"].split())
_NO_SHARE_BEHIND = frozenset(DATA["words"]["no_share_behind"].split())
_NOT_COUNTED = frozenset(DATA["words"]["not_counted"].split()) | STOPWORDS
_BEFORE_UNIT = frozenset({"half", "quarter", "quarters", "½", "¼", "¾"})
"""Shares that need no "of" before a unit: "half an hour", "a quarter hour"."""
_EACH = frozenset({"a", "an", "per", "each", "every"})
_MANY = frozenset({"people", "children", "men", "women", "feet", "mice", "staff"})
_QUANTIFIED = re.compile(
    r"\d|[$\u20ac\u00a3\u00a5\u00bd\u00bc\u00be%]|\b(?:an?|half|halves|dozen|hundred|thousand|"
    r"(?:m|b|tr)illion|third|quarter|tenth|fifth|"
    + "|".join((DATA["ones"] + DATA["tens"]).split())
    + r")",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount, a share or a count, as a text states it.

    Attributes:
        start: Its first character; words that make it a bound come before.
        end: One past its last.
        low: The least of it, in `dimension`; `high` as well where it is one value.
        high: The most of it.
        unit: The unit that it is written in ("kilogram"), or the noun that is counted.
        dimension: What its values are counted in, with what they are for each of ("gram",
            "metre/hour", "of loaf"): only quantities of one dimension can be compared.
        measure: "weight", "duration", "share", ...; "count" of a noun.
        bound: Whether it is exact, a guess, or a limit.
        number_end: One past the last character of its number: the rest is the unit.
    """

    start: int
    end: int
    low: Fraction
    high: Fraction
    unit: str
    dimension: str
    measure: str
    bound: Bound = Bound.EXACT
    number_end: int = 0


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text's first `_READ_TO` characters, in order, none twice."""
    return _read(text[:_READ_TO])


@functools.lru_cache(maxsize=2048)
def _read(text: str) -> tuple[Quantity, ...]:
    if not _QUANTIFIED.search(text):
        return ()
    tokens = tokens_of(text)
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        made = _quantity(tokens, at, text) if _may_begin(tokens, at) else None
        if made is None:
            at += 1
            continue
        quantity, last = made
        quantity, last = _compound(tokens, quantity, last, text)
        quantity, last = _rate(tokens, quantity, last)
        found.append(replace(quantity, bound=bound_of(text, quantity.start, quantity.end)))
        at = max(last, at + 1)
    return tuple(found)


def _may_begin(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a quantity can begin here: it does not in the middle of "two-and-a-half"."""
    token = tokens[at]
    if word_at(tokens, at - 1) in STROKES and touches(tokens, at) and touches(tokens, at - 1):
        return not tokens[at - 2].text.isalpha()
    behind = tokens[at + 1 : at + 2]
    return token.is_figure or token.text in BEGINNINGS or any(t.is_figure for t in behind)


def _quantity(tokens: Sequence[Token], at: int, text: str) -> tuple[Quantity, int] | None:
    return (
        _money(tokens, at)
        or _part_of_unit(tokens, at, text)
        or _share(tokens, at)
        or _one(tokens, at, text)
        or _measured(tokens, at, text)
    )


def _money(tokens: Sequence[Token], at: int) -> tuple[Quantity, int] | None:
    """Return "$5", "EUR 5.20", "£1.2m"."""
    unit = unit_of("$" if tokens[at].text.endswith("$") else tokens[at].text)
    if measured_by(unit) != "money" or at + 1 >= len(tokens) or not tokens[at + 1].is_figure:
        return None
    number = number_at(tokens, at + 1)
    if number is None:
        return None
    value, last = number.value, number.last
    if touches(tokens, last) and (scale := DATA["behind_money"].get(word_at(tokens, last))):
        value, last = value * scale, last + 1
    number_end = tokens[last - 1].end
    return _made(tokens, at, last, (value, value), unit, number_end), last


def _part_of_unit(tokens: Sequence[Token], at: int, text: str) -> tuple[Quantity, int] | None:
    """Return "half an hour", "three quarters of a kilogram"."""
    part = fraction_at(tokens, at)
    if part is None:
        return None
    last = part.last
    last += word_at(tokens, last) == "of"
    last += word_at(tokens, last) in {"a", "an"} or word_at(tokens, last) in STROKES
    unit = _unit(tokens, last, text)
    if unit is None or measured_by(unit[0]) in {"", "share", "points"}:
        return None
    names_unit = tokens[part.last - 1].text in _BEFORE_UNIT
    if last == part.last and not (names_unit or tokens[at].is_figure):  # "a third minute"
        return None
    end = tokens[last - 1].end
    return _made(tokens, at, unit[1], (part.value, part.value), unit[0], end), unit[1]


def _share(tokens: Sequence[Token], at: int) -> tuple[Quantity, int] | None:
    """Return "two thirds", "a tenth of", "half the", "one in five", "3 out of 4"."""
    number = number_at(tokens, at) if not _is_article(tokens, at) else None
    if number is not None:
        last = number.last
        if word_at(tokens, last) == "in" or (
            word_at(tokens, last) == "out" and word_at(tokens, last + 1) == "of"
        ):
            last += 1 if word_at(tokens, last) == "in" else 2
            whole = number_at(tokens, last) if last < len(tokens) else None
            if whole and _is_whole_of(tokens, number, whole):
                return _fraction(tokens, at, Number(number.value / whole.value, whole.last))
    part = fraction_at(tokens, at)
    if part is None or word_at(tokens, at - 1) in _NO_SHARE_BEHIND:
        return None
    behind = word_at(tokens, part.last)
    plural = tokens[part.last - 1].text.endswith("s")
    if not plural and behind not in {"of", "the", "its", "their", "his", "her", "", ".", ","}:
        return None
    return _fraction(tokens, at, part)


def _fraction(tokens: Sequence[Token], at: int, part: Number) -> tuple[Quantity, int]:
    value, start, end = part.value * 100, tokens[at].start, tokens[part.last - 1].end
    made = Quantity(start, end, value, value, FRACTION, "percent", "share", number_end=end)
    return made, part.last


def _is_whole_of(tokens: Sequence[Token], number: Number, whole: Number) -> bool:
    small = whole.value <= 20 or whole.value in {100, 1000}
    behind = word_at(tokens, whole.last)
    return small and 0 < number.value < whole.value and not measured_by(unit_of(behind))


def _one(tokens: Sequence[Token], at: int, text: str) -> tuple[Quantity, int] | None:
    """Return "an hour", where that is an amount; "an hour and a half" is one anywhere."""
    if not _is_article(tokens, at):
        return None
    unit = _unit(tokens, at + 1, text)
    if unit is None:
        return None
    name, last = unit
    if word_at(tokens, last) == "and" and last + 1 < len(tokens):
        part = fraction_at(tokens, last + 1)
        if part is not None and word_at(tokens, part.last) != "of":
            value = 1 + part.value
            end = tokens[part.last - 1].end
            return _made(tokens, at, part.last, (value, value), name, end), part.last
    if word_at(tokens, at - 1) not in _ONE_BEHIND and not bound_before(text, tokens[at].start):
        return None
    return _made(tokens, at, last, (Fraction(1), Fraction(1)), name, tokens[at].end), last


def _is_article(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at].text in {"a", "an"}


def _measured(tokens: Sequence[Token], at: int, text: str) -> tuple[Quantity, int] | None:
    """Return "1.8 kg", "90-minute", "45 to 60 minutes", "twelve loaves"."""
    number = number_at(tokens, at)
    if number is None:
        return None
    values, last = (number.value, number.value), number.last
    unit = _unit(tokens, _past_stroke(tokens, last), text)
    to = _range_end(tokens, at, last, unit, text)
    if to is not None:
        values, last = (number.value, to.value), to.last
        unit = _unit(tokens, _past_stroke(tokens, last), text)
    number_end = tokens[last - 1].end
    if unit is not None:
        name, last = unit
        if values[0] == values[1] and word_at(tokens, last) == "and" and last + 1 < len(tokens):
            part = fraction_at(tokens, last + 1)
            if part is not None and word_at(tokens, part.last) not in {"of", "the"}:
                values, last = (values[0] + part.value, values[0] + part.value), part.last
                number_end = tokens[last - 1].end
        return _made(tokens, at, last, values, name, number_end), last
    noun = _noun(tokens, last)
    if noun is None:
        return None
    low, high = values
    dimension = f"of {noun}"
    start, end = tokens[at].start, number_end
    made = Quantity(start, end, low, high, noun, dimension, "count", number_end=number_end)
    return made, last


def _range_end(
    tokens: Sequence[Token], at: int, last: int, unit: tuple[str, int] | None, text: str
) -> Number | None:
    """Return the upper end of a range that begins with the number at `at`."""
    if unit is not None:
        same = word_at(tokens, at - 1) == "between" or word_at(tokens, unit[1]) in STROKES
        if not same:
            return None
        last = unit[1]
    word = word_at(tokens, last)
    if not (word in _TO or (word == "and" and word_at(tokens, at - 1) == "between")):
        return None
    found = number_at(tokens, last + 1) if last + 1 < len(tokens) else None
    first = number_at(tokens, at)
    if found is None or first is None or found.value <= first.value:
        return None
    behind = _unit(tokens, _past_stroke(tokens, found.last), text)
    return found if unit is None or (behind and behind[0] == unit[0]) else None


def _past_stroke(tokens: Sequence[Token], at: int) -> int:
    """Return the place behind the stroke of "90-minute"."""
    joined = word_at(tokens, at) in STROKES and touches(tokens, at) and touches(tokens, at + 1)
    return at + joined


def _unit(tokens: Sequence[Token], at: int, text: str) -> tuple[str, int] | None:
    """Return the unit that begins with a token, and the place behind it."""
    for last in range(min(at + _UNIT_WORDS, len(tokens)), at, -1):
        written = text[tokens[at].start : tokens[last - 1].end]
        name = unit_of(written)
        if not measured_by(name) or (last - at > 1 and "\n" in written):
            continue
        if len(written) == 1 and written.lower() in _BARE_UNITS and written.isupper():
            continue
        return name, last
    return None


def _noun(tokens: Sequence[Token], at: int) -> str | None:
    """Return the noun that is counted: the first word that looks like a plural."""
    for place in range(at, min(at + _NOUN_WORDS, len(tokens))):
        word = tokens[place].text
        if not word.isalpha() or word in _NOT_COUNTED:
            return None
        if word in _MANY or (len(word) > 3 and word.endswith("s") and not word.endswith("ss")):
            return to_term(word)
    return None


def _compound(
    tokens: Sequence[Token], first: Quantity, last: int, text: str
) -> tuple[Quantity, int]:
    """Return "2 hours 30 minutes" and "5 ft 3 in" as one."""
    at = last + (word_at(tokens, last) == "and" and first.measure == "duration")
    if at >= len(tokens) or first.measure in {"count", "share", "money"} or first.low != first.high:
        return first, last
    number = number_at(tokens, at)
    unit = _unit(tokens, number.last, text) if number else None
    if number is None or unit is None:
        return first, last
    size, dimension = in_smaller(unit[0])
    if dimension != first.dimension or size >= in_smaller(first.unit)[0]:
        return first, last
    value = first.low + number.value * size
    end = tokens[unit[1] - 1].end
    return replace(first, end=end, low=value, high=value, number_end=end), unit[1]


def _rate(tokens: Sequence[Token], found: Quantity, last: int) -> tuple[Quantity, int]:
    """Return "40 km/h" and "two hours a day" as what they are for each of."""
    stroke = word_at(tokens, last) == "/"
    if not (stroke or word_at(tokens, last) in _EACH) or last + 1 >= len(tokens):
        return found, last
    name = unit_of(tokens[last + 1].text)
    if not measured_by(name) and not (stroke or word_at(tokens, last) == "per"):
        return found, last
    end = tokens[last + 1].end
    return replace(found, end=end, dimension=f"{found.dimension}/{name}"), last + 2


def _made(
    tokens: Sequence[Token],
    first: int,
    last: int,
    values: tuple[Fraction, Fraction],
    unit: str,
    number_end: int,
) -> Quantity:
    size, dimension = in_smaller(unit)
    low, high = (value * size for value in values)
    start, end = tokens[first].start, tokens[last - 1].end
    measure = measured_by(unit)
    return Quantity(start, end, low, high, unit, dimension, measure, number_end=number_end)
