"""Units as people write them -> one name for each, what it measures, and how large it is."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from importlib.resources import files

_SIZES = "sizes"
"""The table that says how large units are; all others are of what they measure."""


def unit_of(name: str) -> str:
    """Return the one name of a unit ("euro" of "€"), or the name itself if it is unknown."""
    plain = " ".join(name.casefold().split())
    return _units().get(plain, (plain, ""))[0]


def measured_by(unit: str) -> str:
    """Return what a unit measures: "money", "weight", ...; empty: it is not known."""
    return _units().get(" ".join(unit.casefold().split()), ("", ""))[1]


def in_smaller(unit: str) -> tuple[Fraction, str]:
    """Return how many of another unit one of this is: (1000, "gram") of "kilogram".

    Units that can be converted into each other lead to the same one; a unit that cannot be
    converted is one of itself. A month is no number of days.
    """
    return _sizes().get(unit, (Fraction(1), unit))


@functools.cache
def _units() -> Mapping[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for measure, units in _data().items():
        for unit, names in units.items() if measure != _SIZES else ():
            for name in {unit, *(names.split(", ") if " " in unit else names.split())}:
                found[name] = (unit, measure)
    return found | {"per cent": ("percent", "share")}


@functools.cache
def _sizes() -> Mapping[str, tuple[Fraction, str]]:
    parts = {unit: size.split(" ", 1) for unit, size in _data()[_SIZES].items()}
    return {unit: (Fraction(number), other) for unit, (number, other) in parts.items()}


@functools.cache
def _data() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("toulmin.text").joinpath("data/units.toml").read_text("utf-8"))
