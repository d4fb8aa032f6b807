"""Whether a question wants something computed, and what comes out of the passages' figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.answering.compose.computing.counting import asked_of_table, count
from toulmin.answering.compose.computing.tables import tables_of
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.passages import Passage
from toulmin.grounding.prompt_intent import read_intent
from toulmin.text.languages import find_language

_LANGUAGE_CHARACTERS = 400


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
    if not _is_english(query):
        return None
    asked = asked_of_table(query)
    if asked is None:
        return None
    languages = [find_language(p.text[:_LANGUAGE_CHARACTERS], fallback="en") for p in passages]
    found = count(asked, tables_of(passages, pieces_of(passages), languages))
    return None if found is None else Computed(found.text, found.passages)


def _is_english(query: str) -> bool:
    return read_intent(query).language == "en"
