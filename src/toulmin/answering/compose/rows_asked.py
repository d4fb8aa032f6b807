"""Which rows of a table a question is about, and which of their columns.

A row says something of what its first cell names. Of "floor lamp" and "desk lamp" only one is asked
about; the height of the "top floor" is not that of the tower, and "days from egg to grown bee" are
not how many eggs there are, though the reader likes them: numbers beside the right heading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import Final

from toulmin.answering.compose.counted import names_of_adjective, names_of_count, stems
from toulmin.answering.compose.measures import is_unit_of
from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.text.units import measured_by, unit_of
from toulmin.text.words import fold_text

LEAST_OF_BEST = 0.03
"""The reader's belief in a sentence, next to that in the row, from which on it may answer."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d")
_COUNTED = re.compile(r"\d[\d.,]*\s+([^\W\d_]+)")
"""The word right behind a number."""
_COUNTS = re.compile(
    r"\bhow (?:many|(?P<adjective>tall|high|deep|wide|long|far|heavy|old|fast))\b", re.IGNORECASE
)
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
    Of a row that has a word of the question, a column may be called nothing but the unit ("km") or
    another word for the count ("population"), or the row may say what it counts ("120 guests").

    Args:
        query: An English question.
        telling: Its telling words.
        pieces: All pieces.
    """
    found = _COUNTS.search(query)
    if found is None:
        return lambda _: True
    asked = _Asked(query, telling, (found["adjective"] or "").lower())
    return lambda index: not _is_row(pieces[index]) or asked.is_answered_by(pieces[index])


class _Asked:
    """What "how many" or "how tall" asks of the rows of tables.

    Args:
        query: The question.
        telling: Its telling words.
        adjective: "tall", "long" and so on; empty: it asks how many.
    """

    def __init__(self, query: str, telling: Sequence[str], adjective: str) -> None:
        self._query = query
        self._telling = telling
        self._adjective = adjective
        self._own = stems(" ".join(telling))
        self._names = names_of_adjective(adjective)
        self._units = {unit_of(word) for word in telling if len(word) > 1 and measured_by(word)}

    def is_answered_by(self, row: Piece) -> bool:
        """Return whether a row has no numbers, or one of what is asked for."""
        numbers = [(name, value) for name, value in row.cells[1:] if _NUMBER.search(value)]
        first = stems(" ".join(row.cells[0]))
        wanted = (self._own | self._names) - first
        beside = self._own - first if self._adjective else set()
        if not numbers or any(_answers(name, wanted, beside) for name, _ in numbers):
            return True
        if not self._own & stems(" ".join(value for _, value in row.cells)):
            return self._is_called(row)
        if self._adjective:
            units = any(is_unit_of(self._adjective, name) for name, _ in numbers)
            return units or self._is_called(row)
        said = stems(" ".join((row.cells[0][0], *(v for _, v in row.cells), *row.under)))
        counts = names_of_count(self._query, self._telling, said & self._own)
        beside = self._own - stems(row.cells[0][1])
        return any(self._counts(name, value, counts, beside) for name, value in numbers)

    def _counts(self, name: str, value: str, counts: Set[str], beside: set[str]) -> bool:
        """Return whether a number is the count that is asked for, in other words.

        Args:
            name: The name of its column.
            value: The cell.
            counts: Stems of what such a column may be called.
            beside: Stems of the words that may stand behind the number.
        """
        head = _head(name)
        behind = {stem for word in _COUNTED.findall(value) for stem in stems(word)}
        return bool(
            counts & stems(" ".join(head))
            or behind & beside
            or any(unit_of(word) in self._units for word in head if len(word) > 1)
        )

    def _is_called(self, row: Piece) -> bool:
        """Return whether a row is called what an adjective asks for.

        So is "Range | 300 m" under the heading "Our lamp", whatever its columns are called.
        """
        called = stems(" ".join(_head(row.cells[0][1])))
        return bool(
            called & self._names
            and called <= self._names | self._own
            and self._own & stems(" ".join(row.under))
        )


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
    own = stems(" ".join(telling))

    def is_of_another(index: int) -> bool:
        piece = pieces[index]
        return _is_row(piece) and not stems(" ".join(value for _, value in piece.cells)) & own

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


def _answers(name: str, wanted: set[str], beside: set[str]) -> bool:
    """Return whether a column of this name has what is asked for.

    Args:
        name: The column's name.
        wanted: What it may be called.
        beside: What may stand behind its unit.
    """
    head = _head(name)
    if not head or _ANYTHING & set(head) or stems(" ".join(head)) & wanted:
        return True
    behind = _WORD.findall(name.lower())[1:]
    return bool(measured_by(head[0]) and stems(" ".join(behind)) & beside)


def _head(name: str) -> list[str]:
    """Return the words of a column's name before its first preposition."""
    words = _WORD.findall(name.lower())
    ends = next((at for at, word in enumerate(words) if word in _ENDS_HEAD), len(words))
    return words[:ends]
