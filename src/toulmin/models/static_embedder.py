"""Text -> vector by adding up one stored vector for each word piece: no network is run.

The table was distilled from the base encoder (`training/static_embedder`): each piece's vector is
what the encoder makes of the piece alone, reduced in width, weighted by rarity and then tuned on
pairs that belong together. Word order does not matter to it, so the vector of a window of sentences
is the sum of theirs. The idea is model2vec's (Minish Lab, 2024); the code is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import FailedPrecondition
from toulmin.models.spec import EMBEDDED_WEIGHTS, load_spec
from toulmin.text.words import WordStream, hash_words, scan_words

_BLOCK_WORDS = 1024
_KEPT_WORDS = 50_000
_LONGEST_WORD = 40
_LEAST_LENGTH = 0.1  # words whose vectors are shorter than this share of the mean are left out


class StaticEmbedder:
    """Embeds texts in one fixed space; safe to share between threads.

    Args:
        folder: A model folder: `spec.json`, `table.npy` (pieces, dim) int8, `scales.npy`
            (pieces,) float16, and the WordPiece vocabulary in the `tokenizer.json` that
            `spec.json` names under `vocabulary` (a path relative to the folder).
        vocabulary: Another `tokenizer.json` to read the vocabulary from, if it is kept elsewhere.

    Raises:
        FailedPrecondition: The folder is incomplete, altered, or its files disagree.
    """

    def __init__(
        self, folder: Path = EMBEDDED_WEIGHTS / "static_embedder", *, vocabulary: Path | None = None
    ) -> None:
        spec = load_spec(folder)
        table: NDArray[np.int8] = np.load(folder / "table.npy", allow_pickle=False)
        scales: NDArray[np.float16] = np.load(folder / "scales.npy", allow_pickle=False)
        path = vocabulary or folder / str(spec.details["vocabulary"])
        pieces = _read_vocabulary(path)
        if not len(table) == len(scales) == len(pieces):
            raise FailedPrecondition(
                f"{folder}: {len(table)} rows, {len(scales)} scales, {len(pieces)} pieces in {path}"
            )
        self.version = spec.version
        self.dim = int(table.shape[1])
        self._table = table
        self._scales = scales.astype(np.float32)
        sizes = np.abs(table).mean(axis=1) * self._scales * np.sqrt(self.dim)
        self._least_square = float((_LEAST_LENGTH * sizes.mean()) ** 2)
        self._splitter = PieceSplitter(pieces)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row for each text, shape (texts, dim); zeros where no word is known."""
        stream = scan_words("\n".join(texts))
        lengths = np.fromiter((len(t) + 1 for t in texts), dtype=np.int64, count=len(texts))
        bounds = np.zeros(len(texts) + 1, dtype=np.int64)
        bounds[1:] = np.searchsorted(stream.starts, np.cumsum(lengths))
        return unit_rows(self.sum_spans(stream, bounds))

    def sum_spans(self, stream: WordStream, bounds: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the summed word vectors of consecutive spans of words, shape (spans, dim).

        Args:
            stream: The words.
            bounds: Index of each span's first word and, last, one past the last span's last word;
                not decreasing, shape (spans + 1,).
        """
        sums = np.zeros((len(bounds) - 1, self.dim), dtype=np.float32)
        vectors = self._word_vectors(stream, stream.distinct)
        heavy = np.einsum("ij,ij->i", vectors, vectors) > self._least_square
        kept = heavy[stream.identity]
        before = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(kept, out=before[1:])
        words, edges = stream.identity[kept], before[bounds]
        low = 0
        while low < len(sums):  # in blocks that stay in the processor's cache
            high = int(np.searchsorted(edges, edges[low] + _BLOCK_WORDS, side="right")) - 1
            high = min(max(high, low + 1), len(sums))
            full = np.flatnonzero(np.diff(edges[low : high + 1])) + low
            if len(full):
                block = vectors[words[edges[low] : edges[high]]]
                sums[full] = np.add.reduceat(block, edges[full] - edges[low], axis=0)
            low = high
        return sums

    def _word_vectors(self, stream: WordStream, which: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of the words at the places `which`, shape (len(which), dim)."""
        rows, bounds = self._splitter.split(stream, which)
        lengths = np.diff(bounds)
        vectors = np.zeros((len(which), self.dim), dtype=np.float32)
        whole = np.flatnonzero(lengths == 1)
        ids = rows[bounds[whole]]
        vectors[whole] = self._table[ids] * self._scales[ids, None]
        several = np.flatnonzero(lengths > 1)
        if len(several):
            ids = rows[np.repeat(lengths > 1, lengths)]
            pieces = self._table[ids] * self._scales[ids, None]
            firsts = np.cumsum(lengths[several]) - lengths[several]
            vectors[several] = np.add.reduceat(pieces, firsts, axis=0)
        return vectors


class PieceSplitter:
    """Splits words into WordPiece vocabulary entries, longest first; training uses it as well.

    A number is split without its commas; a pair of an unspaced script is its two characters; what
    the vocabulary does not know is left out.
    """

    def __init__(self, pieces: Mapping[str, int]) -> None:
        self._pieces = dict(pieces)
        words = [w for w in self._pieces if w.isalnum()]
        hashes, _ = hash_words(words)
        order = np.argsort(hashes)
        self._hashes = hashes[order]
        self._ids = np.array([self._pieces[w] for w in words], dtype=np.int64)[order]
        self._kept: dict[str, tuple[int, ...]] = {}

    def split(
        self, stream: WordStream, which: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the piece ids of the words at `which`, and where each word's pieces begin and end.

        Returns:
            ids, shape (pieces,), and bounds, shape (len(which) + 1,): word i has
            `ids[bounds[i]:bounds[i + 1]]`.
        """
        hashes = stream.hashes[which]
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        known = (self._hashes[at] == hashes) & ~stream.unspaced[which]
        counts = known.astype(np.int64)
        rest = np.flatnonzero(~known)
        split = [self._split(stream.word(i), pair=bool(stream.unspaced[i])) for i in which[rest]]
        counts[rest] = [len(ids) for ids in split]
        bounds = np.zeros(len(which) + 1, dtype=np.int64)
        np.cumsum(counts, out=bounds[1:])
        ids = np.zeros(bounds[-1], dtype=np.int64)
        ids[bounds[:-1][known]] = self._ids[at[known]]
        loose = np.array([i for piece_ids in split for i in piece_ids], dtype=np.int64)
        ids[np.repeat(~known, counts)] = loose
        return ids, bounds

    def _split(self, word: str, *, pair: bool) -> tuple[int, ...]:
        found = self._kept.get(word)
        if found is None:
            if pair:
                found = tuple(self._pieces[c] for c in word if c in self._pieces)
            else:
                parts = word.replace(",", "").split(".")
                found = tuple(i for part in parts for i in self._longest_first(part))
            if len(self._kept) >= _KEPT_WORDS:
                self._kept.clear()
            self._kept[word] = found
        return found

    def _longest_first(self, word: str) -> list[int]:
        ids: list[int] = []
        start, mark = 0, ""
        while start < len(word) <= _LONGEST_WORD:
            end = len(word)
            while end > start and (mark + word[start:end]) not in self._pieces:
                end -= 1
            if end == start:
                return []
            ids.append(self._pieces[mark + word[start:end]])
            start, mark = end, "##"
        return ids


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `rows` scaled to length 1; a row of zeros stays as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    scaled: NDArray[np.float32] = rows / np.maximum(lengths, 1e-12)[:, None]
    return scaled


def _read_vocabulary(path: Path) -> dict[str, int]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return {str(piece): int(i) for piece, i in raw["model"]["vocab"].items()}
    except (OSError, ValueError, KeyError) as error:
        raise FailedPrecondition(f"{path} holds no WordPiece vocabulary: {error}") from error
