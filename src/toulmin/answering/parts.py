# ruff: noqa: RUF001 - the marks of many scripts are a subject of this file.
"""The things that a question asks, each with what was found for it; mostly it asks one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toulmin.answering.composing import ComposedSentence
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading

_UNSPACED = tuple("。！？」』")
"""Ends of sentences behind which the next one follows without a space."""
_POINT = re.compile(r"- |\d{1,2}\. ")
"""The start of a line of a list."""


@dataclass(slots=True)
class Part:
    """One of the things that a question asks.

    Attributes:
        query: It, as a question.
        reading: What the reader says of its passages.
        passages: What was found for it.
        places: Where each of them stands among the passages of all parts.
        said: Whether a sentence of its answer was said.
        failed: Whether its answer is not borne out as a statement.
    """

    query: str
    reading: Reading
    passages: Sequence[Passage]
    places: Sequence[int]
    said: bool = False
    failed: bool = False

    def placed(self, sentence: ComposedSentence, *, behind: str) -> ComposedSentence:
        """Return a sentence as it follows what is said, its sources among all passages.

        The part counts as said from then on.
        """
        lead = sentence.lead
        if behind and not self.said:
            lead = f"\n{lead}" if lead.strip() else lead or apart(behind)
        self.said = True
        return replace(
            sentence, lead=lead, sources=tuple(self.places[place] for place in sentence.sources)
        )


def apart(behind: str) -> str:
    """Return what stands between a text and a sentence about something else behind it."""
    if _POINT.match(behind.rpartition("\n")[2]):
        return "\n\n"
    return "" if behind[-1:] in _UNSPACED else " "


def join(everything: list[Passage], found: Sequence[Passage]) -> list[int]:
    """Add the passages that are not there yet; return where each of `found` stands then."""
    for passage in found:
        if not any(_is_same(passage, known) for known in everything):
            everything.append(passage)
    return [
        next(place for place, known in enumerate(everything) if _is_same(passage, known))
        for passage in found
    ]


def _is_same(one: Passage, other: Passage) -> bool:
    """Return whether two are the same chunk; how relevant it is depends on the question."""
    if one.chunk or other.chunk:
        return one.chunk == other.chunk
    return one is other or one == other
