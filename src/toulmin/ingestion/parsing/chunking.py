"""A document -> chunks: along headings and blocks, within a budget of tokens.

A chunk never crosses a heading of any level into another section, except that a heading stays with
what it heads, and a short section is joined to the next one on its level under the same heading. A
block over the budget is cut between sentences, a sentence over it between words, a table between
rows, code between lines; the header of a table and the fence of code are repeated in front of later
ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toulmin.ingestion.parsing.builder import render_row
from toulmin.ingestion.parsing.document import Block, BlockKind, ParsedChunk, ParsedDocument
from toulmin.ingestion.token_count import count_tokens, end_of_tokens, has_tokens
from toulmin.text.sentences import split_sentences

MIN_TOKENS, MAX_TOKENS = 100, 500
"""Bounds of a chunk's budget, those of `LayoutBasedChunkingConfig.chunk_size`."""
_PREFIX_SHARE = 0.4
"""Most of the budget that headings, and a table's header, may take together."""
_SMALL_SECTION = 0.25
"""A section of less than this share of the budget is joined to its neighbour."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block, or a part of one that is over the budget.

    Attributes:
        start: First character in the document.
        end: One past the last.
        tokens: Its length.
        block: Index of its block.
        header: Header of the table, or fence of the code, that it continues; "" otherwise.
    """

    start: int
    end: int
    tokens: int
    block: int
    header: str = ""


def chunk_document(
    document: ParsedDocument,
    *,
    max_tokens: int = MAX_TOKENS,
    include_ancestor_headings: bool = False,
) -> list[ParsedChunk]:
    """Return the chunks of a document, in order.

    Ranges do not overlap, and every character of the text that is not white space lies in one.

    Args:
        document: The document.
        max_tokens: Budget of a chunk's content, prefix included, in [100, 500]. Only a single
            word, or a table's row of one word, of more tokens than that can be over it.
        include_ancestor_headings: Whether the headings above a chunk are put in front of it.

    Raises:
        ValueError: max_tokens is outside its bounds.
    """
    if not MIN_TOKENS <= max_tokens <= MAX_TOKENS:
        raise ValueError(f"max_tokens is {max_tokens}; it must be in [{MIN_TOKENS}, {MAX_TOKENS}]")
    return _Chunker(document, max_tokens, include_ancestor_headings).chunks()


