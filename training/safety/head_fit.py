"""Fits heads of `toulmin.safety.heads`, for `training/query_classes` and `training/safety`."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from toulmin.models.embedder import Embedder
from toulmin.safety.features import PLACES, hashed_ngrams, numbers_of, pieces_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))

DIM, NUMBERS = 384, 4


class EmbeddedTexts:
    """Embeddings of pieces, computed once and kept in a folder of blocks; can be interrupted."""

    def __init__(self, folder: Path, block: int = 500) -> None:
        self.folder, self.block = folder, block
        folder.mkdir(parents=True, exist_ok=True)
        self.embedder = Embedder(workers=1)
        self.at: dict[str, np.ndarray] = {}
        for path in sorted(folder.glob("*.json")):
            if path.with_suffix(".npy").exists():
                rows = np.load(path.with_suffix(".npy"))
                self.at.update(zip(json.loads(path.read_text()), rows, strict=True))

    def add(self, texts: list[str], cut: Callable[[str], list[str]] = pieces_of) -> None:
        """Embed what is not there yet of the pieces that `cut` makes of each text."""
        missing = sorted({p for text in texts for p in cut(text)} - self.at.keys())
        for start in range(0, len(missing), self.block):
            part = missing[start : start + self.block]
            rows = self.embedder.embed(part)
            path = self.folder / f"{len(list(self.folder.glob('*.json'))):04d}.json"
            np.save(path.with_suffix(".npy"), rows)
            path.write_text(json.dumps(part))
            self.at.update(zip(part, rows, strict=True))


@dataclass(frozen=True)
class Kind:
    """Which features are used, and how much each group may weigh."""

    embedding: float = 4.0
    ngrams: float = 2.0
    c: float = 1.0


@dataclass
class Matrix:
    """Features of pieces, and the text that each piece belongs to."""

    dense: np.ndarray
    ngrams: sparse.csr_matrix
    owner: np.ndarray

    def scaled(self, kind: Kind) -> sparse.csr_matrix:
        return sparse.hstack(
            [sparse.csr_matrix(self.dense * kind.embedding), self.ngrams * kind.ngrams], "csr"
        )

    def of(self, texts: np.ndarray) -> np.ndarray:
        """The pieces of the texts whose mask is true."""
        return np.flatnonzero(texts[self.owner])


def matrix(texts: list[str], vectors: EmbeddedTexts) -> Matrix:
    pieces, owner = [], []
    for i, text in enumerate(texts):
        cut = pieces_of(text)
        pieces += cut
        owner += [i] * len(cut)
    dense = np.array([np.concatenate([vectors.at[p], numbers_of(p)]) for p in pieces])
    places = [hashed_ngrams(p) for p in pieces]
    bounds = np.cumsum([0, *(len(p) for p in places)])
    values = np.concatenate([np.full(len(p), 1 / max(len(p), 1) ** 0.5) for p in places])
    ngrams = sparse.csr_matrix(
        (values, np.concatenate(places), bounds), shape=(len(pieces), PLACES)
    )
    return Matrix(dense, ngrams, np.array(owner))


@dataclass
class Head:
    """One class's weights over unscaled features."""

    dense: np.ndarray
    ngrams: np.ndarray
    bias: float

    def logits(self, m: Matrix) -> np.ndarray:
        return m.dense @ self.dense + m.ngrams @ self.ngrams + self.bias

    def sharpened(self, slope: float, shift: float) -> Head:
        return Head(self.dense * slope, self.ngrams * slope, self.bias * slope + shift)


def fit_head(
    m: Matrix, pieces: np.ndarray, labels: np.ndarray, kind: Kind, weights: np.ndarray | None = None
) -> Head:
    """Logistic regression on the given pieces; labels are 0 or 1, one for each piece."""
    model = LogisticRegression(C=kind.c, max_iter=300, tol=1e-3)
    model.fit(m.scaled(kind)[pieces], labels, sample_weight=weights)
    both = model.coef_[0]
    wide = DIM + NUMBERS
    return Head(both[:wide] * kind.embedding, both[wide:] * kind.ngrams, float(model.intercept_[0]))


def platt(logits: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Slope and shift that turn held-out logits into calibrated ones."""
    model = LogisticRegression(C=1e3).fit(logits[:, None], labels)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def whole(values: np.ndarray, m: Matrix, count: int, *, most: bool) -> np.ndarray:
    """A text's value: the most, or the least, of its pieces'."""
    result = np.full(count, -np.inf if most else np.inf)
    (np.maximum if most else np.minimum).at(result, m.owner, values)
    return result


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def write(folder: Path, heads: dict[str, Head], spec: dict) -> None:
    """Write a model folder; n-gram weights as int8 with one scale a class."""
    from export import put

    folder.mkdir(parents=True, exist_ok=True)
    ngrams = np.stack([h.ngrams for h in heads.values()], axis=1)
    scale = np.abs(ngrams).max(axis=0) / 127
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        dense=np.stack([h.dense for h in heads.values()], axis=1).astype(np.float32),
        sparse=np.round(ngrams / scale).astype(np.int8),
        sparse_scale=scale.astype(np.float32),
        bias=np.array([h.bias for h in heads.values()], dtype=np.float32),
    )
    digest = put(folder / "weights.npz", buffer.getvalue())
    content = {**spec, "files": {"weights.npz": digest}, "classes": list(heads)}
    put(folder / "spec.json", (json.dumps(content, indent=2) + "\n").encode())
