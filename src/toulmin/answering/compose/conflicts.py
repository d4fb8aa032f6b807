"""Documents that say two things of one attribute of one thing, where neither replaces the other.

Told of figures of the same unit that stand beside the attribute's name, in a table, a bullet or a
line, for the thing that the question names: "Price: 890 euros" on one page, 910 euros in a list;
and of sentences with all that is asked about that are the same but for one figure: "The museum has
14 rooms", "The museum has 12 rooms".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toulmin.answering.compose.asked_about import named
from toulmin.answering.compose.computing.sides import Value, side_of
from toulmin.answering.compose.computing.words import stems
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of
from toulmin.answering.compose.versions import dating, written_on
from toulmin.answering.passages import Passage

_FIGURE = re.compile(r"(?:[£$€¥] ?)?\d+(?:[.,:]\d+)*")
_WITH_UNIT = re.compile(rf"{_FIGURE.pattern}(?:\s?%|[ \u00a0][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Conflict:
    """What documents say differently, in a sentence, and the places of their passages."""

    text: str
    passages: tuple[int, ...]


def conflict(
    query: str, language: str, passages: Sequence[Passage], cited: set[int]
) -> Conflict | None:
    """Return in which the documents differ on what is asked; None: in nothing that can be told.

    Args:
        query: The question.
        language: Its language.
        passages: What was found, without what is about another thing or no longer holds.
        cited: Places of the passages that the answer is from.
    """
    words = words_of(language)
    if words is None or not words.differ or not cited:
        return None
    pieces = pieces_of(passages)
    values = _stated(query, passages, pieces, cited) or _in_sentences(
        query, passages, pieces, cited
    )
    if not values:
        return None
    said = [_said(value, passages[value.passage], words.differ[1]) for value in values]
    mark = "、" if language == "ja" else "; "
    places = tuple(dict.fromkeys(value.passage for value in values))
    return Conflict(words.differ[0].format(all=mark.join(said)), places)


def _stated(
    query: str, passages: Sequence[Passage], pieces: Sequence[Piece], cited: set[int]
) -> list[Value]:
    """Return what documents say of one attribute of the thing asked about, where it differs."""
    asked = stems(query)
    for name in _things(asked, pieces):
        values = sorted(side_of(name, passages, pieces).all, key=lambda value: value.passage)
        named = [v for v in values if stems(v.name) and stems(v.name) <= asked]
        for key in dict.fromkeys(stems(value.name) for value in named):
            differing = _differing([v for v in named if stems(v.name) == key], passages)
            if len(differing) > 1 and cited & {value.passage for value in differing}:
                return differing
    return []


def _in_sentences(
    query: str, passages: Sequence[Passage], pieces: Sequence[Piece], cited: set[int]
) -> list[Value]:
    """Return the figures of sentences of different documents that differ in nothing else.

    What two rooms or products say of themselves, by number in their titles, is no conflict.
    """
    asked = stems(" ".join(telling_words(query)))
    alike: dict[tuple[str, ...], list[Value]] = {}
    for piece in pieces:
        figures = list(_FIGURE.finditer(piece.text))
        if piece.kind is not PieceKind.SENTENCE or len(figures) != 1:
            continue
        if not asked or not asked <= stems(piece.text):
            continue
        sides = (piece.text[: figures[0].start()], piece.text[figures[0].end() :])
        said = _WITH_UNIT.match(piece.text, figures[0].start())
        value = Value("", said[0] if said else figures[0][0], piece.passage)
        alike.setdefault(tuple(" ".join(side.casefold().split()) for side in sides), []).append(
            value
        )
    for around, values in alike.items():
        figured: dict[str, Value] = {}
        for value in values:
            figured.setdefault(value.text.casefold(), value)
        kept = list(figured.values())
        documents = {passages[v.passage].document or str(v.passage) for v in kept}
        if not 1 < len(kept) == len(documents) or not cited & {v.passage for v in kept}:
            continue
        titles = [passages[value.passage].title for value in kept]
        if not _is_of_numbered(f"{around[0]} {around[1]}", titles):
            return kept
    return []


def _is_of_numbered(said: str, titles: Iterable[str]) -> bool:
    """Return whether what is said is of things with numbers: "the room" of "Room 101", "Room 205".

    "Note 1" and "Note 2" may well speak of one thing, as long as it is no note.
    """
    numbers: dict[str, set[str]] = {}
    for title in titles:
        for name, found in named(title).items():
            numbers.setdefault(name, set()).add(" ".join(sorted(found)))
    return any(len(found) > 1 and stems(name) <= stems(said) for name, found in numbers.items())


def _things(asked: frozenset[str], pieces: Sequence[Piece]) -> list[str]:
    """Return the names of things in rows, labels and headings that the question has in full."""
    names: dict[str, None] = {}
    for piece in pieces:
        if piece.kind is PieceKind.ROW:
            names |= dict.fromkeys([piece.cells[0][1]])
        names |= dict.fromkeys(piece.under)
    return [name for name in names if stems(name) and stems(name) <= asked]


def _differing(values: Sequence[Value], passages: Sequence[Passage]) -> list[Value]:
    """Return one value for each figure, where two documents have two of the same unit."""
    kept: list[Value] = []
    for value in values:
        figure = value.quantity()
        if figure is None:
            return []
        known = [other.quantity() for other in kept]
        if any(q is not None and (q.unit, q.rate) != (figure.unit, figure.rate) for q in known):
            return []
        if all(q is None or q.value != figure.value for q in known):
            kept.append(value)
    documents = {passages[v.passage].document or str(v.passage) for v in kept}
    return kept if len(documents) == len(kept) else []


def _said(value: Value, passage: Passage, said: str) -> str:
    dated = dating(passage)
    written = dated.written if dated else written_on(passage.text)
    return said.format(
        title=passage.title or passage.uri or passage.id,
        dated=f" ({written})" if written else "",
        value=value.text.rstrip("."),
    )
