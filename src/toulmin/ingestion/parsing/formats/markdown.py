"""Markdown (CommonMark with tables): marks of emphasis and links are left out, their text kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.charset import decode
from toulmin.ingestion.parsing.document import DocumentMetadata
from toulmin.ingestion.parsing.formats import html
from toulmin.ingestion.parsing.source import Source
from toulmin.ingestion.parsing.xml import parse_html

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
_TAG = re.compile(r"<[^>]*>")


def read(source: Source, builder: DocumentBuilder) -> None:
    """Add the blocks; a front matter between lines of dashes becomes metadata."""
    text, _ = decode(source.content, source.charset)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT_MATTER.match(text)
    if front:
        builder.metadata = _metadata(front[1])
        text = text[front.end() :]
    _Walker(builder).walk(MarkdownIt("commonmark").enable("table").parse(text))


def _metadata(front: str) -> DocumentMetadata:
    """Return the plain `key: value` lines of a front matter; nested ones are left out."""
    fields = {
        match[1].lower(): match[2].strip().strip("\"'")
        for match in map(_FIELD.fullmatch, front.split("\n"))
        if match and match[2].strip()
    }
    return DocumentMetadata(
        title=fields.pop("title", ""),
        author=fields.pop("author", ""),
        created=fields.pop("date", ""),
        language=fields.pop("lang", ""),
        properties=fields,
    )


class _Walker:
    """Goes over the flat list of tokens and keeps the lists and the table that are open."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._counters: list[int | None] = []
        self._item_begins = False
        self._rows: list[list[str]] | None = None

    def walk(self, tokens: Sequence[Token]) -> None:
        heading = 0
        for token in tokens:
            if token.type == "heading_open":
                heading = int(token.tag[1:])
            elif token.type == "inline":
                self._text(inline_text(token.children or ()), heading)
                heading = 0
            elif token.type in ("fence", "code_block"):
                self._builder.code(token.content)
            elif token.type == "html_block":
                root = parse_html(token.content)
                if root is not None:
                    html.add_content(root, self._builder)
            else:
                self._structure(token)

    def _structure(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._counters.append(None)
            case "ordered_list_open":
                self._counters.append(int(token.attrs.get("start", 1)) - 1)
            case "bullet_list_close" | "ordered_list_close":
                self._counters.pop()
            case "list_item_open":
                self._item_begins = True
                last = self._counters[-1]
                if last is not None:
                    self._counters[-1] = last + 1
            case "table_open":
                self._rows = []
            case "tr_open" if self._rows is not None:
                self._rows.append([])
            case "table_close" if self._rows is not None:
                self._builder.table(self._rows)
                self._rows = None

    def _text(self, text: str, heading: int) -> None:
        if self._rows is not None:
            self._rows[-1].append(text)
        elif heading:
            self._builder.heading(text, heading)
        elif self._counters and self._item_begins:
            number = self._counters[-1]
            marker = "-" if number is None else f"{number}."
            self._builder.list_item(text, len(self._counters), marker)
        else:
            self._builder.paragraph(text)
        self._item_begins = False


def inline_text(tokens: Sequence[Token]) -> str:
    """Return the text of inline tokens; of an image its description."""
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type == "softbreak":
            parts.append(" ")
        elif token.type == "hardbreak":
            parts.append("\n")
        elif token.type == "image":
            parts.append(inline_text(token.children or ()))
        elif token.type == "html_inline" and _TAG.sub("", token.content):
            parts.append(_TAG.sub("", token.content))
    return "".join(parts)
