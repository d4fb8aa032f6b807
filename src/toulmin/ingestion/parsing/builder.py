"""Collects blocks in reading order, and keeps count of characters, pages and images."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from toulmin.errors import ResourceExhausted
from toulmin.ingestion.parsing.document import (
    Blob,
    Block,
    BlockKind,
    DocumentMetadata,
    ParsedDocument,
)
from toulmin.ingestion.parsing.file_format import FileFormat
from toulmin.ingestion.parsing.limits import ParseLimits

_MAX_HEADING_LEVEL = 6
_LONGEST_HEADING = 1_000
_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNWANTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufeff\ufffe\uffff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACES = re.compile(r"[^\S\n]+")
_LINE_EDGES = re.compile(r" ?\n ?")
_TICKS = re.compile(r"`{3,}")


def clean(text: str) -> str:
    """Return the text without control characters and lone surrogates, lines ended by line feeds."""
    if text.isprintable():
        return text
    text = _UNWANTED.sub("", _LINE_BREAKS.sub("\n", text))
    return _SURROGATE.sub("\ufffd", text)


def squeeze(text: str) -> str:
    """Return the text with runs of spaces made one, and none at the ends of its lines."""
    return _LINE_EDGES.sub("\n", _SPACES.sub(" ", clean(text))).strip()


def one_line(text: str) -> str:
    """Return the text with every run of white space made one space."""
    return " ".join(clean(text).split())


def render_row(cells: Sequence[str]) -> str:
    """Return a row of a table as one line: `| a | b |`."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


