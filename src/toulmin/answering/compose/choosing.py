"""Which passages are read: a few, since each costs time and the later ones hardly ever answer.

Passages that were searched for come with their relevance, best first. Those that a caller brings
come in any order, so they are ordered by the question's words in them and in their best sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toulmin.answering.passages import Passage
from toulmin.retrieval.coverage import QueryWords
from toulmin.text.sentences import split_sentences

READ_PASSAGES = 5
READ_CLOSELY = 3
"""The same of English passages, which a larger model reads: a tenth of a second of a core each, and
five are read no better than three (decision 0032)."""
READ_CHARACTERS = 6_000
"""No further passage is read once those chosen are as long together: about 1,500 tokens."""
_PASSAGE_WEIGHT = 0.5
_LOOKED_AT = 200
"""Passages of unknown relevance whose words are looked at."""


def readable(
    query: str, passages: Sequence[Passage], *, most: int = READ_PASSAGES
) -> list[Passage]:
    """Return the passages at their places, those that are not to be read without their text.

    Args:
        query: The question.
        passages: What may be read.
        most: At most so many keep their text.
    """
    kept: set[int] = set()
    length = 0
    for place in _order(query, passages):
        if len(kept) == most or length >= READ_CHARACTERS:
            break
        if passages[place].text.strip():
            kept.add(place)
            length += len(passages[place].text)
    return [p if place in kept else replace(p, text="") for place, p in enumerate(passages)]


def heading_of(passage: Passage) -> str:
    """Return title and headings of a passage as they stand above it; empty: it has none to read.

    Those that it begins with are not said twice.
    """
    text = passage.text.lstrip()
    if not text:
        return ""
    lines = dict.fromkeys(line for line in (passage.title, *passage.headings) if line)
    above = [line for line in lines if not text.startswith(line)]
    return "\n".join(above) + "\n\n" if above else ""


def _order(query: str, passages: Sequence[Passage]) -> list[int]:
    """Return the places of the passages, those to read first at the front."""
    places = list(range(len(passages)))
    if len(passages) < 2 or any(p.relevance is not None for p in passages):
        return places
    words = QueryWords(query)
    looked = places[:_LOOKED_AT]
    whole = words.coverage([passages[place].text for place in looked]).tolist()
    best = [max(words.coverage(_sentences(passages[place].text)), default=0.0) for place in looked]
    looked.sort(key=lambda place: (-round(best[place] + _PASSAGE_WEIGHT * whole[place], 9), place))
    return looked + places[_LOOKED_AT:]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]
