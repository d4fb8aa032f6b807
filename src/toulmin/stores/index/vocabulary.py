"""The words of chunks as they are written, and which of them lie near a given one.

Words are kept by their length, as a table of letters each, so that a word can be compared with
all of about its length at once. Frequencies count every chunk that was ever added, dead ones too,
as the statistics of BM25 do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.stores.index.analysis import parted
from toulmin.stores.index.protocol import IndexedChunk
from toulmin.text.scripts import ALPHABETIC

SHORTEST, LONGEST = 3, 32  # letters of a word that is kept
_WORD = re.compile(rf"(?<![^\W_])[{ALPHABETIC}]{{{SHORTEST},{LONGEST}}}(?![^\W_])")
# ASCII letters in lower case, digits as they are, whatever else as a space.
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

Letters = NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Words by length, then by letters.

    Attributes:
        letters: UTF-16 code units of all words, one word after the other.
        starts: Number of the first word with 0, 1, ... letters; last the number of all words,
            shape (LONGEST + 2,).
        counts: In how many chunks each word is.
        signatures: One bit for each letter of a word, 32 in all: near words have near signatures.
    """

    letters: Letters
    starts: NDArray[np.int64]
    counts: NDArray[np.uint32]
    signatures: NDArray[np.uint32]

    def of_length(self, length: int) -> tuple[slice, Letters]:
        """Return which words have `length` letters, and these, shape (words, length)."""
        here = slice(int(self.starts[length]), int(self.starts[length + 1]))
        sizes = np.diff(self.starts[: length + 1]) * np.arange(length)
        first = int(sizes.sum())
        count = here.stop - here.start
        return here, self.letters[first : first + count * length].reshape(count, length)


