"""What a file says: its text, and where headings, paragraphs, tables and images stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from toulmin.ingestion.parsing.file_format import FileFormat


class BlockKind(StrEnum):
    """What a block is in the layout."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One piece of the layout: `document.text[start:end]`.

    Attributes:
        kind: What it is.
        start: First character in the document's text.
        end: One past the last character.
        page: Number of its page, slide or sheet, from 1; 0 in a format without pages.
        level: Of a heading 1 (highest) to 6, of a list item its depth from 1; otherwise 0.
        rows: Cells of a table, all rows of one length. In the text each row is one line
            (`| a | b |`), and a line of dashes stands below the header.
        header_rows: How many of `rows` name the columns: 0 or 1.

    Code stands in the text between fences ("```" and a line break), as Markdown has it.
    """

    kind: BlockKind
    start: int
    end: int
    page: int = 0
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """An image of the document.

    Attributes:
        mime_type: Such as "image/png".
        data: The image's file.
        page: Number of its page, from 1; 0 in a format without pages.
        position: Character of the text at which it stands, in [0, len(text)].
        name: Its name inside the file, when it has one.
    """

    mime_type: str
    data: bytes
    page: int = 0
    position: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """What a file says about itself; empty where it says nothing. Dates are in ISO 8601.

    Attributes:
        title: Its title.
        author: Its authors, separated by "; ".
        created: When it was made or sent.
        modified: When it was last changed.
        language: BCP 47 tag.
        properties: Whatever else the format has, such as "from" and "to" of a message.
    """

    title: str = ""
    author: str = ""
    created: str = ""
    modified: str = ""
    language: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A file as text and layout.

    Attributes:
        format: The format it was read as.
        mime_type: The MIME type of that format.
        text: The full text in reading order. It can be written as UTF-8, and white space other
            than spaces, tabs and line feeds has been turned into these.
        blocks: The layout, in the order of `text`; ranges do not overlap.
        pages: Identifier of each page, slide ("1", "2", …) or sheet (its name); empty in a format
            without pages. Page n is `pages[n - 1]`.
        metadata: What the file says about itself.
        blobs: Its images, in reading order.
        notes: What a reader of the file should know: what was left out, what was guessed.
    """

    format: FileFormat
    mime_type: str
    text: str
    blocks: tuple[Block, ...] = ()
    pages: tuple[str, ...] = ()
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    blobs: tuple[Blob, ...] = ()
    notes: tuple[str, ...] = ()

    def page_identifier(self, page: int) -> str:
        """Return the identifier of page number `page`, "" for 0."""
        return self.pages[page - 1] if page else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedChunk:
    """A piece of a document that can be found and cited.

    Attributes:
        content: What is indexed and shown: `prefix + document.text[start:end]`.
        prefix: What was put in front so that the piece can be understood alone: headings above
            it (only when asked for), the header of a table whose later rows it holds, the fence of
            code whose later lines it holds.
        start: First character in the document's text.
        end: One past the last character.
        headings: The headings above it, highest first, whether or not `prefix` has them.
        page_start: Number of the first page, from 1; 0 in a format without pages.
        page_end: Number of the last page.
        tokens: Length of `content` in tokens (token_count.py).
        blobs: Indices into the document's blobs of the images that stand in it.
    """

    content: str
    prefix: str
    start: int
    end: int
    headings: tuple[str, ...]
    page_start: int
    page_end: int
    tokens: int
    blobs: tuple[int, ...] = ()
