"""Org (the plain text of Emacs' Org mode): outline, lists, tables, blocks.

Keywords of tasks, priorities, tags, drawers of properties and of the log are left out, and so is
what stands under a heading that begins with COMMENT. https://orgmode.org/worg/org-syntax.html
"""

from __future__ import annotations

import re

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.line_lists import Depths
from toulmin.ingestion.parsing.source import Source

_HEADING = re.compile(r"(\*+)[ \t]+(.*)")
_TASK = re.compile(r"(?:[A-Z][A-Z_-]*(?:\([^)]*\))?)")
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]{1,2}\][ \t]*")
_TAGS = re.compile(r"[ \t]+:[\w@#%:]+:[ \t]*$")
_KEYWORD = re.compile(r"[ \t]*#\+([A-Za-z_][\w-]*)(?:\[[^\]]*\])?:[ \t]*(.*)")
_BEGIN = re.compile(r"([ \t]*)#\+begin_(\S+)", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:([\w-]+):[ \t]*")
_COMMENT = re.compile(r"[ \t]*#(?:[ \t].*)?")
_FIXED = re.compile(r"[ \t]*:(?:[ \t](.*))?")
_ITEM = re.compile(r"([ \t]*)([-+]|[ \t]\*|\d{1,9}[.)]|[A-Za-z][.)])(?:[ \t]+(.*))?")
_COUNTER = re.compile(r"\[@[\w]+\][ \t]*")
_TERM = re.compile(r"(.*?)[ \t]+::(?:[ \t]+(.*))?")
_RULE = re.compile(r"[ \t]*-{5,}[ \t]*|[ \t]*#\+(?:tblfm|results|end_\S+)\b.*", re.IGNORECASE)
_TABLE_RULE = re.compile(r"[ \t]*\|-[-+|: ]*")
_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\])?\]")
_TARGET = re.compile(r"<<<?[^<>\n]+>?>>")
_FOOTNOTE = re.compile(r"\[fn:([\w-]*)(?::([^\[\]]*))?\]")
_EMPHASIS = re.compile(
    r"(?<![^\s\-({'\"])([*/_=~+])(?=\S)([^\n]{1,500}?)(?<=\S)\1(?![^\s\-.,;:!?'\")}\[\\])"
)
_GUARD = re.compile(r"^(\s*),(?=,*(?:\*|#\+))")
_CODE = frozenset({"src", "example"})
_UNSHOWN = frozenset({"comment", "export"})
_HIDDEN_DRAWERS = frozenset({"PROPERTIES", "LOGBOOK"})
_METADATA = frozenset({"title", "subtitle", "author", "date", "language", "description"})


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the blocks; the keywords `#+TITLE:` and the like become metadata."""
    text, _ = decode(source.content, source.charset)
    _Reader(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), builder).read()


class _Reader:
    """One pass over the lines of one file."""

    def __init__(self, lines: list[str], builder: DocumentBuilder) -> None:
        self._lines = lines
        self._builder = builder
        self._at = 0
        self._paragraph: list[str] = []
        self._item: tuple[int, str] | None = None
        self._depths = Depths()
        self._said: dict[str, str] = {}
        self._tasks = {"TODO", "DONE"}
        self._ends = _block_ends(lines)
        self._searched = 0

    def read(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            self._line(line)
        self._end_paragraph()
        said = self._said
        self._builder.metadata = DocumentMetadata(
            title=said.pop("title", ""),
            author=said.pop("author", ""),
            created=said.pop("date", "").strip("<>[]"),
            language=said.pop("language", ""),
            properties=said,
        )

    def _line(self, line: str) -> None:
        if not line.strip():
            self._end_paragraph()
        elif heading := _HEADING.fullmatch(line):
            self._heading(len(heading[1]), heading[2])
        elif begin := _BEGIN.match(line):
            self._block(begin[2].lower(), line)
        elif keyword := _KEYWORD.fullmatch(line):
            self._keyword(keyword[1].lower(), keyword[2].strip())
        elif line.lstrip().startswith("|"):
            self._table()
        elif _RULE.fullmatch(line) or _COMMENT.fullmatch(line):
            self._end_paragraph()
        elif drawer := _DRAWER.fullmatch(line):
            self._drawer(drawer[1].upper())
        elif _FIXED.fullmatch(line):
            self._fixed()
        else:
            self._words(line)

    def _heading(self, level: int, text: str) -> None:
        self._end_paragraph()
        self._depths.clear()
        word, _, rest = text.partition(" ")
        if word in self._tasks:
            text = rest.lstrip()
        text = _TAGS.sub("", _PRIORITY.sub("", text, count=1) if text[:2] == "[#" else text)
        if text.split(" ", 1)[0] == "COMMENT":
            self._skip_subtree(level)
            return
        self._builder.heading(inline(text), level)

    def _skip_subtree(self, level: int) -> None:
        while self._at < len(self._lines):
            heading = _HEADING.fullmatch(self._lines[self._at])
            if heading and len(heading[1]) <= level:
                return
            self._at += 1

    def _block(self, kind: str, line: str) -> None:
        """Add code as it is; go into quotations and the like; pass over comments."""
        self._end_paragraph()
        end = self._ends.get(self._at - 1)
        if kind in _CODE | _UNSHOWN and end is not None:
            body = self._lines[self._at : end]
            self._at = end + 1
            if kind in _CODE:
                self._builder.code(_code(body))
        elif end is None:
            self._builder.note(f"A block is not ended: {line.strip()[:60]}")

    def _keyword(self, name: str, value: str) -> None:
        self._end_paragraph()
        if name in ("todo", "seq_todo", "typ_todo"):
            self._tasks.update(word.partition("(")[0] for word in value.split() if word != "|")
        elif name == "caption":
            self._builder.caption(inline(value))
        elif name == "include":
            self._builder.note(f"Other files that it includes are not read: {value}")
        elif name in _METADATA and value:
            before = self._said.get(name)
            self._said[name] = f"{before} {value}" if before else value

    def _table(self) -> None:
        self._end_paragraph()
        rows: list[list[str]] = []
        header = False
        self._at -= 1
        while self._at < len(self._lines) and self._lines[self._at].lstrip().startswith("|"):
            line = self._lines[self._at].strip()
            self._at += 1
            if _TABLE_RULE.fullmatch(line):
                header = header or len(rows) == 1
            else:
                rows.append([inline(cell.strip()) for cell in line.strip("|").split("|")])
        self._builder.table(rows, header=header)

    def _drawer(self, name: str) -> None:
        self._end_paragraph()
        if name not in _HIDDEN_DRAWERS:
            return  # ":END:", or a drawer whose content is read
        if self._at < self._searched:  # up to a heading or the end, and there was no ":END:"
            return
        for number in range(self._at, len(self._lines)):
            line = self._lines[number]
            if line.strip().upper() == ":END:":
                self._at = number + 1
                return
            if _HEADING.fullmatch(line):
                self._searched = number
                return
        self._searched = len(self._lines)

    def _fixed(self) -> None:
        self._end_paragraph()
        self._at -= 1
        rows: list[str] = []
        while self._at < len(self._lines) and (row := _FIXED.fullmatch(self._lines[self._at])):
            rows.append(row[1] or "")
            self._at += 1
        self._builder.code("\n".join(rows))

    def _words(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        item = _ITEM.fullmatch(line)
        if item:
            self._end_paragraph()
            place = len(item[1]) + (item[2][0] in " \t")
            bullet = item[2].strip()
            marker = "-" if bullet in "-+*" else bullet
            self._item = (self._depths.of(place), marker)
            self._paragraph.append(_COUNTER.sub("", item[3] or "", count=1))
            return
        if indent == 0 or not self._depths.holds(indent):
            if self._item:
                self._end_paragraph()
            self._depths.clear()
        self._paragraph.append(line.strip())

    def _end_paragraph(self) -> None:
        item, self._item = self._item, None
        lines, self._paragraph = self._paragraph, []
        if item:
            text = "\n".join(lines)
            term = _TERM.fullmatch(lines[0])
            if term and item[1] == "-":
                text = "\n".join([f"{term[1]}: {term[2] or ''}", *lines[1:]])
            self._builder.list_item(_joined(inline(text)), *item)
        elif lines:
            self._builder.paragraph(_joined(inline("\n".join(lines))))


def _code(lines: list[str]) -> str:
    """Return the lines of a block without their common margin and the commas that guard them."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(_GUARD.sub(r"\1", line[margin:]) for line in lines)


