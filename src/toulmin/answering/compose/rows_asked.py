"""Which rows of a table a question is about, and which of their columns.

A row says something of what its first cell names. Of "floor lamp" and "desk lamp" only one is asked
about; the height of the "top floor" is not that of the tower, and "days from egg to grown bee" are
not how many eggs there are, though the reader likes them: numbers beside the right heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.stores.index.analysis import word_analyzer
from toulmin.text.units import measured_by
from toulmin.text.words import fold_text

LEAST_OF_BEST = 0.03
"""The reader's belief in a sentence, next to that in the row, from which on it may answer."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d")
_COUNTS = re.compile(
    r"\bhow (?:many|(?P<adjective>tall|high|deep|wide|long|far|heavy|old|fast))\b", re.IGNORECASE
)
_NOUNS: Final = {
    "tall": "height elevation altitude tall high",
    "high": "height elevation altitude tall high",
    "deep": "depth deep",
    "wide": "width breadth span wide",
    "long": "length duration time period term span long",
    "far": "distance range reach far",
    "heavy": "weight mass load heavy",
    "old": "age old",
    "fast": "speed pace fast",
}
"""What a column is called that answers "how tall", "how long" and so on."""
_ENDS_HEAD: Final = frozenset(
    {"from", "of", "per", "in", "for", "to", "above", "below", "by", "at", "with", "until", "since"}
    | {"on", "after", "before", "between", "than"}
)
_ANYTHING: Final = frozenset({"value", "amount", "figure", "number", "count", "total", "quantity"})
"""Heads of columns that do not tell of what they are."""


def rows_named(query: str, pieces: Sequence[Piece]) -> Callable[[int], bool]:
    """Return what says of a piece whether it is no row beside one of its table that is asked about.

    A row is asked about when all words of its first cell are in the question.
    """
    asked = set(_WORD.findall(fold_text(query)))
    rows = {
        index: set(_WORD.findall(fold_text(piece.cells[0][1])))
        for index, piece in enumerate(pieces)
        if _is_row(piece)
    }
    named = {index for index, words in rows.items() if words and words <= asked}
    tables = {pieces[index].block for index in named}
    return lambda index: index not in rows or index in named or pieces[index].block not in tables


def columns_asked(
    query: str, telling: Sequence[str], pieces: Sequence[Piece]
) -> Callable[[int], bool]:
    """Return what says of a piece whether it is no row whose numbers are of other things.

    Only of "how many" and "how tall": the column of a number must be called what is asked for. One
    of a unit ("days from egg to grown bee") answers "how long" with a word of the question behind
    it. A table without names of columns, or with a column "value", says nothing against a row.

    Args:
        query: An English question.
        telling: Its telling words.
        pieces: All pieces.
    """
    found = _COUNTS.search(query)
    if found is None:
        return lambda _: True
    adjective = (found["adjective"] or "").lower()
    own = _stems(" ".join(telling))
    wanted = own | _stems(_NOUNS.get(adjective, ""))

    def is_asked(index: int) -> bool:
        piece = pieces[index]
        if not _is_row(piece):
            return True
        names = [name for name, value in piece.cells[1:] if _NUMBER.search(value)]
        first = _stems(" ".join(piece.cells[0]))
        beside = own - first if adjective else set()
        return not names or any(_answers(name, wanted - first, beside) for name in names)

    return is_asked


def without_rows_of_others(
    telling: Sequence[str],
    pieces: Sequence[Piece],
    scored: Scored,
    answers: Callable[[int], bool],
) -> Scored:
    """Return what is known without rows that the question says nothing of, where prose answers.

    Args:
        telling: The question's telling words.
        pieces: All pieces.
        scored: What is known of them.
        answers: Whether a piece gives the kind of thing that is asked for.
    """
    if not scored.order:
        return scored
    best = scored.order[0]
    own = _stems(" ".join(telling))

    def is_of_another(index: int) -> bool:
        piece = pieces[index]
        return _is_row(piece) and not _stems(" ".join(value for _, value in piece.cells)) & own

    if not is_of_another(best):
        return scored
    others = [is_of_another(index) for index in range(len(pieces))]
    beliefs = tuple(
        0.0 if other else belief for other, belief in zip(others, scored.beliefs, strict=True)
    )
    least = LEAST_OF_BEST * scored.beliefs[best]
    if not any(
        pieces[index].passage == pieces[best].passage and beliefs[index] > least and answers(index)
        for index in scored.order
    ):
        return scored
    return replace(scored.only(lambda index: not others[index]), beliefs=beliefs)


def _is_row(piece: Piece) -> bool:
    return piece.kind is PieceKind.ROW and len(piece.cells) > 1


def _stems(text: str) -> set[str]:
    return set(word_analyzer().analyze(text))


def _answers(name: str, wanted: set[str], beside: set[str]) -> bool:
    """Return whether a column of this name has what is asked for.

    Args:
        name: The column's name.
        wanted: What it may be called.
        beside: What may stand behind its unit.
    """
    words = _WORD.findall(name.lower())
    ends = next((at for at, word in enumerate(words) if word in _ENDS_HEAD), len(words))
    head = words[:ends]
    if not head or _ANYTHING & set(head) or _stems(" ".join(head)) & wanted:
        return True
    return bool(measured_by(head[0]) and _stems(" ".join(words[1:])) & beside)
