"""The characters of a PDF page -> lines of words with their places.

PDFium gives the characters in content order, with spaces and line ends it has worked out. Places
are points from the page's lower left corner, y upwards, whatever the page's rotation.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import pypdfium2 as pdfium
from pypdfium2 import raw

_HYPHEN = "\x02"
"""PDFium's mark for a hyphen at the end of a line, inside a word."""
_BOLD_WEIGHT = 600
_NAME_BYTES = 128


@dataclass(slots=True)
class Word:
    """A word, and the rectangle around it."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


@dataclass(slots=True)
class Line:
    """A line of words.

    Attributes:
        words: Its words, in content order.
        size: Height of its characters from the font's lowest to highest, in points.
        bold: Whether its first and last characters are bold.
        hyphenated: Whether its last word goes on in the next line.
    """

    words: list[Word] = field(default_factory=list)
    size: float = 0.0
    bold: bool = False
    hyphenated: bool = False

    @property
    def text(self) -> str:
        """The words with one space between them."""
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        """Where its leftmost word begins."""
        return min(word.left for word in self.words)

    @property
    def right(self) -> float:
        """Where its rightmost word ends."""
        return max(word.right for word in self.words)

    @property
    def bottom(self) -> float:
        """Its lowest point."""
        return min(word.bottom for word in self.words)

    @property
    def top(self) -> float:
        """Its highest point."""
        return max(word.top for word in self.words)


def read_lines(page: pdfium.PdfPage) -> list[Line]:
    """Return the lines of a page in content order, none of them empty."""
    text_page = page.get_textpage()
    try:
        return _Reader(text_page).read()
    finally:
        text_page.close()


class _Reader:
    """One pass over the characters of a page."""

    def __init__(self, text_page: pdfium.PdfTextPage) -> None:
        self._page = text_page.raw
        self._count = text_page.count_chars()
        self._lines: list[Line] = []
        self._line = Line()
        self._word: list[str] = []
        self._box: list[float] = []
        self._sizes: list[float] = []
        self._ends: list[int] = []  # indices of the line's characters, white space apart
        self._rect = raw.FS_RECTF()

    def read(self) -> list[Line]:
        unicode_of = raw.FPDFText_GetUnicode
        page = self._page
        high = 0
        for index in range(self._count):
            code = unicode_of(page, index)
            if 0xD800 <= code < 0xDC00:
                high = code
                continue
            if 0xDC00 <= code < 0xE000 and high:
                code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
                high = 0
            self._character(index, chr(code) if code < 0x110000 else "\ufffd")
        self._end_line()
        return self._lines

    def _character(self, index: int, char: str) -> None:
        if char == _HYPHEN:
            self._line.hyphenated = True
            self._add(index, "-")
            self._end_line()  # PDFium joins the parts of the word, and so two lines
        elif char in "\r\n":
            self._end_line()
        elif char.isspace() or char == "\0":
            self._end_word()
        else:
            self._add(index, char)

    def _add(self, index: int, char: str) -> None:
        rect = self._rect
        if raw.FPDFText_GetLooseCharBox(self._page, index, ctypes.byref(rect)):
            left, right = min(rect.left, rect.right), max(rect.left, rect.right)
            bottom, top = min(rect.bottom, rect.top), max(rect.bottom, rect.top)
            if not self._box:
                self._box = [left, bottom, right, top]
            else:
                box = self._box
                self._box = [
                    min(box[0], left),
                    min(box[1], bottom),
                    max(box[2], right),
                    max(box[3], top),
                ]
            self._sizes.append(top - bottom)
        self._word.append(char)
        self._ends.append(index)

    def _end_word(self) -> None:
        if self._word:
            left, bottom, right, top = self._box or [0.0, 0.0, 0.0, 0.0]
            text = "".join(self._word)
            self._line.words.append(Word(text, left, bottom, right, top))
        self._word = []
        self._box = []

    def _end_line(self) -> None:
        self._end_word()
        line = self._line
        if line.words:
            sizes = sorted(self._sizes) or [0.0]
            line.size = round(sizes[len(sizes) // 2] * 2) / 2
            line.bold = all(self._is_bold(i) for i in {self._ends[0], self._ends[-1]})
            self._lines.append(line)
        self._line = Line()
        self._sizes, self._ends = [], []

    def _is_bold(self, index: int) -> bool:
        if raw.FPDFText_GetFontWeight(self._page, index) >= _BOLD_WEIGHT:
            return True
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        flags = ctypes.c_int()
        raw.FPDFText_GetFontInfo(self._page, index, buffer, _NAME_BYTES, ctypes.byref(flags))
        name = buffer.value.lower()
        return any(word in name for word in (b"bold", b"black", b"heavy", b"cmbx"))
