"""What held at first gives way to what holds today.

"How tall is the tower?" over "At first it was 312 metres high. Today it measures 330 metres." asks
for the second: the reader sees two heights and has no notion of when it is asked. Where a question
is not about the past, a sentence that says of itself that it is about the past is not said first if
one of the next two of its passage says of itself that it is about today, and gives what is asked
for. Where no kind of thing is asked for, it must have figures as the other has. The words are
closed lists (`data/words.toml`: `then`, `today`, `past`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.sentences import Piece

_NEXT: Final = 2
"""Pieces behind the one about the past that are looked at."""
_FIGURE = re.compile(r"\d")
_YEAR = re.compile(r"(?<!\d)1\d{3}(?!\d)|(?<!\d)20\d\d(?!\d)")


def that_holds_today(
    query: str,
    language: str,
    pieces: Sequence[Piece],
    scored: Scored,
    is_given: Callable[[int], bool],
) -> Scored:
    """Return what is known of the pieces, with the one about today before the one about the past.

    Args:
        query: The question.
        language: Its language; of those without lists nothing is changed.
        pieces: All pieces.
        scored: What is known of those that can answer.
        is_given: Whether a piece, by its index, gives the kind of thing asked for.
    """
    words = words_of(language)
    if words is None or not scored.order or words.past.search(query) or _YEAR.search(query):
        return scored
    best = scored.order[0]
    if not words.then.search(pieces[best].text) or words.today.search(pieces[best].text):
        return scored
    has_figures = bool(_FIGURE.search(pieces[best].text))
    for index in range(best + 1, min(best + 1 + _NEXT, len(pieces))):
        piece = pieces[index]
        holds = words.today.search(piece.text) and not words.then.search(piece.text)
        holds = holds and bool(_FIGURE.search(piece.text)) == has_figures
        if piece.passage == pieces[best].passage and piece.said and holds and is_given(index):
            rest = tuple(other for other in scored.order if other != index)
            spans = sorted(scored.spans, key=lambda found: found[1] != index)
            moved = replace(scored, order=(index, *rest), spans=tuple(spans))
            return _as_sure(moved, index, best)
    return scored


def _as_sure(scored: Scored, index: int, other: int) -> Scored:
    """Return what is known with one piece as good as another: the reader found what it updates."""
    scores, beliefs = list(scored.scores), list(scored.beliefs)
    scores[index] = max(scores[index], scores[other])
    beliefs[index] = max(beliefs[index], beliefs[other])
    return replace(scored, scores=tuple(scores), beliefs=tuple(beliefs))