class DocumentBuilder:
    """Makes one `ParsedDocument`; every method adds behind what is there.

    Blocks without text are left out. Between blocks stands an empty line, between the items of a
    list a line break.

    Attributes:
        metadata: What the file says about itself; readers replace it.
    """

    def __init__(self, limits: ParseLimits) -> None:
        self.metadata = DocumentMetadata()
        self._limits = limits
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._pages: list[str] = []
        self._blobs: list[Blob] = []
        self._blob_hashes: set[bytes] = set()
        self._blob_bytes = 0
        self._blobs_left_out = 0
        self._notes: list[str] = []

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    @property
    def is_empty(self) -> bool:
        """Whether no block has been added yet."""
        return not self._blocks

    def begin_page(self, identifier: str) -> None:
        """Put what follows on a new page, slide or sheet.

        Raises:
            ResourceExhausted: There are too many pages.
        """
        if len(self._pages) >= self._limits.pages:
            raise ResourceExhausted(
                f"has more than {self._limits.pages} pages, slides or sheets, the most allowed",
                reason="DOCUMENT_TOO_LARGE",
            )
        self._pages.append(one_line(identifier))

    def heading(self, text: str, level: int) -> None:
        """Add a heading; levels outside 1 to 6 are moved to the nearest.

        What is far too long for a heading is a paragraph: every chunk below repeats its headings.
        """
        text = one_line(text)
        if len(text) > _LONGEST_HEADING:
            self._add(BlockKind.PARAGRAPH, text)
        else:
            level = min(max(level, 1), _MAX_HEADING_LEVEL)
            self._add(BlockKind.HEADING, text, level=level)

    def paragraph(self, text: str, *, verbatim: bool = False) -> None:
        """Add a paragraph, spaces squeezed unless `verbatim`; its line breaks are kept."""
        cleaned = clean(text).strip() if verbatim else squeeze(text)
        self._add(BlockKind.PARAGRAPH, cleaned)

    def list_item(self, text: str, depth: int = 1, marker: str = "-") -> None:
        """Add an item of a list, `depth` from 1; lines after its first are indented."""
        text = squeeze(text)
        if text:
            indent = "  " * (max(depth, 1) - 1)
            lines = text.replace("\n", "\n" + indent + "  ")
            self._add(BlockKind.LIST_ITEM, f"{indent}{marker} {lines}", level=max(depth, 1))

    def code(self, text: str) -> None:
        """Add source code or other text whose spaces count, between fences as Markdown has them."""
        code = clean(text).strip("\n").rstrip()
        if code.strip():
            fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(code))])
            self._add(BlockKind.CODE, f"{fence}\n{code}\n{fence}")

    def caption(self, text: str) -> None:
        """Add the caption of an image or a table."""
        self._add(BlockKind.CAPTION, squeeze(text))

    def table(self, rows: Sequence[Sequence[str]], *, header: bool = True) -> None:
        """Add a table; empty rows and columns are dropped, short rows filled up.

        Args:
            rows: Cells, row by row.
            header: Whether the first row names the columns.
        """
        table = _trimmed(rows)
        if not table:
            return
        if len(table) == 1:
            header = False
        lines = [render_row(row) for row in table]
        if header:
            lines.insert(1, "|" + "---|" * len(table[0]))
        self._add(BlockKind.TABLE, "\n".join(lines), rows=table, header_rows=int(header))

    def blob(self, data: bytes, mime_type: str, name: str = "") -> None:
        """Add an image where the text now ends; one that is there already is not added again."""
        digest = hashlib.sha256(data).digest()
        if not data or digest in self._blob_hashes:
            return
        self._blob_hashes.add(digest)
        fits = (
            len(self._blobs) < self._limits.blobs
            and len(data) <= self._limits.blob_bytes
            and self._blob_bytes + len(data) <= self._limits.blobs_bytes
        )
        if not fits:
            self._blobs_left_out += 1
            return
        self._blob_bytes += len(data)
        page, position = len(self._pages), self._length
        self._blobs.append(
            Blob(mime_type=mime_type, data=data, page=page, position=position, name=clean(name))
        )

    def note(self, text: str) -> None:
        """Add something that a reader of the file should know; the same thing only once."""
        text = one_line(text)
        if text not in self._notes:
            self._notes.append(text)

    def build(self, file_format: FileFormat, mime_type: str) -> ParsedDocument:
        """Return the document."""
        if self._blobs_left_out:
            self.note(f"{self._blobs_left_out} images over the limits were left out")
        metadata = self.metadata
        return ParsedDocument(
            format=file_format,
            mime_type=mime_type,
            text="".join(self._parts),
            blocks=tuple(self._blocks),
            pages=tuple(self._pages),
            metadata=replace(
                metadata,
                title=one_line(metadata.title),
                author=one_line(metadata.author),
                created=one_line(metadata.created),
                modified=one_line(metadata.modified),
                language=one_line(metadata.language),
                properties={k: one_line(v) for k, v in metadata.properties.items() if v},
            ),
            blobs=tuple(self._blobs),
            notes=tuple(self._notes),
        )

    def _add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        rows: tuple[tuple[str, ...], ...] = (),
        header_rows: int = 0,
    ) -> None:
        if not text.strip():
            return
        if self._blocks:
            in_list = kind is self._blocks[-1].kind is BlockKind.LIST_ITEM
            self._append("\n" if in_list else "\n\n")
        start = self._length
        self._append(text)
        if len(self._blocks) >= self._limits.blocks:
            raise ResourceExhausted(
                f"has more than {self._limits.blocks} paragraphs, the most allowed",
                reason="DOCUMENT_TOO_LARGE",
            )
        self._blocks.append(
            Block(
                kind=kind,
                start=start,
                end=self._length,
                page=len(self._pages),
                level=level,
                rows=rows,
                header_rows=header_rows,
            )
        )

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._limits.characters:
            raise ResourceExhausted(
                f"has a text of more than {self._limits.characters} characters, the most allowed",
                reason="DOCUMENT_TOO_LARGE",
            )


def _trimmed(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows as cells of one line each, without empty rows and columns."""
    cleaned = [[one_line(cell) for cell in row] for row in rows]
    cleaned = [row for row in cleaned if any(row)]
    width = max((len(row) for row in cleaned), default=0)
    padded = [row + [""] * (width - len(row)) for row in cleaned]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    if len(used) == width:
        return tuple(tuple(row) for row in padded)
    return tuple(tuple(row[column] for column in used) for row in padded)
