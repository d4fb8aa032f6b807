r"""RTF (Rich Text Format 1.9.1): paragraphs, headings by style or outline level, lists, tables.

Groups that readers do not show are passed over: tables of fonts and colours, heads and feet, what
stands behind `\*` and is not known. Footnotes come behind the paragraph that holds them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from toulmin.errors import InvalidArgument
from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats.rtf_blocks import Blocks, Paragraph
from toulmin.ingestion.parsing.formats.rtf_header import SKIPPED, Header
from toulmin.ingestion.parsing.formats.rtf_tokens import Characters, Token, tokens
from toulmin.ingestion.parsing.source import Source

_CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "\u2014",
    "endash": "\u2013",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "bullet": "\u2022",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "~": " ",
    "_": "-",
    "\n": "\n",
    "\r": "\n",
}
_KNOWN = frozenset({"listtext", "nesttableprops", "pict", "pntext", "shpinst", "shppict", "ud"})
"""Destinations that are read although they stand behind `\\*`."""
_ASIDES = {"footnote": "note", "listtext": "marker", "pntext": "marker", "shptxt": "note"}
"""Groups that stand in a paragraph and are none of its text."""
_TWICE = "twice "
_MAX_DEPTH = 10_000


@dataclass(frozen=True, slots=True)
class _State:
    r"""What a group inherits, and what ends with it.

    Attributes:
        destination: "" for the body; "skip", "marker", "note", "picture" or what a header takes.
        encoding: Of bytes.
        fallback: How many bytes stand behind a `\u` for readers that do not know it.
        hidden: Whether text is not shown.
    """

    destination: str = ""
    encoding: str = "cp1252"
    fallback: int = 1
    hidden: bool = False


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the body and what the file says about itself.

    Raises:
        InvalidArgument: It does not begin as RTF does, or its groups are nested too deeply.
    """
    if not source.content.startswith(b"{\\rtf"):
        raise InvalidArgument(
            "does not begin with {\\rtf as RTF does", reason="DOCUMENT_UNREADABLE"
        )
    builder.metadata = add_rtf(source.content, builder)


def add_rtf(content: bytes, builder: DocumentBuilder) -> DocumentMetadata:
    """Add the body and return what the file says about itself."""
    return _Reader(builder).read(content)


