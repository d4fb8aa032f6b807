"""Does a column count what "how many" asks for, though it is called by another word?

"How many people live in Lisbon?" is answered by a column "Population", and not by "Staff" or
"Visitors": words that mean one count stand together in a closed list (`data/columns.toml`), with
what those who are counted do. Where the question says anything else of them ("how many employees
resigned", "how many people live there without a car"), such a column counts others.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from importlib.resources import files
from typing import Any, Final

from toulmin.stores.index.analysis import word_analyzer

_HOW_MANY: Final = re.compile(r"\bhow many\s+(\w+)", re.IGNORECASE)
_SEVERAL: Final = 2
"""Letters from which on a word may be one, and no "s" that an apostrophe leaves."""


def names_of_adjective(adjective: str) -> set[str]:
    """Return the stems of what a column is called that says how "tall" or "long" something is."""
    return stems(_data()["adjectives"].get(adjective, ""))


def names_of_count(query: str, telling: Sequence[str], said: Set[str]) -> frozenset[str]:
    """Return the stems of what a column is called that has the count which a question asks for.

    Args:
        query: A question for "how many".
        telling: Its telling words.
        said: Stems of the question that the row, or what stands above it, has.

    Returns:
        Empty: nothing is known to mean the same, or the question says more of what it counts.
    """
    return _names_of_count(query, tuple(telling), frozenset(said))


@functools.lru_cache(maxsize=256)  # most rows of a table have the same words of the question
def _names_of_count(query: str, telling: tuple[str, ...], said: frozenset[str]) -> frozenset[str]:
    found = _HOW_MANY.search(query)
    if found is None:
        return frozenset()
    counted = stems(found[1])
    rest = stems(" ".join(w for w in telling if len(w) >= _SEVERAL)) - counted - _words("silent")
    return frozenset(_of_people(counted, rest, said) | _of_things(rest, said))


def _of_people(counted: set[str], rest: set[str], said: Set[str]) -> set[str]:
    """Return the names of a count of such people, who do nothing else."""
    groups = _groups("people")
    if counted <= _words("anyone"):
        meant = [name for name, (_, acts) in groups.items() if acts & rest - said]
        meant = meant or _data()["words"]["plain"].split()
    else:
        meant = [name for name, (names, _) in groups.items() if counted <= names]
    return {
        stem
        for names, acts in (groups[name] for name in meant)
        if rest <= acts | said
        for stem in names
    }


def _of_things(rest: set[str], said: Set[str]) -> set[str]:
    return {
        stem
        for names, acts in _groups("things").values()
        if acts & rest - said and rest <= acts | said
        for stem in names
    }


def stems(text: str) -> set[str]:
    """Return the stems of the words of a text."""
    return set(_analyzer().analyze(text))


@functools.cache
def _groups(kind: str) -> Mapping[str, tuple[set[str], set[str]]]:
    return {name: (stems(names), stems(acts)) for name, (names, acts) in _data()[kind].items()}


@functools.cache
def _words(name: str) -> frozenset[str]:
    return frozenset(stems(_data()["words"][name]))


_analyzer = functools.cache(word_analyzer)


@functools.cache
def _data() -> Mapping[str, Any]:
    text = files("toulmin.answering.compose").joinpath("data/columns.toml").read_text("utf-8")
    return tomllib.loads(text)
