# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Passages cut into pieces that an answer can be made of: sentences, list items, table rows.

Each piece knows what it would say if it were said alone: an item stands under the sentence that
leads into its list, a row under its table's header.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from toulmin.answering.passages import Passage
from toulmin.text.sentences import split_sentences

LONGEST_SAID = 1_200
"""Characters of the longest piece that is said; longer ones are lists of names, code, damage."""

_ITEM = re.compile(
    r"[ \t>]*(?:[-*+–—](?=\s)|[•‣◦▪●○■□·・※➢✓✔✅①-⑳]"
    r"|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)](?=\s))\s*"
)
_HEADING = re.compile(r"#{1,6}[ \t]+\S|```|~~~")
_RULE = re.compile(r"\|?[\s|:-]*-[\s|:-]*\|?")
_CELL = re.compile(r"(?<!\\)\|")
END = re.compile(r"[.!?…。！？｡:：][\"'”’»)\]」』）]*$")
"""The end of a sentence."""
_MARKS = re.compile(
    r"\*\*|__|`(?=[^`]+`)|(?<=\w)`(?!\w)|\s*\[(?:\d{1,3}(?:[,–-]\d{1,3})*|\w+ needed|note \d+)\]"
)
_FEW_WORDS = 8


class PieceKind(StrEnum):
    """What a piece is.

    SENTENCE: prose. ITEM: an item of a list. ROW: a row of a table, without its header. LINE: a
    line without an end mark, such as `author: Ada Poe`. SILENT: a heading, a rule, a table's
    header, a label without a statement; never said alone.
    """

    SENTENCE = "SENTENCE"
    ITEM = "ITEM"
    ROW = "ROW"
    LINE = "LINE"
    SILENT = "SILENT"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage: `passages[passage].text[start:end]`.

    Attributes:
        passage: Place of its passage.
        start: First character.
        end: One past the last.
        kind: What it is.
        text: What it says, on one line, without list mark, emphasis and reference marks; a row as
            "column: value" pairs.
        lead_in: The sentence that leads into its list, else empty.
        block: The same number for the items of one list and the rows of one table; -1: neither.
        before: The sentences before it in its paragraph, in order.
    """

    passage: int
    start: int
    end: int
    kind: PieceKind
    text: str
    lead_in: str = ""
    block: int = -1
    before: tuple[str, ...] = ()

    @property
    def said(self) -> bool:
        """Whether an answer may say it."""
        return (
            self.kind is not PieceKind.SILENT
            and len(self.text) <= LONGEST_SAID
            and any(char.isalnum() for char in self.text)
        )


def pieces_of(passages: Sequence[Passage]) -> list[Piece]:
    """Return the pieces of all passages, in order. Time is linear in their length."""
    found: list[Piece] = []
    block = -1
    for number, passage in enumerate(passages):
        cutter = _Cutter(number, passage.text, block)
        found += cutter.pieces()
        block = cutter.block
    return found


def piece_at(pieces: Sequence[Piece], passage: int, place: int) -> int | None:
    """Return the index of the piece that holds a character; None: white space between two.

    Args:
        pieces: In order, as `pieces_of` returns them.
        passage: Place of a passage.
        place: A character of its text.
    """
    at = bisect.bisect_right(pieces, (passage, place), key=lambda p: (p.passage, p.start)) - 1
    if at < 0 or pieces[at].passage != passage or pieces[at].end <= place:
        return None
    return at


class _Cutter:
    """One pass over one passage.

    Attributes:
        block: The number of the last list or table.
    """

    def __init__(self, number: int, text: str, block: int) -> None:
        self.block = block
        self._number = number
        self._text = text
        self._header: tuple[str, ...] = ()
        self._lead_in = ""
        self._before: tuple[str, ...] = ()
        self._in_list = False

    def pieces(self) -> list[Piece]:
        ranges = split_sentences(self._text)
        found = []
        for index, (start, end) in enumerate(ranges):
            gap = self._text[ranges[index - 1][1] : start] if index else "\n\n"
            follows = ranges[index + 1] if index + 1 < len(ranges) else (end, end)
            found.append(self._piece(start, end, gap, self._text[slice(*follows)]))
        return found

    def _piece(self, start: int, end: int, gap: str, follows: str) -> Piece:
        text = self._text[start:end]
        begins_line = "\n" in gap or not start
        if begins_line and text.startswith("|"):
            return self._row(start, end, follows)
        self._header = ()
        if begins_line and _HEADING.match(text):
            self._leave()
            return Piece(self._number, start, end, PieceKind.SILENT, text)
        item = _ITEM.match(text) if begins_line else None
        if item and item.end() < len(text):
            if not self._in_list:
                self.block += 1
                self._in_list = True
            said = _plain(text[item.end() :])
            return Piece(
                self._number, start, end, PieceKind.ITEM, said, self._lead_in, block=self.block
            )
        if gap.count("\n") > 1 or (self._in_list and begins_line):
            self._leave()
        return self._prose(start, end, begins_line=begins_line)

    def _prose(self, start: int, end: int, *, begins_line: bool) -> Piece:
        text = _plain(self._text[start:end])
        kind = PieceKind.SENTENCE
        if not END.search(text):
            ends_line = self._text[end : end + 1] in {"", "\n", "\r"}
            few = len(text.split()) <= _FEW_WORDS and text.isascii()
            if begins_line and ends_line and few:
                kind = PieceKind.LINE if ": " in text else PieceKind.SILENT
        elif text.endswith((":", "：")):
            kind = PieceKind.SILENT
            self._lead_in = text
        if kind is not PieceKind.SILENT:
            self._lead_in = ""
        piece = Piece(self._number, start, end, kind, text, before=self._before)
        if kind is PieceKind.SENTENCE:
            self._before = (*self._before, text)[-4:]
        return piece

    def _row(self, start: int, end: int, follows: str) -> Piece:
        raw = self._text[start:end]
        if _RULE.fullmatch(raw):
            return Piece(self._number, start, end, PieceKind.SILENT, raw)
        cells = tuple(_plain(cell.replace("\\|", "|")) for cell in _CELL.split(raw.strip("| ")))
        if not self._header and _RULE.fullmatch(follows):
            self._header = cells
            self.block += 1
            self._in_list = False
            return Piece(self._number, start, end, PieceKind.SILENT, " ".join(cells))
        said = row_sentence(self._header, cells)
        kind = PieceKind.ROW if said else PieceKind.SILENT
        return Piece(self._number, start, end, kind, said, self._lead_in, block=self.block)

    def _leave(self) -> None:
        """A list or paragraph is over."""
        self._before = ()
        self._in_list = False


def row_sentence(header: Sequence[str], cells: Sequence[str]) -> str:
    """Return a table's row as a sentence: "column: value, column: value."; empty: no values.

    Semicolons stand between the pairs where a value has a comma.
    """
    pairs = []
    for place, cell in enumerate(cells):
        name = header[place] if place < len(header) else ""
        if cell:
            pairs.append(f"{name.rstrip(':')}: {cell}" if name else cell)
    if not pairs:
        return ""
    joined = ("; " if any(", " in pair for pair in pairs) else ", ").join(pairs)
    return joined if END.search(joined) else f"{joined}."


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())
