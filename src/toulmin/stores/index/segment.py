"""Rows in a file: numbers, vectors, fields, words. Written once, read through a memory map.

    8 bytes   "TOULSEG1"
    8 bytes   length of the head
    head      JSON: number of rows; for each array its type, shape, place and CRC-32; the columns
    4 bytes   CRC-32 of the head
    arrays    each at a multiple of 64 bytes

Which rows are dead stands in a file of its own, written anew when more of them die.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.columns import Column, ColumnKind, Strings, columns_of, joined
from toulmin.stores.index.manifest import write_file
from toulmin.stores.index.parts import Parts, joined_parts, parts_of
from toulmin.stores.index.protocol import IndexedChunk, IndexUnusable
from toulmin.stores.index.vectors import quantized
from toulmin.stores.index.vocabulary import Vocabulary, together, vocabulary_of

_MAGIC = b"TOULSEG1"
_ALIGNMENT = 64
_PARTS = ("directions", "scales", "ends")
_WORDS = ("letters", "starts", "counts", "signatures")  # arrays of the vocabulary

Columns = Mapping[tuple[str, ColumnKind], Column]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Chunks as rows.

    Attributes:
        keys: Key of each chunk, shape (rows,).
        documents: Document of each chunk.
        serials: Serial of each row, growing; the text index knows it by this number.
        vectors: 8-bit vectors, shape (rows, dimensions).
        scales: Scale of each vector; 0: there is none.
        parts: Vectors of the chunks' parts.
        columns: By name and kind.
        words: The words of all chunks that were ever in it, dead ones too.
        by_key: Row numbers in the order of their keys.
    """

    keys: NDArray[np.int64]
    documents: NDArray[np.int64]
    serials: NDArray[np.int64]
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]
    parts: Parts
    columns: Columns
    words: Vocabulary
    by_key: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Rows, and which of them are alive, at one moment."""

    rows: Rows
    alive: NDArray[np.bool_]
    name: str
    dead_name: str = ""

    def find(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows, alive, that have one of `keys`."""
        order = self.rows.by_key
        if not len(order) or not len(keys):
            return np.zeros(0, dtype=np.int64)
        places = np.searchsorted(self.rows.keys, keys, sorter=order)
        rows = order[np.minimum(places, len(order) - 1)].astype(np.int64)
        found: NDArray[np.int64] = rows[(self.rows.keys[rows] == keys) & self.alive[rows]]
        return found


def rows_of(chunks: Sequence[IndexedChunk], first_serial: int, dimensions: int) -> Rows:
    """Return chunks as rows, with serials from `first_serial` on."""
    vectors = np.zeros((len(chunks), dimensions), dtype=np.float32)
    for row, chunk in enumerate(chunks):
        if chunk.vector is not None:
            vectors[row] = chunk.vector
    small, scales = quantized(vectors)
    keys = np.array([chunk.key for chunk in chunks], dtype=np.int64)
    return Rows(
        keys=keys,
        documents=np.array([chunk.document for chunk in chunks], dtype=np.int64),
        serials=np.arange(first_serial, first_serial + len(chunks), dtype=np.int64),
        vectors=small,
        scales=scales,
        parts=parts_of(chunks, dimensions),
        columns=_by_name(columns_of([chunk.fields for chunk in chunks])),
        words=vocabulary_of(chunks),
        by_key=np.argsort(keys, kind="stable").astype(np.uint32),
    )


def merged(segments: Sequence[Segment]) -> Rows:
    """Return the living rows of several segments, in their order."""
    parts = [(segment.rows, segment.alive) for segment in segments]
    keys = np.concatenate([rows.keys[alive] for rows, alive in parts])
    return Rows(
        keys=keys,
        documents=np.concatenate([rows.documents[alive] for rows, alive in parts]),
        serials=np.concatenate([rows.serials[alive] for rows, alive in parts]),
        vectors=np.concatenate([rows.vectors[alive] for rows, alive in parts]),
        scales=np.concatenate([rows.scales[alive] for rows, alive in parts]),
        parts=joined_parts([rows.parts.of(alive) for rows, alive in parts]),
        columns=_by_name(joined([(rows.columns, alive) for rows, alive in parts])),
        words=together([rows.words for rows, _ in parts]),
        by_key=np.argsort(keys, kind="stable").astype(np.uint32),
    )


