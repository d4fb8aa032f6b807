"""A figure as people write it -> a number and its unit; whether a row of a table is its total."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

_NOTE = re.compile(r"\[\w{1,3}\]|[*†‡]+$")
_NUMBER = re.compile(
    r"(?P<before>[^\d\s.,()+−–-]{0,3}) ?(?P<minus>[-−–]?) ?(?P<digits>\d[\d., \u00a0\u202f]*|\.\d+)"  # noqa: RUF001
    r" ?(?P<after>[^\d.,]{0,12})"
)
_BOUNDED = re.compile(
    r"(?P<least>more than|over|above|at least|upwards of|>=?|≥)|(?P<most>less than|fewer than|under"
    r"|below|at most|up to|<=?|≤)|(?P<about>about|around|roughly|approximately|nearly|some|circa"
    r"|ca\.|c\.|~|≈)",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:([, \u00a0\u202f.])\d{3})(?:\1\d{3})*")
_EITHER = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")
_TOTALS = frozenset(
    "total totals sum all overall gesamt summe totale total: totaux 合計 計".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what stands beside it.

    Attributes:
        value: The number.
        unit: What stands beside it, such as "$" or "km"; empty: nothing.
        either: The mark in it ("," or ".") if that may part thousands or decimals, as in 1.340 and
            1,340; else empty. `value` takes a comma for thousands and a full stop for decimals.
        bound: "least" for "more than 90", "most" for "under 90", "about" for "about 90"; empty: it
            is the number itself.
    """

    value: Decimal
    unit: str = ""
    either: str = ""
    bound: str = ""


def figure_of(text: str) -> Figure | None:
    """Return the figure that a cell or a few words are, or None if they are more or less than one.

    1,234 and 1 234 and 1.234.567 are grouped; 3,5 and 3.5 have decimals.
    """
    bare = _NOTE.sub("", text.strip().replace("**", "")).strip()
    found = _NUMBER.fullmatch(bare)
    if not found:
        return None
    digits = found["digits"].strip()
    value = _value(digits)
    if value is None:
        return None
    unit = (found["before"] + found["after"]).strip()
    either = _EITHER.fullmatch(digits)
    return Figure(-value if found["minus"] else value, unit, either[1] if either else "")


def bounded_figure_of(text: str) -> Figure | None:
    """Return the same of a figure that may have a bound before it, as in "more than 90"."""
    bare = text.strip()
    found = _BOUNDED.match(bare)
    if found is None:
        return figure_of(bare)
    figure = figure_of(bare[found.end() :])
    return None if figure is None else replace(figure, bound=found.lastgroup or "")


def is_total(label: str) -> bool:
    """Return whether the first cell of a row says that it adds the others up."""
    return label.casefold().strip(" :*") in _TOTALS


def _value(digits: str) -> Decimal | None:
    whole, decimals = digits, ""
    if found := re.fullmatch(r"(.*)([.,])(\d+)", digits):
        head, mark, tail = found.groups()
        grouped = (len(tail) == 3 and mark == ",") or mark in head
        if not grouped or (mark not in head and any(other in head for other in ".,")):
            whole, decimals = head, tail
    if not whole.isdigit() and whole and not _GROUPED.fullmatch(whole):
        return None
    ones = re.sub(r"[^0-9]", "", whole) or "0"
    return Decimal(f"{ones}.{decimals}" if decimals else ones)
