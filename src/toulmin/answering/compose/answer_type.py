# ruff: noqa: RUF001 - the marks of names and sums are a subject of this file.
"""Does a text give the kind of thing that is asked for: a price, a share, an age, a date, a reason?

A sentence that has most words of a question and no reason in it does not answer "Why?". Kinds and
the words that give them are closed lists (`data/answer_types.toml`); where a language has none,
only numbers, times and reasons are looked for, by the cues of `text/data/languages.json`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from toulmin.answering.compose.language import shared_words
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.grounding.reading import gives_number, gives_reason, gives_time, read_text
from toulmin.retrieval.frequencies import word_frequencies
from toulmin.stores.index.analysis import word_analyzer
from toulmin.text.words import fold_text

_COUNTED = frozenset({"money", "share", "age", "number", "frequency", "distance"})
_IN_WORDS = frozenset({"frequency", "distance"})
"""Numbers that are often told without one: "on weekdays", "next door"."""
_AMOUNTS = _COUNTED - {"age"}
_TIMES = frozenset({"year", "clock", "date", "time"})
ANYTHING = ""
"""The kind of a question that any sentence may answer."""
_MONTHS = "|".join(sorted(shared_words("months"), key=len, reverse=True))
_DAY = (
    rf"\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of |de |di )?(?:{_MONTHS})\b|(?:{_MONTHS}) \d{{1,2}}\b(?!%)"
)
_NO_COUNT = re.compile(
    rf"\b\d{{1,2}}[:.]\d\d(?::\d\d)?(?= ?(?:am|pm|[ap]\.m\.|h\b|uhr))|\b\d{{1,3}}:\d\d(?::\d\d)?\b"
    rf"|{_DAY}(?:,? (?:de |del )?\d{{4}})?|\b(?:{_MONTHS}) \d{{4}}|\b\d{{4}}-\d\d-\d\d\b"
    r"|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|(?<!\w)(?:no\.|nº|n\.º|nr\.|§|page|chapter|section|article|room|version|v\.?) ?\d[\d.]*"
    r"|(?<!\w)[A-Za-z]+-?\d[\w.-]*|^\W*\d{1,2}[.)](?= )",
    re.IGNORECASE,
)
"""Numbers that count nothing: of days, clocks, pages, and marks of lists."""
_YEAR = re.compile(
    r"(?<![£$€¥\d.,])(?:1[5-9]|20)\d\d(?![\d.,]*\d)(?! (?!and\b|or\b|to\b|in\b|by\b)[a-z])"
)
_AMOUNT = re.compile(
    r"(?P<sign>[£$€¥₹] ?)?(?<!\w)(?<!\d[.,])(?P<number>\d[\d.,]*)(?P<glued>[^\W\d_]*)"
)
_NAME = re.compile(r"(?<![\w'’])[^\W\d_a-zß-öø-ÿ][\w'’-]*")
_FIRST_WORD = re.compile(r"^\W*[\w'’-]+")
_STEM = 5


@dataclass(frozen=True, slots=True)
class _Types:
    """The patterns of one language, in the order of the file."""

    asks: tuple[tuple[str, re.Pattern[str]], ...]
    needs: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    gives: Mapping[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class AnswerType:
    """The kind of thing that a question wants.

    Attributes:
        kind: "money", "share", "age", "number", "frequency", "distance", "year", "clock", "date",
            "time", "name", "person", "reason", or `ANYTHING`.
        query: The question.
        language: Code of its language.
        needs: What a text that answers must have beside it; None: nothing.
    """

    kind: str
    query: str
    language: str
    needs: re.Pattern[str] | None = None

    @property
    def demands(self) -> bool:
        """Whether there are texts that cannot answer."""
        return self.kind != ANYTHING or self.needs is not None

    def is_given_by(self, text: str, follows: str = "") -> bool:
        """Return whether a text in the question's language has something of the kind.

        Args:
            text: A sentence, an item or a row.
            follows: The sentence behind it, which may give the reason.
        """
        if self.needs is not None and self.needs.search(text) is None:
            return False
        types = _types().get(self.language)
        if self.kind == ANYTHING:
            return True
        if types is None:
            return self._by_cues(text)
        found = types.gives
        if self.kind in _AMOUNTS:
            return _gives_amount(self.kind, text, self.query, found)
        if self.kind == "reason":
            return any(
                found[name].search(said) is not None
                for name, said in (("reason", text), ("strong_reason", follows))
            ) or _gives_another(found["cause"], text, self.query)
        if self.kind in {"person", "name"}:
            return _names_another(text, self.query) or (
                self.kind == "person" and _says_people(text, found)
            )
        new = _without(text, self.query)
        if self.kind == "year":
            return found["year"].search(new) is not None
        if self.kind == "time":
            kinds = ("year", "date", "clock", "condition")
            asked = read_text(self.query, self.language)
            return gives_time(read_text(text, self.language), asked) > 0 or any(
                found[kind].search(new) is not None for kind in kinds
            )
        if self.kind == "date":
            return (
                re.search(_DAY, new, re.IGNORECASE) is not None
                or any(found[kind].search(new) is not None for kind in ("date", "year"))
                or gives_time(read_text(new, self.language), read_text("", self.language)) >= 1
            )
        return found[self.kind].search(new) is not None

    def is_given_elsewhere(self, text: str, follows: str, language: str) -> bool:
        """Return whether a text in another language has: numbers, times and reasons are told.

        Args:
            text: A sentence, an item or a row.
            follows: The sentence behind it, which may give the reason.
            language: Code of their language.
        """
        given = read_text(text, language)
        asked = read_text(self.query, self.language)
        if self.kind in _COUNTED:
            return gives_number(read_text(_NO_COUNT.sub(" ", text), language), asked) > 0
        if self.kind in _TIMES:
            return gives_time(given, asked) > 0
        if self.kind == "reason":
            return gives_reason(given) or gives_reason(read_text(follows, language))
        return True

    def _by_cues(self, text: str) -> bool:
        """Return what the cues of all languages say of a number, a time, a reason."""
        asked, given = read_text(self.query, self.language), read_text(text, self.language)
        if self.kind == "number":
            return gives_number(read_text(_NO_COUNT.sub(" ", text), self.language), asked) > 0
        if self.kind == "time":
            return gives_time(given, asked) > 0
        return gives_reason(given)


def answer_type(query: str, asked: AskedFor) -> AnswerType:
    """Return which kind of thing a question wants.

    A question for several things, for an account, or for yes or no wants anything.

    Args:
        query: The question as it was understood.
        asked: What is known of it otherwise.
    """
    kind, needs = ANYTHING, None
    if not (asked.topic or asked.yes_no):
        types = _types().get(asked.language)
        if types is not None:
            plain = " ".join(query.split()).strip("¿?！？!. \"'")
            kind = next((name for name, asks in types.asks if asks.match(plain)), ANYTHING)
            needs = next((holds for asks, holds in types.needs if asks.match(plain)), None)
            if kind in {"person", "name"} and asked.several:
                kind = ANYTHING
        elif asked.kind == "number" or (
            asked.kind in {"time", "reason"} and asked.language != "ja"
        ):
            kind = asked.kind
    return AnswerType(kind, query, asked.language, needs)


def _gives_amount(kind: str, text: str, query: str, found: Mapping[str, re.Pattern[str]]) -> bool:
    """Return whether a text has an amount, a count or a share that the question has not."""
    if kind == "share":
        return found["share"].search(text) is not None
    if kind in _IN_WORDS and found[kind].search(text):
        return True
    counting = _YEAR.sub(" ", _NO_COUNT.sub(" ", text))
    asked = set(re.findall(r"\d[\d.,]*", query))
    told = [m for m in _AMOUNT.finditer(counting) if m["number"].rstrip(".,") not in asked]
    if kind == "number" or kind in _IN_WORDS:
        return bool(told) or found["number_words"].search(counting) is not None
    if found["free"].search(counting) or found["currency"].search(counting):
        return True
    return any(
        m["sign"] or not (m["glued"] or found["units"].match(counting[m.end() :].lstrip(" -")))
        for m in told
    )


def _gives_another(pattern: re.Pattern[str], text: str, query: str) -> bool:
    """Return whether a text has something of a kind whose last word the question has not."""
    asked = {fold_text(word)[:_STEM] for word in re.findall(r"[\w'’-]+", query)}
    return any(
        fold_text(match[0].split()[-1])[:_STEM] not in asked for match in pattern.finditer(text)
    )


def _names_another(text: str, query: str) -> bool:
    """Return whether a text has a name that the question has not."""
    asked = {fold_text(word)[:_STEM] for word in re.findall(r"[\w'’-]+", query)}
    opening = _FIRST_WORD.match(text)
    for match in _NAME.finditer(text):
        word = fold_text(match[0].removesuffix("'s").removesuffix("’s"))
        opens = opening is not None and match.start() < opening.end()
        if word[:_STEM] in asked or word.rstrip("s") in _calendar() or len(word) < 2:
            continue
        after = text[match.end() :].lstrip(" ")
        if not opens or after[:1].isupper():
            return True
        if not _is_common(word):
            return True
    return False


def _says_people(text: str, found: Mapping[str, re.Pattern[str]]) -> bool:
    return any(
        found["things"].fullmatch(match[0]) is None for match in found["people"].finditer(text)
    )


@functools.cache
def _calendar() -> frozenset[str]:
    return shared_words("months") | shared_words("days")


def _is_common(word: str) -> bool:
    """Return whether a word that opens a sentence is one of the usual ones, and so no name."""
    return any(word_frequencies().count(term) > 0 for term in _analyzer().analyze(word))


_analyzer = functools.cache(word_analyzer)


def _without(text: str, query: str) -> str:
    """Return a text without the numbers that the question has."""
    for number in set(re.findall(r"\d[\d.,:]*\d|\d", query)):
        text = re.sub(rf"(?<!\d){re.escape(number)}(?!\d)", " ", text)
    return text


@functools.cache
def _types() -> Mapping[str, _Types]:
    text = files("toulmin.answering.compose").joinpath("data/answer_types.toml").read_text("utf-8")
    return {code: _compile(raw) for code, raw in tomllib.loads(text).items()}


def _compile(raw: Mapping[str, Any]) -> _Types:
    return _Types(
        tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in raw["asks"]),
        tuple(
            (re.compile(asks, re.IGNORECASE), re.compile(holds, re.IGNORECASE))
            for asks, holds in raw["needs"]
        ),
        {name: re.compile(p, re.IGNORECASE) for name, p in raw.items() if isinstance(p, str)},
    )