class _Chunker:
    """One pass over one document."""

    def __init__(self, document: ParsedDocument, budget: int, with_headings: bool) -> None:  # noqa: FBT001
        self._document = document
        self._budget = budget
        self._with_headings = with_headings
        self._paths = _heading_paths(document)
        self._known_prefix: tuple[tuple[str, ...], str, str, int] = ((), "", "", 0)

    def chunks(self) -> list[ParsedChunk]:
        chunks = []
        open_pieces: list[_Piece] = []
        used = 0
        headings = 0  # at the end of the open pieces; a heading goes with what it heads
        for piece in self._pieces():
            if open_pieces and not self._fits(open_pieces, used, piece, headings=headings):
                if headings < len(open_pieces):
                    chunks.append(self._chunk(open_pieces[: len(open_pieces) - headings]))
                    open_pieces = open_pieces[len(open_pieces) - headings :]
                    used = sum(item.tokens for item in open_pieces)
                    if open_pieces and not self._within(open_pieces[0], used, piece):
                        chunks.append(self._chunk(open_pieces))
                        open_pieces, used, headings = [], 0, 0
                else:
                    chunks.append(self._chunk(open_pieces))
                    open_pieces, used, headings = [], 0, 0
            open_pieces.append(piece)
            used += piece.tokens
            headings = headings + 1 if self._is_heading(piece) else 0
        if open_pieces:
            chunks.append(self._chunk(open_pieces))
        return self._with_blobs(chunks)

    def _fits(self, pieces: Sequence[_Piece], used: int, piece: _Piece, *, headings: int) -> bool:
        if not self._within(pieces[0], used, piece) or piece.header:
            return False
        block = self._document.blocks[piece.block]
        if block.kind is not BlockKind.HEADING:
            return True
        if headings == len(pieces):
            return True
        return used < _SMALL_SECTION * self._budget and self._is_sibling(pieces, piece)

    def _is_sibling(self, pieces: Sequence[_Piece], heading: _Piece) -> bool:
        """Return whether a section may follow others in one chunk.

        It must be on the level of the last one, or be the first under a document's title: so the
        last heading above a sentence of the chunk always says whose it is.
        """
        depth = len(self._paths[heading.block])
        last = next((item for item in reversed(pieces) if self._is_heading(item)), None)
        if last is None:  # the chunk goes on with a section that began before it
            return depth == max(0, len(self._paths[pieces[0].block]) - 1)
        return last.block == 0 or depth == len(self._paths[last.block])

    def _within(self, first: _Piece, used: int, piece: _Piece) -> bool:
        return self._prefix(first)[1] + used + piece.tokens <= self._budget

    def _is_heading(self, piece: _Piece) -> bool:
        return self._document.blocks[piece.block].kind is BlockKind.HEADING

    def _prefix(self, piece: _Piece) -> tuple[str, int]:
        """Return what a chunk that begins with this piece has in front of it, and its tokens."""
        path, header, prefix, tokens = self._known_prefix
        if path is not self._paths[piece.block] or header != piece.header:
            path, header = self._paths[piece.block], piece.header
            prefix = self._new_prefix(path, header)
            tokens = count_tokens(prefix)
            self._known_prefix = path, header, prefix, tokens
        return prefix, tokens

    def _new_prefix(self, path: tuple[str, ...], header: str) -> str:
        headings = "\n".join(path) if self._with_headings else ""
        left = _PREFIX_SHARE * self._budget - count_tokens(header)
        while headings and count_tokens(headings) > left:
            headings = headings.partition("\n")[2]  # the highest is the least telling
        return (f"{headings}\n\n" if headings else "") + header

    def _pieces(self) -> Iterator[_Piece]:
        text = self._document.text
        for index, block in enumerate(self._document.blocks):
            room = self._budget - self._prefix(_Piece(block.start, block.end, 0, index))[1]
            limit = end_of_tokens(text, room, block.start, block.end)
            if not has_tokens(text, limit, block.end):
                tokens = count_tokens(text[block.start : block.end])
                yield _Piece(block.start, block.end, tokens, index)
            elif block.kind is BlockKind.TABLE:
                yield from self._table_pieces(index, block)
            else:
                yield from self._text_pieces(index, block, room)

    def _text_pieces(self, index: int, block: Block, room: int) -> Iterator[_Piece]:
        """Yield runs of whole sentences (of code, lines) that fit."""
        text = self._document.text[block.start : block.end]
        fence, ranges = "", split_sentences(text)
        if block.kind is BlockKind.CODE:
            fence = text[: text.index("\n") + 1]
            *ranges, last, closing = _line_ranges(text)
            ranges.append((last[0], closing[1]))  # a fence alone would be a chunk that says nothing
            room -= count_tokens(fence)
        parts = [part for start, end in ranges for part in _words_within(text, start, end, room)]
        yield from self._runs(index, block, parts, room, fence)

    def _table_pieces(self, index: int, block: Block) -> Iterator[_Piece]:
        """Yield runs of whole rows that fit; the later ones with the header in front."""
        text = self._document.text[block.start : block.end]
        header = ""
        if block.header_rows:
            rendered = text[: text.index("\n", len(render_row(block.rows[0])) + 1) + 1]
            if count_tokens(rendered) <= _PREFIX_SHARE * self._budget / 2:
                header = rendered
        first = _Piece(block.start, block.end, 0, index, header)
        room = self._budget - self._prefix(first)[1]
        parts = [
            part
            for start, end in _line_ranges(text)
            for part in _words_within(text, start, end, room)
        ]
        yield from self._runs(index, block, parts, room, header)

    def _runs(
        self, index: int, block: Block, parts: list[tuple[int, int]], room: int, header: str
    ) -> Iterator[_Piece]:
        """Join consecutive parts (ranges in the block) as long as they fit."""
        text = self._document.text[block.start : block.end]
        run: tuple[int, int] | None = None
        used = 0
        is_first = True
        for start, end in parts:
            tokens = count_tokens(text[start:end])
            if run is not None and used + tokens > room:
                yield self._run(index, block, run, used, "" if is_first else header)
                run, used, is_first = None, 0, False
            run = (run[0] if run else start, end)
            used += tokens
        if run is not None:
            yield self._run(index, block, run, used, "" if is_first else header)

    @staticmethod
    def _run(index: int, block: Block, run: tuple[int, int], tokens: int, header: str) -> _Piece:
        return _Piece(block.start + run[0], block.start + run[1], tokens, index, header)

    def _chunk(self, pieces: Sequence[_Piece]) -> ParsedChunk:
        first, last = pieces[0], pieces[-1]
        blocks = self._document.blocks
        prefix, _ = self._prefix(first)
        content = prefix + self._document.text[first.start : last.end]
        return ParsedChunk(
            content=content,
            prefix=prefix,
            start=first.start,
            end=last.end,
            headings=self._paths[first.block],
            page_start=blocks[first.block].page,
            page_end=blocks[last.block].page,
            tokens=count_tokens(content),
        )

    def _with_blobs(self, chunks: list[ParsedChunk]) -> list[ParsedChunk]:
        """Return the chunks with each image given to the one that it stands in or follows."""
        found: list[list[int]] = [[] for _ in chunks]
        at = 0
        for index, blob in enumerate(self._document.blobs):
            while at + 1 < len(chunks) and chunks[at + 1].start < blob.position:
                at += 1
            if chunks:
                found[at].append(index)
        return [
            replace(chunk, blobs=tuple(blobs)) if blobs else chunk
            for chunk, blobs in zip(chunks, found, strict=True)
        ]


def _heading_paths(document: ParsedDocument) -> list[tuple[str, ...]]:
    """Return for each block the headings above it, highest first; of a heading, those above it."""
    paths: list[tuple[str, ...]] = []
    stack: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            paths.append(tuple(text for _, text in stack))
            stack.append((block.level, document.text[block.start : block.end]))
            path = tuple(text for _, text in stack)
        else:
            paths.append(path)
    return paths


def _line_ranges(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the lines that are not empty."""
    ranges = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            ranges.append((start, start + len(line)))
        start += len(line) + 1
    return ranges


def _words_within(text: str, start: int, end: int, room: int) -> list[tuple[int, int]]:
    """Return a range, cut at white space where it has more than `room` tokens.

    A stretch without white space that long, as in Chinese or base64, is cut between tokens. Each
    part is read by itself: a file of one line must not cost the square of its length.
    """
    parts = []
    while end - start > room:  # a token has a character at least
        limit = end_of_tokens(text, room, start, end)
        if not has_tokens(text, limit, end):
            break
        cut = limit
        while cut > start and not text[cut].isspace():
            cut -= 1
        if cut <= start:
            cut = limit
        parts.append((start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        parts.append((start, end))
    return parts
