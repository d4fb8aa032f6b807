"""Whether a sentence of an answer is a row or a labelled line of a passage, as it is composed.

The bullet "Price: 890 euros" is said behind its heading, "Kestrel 300", and a dash; of a row the
cells that are asked for, "Product: Floor lamp, Price: 120 euros." Words, columns and headings are
those of the passage, which so bears it out by its form; a model that reads the passage as running
text may well doubt it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of
from toulmin.answering.passages import Passage

_LABELLED = re.compile(r"[^\s:.!?][^:.!?]{0,50}:\s+\S")
_BELOW = " \u2013 "
_ENDS = ".\u3002"
_BETWEEN = re.compile(r"[,;] | \u2013 ")


def quoted_at(text: str, passage: Passage) -> int | None:
    """Return where in a passage stands what a sentence quotes of it in form; None: nowhere.

    Args:
        text: The sentence, without white space and list mark before it.
        passage: What it is said to be from.
    """
    said = text.rstrip(_ENDS)
    for piece in pieces_of([passage]):
        if not piece.said or piece.lead_in:
            continue
        if piece.kind is PieceKind.ROW:
            quotes = len(piece.cells) > 1 and _is_of_row(said, piece.cells)
        else:
            quotes = piece.kind is not PieceKind.SENTENCE and _is_labelled(said, piece)
        if quotes:
            return piece.start
    return None


def _is_labelled(said: str, piece: Piece) -> bool:
    line = piece.text.rstrip(_ENDS)
    if _LABELLED.match(line) is None or not said.endswith(line):
        return False
    above = said[: -len(line)]
    return not above or any(above == f"{heading}{_BELOW}" for heading in piece.under)


def _is_of_row(said: str, cells: Sequence[tuple[str, str]]) -> bool:
    """Return whether a sentence is the row's first cell and others of it in their order."""
    place, found = 0, 0
    for number, (name, value) in enumerate(cells):
        pair = f"{name.rstrip(':')}: {value}" if name else value.rstrip(":" if not number else "")
        if value and said.startswith(pair, place):
            place, found = place + len(pair), found + 1
            between = _BETWEEN.match(said, place)
            place = between.end() if between else place
        elif not number:
            return False
    return found > 1 and place == len(said)
