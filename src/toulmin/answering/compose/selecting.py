# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Which pieces an answer is made of, and in which order: the answer first, then what it needs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from toulmin.answering.compose.joining import Alone, stand_alone
from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.question_kind import AskedFor
from toulmin.answering.compose.repeats import Saying
from toulmin.answering.compose.scoring import Scored
from toulmin.answering.compose.sentences import Piece, PieceKind
from toulmin.answering.passages import Passage

ALMOST = 0.1
"""Odds against the best piece, from which on a second one is said in a short answer."""
EXPLAINS = 0.05
"""The same where the question asks why, how or for an account."""
DETAIL = 0.0002
"""The same in an answer with details."""
_MOST_SHORT, _MOST_LONG = 3, 8
_ROOM_SHORT, _ROOM_LONG = 600, 2_400
_BLOCK_ODDS = 0.1
_ABOUT = 0.5
"""Share of the most words of the question that a sentence has, which one needs to be about it."""
_LEAST_ABOUT = 0.25
"""Share of the question's words that it needs in any case."""
_READ = 0.1
"""Probability of a span in it that makes up for missing words."""
_NEAR = 2
"""Pieces between the answer and what explains it."""
_MOST_POINTS = 20
_NUMBERED = re.compile(r"\W{0,2}\d{1,2}[.)]\s")


@dataclass(slots=True)
class Line:
    """A sentence or point that is going to be said.

    Attributes:
        text: Its words.
        sources: Places of the passages that say it.
        piece: Index of the piece that it was made from.
        saying: Its words, for comparing.
        point: Whether it is a point of a list.
        number: Its number in a list of steps, from 1; 0: it has none.
    """

    text: str
    sources: list[int]
    piece: int
    saying: Saying
    point: bool = False
    number: int = 0

    @property
    def mark(self) -> str:
        """What stands before a point."""
        return f"{self.number}. " if self.number else "- "


