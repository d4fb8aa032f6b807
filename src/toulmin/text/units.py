"""Units as people write them -> one name for each, and what it measures."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib.resources import files


def unit_of(name: str) -> str:
    """Return the one name of a unit ("euro" of "€"), or the name itself if it is unknown."""
    plain = " ".join(name.casefold().split())
    return _units().get(plain, (plain, ""))[0]


def measured_by(unit: str) -> str:
    """Return what a unit measures: "money", "weight", ...; empty: it is not known."""
    return _units().get(" ".join(unit.casefold().split()), ("", ""))[1]


@functools.cache
def _units() -> Mapping[str, tuple[str, str]]:
    text = files("toulmin.text").joinpath("data/units.toml").read_text("utf-8")
    found: dict[str, tuple[str, str]] = {}
    for measure, units in tomllib.loads(text).items():
        for unit, names in units.items():
            listed = [names] if " " in unit else names.split()
            for name in {unit, *listed}:
                found[name] = (unit, measure)
    return found | {"per cent": ("percent", "share")}
