"""Whether a question wants something computed, and what comes out of the passages' figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
class Computed:
    """What was computed.

    Attributes:
        text: A sentence that says it, and from which figures.
        passages: Places of the passages that state them.
    """

    text: str
    passages: tuple[int, ...]


def wants_tables(query: str) -> bool:
    """Return whether a question can only be answered by all rows of a table."""
    return _is_english(query) and asked_of_table(query) is not None


def computed(query: str, passages: Sequence[Passage]) -> Computed | None:
    """Return what the figures of the passages come to; None: nothing is asked, or they do not say.

    Args:
        query: The question as it was understood.
        passages: What was found, without what is about another thing or no longer holds.
    """
    asked_time = asked_duration(query, _language(query))
    asked = asked_of_table(query) if _is_english(query) else None
    if asked is None and asked_time is None:
        return None
    pieces = pieces_of(passages)
    languages = [_language_of(passage, _language(query)) for passage in passages]
    if asked_time is not None and (time := lasted(asked_time, passages, pieces, languages)):
        return Computed(time.text, time.passages)
    found = count(asked, tables_of(passages, pieces, languages)) if asked else None
    return None if found is None else Computed(found.text, found.passages)


def _language_of(passage: Passage, asked: str) -> str:
    text = passage.text[:_LANGUAGE_CHARACTERS]
    found = "ja" if _KANA.search(text) else find_language(text, fallback=asked)
    return "ja" if (found, asked) == ("zh", "ja") else found  # a few words may have no kana


def _language(query: str) -> str:
    """Return the code of a question's language; a few kana among many kanji are Japanese, too."""
    return "ja" if _KANA.search(query) else read_intent(query).language


def _is_english(query: str) -> bool:
    return read_intent(query).language == "en"
