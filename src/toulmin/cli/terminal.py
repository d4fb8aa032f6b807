"""What every verb prints with: colours, lines no wider than the terminal, JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

from toulmin.text.scripts import HAN, KANA

WIDEST: Final = 96
"""Columns of a line at most, and where there is no terminal."""
_RESET: Final = "\x1b[0m"
_STYLE: Final = re.compile(r"\x1b\[[0-9;]*m")
# Text without spaces may be broken anywhere, but not before what closes a clause.
_PIECE: Final = re.compile(
    rf"\n|[^\S\n]+|{_STYLE.pattern}|[{KANA}{HAN}][、。，．！？：；」』）】]*|[^\s\x1b{KANA}{HAN}]+|\x1b"  # noqa: RUF001
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def wants_color(choice: str, stream: TextIO) -> bool:
    """Return whether to colour: as chosen, else on a terminal without NO_COLOR."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR")


class Paint:
    """ANSI colours, or none."""

    def __init__(self, enabled: bool) -> None:  # noqa: FBT001
        self._enabled = enabled

    @property
    def on(self) -> bool:
        """Whether there are colours."""
        return self._enabled

    def __call__(self, style: str, text: str) -> str:
        """Return `text` in `style` (an SGR code such as "1" or "31")."""
        return f"\x1b[{style}m{text}{_RESET}" if self._enabled else text


def printable(text: str) -> str:
    """Return text without what a document could steer a terminal by."""
    return _CONTROLS.sub("", text)


def line_width() -> int:
    """Return the columns of a line: those of the terminal or of COLUMNS, at most 96."""
    return min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)


class Wrapper:
    """Breaks text between words as it comes, in parts; colours go on in the next line.

    A word wider than a line is left whole.

    Args:
        width: Columns of a line.
        indent: Begins every line but the first.
    """

    def __init__(self, width: int, indent: str = "") -> None:
        self._width = width
        self._indent = indent if len(indent) < width // 2 else ""
        self._column = 0
        self._space = ""
        self._style = self._next_style = ""

    def add(self, text: str) -> str:
        """Return the next part with its line breaks."""
        shown = "".join(self._placed(piece) for piece in _PIECE.findall(text))
        return shown + self._styled("") if not self._next_style else shown

    def _placed(self, piece: str) -> str:
        if piece == "\n":
            self._column, self._space = 0, ""
            return self._styled("\n")
        if piece.isspace():
            self._space += piece
            return ""
        if _STYLE.fullmatch(piece):
            self._next_style = "" if piece == _RESET else piece
            return ""
        between, columns = self._space, _columns(piece)
        wanted = self._column + len(between) + columns
        if self._column > len(self._indent) and wanted > self._width:
            between, wanted = f"\n{self._indent}", len(self._indent) + columns
        self._column, self._space = wanted, ""
        return self._styled(between) + piece

    def _styled(self, between: str) -> str:
        """Return what comes before a word: the old style's end, `between`, the new one's begin."""
        style, self._style = self._style, self._next_style
        if style == self._style and "\n" not in between:
            return between
        return f"{_RESET if style else ''}{between}{self._style}"


def wrapped(text: str, indent: str = "") -> list[str]:
    """Return the lines of a text, all but the first begun with `indent`; it may have colours."""
    return Wrapper(line_width(), indent).add(text).split("\n")


def _columns(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) + sum(unicodedata.east_asian_width(char) in "WF" for char in text)


def print_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print a value as JSON for people and programs."""
    print(json.dumps(value, ensure_ascii=False, indent=2), file=sys.stdout, flush=True)


def say(text: str, value: Mapping[str, Any] | Sequence[Any], *, as_json: bool) -> None:
    """Print what came of a command: `text` for people, or `value` as JSON."""
    if as_json:
        print_json(value)
    else:
        print(text)