def write_rows(path: Path, rows: Rows) -> None:
    """Write `rows` and flush them to disk; the folder's names are the caller's to flush."""
    arrays: dict[str, NDArray[Any]] = {
        name: np.ascontiguousarray(getattr(rows, name))
        for name in ("keys", "documents", "serials", "vectors", "scales", "by_key")
    }
    arrays |= {f"parts.{name}": getattr(rows.parts, name) for name in _PARTS}
    arrays |= {f"words.{name}": getattr(rows.words, name) for name in _WORDS}
    columns = []
    for number, column in enumerate(rows.columns.values()):
        columns.append({"field": column.field, "kind": column.kind, "dense": column.rows is None})
        arrays[f"{number}.values"] = column.values
        if column.rows is not None:
            arrays[f"{number}.rows"] = column.rows
        if column.strings is not None:
            arrays[f"{number}.letters"] = column.strings.letters
            arrays[f"{number}.ends"] = column.strings.ends
    described: dict[str, dict[str, Any]] = {}
    place = 0
    for name, array in arrays.items():
        described[name] = {
            "type": array.dtype.str,
            "shape": array.shape,
            "place": place,
            "checksum": zlib.crc32(array.data),
        }
        place = _aligned(place + array.nbytes)
    head = json.dumps({"arrays": described, "columns": columns, "bytes": place}).encode()
    with path.open("wb") as file:
        file.write(_MAGIC + len(head).to_bytes(8, "little") + head)
        file.write(zlib.crc32(head).to_bytes(4, "little"))
        start = _aligned(file.tell())
        for name, array in arrays.items():
            file.seek(start + described[name]["place"])
            array.tofile(file)
        file.truncate(start + place)
        file.flush()
        os.fsync(file.fileno())


def read_rows(path: Path) -> Rows:
    """Map a file of `write_rows`, every byte of it checked.

    Raises:
        IndexUnusable: It is not there, cut short, or damaged.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        rows = _rows(np.frombuffer(mapped, dtype=np.uint8))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexUnusable(f"{path} is damaged: {error}") from error
    # All was read for the checksums; what searches need of it comes back by itself.
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
    return rows


def write_dead(path: Path, alive: NDArray[np.bool_]) -> None:
    """Write which rows are dead, and flush them; the folder is the caller's to flush."""
    packed = np.packbits(~alive).tobytes()
    write_file(path, zlib.crc32(packed).to_bytes(4, "little") + packed)


def read_dead(path: Path, rows: int) -> NDArray[np.bool_]:
    """Return which of `rows` rows are alive.

    Raises:
        IndexUnusable: The file is not there or damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise IndexUnusable(f"{path} cannot be read: {error}") from error
    packed = content[4:]
    if zlib.crc32(packed) != int.from_bytes(content[:4], "little") or len(packed) != -(-rows // 8):
        raise IndexUnusable(f"{path} is damaged: its checksum does not fit.")
    bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=rows)
    alive: NDArray[np.bool_] = bits == 0
    return alive


def _rows(mapped: NDArray[np.uint8]) -> Rows:
    if mapped[:8].tobytes() != _MAGIC:
        raise ValueError("it is no segment")
    end = 16 + int.from_bytes(mapped[8:16].tobytes(), "little")
    raw = mapped[16:end].tobytes()
    if zlib.crc32(raw) != int.from_bytes(mapped[end : end + 4].tobytes(), "little"):
        raise ValueError("the checksum of its head does not fit")
    head = json.loads(raw)
    start = _aligned(end + 4)
    if len(mapped) != start + head["bytes"]:
        raise ValueError(f"it has {len(mapped)} bytes, not {start + head['bytes']}")
    arrays = {name: _array(mapped[start:], name, d) for name, d in head["arrays"].items()}
    columns = [_column(number, d, arrays) for number, d in enumerate(head["columns"])]
    return Rows(
        keys=arrays["keys"],
        documents=arrays["documents"],
        serials=arrays["serials"],
        vectors=arrays["vectors"],
        scales=arrays["scales"],
        parts=Parts(**{name: arrays[f"parts.{name}"] for name in _PARTS}),
        columns=_by_name(columns),
        words=Vocabulary(**{name: arrays[f"words.{name}"] for name in _WORDS}),
        by_key=arrays["by_key"],
    )


def _array(mapped: NDArray[np.uint8], name: str, described: dict[str, Any]) -> NDArray[Any]:
    kind, shape = np.dtype(described["type"]), tuple(described["shape"])
    place = described["place"]
    raw = mapped[place : place + kind.itemsize * int(np.prod(shape))]
    if zlib.crc32(raw.data) != described["checksum"]:
        raise ValueError(f"the checksum of {name} does not fit")
    array: NDArray[Any] = raw.view(kind).reshape(shape)
    return array


def _column(number: int, described: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Column:
    strings = None
    if described["kind"] == "string":
        strings = Strings(arrays[f"{number}.letters"], arrays[f"{number}.ends"])
    return Column(
        field=described["field"],
        kind=described["kind"],
        rows=None if described["dense"] else arrays[f"{number}.rows"],
        values=arrays[f"{number}.values"],
        strings=strings,
    )


def _by_name(columns: Sequence[Column]) -> dict[tuple[str, ColumnKind], Column]:
    return {(column.field, column.kind): column for column in columns}


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT
