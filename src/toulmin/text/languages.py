"""Which language is this, and by which words does that language ask, join and refuse?

The words are data, `data/languages.json`: for each language its function words and the words by
which a question is told; for all of them together what marks a time, a number, a reason, a refusal.
There are English, Spanish, Italian, French, German, Portuguese, Japanese, Chinese and Korean.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from toulmin.text.scripts import HAN, HANGUL, KANA
from toulmin.text.words import fold_text

_READ_CHARACTERS = 2_000
_TOLD_BY = 400
"""Characters of a text that its language is told by, where it is compared with another."""
_KANA = re.compile(f"[{KANA}]")
_HAN = re.compile(f"[{HAN}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_PLAIN_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class LanguageCues:
    """The words of one language that tell what is asked, as compiled patterns."""

    function_words: frozenset[str]
    joins: re.Pattern[str]
    choice: re.Pattern[str]
    asks: re.Pattern[str]
    kind_of: Mapping[str, str]
    yes_no_starts: frozenset[str]
    open: re.Pattern[str]
    brief: re.Pattern[str]
    spaced: bool
    inverts: bool


def find_language(text: str, *, fallback: str = "en") -> str:
    """Return the code of the known language whose script or function words `text` has most of."""
    text = text[:_READ_CHARACTERS]
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    if _HAN.search(text):
        return "zh"
    words = _PLAIN_WORD.findall(fold_text(text))
    counts = {
        code: sum(word in cues.function_words for word in words)
        for code, cues in language_cues().items()
        if cues.spaced
    }
    best = max(counts, key=lambda code: (counts[code], code == fallback, code == "en"))
    return best if counts[best] else fallback


def is_elsewhere(query: str, text: str) -> bool:
    """Return whether a text is in another language than a query.

    A query or text without a function word is in the language of whatever it is compared with.
    """
    own = find_language(query, fallback="")
    return bool(own and text.strip()) and find_language(text[:_TOLD_BY], fallback=own) != own


@functools.cache
def all_cues() -> Mapping[str, Any]:
    """Return the contents of `data/languages.json`."""
    text = files("toulmin.text").joinpath("data/languages.json").read_text(encoding="utf-8")
    cues: dict[str, Any] = json.loads(text)
    return cues


@functools.cache
def language_cues() -> Mapping[str, LanguageCues]:
    """Return the cues of each language, by its code."""
    return {code: _compile(raw) for code, raw in all_cues()["languages"].items()}


def _compile(raw: Mapping[str, Any]) -> LanguageCues:
    spaced = bool(raw["function"])
    kind_of = {
        phrase: kind for kind, phrases in raw["asks"].items() for phrase in phrases.split("|")
    }
    return LanguageCues(
        function_words=frozenset(raw["function"]),
        joins=_alternatives(raw["joins"].split(), spaced=spaced),
        choice=_alternatives(raw["choice"].split(), spaced=spaced),
        asks=_alternatives(kind_of, spaced=spaced),
        kind_of=kind_of,
        yes_no_starts=frozenset(raw["yes_no"].split()),
        open=_alternatives(raw["open"].split("|"), spaced=spaced),
        brief=_alternatives(raw["brief"].split("|"), spaced=spaced),
        spaced=spaced,
        inverts=bool(raw["inverts"]),
    )


def _alternatives(phrases: Mapping[str, str] | Sequence[str], *, spaced: bool) -> re.Pattern[str]:
    """A pattern of whole phrases, the longest first."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    body = "|".join(re.escape(phrase) for phrase in longest_first)
    return re.compile(rf"(?<!\w)(?:{body})(?!\w)" if spaced else body)
