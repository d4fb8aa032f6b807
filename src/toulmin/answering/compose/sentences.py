# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Passages cut into pieces that an answer can be made of: sentences, list items, table rows, code.

Each piece knows what it would say if it were said alone: an item stands under the sentence that
leads into its list, a row under its table's header, and all of them under a title and headings.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from textwrap import dedent

from toulmin.answering.compose.commands import is_command
from toulmin.answering.passages import Passage
from toulmin.text.scripts import FIRST_EAST_ASIAN
from toulmin.text.sentences import split_sentences

LONGEST_SAID = 1_200
"""Characters of the longest piece that is said; longer ones are lists of names, code, damage."""

_ITEM = re.compile(
    r"[ \t>]*(?:[-*+–—](?=\s)|[•‣◦▪●○■□·・※➢✓✔✅①-⑳]"
    r"|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)](?=\s))\s*"
)
_NUMBERED = re.compile(r"\s*(\d{1,2})[.)]\s")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"```|~~~")
_CODE = re.compile(
    r"(?P<fence>`{3,}|~{3,})[^`\n]*\n(?P<code>.*?)(?:\n *(?P=fence)(?=\s|\Z)|\Z)", re.DOTALL
)
_WORDS = re.compile(r"[^\W\d_]++(?:[,;]? [^\W\d_]++)*+(?P<end>[.!?](?=\s|\Z))?")
_SENTENCE_WORDS = 5
"""Words of letters alone before an end mark that make a sentence: what has one is no code."""
_MENU = re.compile(r"(?:[^|·»>•/]{1,30}\s[|·»>•/]\s){2,}[^|·»>•/]{1,30}")
_RULE = re.compile(r"\|?[\s|:-]*-[\s|:-]*\|?")
_CELL = re.compile(r"(?<!\\)\|")
END = re.compile(r"[.!?…。！？｡:：][\"'”’»)\]」』）]*$")
"""The end of a sentence."""
_MARKS = re.compile(
    r"\*\*|__|`(?=[^`]+`)|(?<=\w)`(?!\w)|\s*\[(?:\d{1,3}(?:[,–-]\d{1,3})*|\w+ needed|note \d+)\]"
)
_FEW_WORDS = 8
_HEADING_WORDS = 14
"""Words of the longest line between blank lines that is a heading without saying so."""


class PieceKind(StrEnum):
    """What a piece is.

    SENTENCE: prose. ITEM: an item of a list. ROW: a row of a table, without its header. LINE: a
    line without an end mark, such as `author: Ada Poe`. CODE: what stands between two fences.
    SILENT: a heading, a rule, a table's header, a menu, a question, a label without a statement;
    never said alone.
    """

    SENTENCE = "SENTENCE"
    ITEM = "ITEM"
    ROW = "ROW"
    LINE = "LINE"
    CODE = "CODE"
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
            "column: value" pairs; code as it is, with its lines and fences.
        lead_in: The sentence that leads into its list or code, else empty.
        block: The same number for the items of one list and the rows of one table; -1: neither.
        before: The sentences before it in its paragraph, in order.
        under: The title of its document and the headings above it, outermost first, each once.
        cells: Of a row: name of the column, perhaps empty, and value of each cell.
    """

    passage: int
    start: int
    end: int
    kind: PieceKind
    text: str
    lead_in: str = ""
    block: int = -1
    before: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def said(self) -> bool:
        """Whether an answer may say it."""
        return (
            self.kind is not PieceKind.SILENT
            and len(self.text) <= LONGEST_SAID
            and any(char.isalnum() for char in self.text)
            and not is_command(self.text)
        )


def pieces_of(passages: Sequence[Passage]) -> list[Piece]:
    """Return the pieces of all passages, in order. Time is linear in their length."""
    found: list[Piece] = []
    block = -1
    for number, passage in enumerate(passages):
        cutter = _Cutter(number, passage, block)
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


def step_number(piece: Piece, passage: Passage) -> int | None:
    """Return the number in front of a list's item, as steps have it; None: none stands there."""
    found = _NUMBERED.match(passage.text, piece.start) if piece.kind is PieceKind.ITEM else None
    return int(found[1]) if found else None