def vocabulary_of(chunks: Sequence[IndexedChunk]) -> Vocabulary:
    """Return the words of texts and titles, in lower case."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts.update(set(_runs(f"{chunk.title}\n{chunk.text}")))
    by_length: dict[int, list[str]] = {}
    for word in sorted(counts):
        if SHORTEST <= len(word) <= LONGEST and word.isalpha():
            by_length.setdefault(len(word), []).append(word)
    tables = []
    for length, words in by_length.items():
        letters = np.frombuffer("".join(words).encode("utf-16-le"), dtype="<u2")
        how_many = np.array([counts[word] for word in words], dtype=np.uint32)
        tables.append((letters.reshape(-1, length), how_many))
    return _vocabulary(tables)


def together(parts: Sequence[Vocabulary]) -> Vocabulary:
    """Return the words of all `parts`; frequencies add up."""
    tables = []
    for length in range(SHORTEST, LONGEST + 1):
        some = [(part, *part.of_length(length)) for part in parts]
        letters = np.concatenate([table for _, _, table in some])
        # Big-endian letters sort as bytes do; a stable sort is fast on parts that are in order.
        raw = letters.astype(">u2").reshape(-1).view(f"S{2 * length}")
        order = np.argsort(raw, kind="stable")
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = raw[order[1:]] != raw[order[:-1]]
        firsts = np.flatnonzero(begins)
        if not len(firsts):
            continue
        counts = np.concatenate([part.counts[here] for part, here, _ in some])[order]
        summed = np.add.reduceat(counts, firsts).astype(np.uint32)
        tables.append((letters[order[firsts]], summed))
    return _vocabulary(tables)


def near(
    word: str, most: int, vocabularies: Sequence[Vocabulary]
) -> Iterator[tuple[int, int, str]]:
    """Yield distance, number of chunks and letters of each word within `most` changes of `word`.

    A change adds, removes or replaces a letter, or exchanges two neighbours (optimal string
    alignment: no letter is changed twice).
    """
    units = np.frombuffer(word.encode("utf-16-le"), dtype="<u2")
    lengths = range(max(SHORTEST, len(word) - most), min(LONGEST, len(word) + most) + 1)
    found: dict[str, tuple[int, int]] = {}
    for length in lengths:
        tables, counts = [], []
        for vocabulary in vocabularies:
            here, letters = vocabulary.of_length(length)
            likely = _likely(vocabulary.signatures[here], units, most)
            tables.append(letters[likely])
            counts.append(vocabulary.counts[here][likely])
        candidates = np.concatenate([np.zeros((0, length), dtype="<u2"), *tables])
        if not len(candidates):
            continue
        distances = _distances(units, candidates.T.copy(), most)
        chosen = np.flatnonzero(distances <= most)
        count = np.concatenate(counts)[chosen].tolist()
        for distance, number, letters in zip(
            distances[chosen].tolist(), count, candidates[chosen], strict=True
        ):
            other = letters.tobytes().decode("utf-16-le")
            found[other] = (distance, found.get(other, (0, 0))[1] + number)
    for other, (distance, number) in found.items():
        yield distance, number, other


def _runs(text: str) -> list[str]:
    """Return the runs of letters and digits of ASCII text; of other text the words."""
    if text.isascii():
        return text.translate(_ASCII).split()
    return _WORD.findall(parted(text)[0].lower())


def _vocabulary(tables: Sequence[tuple[NDArray[Any], NDArray[np.uint32]]]) -> Vocabulary:
    """Return a vocabulary of words and frequencies; each table has one length, and its order."""
    ordered = sorted(tables, key=lambda table: table[0].shape[1])
    sizes = np.zeros(LONGEST + 1, dtype=np.int64)
    for letters, _ in ordered:
        sizes[letters.shape[1]] = len(letters)
    return Vocabulary(
        letters=np.concatenate(
            [np.zeros(0, dtype="<u2"), *(letters.reshape(-1) for letters, _ in ordered)]
        ),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        counts=np.concatenate([np.zeros(0, dtype=np.uint32), *(count for _, count in ordered)]),
        signatures=np.concatenate(
            [np.zeros(0, dtype=np.uint32), *(_signatures(letters) for letters, _ in ordered)]
        ),
    )


def _signatures(letters: NDArray[Any]) -> NDArray[np.uint32]:
    bits = np.uint32(1) << (letters.astype(np.uint32) % np.uint32(32))
    signatures: NDArray[np.uint32] = np.bitwise_or.reduce(bits, axis=1).astype(np.uint32)
    return signatures


def _likely(signatures: NDArray[np.uint32], word: Letters, most: int) -> NDArray[np.int64]:
    """Return which words have at most so many letters that the other lacks, either way."""
    own = _signatures(word[np.newaxis, :])[0]
    likely = np.bitwise_count(signatures & ~own) <= most
    likely &= np.bitwise_count(own & ~signatures) <= most
    return np.flatnonzero(likely)


def _distances(word: Letters, others: Letters, most: int) -> NDArray[np.uint8]:
    """Return the distance of `word` to each column of `others`; beyond `most` it may be too high.

    The usual table of prefixes, with an array of all others in each cell, and of that only the
    cells within `most` of the diagonal.
    """
    length, count = others.shape
    far = np.full(count, 2 * LONGEST, dtype=np.uint8)
    two_before: dict[int, NDArray[np.uint8]] = {}
    before = {j: np.full(count, j, dtype=np.uint8) for j in range(min(most, length) + 1)}
    for i in range(1, len(word) + 1):
        same = others == word[i - 1]
        row: dict[int, NDArray[np.uint8]] = {}
        if i <= most:
            row[0] = np.full(count, i, dtype=np.uint8)
        for j in range(max(1, i - most), min(length, i + most) + 1):
            cell = np.minimum(before.get(j, far), row.get(j - 1, far)) + np.uint8(1)
            np.minimum(cell, before.get(j - 1, far) + ~same[j - 1], out=cell)
            if i > 1 < j:
                exchanged = same[j - 2] & (others[j - 1] == word[i - 2])
                swapped = np.where(exchanged, two_before.get(j - 2, far) + np.uint8(1), far)
                np.minimum(cell, swapped, out=cell)
            row[j] = cell
        two_before, before = before, row
    return before.get(length, far)
