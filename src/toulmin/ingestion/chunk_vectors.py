"""Chunks -> unit vectors. The embedder reads 256 tokens, a chunk has up to 500.

A longer chunk is embedded as two halves, and the mean of their vectors, made a unit vector again,
stands for it. Measured by vectors alone, on SQuAD's paragraphs joined into chunks of up to 500
tokens (295 chunks, 1,500 questions): recall@5 0.895 instead of 0.837 when the rest is cut off, for
25 ms a chunk instead of 17 on 2 cores. Cranfield's abstracts (235 tokens on average) and single
paragraphs are found alike both ways. Again:
`python -m benchmarks.quality.chunk_vectors --data DATA`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from toulmin.ingestion.token_count import count_tokens, end_of_tokens
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

_WHOLE = 300
"""Tokens (token_count.py) up to which a text is embedded in one piece."""
_LONGEST_HALF = 400
"""Tokens from which on a half is halved again; the halves of a chunk of 500 never are."""
_OFF_CENTRE = 0.15
"""How far from the middle, as a share of the text, a sentence may end for a cut there."""
_CONTEXT_LINES, _CONTEXT_TOKENS = 3, 16
"""How many of title and headings stand in front, and how much of each."""
PORTION = 16
"""Texts for one call of the embedder, 0.4 s on a core; it is asked in between whether to stop."""


class TextEmbedder(Protocol):
    """What turns texts into vectors: `models.embedder.Embedder`, or a test's."""

    @property
    def version(self) -> str:
        """Version of the weights."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row for each text, shape (texts, dim)."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """What of a chunk is embedded.

    Attributes:
        title: Title of its document.
        headings: Headings above it, outermost first.
        content: Its words; headings that the chunker put in front are not read twice.
    """

    title: str
    headings: Sequence[str]
    content: str


def embed_chunks(
    embedder: TextEmbedder,
    chunks: Sequence[ChunkText],
    *,
    work: Work = UNLIMITED,
    on_progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> NDArray[np.float32]:
    """Return one unit row for each chunk, shape (chunks, dim); (0, 0) without chunks.

    Args:
        embedder: What embeds.
        chunks: What to embed.
        work: Asked now and then.
        on_progress: Told before each call of the embedder how many texts of how many are done.

    Raises:
        Cancelled: Nobody waits any more.
    """
    texts: list[str] = []
    owners: list[int] = []
    for number, chunk in enumerate(chunks):
        if number % PORTION == 0:
            work.check()
        pieces = _pieces(chunk)
        texts.extend(pieces)
        owners.extend([number] * len(pieces))
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    found = []
    for start in range(0, len(texts), PORTION):
        work.check()
        on_progress(start, len(texts))
        found.append(embedder.embed(texts[start : start + PORTION]))
    vectors = np.concatenate(found)
    rows = np.zeros((len(chunks), vectors.shape[1]), dtype=np.float32)
    np.add.at(rows, owners, vectors)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (rows / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)
    return unit


def _pieces(chunk: ChunkText) -> list[str]:
    """Return the texts whose mean stands for a chunk, each below its headings.

    They are one or two, and more for a chunk of over 600 tokens, as callers of the Gemini API make.
    """
    words = words_of(chunk)
    context = _context(chunk, words)
    return [f"{context}\n{part}" if context else part for part in _parts(words)]


def words_of(chunk: ChunkText) -> str:
    """Return the content without the headings that `includeAncestorHeadings` puts in front."""
    for first in range(len(chunk.headings)):
        prefix = "\n".join(chunk.headings[first:]) + "\n\n"
        if chunk.content.startswith(prefix):
            return chunk.content[len(prefix) :]
    return chunk.content


def _context(chunk: ChunkText, words: str) -> str:
    """Return title and the nearest headings, one a line, each once."""
    lines = list(dict.fromkeys(line for line in (chunk.title, *chunk.headings) if line))
    if len(lines) > _CONTEXT_LINES:
        lines = lines[:1] + lines[1 - _CONTEXT_LINES :]
    kept = []
    for line in lines:
        if words.startswith(line):
            continue  # a chunk that begins with its heading says it itself
        kept.append(line[: end_of_tokens(line, _CONTEXT_TOKENS)])
    return "\n".join(kept)


def _parts(text: str) -> list[str]:
    """Return a text in one piece, in halves, or halved until every part is read nearly whole."""
    if count_tokens(text) <= _WHOLE:
        return [text]
    parts: list[str] = []
    for half in _halves(text):
        parts.extend(_parts(half) if count_tokens(half) > _LONGEST_HALF else [half])
    return parts


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    starts = [start for start, _ in split_sentences(text)[1:]]
    cut = min(starts, key=lambda start: abs(start - middle), default=-1)
    if abs(cut - middle) > _OFF_CENTRE * len(text):
        cut = text.rfind(" ", 1, middle)
    if cut <= 0:
        cut = middle  # a script without spaces
    return [part for part in (text[:cut], text[cut:]) if part.strip()]