class _Reader:
    """One pass over the tokens of one file."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._blocks = Blocks(builder)
        self._header = Header()
        self._state = _State()
        self._outer: list[_State] = []
        self._text = Characters()
        self._paragraph = Paragraph()
        self._held: list[tuple[int, Paragraph, str]] = []
        self._skip = 0
        self._begins = False
        self._starred = False

    def read(self, content: bytes) -> DocumentMetadata:
        for token in tokens(content):
            match token.kind:
                case "open":
                    self._open()
                case "close":
                    if not self._outer:
                        continue
                    self._close()
                    if not self._outer:
                        break  # what stands behind the end is no RTF
                case "word":
                    self._word(token)
                case "symbol":
                    self._symbol(token.name)
                case "binary":
                    self._header.add(self._state.destination, token.data)
                case _:
                    self._bytes(token)
        if self._outer:
            self._builder.note("The file is cut off; what is there was read")
        self._end_paragraph()
        self._blocks.end()
        return self._header.metadata

    def _open(self) -> None:
        if len(self._outer) >= _MAX_DEPTH:
            raise InvalidArgument(
                f"has groups nested deeper than {_MAX_DEPTH}", reason="DOCUMENT_UNREADABLE"
            )
        self._outer.append(self._state)
        self._begins, self._starred, self._skip = True, False, 0

    def _close(self) -> None:
        self._skip = 0
        closing, self._state = self._state, self._outer.pop()
        self._begins = False
        if self._held and self._held[-1][0] > len(self._outer):
            self._end_aside()
        if closing.destination == self._state.destination:
            return
        if closing.destination == "picture":
            picture = self._header.picture()
            if picture:
                self._builder.blob(*picture)
        elif closing.destination == "fonttbl":
            self._change(encoding=self._header.encoding(None))

    def _end_aside(self) -> None:
        """End a footnote or a list's mark, and go on with the paragraph that it stands in."""
        _, paragraph, kind = self._held.pop()
        text = self._text.take()
        if kind == "note":
            self._blocks.note(text)
        else:
            paragraph.marker = text.strip()
        self._text.add(paragraph.text)
        paragraph.text = ""
        self._paragraph = paragraph

    def _word(self, token: Token) -> None:
        begins, self._begins = self._begins, False
        name, value = token.name, token.value
        if self._state.destination == "skip":
            return
        if begins and self._enters(name, value):
            return
        if name == "u" and value is not None:
            self._add(chr(value % 0x10000))
            self._skip = self._state.fallback
        elif name == "uc":
            self._change(fallback=min(max(value or 0, 0), 100))
        elif name in _CHARACTERS:
            self._add(_CHARACTERS[name])
        elif not self._style(name, value):
            self._header.word(self._state.destination, name, value)

    def _enters(self, name: str, value: int | None) -> bool:
        """Go into the destination that the first word of a group names; say whether it is one."""
        if name in SKIPPED or (self._starred and not self._reads(name)):
            self._change(destination="skip")
        elif name in _ASIDES:
            kind = _ASIDES[name]
            self._paragraph.text = self._text.take()
            self._held.append((len(self._outer), self._paragraph, kind))
            self._paragraph = Paragraph()
            self._change(destination="")
        elif name == "upr":  # once in bytes, for old readers, and behind \*\ud in Unicode
            self._change(destination=_TWICE + self._state.destination)
        elif name == "ud":
            self._change(destination=self._state.destination.removeprefix(_TWICE))
        elif name == "pict":
            self._change(destination="picture")
            self._header.begin("picture", name, value)
        elif destination := self._header.enters(self._state.destination, name):
            self._change(destination=destination)
            self._header.begin(destination, name, value)
        else:
            return False
        return True

    def _reads(self, name: str) -> bool:
        return name in _KNOWN or bool(self._header.enters(self._state.destination, name))

    def _style(self, name: str, value: int | None) -> bool:
        """Take a word that says how what follows looks; say whether it is one."""
        if self._state.destination:
            return False
        if name in ("v", "deleted", "htmlrtf"):
            self._change(hidden=value != 0)
        elif name == "plain":
            self._change(hidden=False, encoding=self._header.encoding(None))
        elif name == "f":
            self._change(encoding=self._header.encoding(value))
        elif name in ("ansicpg", "deff", "mac", "pc", "pca"):
            self._header.word("", name, value)
            self._change(encoding=self._header.encoding(None))
        elif name in ("par", "page", "sect"):
            self._end_paragraph()
        elif name in ("cell", "nestcell"):
            self._blocks.cell(self._text.take(), nested=name == "nestcell")
        elif name in ("row", "nestrow"):
            self._blocks.row(nested=name == "nestrow")
        elif name == "s":
            level, depth = self._header.style(value or 0)
            self._paragraph.level, self._paragraph.depth = level, depth
        else:
            return self._paragraph.word(name, value)
        return True

    def _symbol(self, name: str) -> None:
        if name == "*":
            self._starred = True  # what follows is still the first word of its group
            return
        self._begins = False
        if self._skip:
            self._skip -= 1
        elif name in "{}\\":
            self._add_bytes(name.encode("ascii"))
        elif name in ("\n", "\r"):
            if not self._state.destination:
                self._end_paragraph()
        elif name in _CHARACTERS:
            self._add(_CHARACTERS[name])

    def _bytes(self, token: Token) -> None:
        self._begins = False
        data = token.data
        dropped = min(self._skip, len(data))
        self._skip -= dropped
        self._add_bytes(data[dropped:])

    def _add_bytes(self, data: bytes) -> None:
        if self._state.destination:
            self._header.add(self._state.destination, data)
        elif not self._state.hidden:
            self._text.add_bytes(data, self._state.encoding)

    def _add(self, text: str) -> None:
        if self._state.destination:
            self._header.add(self._state.destination, text.encode("utf-8", "replace"))
        elif not self._state.hidden:
            self._text.add(text)

    def _end_paragraph(self) -> None:
        if self._held:
            self._text.add("\n")  # inside a footnote
            return
        self._blocks.paragraph(self._text.take(), self._paragraph)
        self._paragraph.marker = ""

    def _change(self, **changes: object) -> None:
        self._state = dataclasses.replace(self._state, **changes)  # type: ignore[arg-type]
