"""Chunks -> vectors of their parts, a sentence or a few short ones each.

A question is about one sentence of a chunk more often than about all of it, and a vector of 200
words is near to no question in particular. So a chunk is as near to a query as the nearest of its
parts (as MaxP does with passages of documents: Dai and Callan, "Deeper Text Understanding for IR
with Contextual Neural Language Modeling", SIGIR 2019); figures in docs/decisions/0042.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from toulmin.ingestion.chunk_vectors import (
    PORTION,
    ChunkText,
    TextEmbedder,
    embed_chunks,
    words_of,
)
from toulmin.ingestion.token_count import count_tokens
from toulmin.stores.vector_forms import StoredVectors, stored_vectors
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

_LEAST = 13
"""Tokens (token_count.py) of a part; shorter sentences are joined with the next ones."""
_MOST_PARTS = 64
"""Of one chunk; one of 500 tokens has at most 38. Parts of longer ones are longer."""

OnProgress = Callable[[int, int], object]


class ChunkEmbedder(TextEmbedder, Protocol):
    """What embeds chunks to be searched: `models.embedder.Embedder`, or a test's."""

    @property
    def has_parts(self) -> bool:
        """Whether parts of a chunk have vectors of their own."""


def embed_for_store(
    embedder: ChunkEmbedder,
    chunks: Sequence[ChunkText],
    *,
    work: Work = UNLIMITED,
    on_progress: OnProgress = lambda _done, _total: None,
) -> list[StoredVectors]:
    """Return what is kept of each chunk's meaning, in the order given.

    Args:
        embedder: What embeds.
        chunks: What to embed.
        work: Asked now and then.
        on_progress: Told before each call of the embedder how many texts of how many are done.

    Raises:
        Cancelled: Nobody waits any more.
    """
    texts = [part_texts(chunk) if embedder.has_parts else [] for chunk in chunks]
    ahead = sum(map(len, texts))
    whole = 0  # texts that stand for whole chunks; a long chunk has several

    def said_of_chunks(done: int, total: int) -> None:
        nonlocal whole
        whole = total
        on_progress(done, total + ahead)

    rows = embed_chunks(embedder, chunks, work=work, on_progress=said_of_chunks)
    every = [text for own in texts for text in own]
    found: list[NDArray[np.float32]] = [np.zeros((0, 1), dtype=np.float32)]
    for start in range(0, len(every), PORTION):
        work.check()
        on_progress(whole + start, whole + ahead)
        found.append(embedder.embed(every[start : start + PORTION]))
    vectors = np.concatenate(found[1:]) if every else found[0]
    ends = np.cumsum([len(own) for own in texts], dtype=np.int64)
    return stored_vectors(rows, np.split(vectors, ends[:-1]) if len(chunks) else [])


def part_texts(chunk: ChunkText) -> list[str]:
    """Return the parts of a chunk that have a vector of their own; none if it is one part."""
    words = words_of(chunk)
    least = max(_LEAST, count_tokens(words) // _MOST_PARTS)
    parts: list[str] = []
    begin = -1
    for start, end in split_sentences(words):
        begin = start if begin < 0 else begin
        if count_tokens(words[begin:end]) >= least:
            parts.append(words[begin:end])
            begin = -1
    if begin >= 0:
        parts.append(words[begin:].rstrip())
    return parts if len(parts) > 1 else []
