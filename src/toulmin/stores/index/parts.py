"""Vectors of parts of chunks, and how near the nearest part of a chunk is to a query.

Only of chunks that words or their own vectors have found are the parts looked at, so an index may
hold a dozen of them for each chunk without its searches reading them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.protocol import IndexedChunk
from toulmin.stores.index.vectors import products

_WHOLE_SHARE = 0.3
"""What the cosine of the whole chunk counts beside that of its nearest part, which counts 1: title
and headings stand in the whole alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of all rows of a segment.

    Attributes:
        directions: One part after the other, 8 bits a component, shape (parts, dimensions).
        scales: 1 / length of each direction, shape (parts,).
        ends: One past the last part of each row, shape (rows,).
    """

    directions: NDArray[np.int8]
    scales: NDArray[np.float32]
    ends: NDArray[np.int64]

    def of(self, alive: NDArray[np.bool_]) -> Parts:
        """Return the parts of some rows, in their order."""
        counts = np.diff(self.ends, prepend=0)
        kept = np.repeat(alive, counts)
        return Parts(
            self.directions[kept], self.scales[kept], np.cumsum(counts[alive], dtype=np.int64)
        )

    def nearest(
        self,
        rows: NDArray[np.int64],
        query: NDArray[np.int8],
        scale: float,
        wholes: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return how near each row is to a query, shape (rows,), in [-1, 1] but for rounding.

        Args:
            rows: Which rows.
            query: The query's vector in 8 bits.
            scale: And its scale.
            wholes: Cosines of the rows' own vectors, which stand for rows without parts.
        """
        starts = self.ends[rows] - np.diff(self.ends, prepend=0)[rows]
        counts = self.ends[rows] - starts
        having = np.flatnonzero(counts)
        if not len(having):
            return wholes
        first = np.cumsum(counts[having]) - counts[having]
        places = np.repeat(starts[having] - first, counts[having]) + np.arange(counts.sum())
        cosines = products(self.directions[places], query) * self.scales[places] * scale
        best = np.maximum.reduceat(cosines, first)
        found = wholes.copy()
        found[having] = (best + _WHOLE_SHARE * wholes[having]) / (1 + _WHOLE_SHARE)
        return found


def parts_of(chunks: Sequence[IndexedChunk], dimensions: int) -> Parts:
    """Return the parts of chunks, which are the rows."""
    none = np.zeros((0, dimensions), dtype=np.int8)
    given = [none if chunk.parts is None else chunk.parts for chunk in chunks]
    directions = np.concatenate([none, *given])
    lengths = np.linalg.norm(directions.astype(np.float32), axis=1)
    return Parts(
        directions=directions,
        scales=(1 / np.maximum(lengths, 1)).astype(np.float32),
        ends=np.cumsum([len(rows) for rows in given], dtype=np.int64),
    )


def joined_parts(parts: Sequence[Parts]) -> Parts:
    """Return the parts of several segments' rows, one segment after the other."""
    before = np.cumsum([0, *(len(part.directions) for part in parts[:-1])])
    return Parts(
        np.concatenate([part.directions for part in parts]),
        np.concatenate([part.scales for part in parts]),
        np.concatenate([part.ends + start for part, start in zip(parts, before, strict=True)]),
    )
