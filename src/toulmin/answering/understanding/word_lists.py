"""The closed word lists by which a question is understood (`data/follow_ups.toml`), by language."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_DATA: dict[str, dict[str, Any]] = tomllib.loads(
    files("toulmin.answering.understanding")
    .joinpath("data/follow_ups.toml")
    .read_text(encoding="utf-8")
)


def words_of(language: str, key: str) -> frozenset[str]:
    """Return a list as a set of words; empty where a language has none."""
    return frozenset(str(_DATA[language].get(key, "")).split())


def text_of(language: str, key: str) -> str:
    """Return a list as it is written: phrases parted by "|", words in their order, a pattern.

    Raises:
        KeyError: The language has none.
    """
    return str(_DATA[language][key])
