# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""The closed word lists of composition (`data/words.toml`), one set for each language."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class ComposingWords:
    """The words of one language, as compiled patterns over text in any case.

    Attributes:
        yes: What an answer begins with when a passage bears the question out.
        no: The same when a passage contradicts it.
        marks: At the start of a sentence: ties to the one before, with the space behind them.
        dangling: At the start of a sentence: a word that stands for something named before.
        auxiliary: At the start of a question that can be answered with yes or no.
        stops: Folded words that end a question's subject.
        several: A question that asks for more than one thing.
        polite: At the start of a question: what asks to be told and not whether one can.
        replaced: What is said where a newer version of a document was followed; may be empty.
        replaced_dated: The same where they do not say from when they hold.
        differ: What is said where documents differ, and what of each of them; may be empty.
        then: In a sentence: it is about the past.
        today: In a sentence: it is about the present.
        past: In a question: it asks about the past.
    """

    yes: str
    no: str
    marks: re.Pattern[str]
    dangling: re.Pattern[str]
    auxiliary: re.Pattern[str]
    stops: frozenset[str]
    several: re.Pattern[str]
    polite: re.Pattern[str]
    replaced: str
    replaced_dated: str
    differ: tuple[str, ...]
    then: re.Pattern[str]
    today: re.Pattern[str]
    past: re.Pattern[str]


def words_of(language: str) -> ComposingWords | None:
    """Return the words of a language by its code; None: there are none, rewrite nothing."""
    return _all_words().get(language)


@functools.cache
def shared_words(key: str) -> frozenset[str]:
    """Return a list of folded words of all languages together, by its name in `[all]`."""
    return frozenset(str(_data()["all"][key]).split())


@functools.cache
def yes_no_words() -> frozenset[str]:
    """Return what an answer to a yes/no question begins with, in all languages."""
    return frozenset(word for own in _all_words().values() for word in (own.yes, own.no))


@functools.cache
def _all_words() -> Mapping[str, ComposingWords]:
    return {code: _compile(raw) for code, raw in _data().items() if code != "all"}


@functools.cache
def _data() -> Mapping[str, Any]:
    text = files("toulmin.answering.compose").joinpath("data/words.toml").read_text("utf-8")
    return tomllib.loads(text)


def _compile(raw: Mapping[str, Any]) -> ComposingWords:
    marks, openers = _choices(raw["marks"]), _choices(raw["openers"])
    several = "|".join(raw["several"])
    return ComposingWords(
        yes=raw["yes"],
        no=raw["no"],
        marks=_pattern(
            "|".join(filter(None, (marks and f"(?:{marks}),", openers and f"(?:{openers}),?"))),
            r"(?:%s)\s+(?=\S)",
        ),
        dangling=_pattern(_choices(raw["dangling"]), r"(?:%s)(?![\w'’-])"),
        auxiliary=_pattern(_choices(raw["auxiliary"]), r"[¿\s]*(%s)(?:(?<=['’])|(?=\s))\s*"),
        stops=frozenset(raw["stops"].split()),
        several=re.compile(several, re.IGNORECASE) if several else _NEVER,
        polite=re.compile(raw["polite"], re.IGNORECASE) if "polite" in raw else _NEVER,
        replaced=str(raw.get("replaced", "")),
        replaced_dated=str(raw.get("replaced_dated", "")),
        differ=tuple(raw.get("differ", ())),
        then=_anywhere(raw.get("then", "")),
        today=_anywhere(raw.get("today", "")),
        past=_anywhere(raw.get("past", "")),
    )


def _choices(listed: str) -> str:
    """Return a pattern of the phrases, the longest first; empty for none."""
    phrases = [phrase.strip() for line in listed.splitlines() for phrase in line.split("|")]
    kept = sorted({p for p in phrases if p}, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace("'", "['’]") for phrase in kept)


def _anywhere(listed: str) -> re.Pattern[str]:
    """Return a pattern of phrases as whole words; in a script without spaces, of their letters."""
    body = _choices(listed)
    spaced = not body or not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", body)
    return _pattern(body, r"(?<![\w'’])(?:%s)(?![\w-])" if spaced else "(?:%s)")


def _pattern(body: str, around: str) -> re.Pattern[str]:
    return re.compile(around % body, re.IGNORECASE) if body else _NEVER
