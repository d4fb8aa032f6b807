"""Whether a question wants something computed, and what comes out of the passages' figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.answering.compose.computing.comparisons import asked_comparison, compared
from toulmin.answering.compose.computing.counting import asked_of_table, count
from toulmin.answering.compose.computing.durations import asked_duration, lasted
from toulmin.answering.compose.computing.tables import tables_of
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.passages import Passage
from toulmin.grounding.prompt_intent import read_intent
from toulmin.text.languages import find_language

_LANGUAGE_CHARACTERS = 400
_KANA = re.compile("[\u3041-\u30fa]")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that is computed, and the places of the passages that state what it says."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """What was computed.

    Attributes:
        sentences: What is said, in order: what came out, and from which figures.
    """

    sentences: tuple[Said, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def passages(self) -> tuple[int, ...]:
        """Places of the passages of all of it."""
        return tuple(dict.fromkeys(p for one in self.sentences for p in one.passages))


def wants_tables(query: str) -> bool:
    """Return whether a question can only be answered by all rows of a table, or by two of them."""
    if not _is_english(query):
        return False
    return asked_of_table(query) is not None or asked_comparison(query) is not None


def computed(query: str, passages: Sequence[Passage]) -> Computed | None:
    """Return what the figures of the passages come to; None: nothing is asked, or they do not say.

    Args:
        query: The question as it was understood.
        passages: What was found, without what is about another thing or no longer holds.
    """
    asked_time = asked_duration(query, _language(query))
    asked = asked_of_table(query) if _is_english(query) else None
    sides = asked_comparison(query) if _is_english(query) else None
    if asked is None and asked_time is None and sides is None:
        return None
    pieces = pieces_of(passages)
    languages = [_language_of(passage, _language(query)) for passage in passages]
    if asked_time is not None and (time := lasted(asked_time, passages, pieces, languages)):
        return Computed((Said(time.text, time.passages),))
    if sides is not None and (both := compared(sides, passages, pieces)):
        return Computed(tuple(Said(one.text, one.passages) for one in both))
    found = count(asked, tables_of(passages, pieces, languages)) if asked else None
    return None if found is None else Computed((Said(found.text, found.passages),))


def _language_of(passage: Passage, asked: str) -> str:
    text = passage.text[:_LANGUAGE_CHARACTERS]
    found = "ja" if _KANA.search(text) else find_language(text, fallback=asked)
    return "ja" if (found, asked) == ("zh", "ja") else found  # a few words may have no kana


def _language(query: str) -> str:
    """Return the code of a question's language; a few kana among many kanji are Japanese, too."""
    return "ja" if _KANA.search(query) else read_intent(query).language


def _is_english(query: str) -> bool:
    return read_intent(query).language == "en"