class _Cutter:
    """One pass over one passage.

    Attributes:
        block: The number of the last list or table.
    """

    def __init__(self, number: int, passage: Passage, block: int) -> None:
        self.block = block
        self._number = number
        self._text = passage.text
        self._under = Headings(passage)
        self._header: tuple[str, ...] = ()
        self._lead_in = ""
        self._before: tuple[str, ...] = ()
        self._in_list = False

    def pieces(self) -> list[Piece]:
        ranges = split_sentences(self._text)
        found: list[Piece] = []
        for index, (start, end) in enumerate(ranges):
            if found and start < found[-1].end:
                continue  # code
            gap = self._text[ranges[index - 1][1] : start] if index else "\n\n"
            follows = ranges[index + 1] if index + 1 < len(ranges) else (end, end)
            piece = self._piece(start, end, gap, self._text[slice(*follows)])
            found.append(replace(piece, under=self._under.lines))
            if piece.kind is not PieceKind.SILENT:
                self._under.leave()
        return found

    def _piece(self, start: int, end: int, gap: str, follows: str) -> Piece:
        text = self._text[start:end]
        begins_line = "\n" in gap or not start
        if begins_line and (code := self._code(start)):
            return code
        if begins_line and text.startswith("|"):
            return self._row(start, end, follows)
        self._header = ()
        if begins_line and self._is_heading(start, end, gap):
            self._leave()
            self._lead_in = ""
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

    def _code(self, start: int) -> Piece | None:
        """Return the code between fences that begins here; None: there is none."""
        found = _CODE.match(self._text, start)
        if not found or not found["code"].strip() or _has_sentence(found["code"]):
            return None
        said = f"```\n{dedent(found['code']).strip(chr(10)).rstrip()}\n```"
        code = Piece(
            self._number,
            start,
            found.end(),
            PieceKind.CODE,
            said,
            self._lead_in,
            before=self._before,
        )
        self._lead_in = ""
        return code

    def _is_heading(self, start: int, end: int, gap: str) -> bool:
        """Return whether a line is a heading or a fence, and note what stands under it."""
        text = self._text[start:end]
        if _FENCE.match(text):
            return True
        if marked := _HEADING.match(text):
            self._under.open(_plain(marked[2]), len(marked[1]))
            return True
        text = _plain(text)
        if self._under.knows(text):
            self._under.open(text)
            return True
        alone = self._ends_line(end) and (gap.count("\n") > 1 or not start)
        followed = self._text[end:].lstrip(" \t\r").startswith("\n\n")
        if not (alone and followed and len(text.split()) <= _HEADING_WORDS) or ": " in text:
            return False
        if _MENU.fullmatch(text) or _ITEM.match(text) or any(c >= FIRST_EAST_ASIAN for c in text):
            return False
        if END.search(text) and text[-1] not in "?？":
            return False
        self._under.open(text)
        return True

    def _ends_line(self, end: int) -> bool:
        return self._text[end : end + 1] in {"", "\n", "\r"}

    def _prose(self, start: int, end: int, *, begins_line: bool) -> Piece:
        text = _plain(self._text[start:end])
        kind = PieceKind.SENTENCE
        if text.endswith(("?", "？")) or _MENU.fullmatch(text):
            kind = PieceKind.SILENT
        elif not END.search(text):
            few = len(text.split()) <= _FEW_WORDS and not any(c >= FIRST_EAST_ASIAN for c in text)
            if begins_line and self._ends_line(end) and few:
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
        bare = raw.strip().removeprefix("|")
        bare = bare if bare.endswith("\\|") else bare.removesuffix("|")
        cells = tuple(_plain(cell.replace("\\|", "|")) for cell in _CELL.split(bare))
        if not self._header and _RULE.fullmatch(follows):
            self._header = cells
            self.block += 1
            self._in_list = False
            return Piece(self._number, start, end, PieceKind.SILENT, " ".join(cells))
        named = [(self._header[i] if i < len(self._header) else "", c) for i, c in enumerate(cells)]
        said = row_sentence(named)
        kind = PieceKind.ROW if said else PieceKind.SILENT
        return Piece(
            self._number, start, end, kind, said, self._lead_in, self.block, cells=tuple(named)
        )

    def _leave(self) -> None:
        """A list or paragraph is over."""
        self._before = ()
        self._in_list = False


class Headings:
    """The headings that are open at a place of a passage.

    Where a text does not say on which level a heading is, one right below another is under it, and
    one behind a text takes the place of the last: so chunks are cut (`ingestion/chunking.py`).

    Args:
        passage: Its title and its own headings are open at its start.
    """

    def __init__(self, passage: Passage) -> None:
        self._title = passage.title
        self._open = [(0, heading) for heading in passage.headings]
        self._known = {_plain(text) for text in (passage.title, *passage.headings) if text}
        self._begun = True

    @property
    def lines(self) -> tuple[str, ...]:
        """Title and open headings, outermost first, each once."""
        return tuple(dict.fromkeys(t for t in (self._title, *(h for _, h in self._open)) if t))

    def knows(self, text: str) -> bool:
        """Return whether a line is the title, or one of the headings above the passage."""
        return text in self._known

    def open(self, text: str, level: int = 0) -> None:
        """A heading; of level 0: it is not known on which."""
        if level:
            while self._open and self._open[-1][0] >= level:
                self._open.pop()
        elif not self._begun and self._open:
            self._open.pop()
        self._open.append((level, text))
        self._begun = True

    def leave(self) -> None:
        """Something else than a heading: the next heading is not right below one."""
        self._begun = False


def row_sentence(cells: Sequence[tuple[str, str]]) -> str:
    """Return a table's row as a sentence: "column: value, column: value."; empty: no values.

    A first cell below an empty header is the row's name and stands before a dash. Semicolons stand
    between the pairs where a value has a comma.

    Args:
        cells: Name of the column, perhaps empty, and value of each cell.
    """
    kept = [(name.rstrip(":"), value) for name, value in cells if value]
    if not kept:
        return ""
    row = ""
    if not kept[0][0] and len(kept) > 1 and all(name for name, _ in kept[1:]):
        row, kept = f"{kept[0][1].rstrip(':')} – ", kept[1:]
    pairs = [f"{name}: {value}" if name else value for name, value in kept]
    joined = row + ("; " if any(", " in pair for pair in pairs) else ", ").join(pairs)
    return joined if END.search(joined) else f"{joined}."


def _has_sentence(code: str) -> bool:
    return any(
        run["end"] and len(run[0].split()) >= _SENTENCE_WORDS for run in _WORDS.finditer(code)
    )


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())
