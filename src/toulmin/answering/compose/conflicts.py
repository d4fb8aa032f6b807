"""Documents that say two things of one attribute of one thing, where neither replaces the other.

Told of figures of the same unit that stand beside the attribute's name, in a table, a bullet or a
line, for the thing that the question names: "Price: 890 euros" on one page, 910 euros in a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.answering.compose.computing.sides import Value, side_of
from toulmin.answering.compose.computing.words import stems
from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of
from toulmin.answering.compose.versions import dating
from toulmin.answering.passages import Passage


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
    asked = stems(query)
    for name in _things(asked, pieces):
        values = sorted(side_of(name, passages, pieces).all, key=lambda value: value.passage)
        named = [v for v in values if stems(v.name) and stems(v.name) <= asked]
        for key in dict.fromkeys(stems(value.name) for value in named):
            differing = _differing([v for v in named if stems(v.name) == key], passages)
            if len(differing) > 1 and cited & {value.passage for value in differing}:
                said = [
                    _said(value, passages[value.passage], words.differ[1]) for value in differing
                ]
                mark = "、" if language == "ja" else "; "
                places = tuple(dict.fromkeys(value.passage for value in differing))
                return Conflict(words.differ[0].format(all=mark.join(said)), places)
    return None


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
    return said.format(
        title=passage.title or passage.uri or passage.id,
        dated=f" ({dated.written})" if dated else "",
        value=value.text.rstrip("."),
    )
