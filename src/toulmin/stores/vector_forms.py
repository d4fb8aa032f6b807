"""How vectors of chunks are kept in the records: a chunk's own in 16 bits, those of its parts in 8.

A part's row is a direction: its greatest component is 127, and its length, by which products are
divided, is known from the row itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.vectors import quantized

_FORM = "<f2"


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """What the records keep of a chunk's meaning.

    Attributes:
        chunk: Its vector, as 16-bit floats.
        parts: Vectors of its parts, one after the other, 8 bits a component; empty: it has one
            part, or its embedder makes none.
    """

    chunk: bytes
    parts: bytes = b""


def stored_vectors(
    rows: NDArray[np.float32], parts: Sequence[NDArray[np.float32]]
) -> list[StoredVectors]:
    """Return what is kept of unit vectors of chunks, and of their parts.

    Args:
        rows: One for each chunk, shape (chunks, dimensions).
        parts: For each chunk, unit vectors of its parts, shape (parts, dimensions).
    """
    return [
        StoredVectors(row.tobytes(), quantized(own)[0].tobytes() if len(own) else b"")
        for row, own in zip(rows.astype(_FORM), parts, strict=True)
    ]


def unit_vector(embedding: bytes) -> NDArray[np.float32]:
    """Return the unit vector kept in `StoredVectors.chunk`, shape (dimensions,)."""
    vector = np.frombuffer(embedding, dtype=_FORM).astype(np.float32)
    norm = float(np.linalg.norm(vector))
    unit: NDArray[np.float32] = vector / norm if norm else vector
    return unit


def part_rows(parts: bytes, dimensions: int) -> NDArray[np.int8]:
    """Return the directions kept in `StoredVectors.parts`, shape (parts, dimensions)."""
    return np.frombuffer(parts, dtype=np.int8).reshape(-1, dimensions)
