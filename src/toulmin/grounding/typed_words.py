"""The words of a text, each with what it is: a number, a year, a name, a word that negates, ..."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from toulmin.grounding.terms import NEGATIONS, STOPWORDS, is_number, to_term
from toulmin.text.scripts import HAN_LETTERS, HIRAGANA_LETTERS, KATAKANA_LETTERS
from toulmin.text.words import fold_text

_DATA = tomllib.loads(
    files("toulmin.grounding").joinpath("data/typed_words.toml").read_text(encoding="utf-8")
)
MONTHS = {name: number for number, names in enumerate(_DATA["months"], 1) for name in names.split()}
WEEKDAYS = frozenset(_DATA["weekdays"].split())
AUXILIARIES = frozenset(map(to_term, _DATA["auxiliaries"].split()))
OPPOSITES = frozenset(map(to_term, _DATA["opposites"].split()))
_UNSPACED = f"{HAN_LETTERS}{HIRAGANA_LETTERS}{KATAKANA_LETTERS}"
# Katakana is a word, any other character of Chinese and Japanese stands alone.
_WORD = re.compile(
    rf"\d+(?:[.,:/]\d+)*(?:st|nd|rd|th)?(?![^\W{_UNSPACED}])|[{KATAKANA_LETTERS}]+|[{_UNSPACED}]"
    rf"|[^\W{_UNSPACED}]+(?:['\u2019][^\W\d_{_UNSPACED}]+)*|[$\u20ac\u00a3\u00a5%\u2030\u00b0]"
)
_YEAR = re.compile(r"1[1-9]\d\d|20\d\d")
_CONTRACTED = re.compile(r"n['\u2019]t$")
_APOSTROPHE = re.compile("['\u2019]")


class Kind(StrEnum):
    """What a word is. Only words of a kind other than `OTHER` may replace one another anywhere."""

    NUMBER = "number"
    ORDINAL = "ordinal"
    YEAR = "year"
    MONTH = "month"
    WEEKDAY = "weekday"
    NAME = "name"
    NEGATION = "negation"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Attributes:
        start: Its first character.
        end: One past its last.
        term: Its spelling for comparing (`terms.py`): "four" and "4" are one, as are plurals.
        kind: What it is.
        telling: Whether it is no word of grammar.
    """

    start: int
    end: int
    term: str
    kind: Kind
    telling: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """Neighbouring words that name one thing: `words[first:last]`.

    Attributes:
        first: Place of its first word.
        last: One past the place of its last.
        kind: What they are.
        terms: Their spellings for comparing.
    """

    first: int
    last: int
    kind: Kind
    terms: tuple[str, ...]


def words_of(text: str, *, lower: Collection[str] = ()) -> list[Word]:
    """Return the words of a text, in order.

    Args:
        text: A sentence, or a few.
        lower: Words that are known to be written small; capitalised at the start, they are no name.
    """
    found: list[Word] = []
    for match in _WORD.finditer(text):
        folded = _fold_word(match[0])
        kind = _kind(match[0], folded, opens=not found, lower=lower)
        if kind is Kind.NUMBER and found and _is_numbered(text, found[-1], match.start()):
            kind = Kind.NAME
        telling = folded not in STOPWORDS or kind in {Kind.NAME, Kind.NEGATION}
        found.append(Word(match.start(), match.end(), to_term(folded), kind, telling))
    return found


def written_small(texts: Collection[str]) -> frozenset[str]:
    """Return the words that some text has in small letters."""
    return frozenset(
        match[0] for text in texts for match in _WORD.finditer(text) if match[0].islower()
    )


def mentions_of(text: str, words: list[Word]) -> Iterator[Mention]:
    """Yield the numbers, dates' parts and names of a text; words of one name are one mention."""
    first = 0
    while first < len(words):
        kind = words[first].kind
        last = first + 1
        if kind is Kind.NAME:
            while last < len(words) and words[last].kind is Kind.NAME and _touch(text, words, last):
                last += 1
        if kind not in {Kind.OTHER, Kind.NEGATION}:
            yield Mention(first, last, kind, tuple(word.term for word in words[first:last]))
        first = last


@functools.lru_cache(16_384)
def _fold_word(word: str) -> str:
    return fold_text(word)


def _kind(word: str, folded: str, *, opens: bool, lower: Collection[str]) -> Kind:
    if folded in NEGATIONS or _CONTRACTED.search(folded):
        return Kind.NEGATION
    if word[0].isupper() and folded in MONTHS:
        return Kind.MONTH
    if folded in WEEKDAYS:
        return Kind.WEEKDAY
    term = to_term(folded)
    if is_number(term) and term[0].isdecimal():
        if term[-1].isalpha():
            return Kind.ORDINAL
        return Kind.YEAR if _YEAR.fullmatch(word) else Kind.NUMBER
    base = _APOSTROPHE.split(folded)[0]  # "It's" is no name
    if word[0].isupper() and base not in STOPWORDS and not (opens and word.lower() in lower):
        return Kind.NAME
    return Kind.OTHER


def _is_numbered(text: str, before: Word, start: int) -> bool:
    """Return whether a number belongs to the name before it: "Bus 3", "Halo 2"."""
    return before.kind is Kind.NAME and text[before.end : start] == " "


def _touch(text: str, words: list[Word], place: int) -> bool:
    return text[words[place - 1].end : words[place].start] in {" ", "-", ". ", "\u30fb", ""}
