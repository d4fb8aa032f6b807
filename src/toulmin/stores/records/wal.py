"""Whether SQLite's write-ahead log still has what was committed to it.

SQLite reads a log up to the first frame that does not fit, and takes what is there for all: a log
that was cut or damaged loses committed transactions, and nothing says so. But a process that is
killed leaves a second file, `records.db-shm`, whose header has the number of the last committed
frame, and the log was on the disk before that number was. So the two are compared before SQLite
opens the database, which would write the header anew. After a loss of power the header may be older
than the log, never newer; then nothing is found and nothing was lost.

Source: https://www.sqlite.org/walformat.html
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_MAGIC: Final = 0x377F0682
"""Of a log whose checksums read words as little-endian; with the lowest bit, as big-endian."""
_VERSION: Final = 3007000
_INDEX_HEADER: Final = 48
_INDEX: Final = struct.Struct("=II I BB H I I 8s 8s 8s")
_BACKFILLED: Final = struct.Struct("=I")
_FRAMES_AT_ONCE: Final = 256
_MASK: Final = 0xFFFFFFFF

Words = NDArray[np.uint32]
Sum = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WalLoss:
    """What a log has lost.

    Attributes:
        committed: Frames (pages as a transaction wrote them) that were committed to the log.
        readable: How many of them, from the first on, are there and sound.
        in_database: How many of them, from the first on, are in the database file already.
    """

    committed: int
    readable: int
    in_database: int


@dataclass(frozen=True, slots=True)
class _Index:
    salts: bytes
    page_size: int
    committed: int
    in_database: int


def wal_loss(database: Path) -> WalLoss | None:
    """Return what the log of a database has lost; None: nothing that anybody could tell.

    Reads only; a process may write meanwhile.

    Args:
        database: The database's file; the log and its index are beside it.
    """
    log = database.with_name(f"{database.name}-wal")
    index_file = database.with_name(f"{database.name}-shm")
    index = _read_index(index_file)
    if index is None or not index.committed:
        return None
    readable = _sound_frames(log, index)
    if readable is None or readable >= index.committed:
        return None
    now = _read_index(index_file)
    if now is None or now.salts != index.salts:  # a writer began the log anew meanwhile
        return None
    return WalLoss(index.committed, readable, index.in_database)


def _read_index(path: Path) -> _Index | None:
    """Return what the index of the log says; None: it says nothing, or not for sure."""
    try:
        with path.open("rb") as file:
            content = file.read(2 * _INDEX_HEADER + _BACKFILLED.size)
    except FileNotFoundError:
        return None
    if len(content) < 2 * _INDEX_HEADER + _BACKFILLED.size:
        return None
    found = []
    for start in (0, _INDEX_HEADER):  # two copies, of which a killed writer may have left one
        header = content[start : start + _INDEX_HEADER]
        version, *_, page_size, committed, _, _, salts, checksum = _INDEX.unpack(header)
        native = "<" if sys.byteorder == "little" else ">"
        words = np.frombuffer(header[:-8], dtype=f"{native}u4").astype(np.uint32)
        if version == _VERSION and _sum_of(words, (0, 0)) == struct.unpack("=II", checksum):
            found.append(_Index(salts, page_size, committed, 0))
    if not found:
        return None
    (in_database,) = _BACKFILLED.unpack(content[2 * _INDEX_HEADER :])
    least = min(found, key=lambda index: index.committed)
    return _Index(least.salts, _full_size(least.page_size), least.committed, in_database)


def _full_size(stored: int) -> int:
    return (stored & 0xFE00) + ((stored & 0x0001) << 16)


def _sound_frames(path: Path, index: _Index) -> int | None:
    """Return how many frames from the first on are sound; None: the log is another than expected.

    A log that is not there, or whose header is damaged, has none.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0
    with file:
        header = file.read(_HEADER)
        if len(header) < _HEADER:
            return 0
        magic, _, page_size, _ = struct.unpack(">4I", header[:16])
        salts, checksum = header[16:24], struct.unpack(">2I", header[24:])
        kind: Any = ">u4" if magic & 1 else "<u4"
        state = _sum_of(np.frombuffer(header[:24], dtype=kind).astype(np.uint32), (0, 0))
        if magic & ~1 != _MAGIC or state != checksum or page_size != index.page_size:
            return 0
        if salts != index.salts:
            return None
        return _count(file, page_size, salts, kind, state, most=index.committed)


def _count(
    file: BinaryIO, page_size: int, salts: bytes, kind: Any, state: Sum, *, most: int
) -> int:
    count = 0
    for frame in _frames(file, page_size):
        checked = np.frombuffer(frame[:8] + frame[_FRAME_HEADER:], dtype=kind).astype(np.uint32)
        state = _sum_of(checked, state)
        if frame[8:16] != salts or struct.unpack(">2I", frame[16:_FRAME_HEADER]) != state:
            return count
        count += 1
        if count == most:
            return count
    return count


def _frames(file: BinaryIO, page_size: int) -> Iterator[bytes]:
    size = _FRAME_HEADER + page_size
    while block := file.read(_FRAMES_AT_ONCE * size):
        for start in range(0, len(block) - size + 1, size):
            yield block[start : start + size]


def _sum_of(words: Words, state: Sum) -> Sum:
    """Return SQLite's checksum of pairs of words, going on from `state`.

    For each pair (a, b): s0 += a + s1; s1 += b + s0, modulo 2**32. That is linear, so that the sum
    over a whole page is one product with powers of the step's matrix.
    """
    first, second, whole = _powers(len(words) // 2)
    a, b = words[0::2], words[1::2] + words[0::2]
    added = (first * a + second * b).sum(axis=1, dtype=np.uint64)
    s0, s1 = state
    return (
        (whole[0] * s0 + whole[1] * s1 + int(added[0])) & _MASK,
        (whole[1] * s0 + whole[2] * s1 + int(added[1])) & _MASK,
    )


@lru_cache(maxsize=8)
def _powers(pairs: int) -> tuple[Words, Words, tuple[int, int, int]]:
    """Return the columns of the powers of ((1, 1), (1, 2)), the highest first, and the next one."""
    entries = []
    p, q, r = 1, 0, 1  # the matrix ((p, q), (q, r)), which is symmetric
    for _ in range(pairs):
        entries.append((p, q, r))
        p, q, r = (p + q) & _MASK, (q + r) & _MASK, (q + 2 * r) & _MASK
    columns = np.array(entries[::-1], dtype=np.uint32).T
    return columns[:2], columns[1:], (p, q, r)
