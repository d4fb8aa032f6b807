"""AsciiDoc: sections, lists, tables, delimited blocks, admonitions.

What is written between `++++`, in comments and behind conditions that do not hold is left out;
nothing is included. https://docs.asciidoctor.org/asciidoc/latest/
"""

from __future__ import annotations

import re

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.asciidoc_inline import expand, first_value, inline
from toulmin.ingestion.parsing.formats.asciidoc_lines import preprocessed
from toulmin.ingestion.parsing.formats.asciidoc_table import table_rows
from toulmin.ingestion.parsing.formats.line_lists import Depths
from toulmin.ingestion.parsing.source import Source

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
_UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?")
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,4}(?: <[^<>\s]+>)?")
_REVISION = re.compile(r"(?:v(\d[\w.]*),?[ \t]*)?(\d{4}-\d{2}-\d{2}|\w+ \d{1,2},? \d{4})?(?::.*)?")
_BLOCK_ATTRIBUTES = re.compile(r"\[([^\[\]]*|\[[^\[\]]*\])\]")
_BLOCK_TITLE = re.compile(r"\.(?![.\s])(.+)")
_DELIMITED = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```+)\S*[ \t]*")
_TABLE = re.compile(r"[|!,:]={3,}[ \t]*")
_ITEM = re.compile(r"[ \t]*(\*{1,6}|-|\.{1,6}|\d{1,9}\.|[a-z]\.|<[\d.]+>)[ \t]+(\S.*)")
_TERM = re.compile(r"[ \t]*(\S.*?)(:::?:?|;;)(?:[ \t]+(.*))?")
_ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(.*)")
_ADMONITIONS = frozenset({"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"})
_MACRO = re.compile(r"(image|video|audio|toc|include|ifeval|endif)::(\S*?)\[(.*)\][ \t]*")
_RULE = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*")
_CHECK = re.compile(r"\[([ x*])\][ \t]+")
_CODE = frozenset("-.`")


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the blocks; the header's author, revision and attributes become metadata."""
    text, _ = decode(source.content, source.charset)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    _Reader(builder).read(lines)