@dataclass(slots=True)
class Selection:
    """Chooses pieces for one answer.

    Attributes:
        query: The question.
        asked: What it asks for.
        passages: What may be said.
        pieces: Their pieces.
        scored: How well each answers.
        language_of: Code of a passage's language, by its place.
    """

    query: str
    asked: AskedFor
    passages: Sequence[Passage]
    pieces: Sequence[Piece]
    scored: Scored
    language_of: Callable[[int], str]
    _lines: list[Line] = field(default_factory=list)

    def short(self, first: int | None = None) -> list[Line]:
        """Return one to three sentences, or a list.

        Args:
            first: A piece that is said first; None: the best one.
        """
        return self._lines_from(first, long=False)

    def long(self, first: int | None = None) -> list[Line]:
        """Return up to eight sentences, those of one source together, or a list and details."""
        return self._lines_from(first, long=True)

    def _lines_from(self, first: int | None, *, long: bool) -> list[Line]:
        order = self.scored.order
        if not order:
            return []
        best = order[0] if first is None else first
        listed = first is None and self._wants_list() and self._say_list()
        if not listed:
            self._say(best)
        if long or not (listed or self.asked.yes_no):
            self._say_more(best, long=long)
        self._credit()
        return self._grouped() if long else self._lines

    def _say_more(self, best: int, *, long: bool) -> None:
        """Say what else answers, or belongs to the answer, as far as there is room."""
        least = DETAIL if long else EXPLAINS if self._wants_more() else ALMOST
        most, room = (_MOST_LONG, _ROOM_LONG) if long else (_MOST_SHORT, _ROOM_SHORT)
        for index in self.scored.order:
            if self.scored.odds(index, self.scored.order[0]) < least:
                break
            said = [line for line in self._lines if not line.point]
            length = sum(len(line.text) for line in self._lines) + len(self.pieces[index].text)
            if len(said) >= most or index == best or length > room:
                continue
            if self._belongs(index, best) and not self._of_said_block(index):
                self._say(index, most=most)

    def _belongs(self, index: int, best: int) -> bool:
        """Return whether a piece is about what is asked: by its words, or by where it stands."""
        near = (
            self.pieces[index].passage == self.pieces[best].passage
            and self.pieces[index].kind is PieceKind.SENTENCE
            and abs(index - best) <= _NEAR
        )
        if self.scored.beliefs[index] >= _READ:
            return True
        if self.pieces[index].kind is PieceKind.ITEM:
            return False  # of a list that answers, all are said
        least = max(_LEAST_ABOUT, _ABOUT * max(self.scored.coverage))
        return near or self.scored.coverage[index] >= least

    def _wants_more(self) -> bool:
        return self.asked.explained or self.asked.parts > 1

    def _say(self, index: int, *, most: int = _MOST_SHORT) -> None:
        """Say a piece, with the sentence before it in front where it cannot stand alone."""
        alone = self._alone(index)
        if self._is_repeat(alone.text):
            return
        if alone.dangling:
            self._say_behind(index, self._needed(index), most)
        else:
            self._add(index, alone.text)

    def _say_behind(self, index: int, earlier: int | None, most: int) -> None:
        """Say a piece that leans on an earlier one right behind that."""
        held = [line.piece for line in self._lines]
        if earlier in held:
            self._add(index, self.pieces[index].text, at=held.index(earlier) + 1)
        elif earlier is not None:
            if len(self._lines) + 2 <= most:
                self._add(earlier, self._alone(earlier).text)
                self._add(index, self.pieces[index].text)
        elif not self._lines:  # else it is a detail about nobody knows what
            self._add(index, self._alone(index).text)

    def _alone(self, index: int) -> Alone:
        piece = self.pieces[index]
        return stand_alone(
            piece,
            language=self.language_of(piece.passage),
            query=self.query,
            title=self.passages[piece.passage].title,
        )

    def _needed(self, index: int) -> int | None:
        """Return the sentence right before a piece, if it stands alone; else None."""
        piece = self.pieces[index]
        if not piece.before or not index:
            return None
        earlier = self.pieces[index - 1]
        if earlier.passage != piece.passage or earlier.kind is not PieceKind.SENTENCE:
            return None
        return None if not earlier.said or self._alone(index - 1).dangling else index - 1

    def _is_repeat(self, text: str) -> bool:
        saying = Saying(text)
        return any(saying.repeats(line.saying) for line in self._lines)

    def _add(self, index: int, text: str, *, at: int | None = None, point: bool = False) -> None:
        place = len(self._lines) if at is None else at
        line = Line(text, [self.pieces[index].passage], index, Saying(text), point)
        self._lines.insert(place, line)

    def _credit(self) -> None:
        """Add to the lines' sources the other passages that say the same."""
        sayings = [(p.passage, Saying(p.text)) for p in self.pieces if p.said]
        for line in self._lines:
            for passage, saying in sayings:
                if passage not in line.sources and saying.holds(line.saying):
                    line.sources.append(passage)

    def _wants_list(self) -> bool:
        return self.asked.several or self.asked.kind == "manner"

    def _say_list(self) -> bool:
        """Say the items of the best list or table, if it answers about as well as anything.

        Where it is asked how something is done, a list of steps.
        """
        best = self.scored.order[0]
        blocks: dict[int, list[int]] = {}
        for index, piece in enumerate(self.pieces):
            step = self.asked.several or self._is_step(piece)
            if piece.block >= 0 and piece.said and step:
                blocks.setdefault(piece.block, []).append(index)
        several = [items for items in blocks.values() if len(items) > 1]
        if not several:
            return False
        items = max(several, key=lambda group: (self._of_block(group), -group[0]))
        if self._of_block(items) < self.scored.scores[best] + math.log(_BLOCK_ODDS):
            return False
        lead_in = self.pieces[items[0]].lead_in
        if lead_in:
            self._add(items[0], lead_in)
        for index in items[:_MOST_POINTS]:
            self._add(index, self.pieces[index].text, point=True)
        for number, line in enumerate([line for line in self._lines if line.point], start=1):
            line.number = number if self._is_step(self.pieces[line.piece]) else 0
        return True

    def _is_step(self, piece: Piece) -> bool:
        """Return whether an item has a number in front."""
        text = self.passages[piece.passage].text[piece.start : piece.end]
        return piece.kind is PieceKind.ITEM and _NUMBERED.match(text) is not None

    def _of_block(self, items: Sequence[int]) -> float:
        """How well a list answers: as well as its best item."""
        return max(self.scored.scores[index] for index in items)

    def _of_said_block(self, index: int) -> bool:
        """Return whether a piece is of a list of which something is said."""
        piece = self.pieces[index]
        return piece.kind is PieceKind.ITEM and any(
            self.pieces[line.piece].block == piece.block for line in self._lines
        )

    def _grouped(self) -> list[Line]:
        """Return the lines of one source together, the best source first, each in its order.

        The answer itself stays first.
        """
        head = 1
        while head < len(self._lines) and (
            self._lines[head].point or self._leans(self._lines[head])
        ):
            head += 1
        groups: dict[tuple[str, ...], list[Line]] = {}
        for line in self._lines:
            groups.setdefault(self._group(line), []).append(line)
        ordered = self._lines[:head]
        for lines in groups.values():
            rest = [line for line in lines if all(line is not one for one in ordered)]
            ordered += sorted(rest, key=lambda line: line.piece)
        return ordered

    def _leans(self, line: Line) -> bool:
        words = words_of(self.language_of(self.pieces[line.piece].passage))
        return words is not None and words.dangling.match(line.text) is not None

    def _group(self, line: Line) -> tuple[str, ...]:
        passage = self.passages[line.sources[0]]
        named = passage.document or passage.title or passage.uri or passage.id
        return (named or str(line.sources[0]), *passage.headings)

    def starts_group(self, before: Line, line: Line) -> bool:
        """Return whether a new paragraph begins between two lines."""
        return self._group(before) != self._group(line)


_EDGES = re.compile(r"^[\s,;:!?\"'“”‘’«»()\[\]–—]+|[\s,;:!?\"“”«»\[\]–—-]+$")


def trimmed(span: str) -> str:
    """Return an answer span without quotation marks, brackets and commas at its edges.

    Of several cells of a table it is the first. A closing bracket stays if it was opened inside, a
    full stop always ("U.S.").
    """
    cells = [cell for cell in span.split(" | ") if _EDGES.sub("", cell)]
    text = " ".join(_EDGES.sub("", cells[0] if cells else span).split())
    if text.endswith(")") and "(" not in text:
        text = text[:-1].rstrip()
    return text or span.strip()