def inline(text: str) -> str:
    """Return a text without the marks of links and emphasis."""
    text = _LINK.sub(lambda link: link[2] or link[1].removeprefix("file:"), text)
    text = _FOOTNOTE.sub(lambda note: f" ({note[2]})" if note[2] else f"[{note[1]}]", text)
    text = _TARGET.sub("", text)
    for _ in range(3):  # one emphasis may stand in another
        text, count = _EMPHASIS.subn(r"\2", text)
        if not count:
            break
    return text


def _joined(text: str) -> str:
    """Return lines as one, but for those that end in two backslashes."""
    return re.sub(r"[ \t]*\\\\[ \t]*\n", "\r", text).replace("\n", " ").replace("\r", "\n")


def _block_ends(lines: list[str]) -> dict[int, int]:
    """Return for the line of each `#+begin_x` that of the `#+end_x` that belongs to it."""
    ends: dict[int, int] = {}
    open_at: dict[str, int] = {}
    for number, line in enumerate(lines):
        if begin := _BEGIN.match(line):
            open_at.setdefault(begin[2].lower(), number)
        elif line.lstrip()[:6].lower() == "#+end_":
            begun = open_at.pop(line.strip()[6:].lower().split(" ", 1)[0], None)
            if begun is not None:
                ends[begun] = number
    return ends
