# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""The pieces that answer -> the sentences of an answer, with what stands between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toulmin.answering.compose.asserting import asserted
from toulmin.answering.compose.instructions import Instructions
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.selecting import Line, Selection, trimmed
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.passages import Passage
from toulmin.text.languages import find_language

_LANGUAGE_CHARACTERS = 400
_SPAN_LANGUAGES = frozenset({"en"})
"""Elsewhere the reader finds the sentence more often than the span, so that is said (0016)."""


class ComposedAnswer:
    """What is made of one question's passages."""

    def __init__(
        self,
        query: str,
        asked: AskedFor,
        passages: Sequence[Passage],
        pieces: Sequence[Piece],
        scored: Scored,
    ) -> None:
        self._query = query
        self._asked = asked
        self._passages = passages
        self._pieces = pieces
        self._scored = scored
        self._languages: dict[int, str] = {}
        self._selection = Selection(query, asked, passages, pieces, scored, self._language_of)

    def piece_of(self, passage: int, start: int, end: int) -> int | None:
        """Return the piece within a stretch of a passage that answers best; None: none is said."""
        inside = [
            index
            for index in self._scored.order
            if (piece := self._pieces[index]).passage == passage
            and piece.kind is not PieceKind.CODE
            and piece.start < end
            and start < piece.end
        ]
        return max(inside, key=lambda i: (self._scored.coverage[i], -i), default=None)

    def brief(self) -> Iterator[ComposedSentence]:
        """Yield the span alone, or the points of a list where several things are asked for."""
        best = next(iter(self._scored.order), None)
        listed = (
            (self._asked.several or self._asked.kind == "manner")
            and best is not None
            and self._pieces[best].kind is PieceKind.ITEM
        )
        if listed or not self._is_span_asked():
            lines = self._selection.short()
            points = [line for line in lines if line.point]
            yield from _bare(points if listed and points else lines[:1])
            return
        span, at = self._scored.spans[0]
        text = span.text[: self._pieces[at].end - span.start]
        yield ComposedSentence(trimmed(text), "", (span.passage_index,))

    def _is_span_asked(self) -> bool:
        """Return whether a few words answer, and the reader can be trusted to find them."""
        if not self._asked.by_span or not self._scored.spans:
            return False
        return self._asked.language in _SPAN_LANGUAGES or not self._scored.order

    def sentences(self, first: int | None, *, long: bool) -> Iterator[ComposedSentence]:
        """Yield sentences and points; with `first`, behind "Yes." or "No."."""
        lines = self._selection.long(first) if long else self._selection.short(first)
        before: Line | None = None
        for line in lines:
            code = self._is_code(line)
            if line.point:
                lead = f"\n{line.mark}" if before is not None else line.mark
            elif before is not None and (code or self._is_code(before)):
                lead = "\n\n"
            elif before is None:
                lead = " " if first is not None else ""
                if first is not None and self._asked.language in {"ja", "zh"}:
                    lead = ""
            elif before.point or (long and self._selection.starts_group(before, line)):
                lead = "\n\n"
            else:
                lead = "" if _unspaced(before.text) else " "
            states = self._stated(line) if before is None and first is None and not code else ""
            yield ComposedSentence(line.text, lead, tuple(line.sources), states, is_note=code)
            before = line

    def _is_code(self, line: Line) -> bool:
        return self._pieces[line.piece].kind is PieceKind.CODE

    def _stated(self, line: Line) -> str:
        """Return what a first line states as the answer: the question with its span; or ""."""
        if line.point or not self._asked.by_span or self._asked.language != "en":
            return ""
        span = next((span for span, at in self._scored.spans if at == line.piece), None)
        if span is None or self._asked.several:
            return ""
        texts = [self._passages[place].text for place in line.sources]
        return asserted(self._query, trimmed(span.text), texts)

    def _language_of(self, passage: int) -> str:
        if passage not in self._languages:
            text = self._passages[passage].text[:_LANGUAGE_CHARACTERS]
            self._languages[passage] = find_language(text, fallback=self._asked.language)
        return self._languages[passage]


def told_in_place(how: Instructions, *, brief: bool) -> Iterator[ComposedSentence]:
    """Yield what leads in, unless the answer is to be brief, then steps and code."""
    before = None
    for place, piece in enumerate(how.pieces):
        code, number = piece.kind is PieceKind.CODE, how.points.get(place, 0)
        leads_in = len(how.pieces) > 1 and not code and not number
        if brief and leads_in:
            continue
        lead = "" if before is None else "\n" if number and not before else "\n\n"
        mark = f"{number}. " if number else ""
        yield ComposedSentence(piece.text, f"{lead}{mark}", (piece.passage,), is_note=code)
        before = code


def _bare(lines: Sequence[Line]) -> Iterator[ComposedSentence]:
    """Yield points without what leads into them, or one sentence."""
    for place, line in enumerate(lines):
        lead = "" if not line.point else f"\n{line.mark}" if place else line.mark
        yield ComposedSentence(line.text, lead, tuple(line.sources))


def _unspaced(text: str) -> bool:
    """Return whether the next sentence follows without a space: Chinese and Japanese."""
    return text[-1:] in "。！？」』"
