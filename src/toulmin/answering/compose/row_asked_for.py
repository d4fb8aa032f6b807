"""Which row of a table is asked for by what it says, as in "Which option switches on logs?".

A reader of spans hardly points at a table's first cell by what stands in its others. A row is what
is asked for when a column is called what is asked for ("option"), the row has nearly all of the
question's other words that title and headings lack, and no other row of its table comes near. A
column whose cell is "yes" says what it is called of its row, one whose cell is "no" does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toulmin.answering.compose.counted import stems
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.retrieval.coverage import QueryWords

LEAST_HELD: Final = 0.6
"""Share in the row of the question's other words, by weight, that are not above the table."""
LEAST_LEAD: Final = 0.2
"""How much more of them it must have than the next best row of its table."""
_WHICH: Final = re.compile(r"\s*(?:which|what)\s+(?P<head>.+)", re.IGNORECASE)
_HEAD_WORDS: Final = 2
_YES: Final = re.compile(r"(?:yes|y|true|✓|✔|x|on|supported|included)\W*", re.IGNORECASE)
_NO: Final = re.compile(r"(?:no|n|false|✗|✘|off|none|[-–—]|not .*|)\W*", re.IGNORECASE)  # noqa: RUF001


def row_asked_for(query: str, pieces: Sequence[Piece]) -> int | None:
    """Return the index of the row that is asked for; None: no row is, or several may be.

    Args:
        query: A question in English.
        pieces: The pieces of what was found.
    """
    found = _WHICH.match(query)
    if found is None:
        return None
    heads = [stems(word) for word in found["head"].split()[:_HEAD_WORDS]]
    telling = [(word, stems(word)) for word in telling_words(query)]
    asked: dict[tuple[tuple[str, ...], tuple[str, ...]], QueryWords | None] = {}
    shares: dict[int, list[tuple[float, int]]] = {}
    for index, piece in enumerate(pieces):
        if piece.kind is not PieceKind.ROW or not piece.said or len(piece.cells) < 2:
            continue
        table = (tuple(name for name, _ in piece.cells), piece.under)
        if table not in asked:
            asked[table] = _asked_of(heads, telling, *table)
        words = asked[table]
        if words is not None:
            share = float(words.coverage([_said_by(piece)])[0])
            shares.setdefault(piece.block, []).append((share, index))
    best = [
        rows[0][1]
        for rows in (sorted(rows, reverse=True) for rows in shares.values())
        if rows[0][0] >= LEAST_HELD and (len(rows) == 1 or rows[0][0] - rows[1][0] >= LEAST_LEAD)
    ]
    return best[0] if len(best) == 1 else None


def _asked_of(
    heads: Sequence[set[str]],
    telling: Sequence[tuple[str, set[str]]],
    names: Sequence[str],
    under: Sequence[str],
) -> QueryWords | None:
    """Return the words that rows below these names and headings must have; None: not asked of."""
    called = next((head for head in heads if head & stems(" ".join(names))), None)
    if called is None:
        return None
    known = called | stems(" ".join(under))
    words = [word for word, own in telling if not own & known]
    return QueryWords(" ".join(words)) if words else None


def _said_by(row: Piece) -> str:
    """Return what a row says: its cells, and what the columns are called that it has a yes in."""
    said = []
    for name, value in row.cells:
        if _YES.fullmatch(value):
            said.append(name)
        elif not _NO.fullmatch(value):
            said.append(value)
    return " ".join(said)
