"""The gate for continuous integration: does every figure that was asked for hold?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.errors import InvalidArgument
from toulmin.evaluation.report import FIGURES, Figure, Figures

_JUDGED = {figure.name: figure for figure in FIGURES if figure.more_is_better is not None}


@dataclass(frozen=True, slots=True)
class Bound:
    """The worst value of a figure that is accepted."""

    figure: Figure
    value: float


def parse_bound(text: str) -> Bound:
    """Return the bound in a text such as "auroc=0.8".

    Raises:
        InvalidArgument: It is none; the message lists the figures.
    """
    name, _, number = text.partition("=")
    if name not in _JUDGED:
        raise InvalidArgument.of_field(
            "--fail-under", f"{name!r} is no figure; there are: {', '.join(_JUDGED)}"
        )
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidArgument.of_field(
            "--fail-under", f"{text!r} has no number; write for example {name}=0.7"
        )
    return Bound(_JUDGED[name], value)


def shortfalls(figures: Figures, bounds: Sequence[Bound]) -> Iterator[str]:
    """Yield a sentence for every bound that the figures miss, or cannot be held against."""
    for bound in bounds:
        name, digits = bound.figure.name, bound.figure.digits + 1
        value = figures[name]
        if value is None:
            yield f"{name} is not known: the labels do not allow it; asked for {bound.value:g}"
        elif bound.figure.more_is_better and value < bound.value:
            gap = bound.value - value
            yield f"{name} is {value:.{digits}f}, {gap:.{digits}f} below {bound.value:g}"
        elif not bound.figure.more_is_better and value > bound.value:
            gap = value - bound.value
            yield f"{name} is {value:.{digits}f}, {gap:.{digits}f} above {bound.value:g}"
