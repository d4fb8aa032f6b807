"""The closed word lists of computing (`data/computing.toml`): measures, patterns."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from toulmin.stores.index.analysis import word_analyzer
from toulmin.text.units import measured_by

_NUMBER = r"(?:[£$€¥] ?)?\d[\d.,]*"
_HOLES = {
    "{n}": rf"(?P<n>{_NUMBER})",
    "{m}": rf"(?P<m>{_NUMBER})",
    "{y}": r"(?P<n>(?:1[5-9]|20)\d\d)\b(?!-)",
}


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text; of numbers, the figures."""
    return frozenset(_stems(text))


@functools.lru_cache(16_384)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_analyzer().analyze(text))


_analyzer = functools.cache(word_analyzer)


@functools.cache
def patterns(*names: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of these names, each with its own; read without case."""
    return tuple((name, re.compile(_filled(_data()["en"][name]), re.IGNORECASE)) for name in names)


@functools.cache
def silent_stems() -> frozenset[str]:
    """Return the stems of words that say nothing of what is counted."""
    return stems(f"{_data()['en']['silent']} {_data()['en']['units']}")


@functools.cache
def measures() -> Mapping[str, frozenset[str]]:
    """Return the stems of the words that mean a measure, by its name."""
    return {name: stems(words) for name, words in _data()["measures"].items()}


def unit_in(name: str) -> str:
    """Return the unit that a column's name gives, as written: "Price (EUR)", "Weight in kg"."""
    found = re.search(r"\(([^()]*)\)\s*$|\bin ([^\W\d]+)\s*$|([€$£¥%])", name)
    unit = next((group for group in found.groups() if group), "") if found else ""
    return unit if measured_by(unit) else ""


def _filled(pattern: str) -> str:
    """Return a pattern with what stands for its holes; of several in one, each its own name."""
    for hole, filled in _HOLES.items():
        parts = pattern.split(hole)
        out = parts[0]
        for count, part in enumerate(parts[1:]):
            name = filled.replace("<n>", f"<n{count}>") if count else filled
            out += name + part
        pattern = out
    return rf"\b(?:{pattern})" if pattern[:1] != "(?P" else pattern


@functools.cache
def _data() -> Mapping[str, Any]:
    text = files("toulmin.answering.compose").joinpath("data/computing.toml").read_text("utf-8")
    return tomllib.loads(text)
