"""The right-hand sides of a filter: which conditions a value stands for."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from toulmin.retrieval.filter_tokens import Kind, Token
from toulmin.stores.index.fields import parse_time
from toulmin.stores.index.predicate import AnyOf, During, InRange, Is, Or, Predicate, microseconds

_YEAR = re.compile(r"\d{4}", re.ASCII)
_MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_EPOCH_LIMIT = 2**62  # microseconds; far outside of any calendar


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range; `number` is None if there is none."""

    number: float | None
    included: bool


def between(field: str, low: Bound, high: Bound) -> Predicate:
    """Return the numbers, or times in microseconds, between two bounds."""
    numbers = InRange(
        field,
        -math.inf if low.number is None else low.number,
        math.inf if high.number is None else high.number,
        low.included or low.number is None,
        high.included or high.number is None,
    )
    return Or((numbers, During(field, _first_in(low), _first_past(high))))


def wrong_value(operator: str, token: Token) -> str:
    """Return what should have stood in the place of `token`; empty if it may stand there."""
    if token.kind is Kind.NUMBER:
        return "a number without 'i' or 'e', which belong to IN(...)" if _suffixed(token) else ""
    if operator != "=" and _period(token.text) is None:
        return f'a number or a time such as "2024-04-16" after {operator}'
    return ""


def compared(field: str, operator: str, token: Token) -> Predicate:
    """Return the condition `field operator value`; the value must not be a `wrong_value`."""
    if token.kind is Kind.NUMBER:
        return _compared_number(field, operator, float(token.text))
    meanings: list[Predicate] = []
    period = _period(token.text)
    if period is not None:
        meanings.append(_compared_period(field, operator, *period))
    if operator == "=":
        meanings.append(AnyOf(field, (token.text,)))
        if token.text in ("true", "false"):
            meanings.append(Is(field, token.text == "true"))
    return meanings[0] if len(meanings) == 1 else Or(tuple(meanings))


def _compared_number(field: str, operator: str, number: float) -> Predicate:
    bound, excluded, free = Bound(number, True), Bound(number, False), Bound(None, False)  # noqa: FBT003
    low, high = {
        "=": (bound, bound),
        "<": (free, excluded),
        "<=": (free, bound),
        ">": (excluded, free),
        ">=": (bound, free),
    }[operator]
    return between(field, low, high)


def _compared_period(field: str, operator: str, start: int, end: int) -> Predicate:
    """Compare with a whole period: before it, in it, after it."""
    first, last = {
        "=": (start, end),
        "<": (None, start),
        "<=": (None, end),
        ">": (end, None),
        ">=": (start, None),
    }[operator]
    return During(field, first, last)


def _period(text: str) -> tuple[int, int] | None:
    """Return the first microsecond of what `text` names and the first one after it."""
    if _YEAR.fullmatch(text):
        return _spanned(f"{text}-01-01", f"{int(text) + 1:04}-01-01")
    if _MONTH.fullmatch(text):
        year, month = int(text[:4]), int(text[5:])
        following = f"{year + month // 12:04}-{month % 12 + 1:02}-01"
        return _spanned(f"{text}-01", following)
    moment = parse_time(text)
    if moment is None:
        return None
    start = microseconds(moment)
    length = timedelta(days=1) if _DAY.fullmatch(text) else timedelta(microseconds=1)
    return start, start + length // timedelta(microseconds=1)


def _spanned(first: str, following: str) -> tuple[int, int] | None:
    start, end = parse_time(first), parse_time(following)
    if start is None:
        return None
    # The calendar of Python ends with the year 9999.
    return microseconds(start), microseconds(end or datetime.max.replace(tzinfo=UTC)) + (
        end is None
    )


def _suffixed(token: Token) -> bool:
    return token.text[-1:] in ("i", "e")


def _first_in(low: Bound) -> int | None:
    """Return the first whole microsecond at or above a lower bound."""
    if low.number is None:
        return None
    first = math.ceil(_capped(low.number))
    return first + 1 if first == low.number and not low.included else first


def _first_past(high: Bound) -> int | None:
    """Return the first whole microsecond above an upper bound."""
    if high.number is None:
        return None
    last = math.floor(_capped(high.number))
    return last if last == high.number and not high.included else last + 1


def _capped(number: float) -> float:
    return max(-_EPOCH_LIMIT, min(_EPOCH_LIMIT, number))
