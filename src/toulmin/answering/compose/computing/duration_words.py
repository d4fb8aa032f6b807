# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""The closed word lists of durations (`data/durations.toml`), one set for each language."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from toulmin.answering.compose.computing.words import stems
from toulmin.text.words import fold_text

_WORD = re.compile(r"[^\W_]+")
_LEAST_ALIKE = 5
"""Letters that a verb's form and the noun for it have in common ("delivered", "delivery")."""
_DONE = re.compile(r".{4,}(?:ed|[aiu]t[oaie]|[ai]d[oa]s?)")
_VERB = re.compile(r".{3,}ed")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, order=True)
class Word:
    """A word of a text: folded, and what it is a form of."""

    text: str
    stem: str

    def is_as(self, other: Word) -> bool:
        """Return whether both are forms of one word, or one is the noun for what is done."""
        if self.stem == other.stem:
            return True
        done = _DONE.fullmatch(self.text) or _DONE.fullmatch(other.text)
        return done is not None and self.text[:_LEAST_ALIKE] == other.text[:_LEAST_ALIKE]


@dataclass(frozen=True, slots=True)
class DurationWords:
    """The words of one language; what each list is for, the data file says."""

    code: str
    lasts: tuple[re.Pattern[str], ...]
    between: tuple[re.Pattern[str], ...]
    between_asks: re.Pattern[str]
    units: Mapping[str, str]
    starts: frozenset[str]
    ends: frozenset[str]
    states: frozenset[str]
    silent: frozenset[str]
    pronouns: frozenset[str]
    hedges: frozenset[str]
    planned: frozenset[str]
    past: re.Pattern[str]
    to_come: re.Pattern[str]
    goes_on: re.Pattern[str]
    stated: re.Pattern[str]
    headings: frozenset[str]
    joins: re.Pattern[str]
    rest: re.Pattern[str]
    base: Mapping[str, str]
    parts: re.Pattern[str] | None
    says: str
    says_about: str
    words: Mapping[str, str]
    dates: tuple[str, ...]
    names: tuple[str, ...]
    verbs: frozenset[str]

    def words_in(self, text: str) -> tuple[Word, ...]:
        """Return the words of a text that say what it is about, in order."""
        folded = fold_text(text)
        if self.parts is not None:
            for silent in sorted(self.silent, key=len, reverse=True):
                folded = folded.replace(silent, " ")
            return tuple(Word(part, part) for part in self.parts.split(folded) if part)
        found = []
        for word in _WORD.findall(folded.replace("n't", " not").replace("n’t", " not")):
            if word not in self.silent:
                known = self.base.get(word, word)
                found.append(Word(word, next(iter(stems(known)), known)))
        return tuple(found)

    def subject_of(self, sentence: str) -> tuple[Word, ...]:
        """Return the words with which a sentence begins, up to its verb; empty: it is not known."""
        words = _WORD.findall(fold_text(sentence))
        verb = next((at for at, w in enumerate(words) if w in self.verbs or _VERB.fullmatch(w)), 0)
        return self.words_in(" ".join(words[:verb])) if self.parts is None else ()

    def has(self, listed: frozenset[str], text: str) -> bool:
        """Return whether a text has one of the words of a list."""
        folded = fold_text(text)
        if self.parts is not None:
            return any(word in folded for word in listed)
        plain = folded.replace("n't", " not").replace("n’t", " not")
        return any(word in listed for word in _WORD.findall(plain))

    def without(self, listed: frozenset[str], words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return words without those of a list."""
        if self.parts is None:
            return tuple(word for word in words if word.text not in listed)
        left = []
        for word in words:
            text = word.text
            for one in sorted(listed, key=len, reverse=True):
                text = text.replace(one, "")
            left += [Word(text, text)] if text else []
        return tuple(left)


def duration_words(language: str) -> DurationWords | None:
    """Return the words of a language by its code; None: durations are not computed in it."""
    return _all().get(language)


@functools.cache
def _all() -> Mapping[str, DurationWords]:
    text = files("toulmin.answering.compose").joinpath("data/durations.toml").read_text("utf-8")
    return {code: _compiled(code, raw) for code, raw in tomllib.loads(text).items()}


def _compiled(code: str, raw: Mapping[str, Any]) -> DurationWords:
    def listed(key: str) -> frozenset[str]:
        return frozenset(fold_text(raw[key]).split())

    base = raw["base"].split()
    return DurationWords(
        code=code,
        lasts=tuple(
            re.compile(pattern.replace("{lasting_things}", raw.get("lasting_things", "")))
            for pattern in raw["lasts"]
        ),
        between=tuple(re.compile(pattern) for pattern in raw["between"]),
        between_asks=re.compile(raw["between_asks"]),
        units={name: unit for unit, names in raw["units"].items() for name in names.split()},
        starts=listed("starts"),
        ends=listed("ends"),
        states=listed("states"),
        silent=listed("silent") | listed("lasting"),
        pronouns=listed("pronouns"),
        hedges=listed("hedges"),
        planned=listed("planned"),
        past=re.compile(raw["past"]),
        to_come=re.compile(raw["to_come"]),
        goes_on=_any_of(raw["goes_on"]),
        stated=_any_of(raw["stated"]),
        headings=listed("headings"),
        joins=re.compile(raw["joins"]),
        rest=re.compile(raw["rest"]),
        base=dict(zip(base[::2], base[1::2], strict=True)),
        parts=re.compile(raw["parts"]) if "parts" in raw else None,
        says=raw["says"],
        says_about=raw["says_about"],
        words=raw["words"],
        dates=tuple(raw["dates"]),
        names=tuple(raw.get("names", "").split()),
        verbs=listed("verbs"),
    )


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns)) if patterns else _NEVER