class _Reader:
    """One pass over the lines of one file."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._attributes: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._lines: list[str] = []
        self._at = 0
        self._paragraph: list[str] = []
        self._item: tuple[int, str, str] | None = None
        self._depths = Depths()
        self._numbers: dict[int, int] = {}
        self._options = ""

    def read(self, lines: list[str]) -> None:
        self._lines, left_out = preprocessed(lines, self._attributes)
        for name in left_out:
            self._builder.note(f"Other files that it includes are not read: {name}")
        self._header()
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            self._line(line)
        self._end_paragraph()
        attributes = self._attributes
        self._builder.metadata = DocumentMetadata(
            title=self._said.get("title", ""),
            author=self._said.get("author", "") or attributes.get("author", ""),
            created=self._said.get("date", "") or attributes.get("revdate", ""),
            language=attributes.get("lang", ""),
            properties={
                "description": attributes.get("description", ""),
                "keywords": attributes.get("keywords", ""),
                "version": self._said.get("version", "") or attributes.get("revnumber", ""),
            },
        )

    def _header(self) -> None:
        """Take the title, and the lines of its author and revision behind it."""
        while self._at < len(self._lines) and (
            not self._lines[self._at].strip() or self._attribute(self._lines[self._at])
        ):
            self._at += 1
        if self._at >= len(self._lines):
            return
        title = re.fullmatch(r"[=#][ \t]+(\S.*)", self._lines[self._at])
        if not title:
            return
        self._at += 1
        self._said["title"] = title[1].strip()
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()):
            if not self._attribute(line) and not self._author(line):
                break
            self._at += 1
        self._said["title"] = inline(self._said["title"], self._attributes)
        self._builder.heading(self._said["title"], 1)

    def _author(self, line: str) -> bool:
        names = [name.strip() for name in line.split(";")]
        revision = _REVISION.fullmatch(line)
        if revision and (revision[1] or revision[2]):
            self._said["version"], self._said["date"] = revision[1] or "", revision[2] or ""
            return True
        if "author" in self._said or not all(_AUTHOR.fullmatch(name) for name in names):
            return False
        self._said["author"] = "; ".join(names)
        return True

    def _attribute(self, line: str) -> bool:
        """Set or unset an attribute; say whether the line does."""
        found = _ATTRIBUTE.fullmatch(line.rstrip())
        if not found:
            return False
        name = found[1].lower()
        if "!" in name:
            self._attributes.pop(name.strip("!"), None)
        else:
            self._attributes[name] = expand(found[2] or "", self._attributes)
        return True

    def _line(self, line: str) -> None:
        if not line.strip() or line == "+":
            self._end_paragraph()
        elif self._is_block(line):
            return
        elif (
            not self._paragraph
            and line[0] in " \t"
            and not _ITEM.fullmatch(line)
            and not (_TERM.fullmatch(line))
        ):
            self._literal()
        else:
            self._words(line)

    def _is_block(self, line: str) -> bool:
        """Add what is no text of a paragraph; say whether the line begins such."""
        if (
            self._attribute(line)
            or _RULE.fullmatch(line)
            or self._is_attributes(line)
            or self._is_macro(line)
        ):
            self._end_paragraph()
            return True
        if _DELIMITED.fullmatch(line):
            self._delimited(line)
        elif _TABLE.fullmatch(line):
            self._table(line)
        elif heading := _HEADING.fullmatch(line):
            self._heading(heading[2], len(heading[1]))
        elif level := self._underlined(line):
            self._heading(line, level)
            self._at += 1
        elif not self._paragraph and (title := _BLOCK_TITLE.fullmatch(line)):
            self._builder.caption(inline(title[1], self._attributes))
        else:
            return False
        return True

    def _is_attributes(self, line: str) -> bool:
        found = _BLOCK_ATTRIBUTES.fullmatch(line)
        if not found or (self._paragraph and not line.startswith("[")):
            return False
        self._end_paragraph()
        self._options = f"{self._options},{found[1]}" if self._options else found[1]
        return True

    def _is_macro(self, line: str) -> bool:
        found = _MACRO.fullmatch(line)
        if not found:
            return False
        self._end_paragraph()
        if found[1] == "image":
            self._builder.caption(inline(first_value(found[3]), self._attributes))
        return True

    def _heading(self, text: str, level: int) -> None:
        self._end_paragraph()
        self._end_lists()
        self._options = ""
        self._builder.heading(inline(text, self._attributes), level)

    def _underlined(self, line: str) -> int:
        """Return the level of a title whose second line is a rule about as long as it, else 0."""
        if self._paragraph or self._item or self._at >= len(self._lines):
            return 0
        rule = self._lines[self._at].rstrip()
        is_rule = len(rule) >= 4 and len(set(rule)) == 1 and rule[0] in _UNDERLINES
        if not is_rule or abs(len(rule) - len(line)) > 1 or not re.search(r"\w", line):
            return 0
        return _UNDERLINES[rule[0]]

    def _delimited(self, line: str) -> None:
        """Add code as it is, pass over comments, and go into all other blocks."""
        self._end_paragraph()
        mark = line.rstrip() if line[0] != "`" else "`" * (len(line) - len(line.lstrip("`")))
        options, self._options = self._options, ""
        kind = line[0]
        if kind not in _CODE | set("+/") or mark == "--":
            self._admonition(options)
            return  # its other mark is passed over as this one is
        end = self._end_of(mark)
        body = self._lines[self._at : end]
        self._at = end + 1
        if kind in _CODE:
            self._builder.code("\n".join(body))

    def _end_of(self, mark: str) -> int:
        for number in range(self._at, len(self._lines)):
            if self._lines[number].rstrip() == mark:
                return number
        self._builder.note(f"A block is not ended: {mark[:60]}")
        return len(self._lines)

    def _admonition(self, options: str) -> None:
        name = options.partition(",")[0]
        if name in _ADMONITIONS:
            self._builder.paragraph(f"{name.capitalize()}:")

    def _table(self, line: str) -> None:
        self._end_paragraph()
        options, self._options = self._options, ""
        end = self._end_of(line.rstrip())
        rows, header = table_rows(line, self._lines[self._at : end], options)
        self._at = end + 1
        said = [[inline(cell, self._attributes) for cell in row] for row in rows]
        self._builder.table(said, header=header)

    def _literal(self) -> None:
        """Add an indented paragraph as it is; in a list it belongs to the item."""
        self._at -= 1
        rows: list[str] = []
        while self._at < len(self._lines) and self._lines[self._at].strip():
            if rows and _DELIMITED.fullmatch(self._lines[self._at].rstrip()):
                break
            rows.append(self._lines[self._at].rstrip())
            self._at += 1
        self._builder.code("\n".join(rows))

    def _words(self, line: str) -> None:
        item = _ITEM.fullmatch(line)
        term = None if item else _TERM.fullmatch(line)
        if item and (not self._paragraph or self._item):
            self._end_paragraph()
            self._begin_item(item[1], item[2])
        elif term and (not self._paragraph or self._item) and "//" not in term[1][-6:]:
            self._end_paragraph()
            self._item = (self._depths.of_mark(term[2]), "-", f"{term[1]}:")
            self._paragraph.append(term[3] or "")
        else:
            if not self._paragraph and not line.startswith((" ", "\t")):
                self._end_lists()
            self._paragraph.append(line.strip())

    def _begin_item(self, mark: str, text: str) -> None:
        kind = "1." if mark[0].isdigit() else mark
        depth = self._depths.of_mark("a." if mark[0].isalpha() else kind)
        for deeper in [d for d in self._numbers if d > depth]:
            del self._numbers[deeper]
        if mark[0] in "*-":
            shown = "-"
        else:
            self._numbers[depth] = self._numbers.get(depth, 0) + 1
            is_written = mark[0].isalnum()
            shown = mark if is_written else f"{self._numbers[depth]}."
        self._item = (depth, shown, "")
        self._paragraph.append(_CHECK.sub(lambda box: f"[{box[1]}] ", text, count=1))

    def _end_lists(self) -> None:
        self._depths.clear()
        self._numbers.clear()

    def _end_paragraph(self) -> None:
        item, self._item = self._item, None
        lines, self._paragraph = self._paragraph, []
        if not lines:
            return
        options, self._options = self._options.partition(",")[0], ""
        text = inline(_joined(lines), self._attributes)
        if item:
            depth, marker, term = item
            term = inline(term, self._attributes)
            self._builder.list_item(f"{term} {text}".strip(), depth, marker)
        elif options in ("source", "listing", "literal"):
            self._builder.code("\n".join(lines))
        else:
            found = _ADMONITION.match(text)
            kind = options if options in _ADMONITIONS else found[1] if found else ""
            said = found[2] if found else text
            self._builder.paragraph(f"{kind.capitalize()}: {said}" if kind else text)


def _joined(lines: list[str]) -> str:
    """Return lines as one, but for those that end in ` +`."""
    parts = [f"{line[:-2]}\r" if line.endswith(" +") else f"{line} " for line in lines]
    return "".join(parts).strip().replace("\r", "\n")
