"""Fits the network of `toulmin.safety.network`: one thread, a seed, the same weights each time."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy import sparse
from torch.nn import functional

from toulmin.safety.features import NUMBERS, PLACES, dense_of, hashed_ngrams, readings_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "safety"))
from head_fit import DIM, EmbeddedTexts

BATCH = 512
EMBEDDING = 4.0
"""An embedding has length 1, a concept is 0 or 1: so that they weigh about the same."""
torch.set_num_threads(1)


@dataclass(frozen=True)
class Kind:
    """How the network is built and fitted; without units it is a logistic regression."""

    units: int = 64
    ngrams: float = 3.0
    concepts: bool = True
    dropout: float = 0.4
    decay: float = 0.01
    epochs: int = 12
    rate: float = 5e-3
    smoothing: float = 0.02
    seed: int = 1
    networks: int = 4
    """Fitted from different seeds and put side by side: their mean, with less chance in it."""


@dataclass
class Matrix:
    """Features of pieces, and the text that each piece belongs to."""

    dense: np.ndarray
    ngrams: sparse.csr_matrix
    owner: np.ndarray

    def of(self, texts: np.ndarray) -> np.ndarray:
        """The pieces of the texts whose mask is true."""
        return np.flatnonzero(texts[self.owner])


def matrix(texts: list[str], vectors: EmbeddedTexts) -> Matrix:
    readings, owner = [], []
    for i, text in enumerate(texts):
        cut = readings_of(text)
        readings += cut
        owner += [i] * len(cut)
    dense = np.array([dense_of(r, vectors.at[r]) for r in readings])
    places = [hashed_ngrams(r) for r in readings]
    bounds = np.cumsum([0, *(len(p) for p in places)])
    values = np.concatenate([np.full(len(p), 1 / max(len(p), 1) ** 0.5) for p in places])
    ngrams = sparse.csr_matrix(
        (values, np.concatenate(places), bounds), shape=(len(readings), PLACES)
    )
    return Matrix(dense, ngrams, np.array(owner))


@dataclass
class Weights:
    """The fitted weights over unscaled features."""

    hidden: np.ndarray
    hidden_bias: np.ndarray
    out: np.ndarray
    ngrams: np.ndarray
    bias: np.ndarray

    def logits(self, m: Matrix) -> np.ndarray:
        """Shape (pieces, classes)."""
        hidden = np.maximum(m.dense @ self.hidden + self.hidden_bias, 0)
        return hidden @ self.out + m.ngrams @ self.ngrams + self.bias

    def sharpened(self, slopes: np.ndarray, shifts: np.ndarray) -> Weights:
        out, ngrams = self.out * slopes, self.ngrams * slopes
        return Weights(self.hidden, self.hidden_bias, out, ngrams, self.bias * slopes + shifts)

    def rounded(self) -> Weights:
        """As they are shipped: two of the tables in int8."""
        hidden, hidden_scale = _int8(self.hidden)
        ngrams, scale = _int8(self.ngrams)
        return Weights(hidden * hidden_scale, self.hidden_bias, self.out, ngrams * scale, self.bias)


class _Network(torch.nn.Module):
    """The network; the n-grams' weights are multiplied outside, by scipy, which is faster."""

    def __init__(self, inputs: int, classes: int, kind: Kind) -> None:
        super().__init__()
        self.units = kind.units
        self.hidden = torch.nn.Linear(inputs, kind.units or inputs)
        self.leave = torch.nn.Dropout(kind.dropout)
        self.out = torch.nn.Linear(kind.units or inputs, classes)
        self.ngrams = torch.nn.Parameter(torch.zeros(PLACES, classes))

    def forward(self, dense: torch.Tensor, held: torch.Tensor) -> torch.Tensor:
        hidden = self.leave(torch.relu(self.hidden(dense))) if self.units else dense
        return self.out(hidden) + held


def _scales(inputs: int, kind: Kind) -> np.ndarray:
    scales = np.ones(inputs)
    scales[: DIM + NUMBERS] = EMBEDDING
    if not kind.concepts:
        scales[DIM + NUMBERS :] = 0
    return scales


def fit_network(
    m: Matrix, pieces: np.ndarray, labels: np.ndarray, weights: np.ndarray, kind: Kind
) -> Weights:
    """Fit on the given pieces.

    Args:
        m: The features.
        pieces: Places in `m`.
        labels: Shape (pieces, classes): 0, 1, or NaN where the truth is not known.
        weights: Shape (pieces,).
        kind: How.
    """
    seeds = range(kind.seed, kind.seed + kind.networks)
    several = [_fit_one(m, pieces, labels, weights, kind, seed) for seed in seeds]
    return Weights(
        np.concatenate([one.hidden for one in several], axis=1),
        np.concatenate([one.hidden_bias for one in several]),
        np.concatenate([one.out for one in several]) / len(several),
        np.mean([one.ngrams for one in several], axis=0),
        np.mean([one.bias for one in several], axis=0),
    )


def _fit_one(
    m: Matrix,
    pieces: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    kind: Kind,
    seed: int,
) -> Weights:
    torch.manual_seed(seed)
    scales = _scales(m.dense.shape[1], kind)
    network = _Network(len(scales), labels.shape[1], kind)
    optimizer = torch.optim.AdamW(network.parameters(), lr=kind.rate, weight_decay=kind.decay)
    steps = kind.epochs * (len(pieces) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, kind.rate, total_steps=steps + 1)
    dense = torch.tensor(m.dense * scales, dtype=torch.float32)
    rows = (m.ngrams * kind.ngrams).astype(np.float32)
    known = torch.tensor(~np.isnan(labels) * weights[:, None], dtype=torch.float32)
    soft = np.nan_to_num(labels) * (1 - kind.smoothing) + kind.smoothing / 2
    truth = torch.tensor(soft, dtype=torch.float32)
    for _ in range(kind.epochs):
        order = torch.randperm(len(pieces)).numpy()
        for start in range(0, len(order) - BATCH + 1, BATCH):
            part = order[start : start + BATCH]
            grams = rows[pieces[part]]
            held = torch.tensor(grams @ network.ngrams.detach().numpy(), requires_grad=True)
            said = network(dense[pieces[part]], held)
            loss = functional.binary_cross_entropy_with_logits(
                said, truth[part], weight=known[part], reduction="sum"
            )
            optimizer.zero_grad()
            (loss / BATCH).backward()
            network.ngrams.grad = torch.from_numpy(grams.T @ held.grad.numpy())
            optimizer.step()
            schedule.step()
    return _weights(network, scales, kind)


def _weights(network: _Network, scales: np.ndarray, kind: Kind) -> Weights:
    def of(parameter: torch.Tensor) -> np.ndarray:
        return parameter.detach().numpy().astype(np.float64)

    ngrams, bias = of(network.ngrams) * kind.ngrams, of(network.out.bias)
    if kind.units:
        hidden = of(network.hidden.weight).T * scales[:, None]
        return Weights(hidden, of(network.hidden.bias), of(network.out.weight).T, ngrams, bias)
    # max(x, 0) - max(-x, 0) is x: a regression without a hidden layer, in the shape of one with it.
    both = np.concatenate((np.eye(len(scales)), -np.eye(len(scales))), axis=1)
    out = of(network.out.weight).T * scales[:, None]
    return Weights(both, np.zeros(both.shape[1]), np.concatenate((out, -out)), ngrams, bias)


def whole(values: np.ndarray, m: Matrix, count: int, *, most: bool) -> np.ndarray:
    """A text's values: the most, or the least, of its pieces'; shape (count, classes)."""
    result = np.full((count, values.shape[1]), -np.inf if most else np.inf)
    (np.maximum if most else np.minimum).at(result, m.owner, values)
    return result


def _int8(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights as int8, and the scale of each column."""
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-9) / 127
    return np.round(weights / scale).astype(np.int8), scale.astype(np.float32)


def write(folder: Path, fitted: Weights, classes: tuple[str, ...], spec: dict) -> None:
    """Write a model folder."""
    from export import put

    folder.mkdir(parents=True, exist_ok=True)
    hidden, hidden_scale = _int8(fitted.hidden)
    ngrams, scale = _int8(fitted.ngrams)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        hidden=hidden,
        hidden_scale=hidden_scale,
        hidden_bias=fitted.hidden_bias.astype(np.float32),
        out=fitted.out.astype(np.float32),
        sparse=ngrams,
        sparse_scale=scale,
        bias=fitted.bias.astype(np.float32),
    )
    digest = put(folder / "weights.npz", buffer.getvalue())
    content = {**spec, "files": {"weights.npz": digest}, "classes": list(classes)}
    put(folder / "spec.json", (json.dumps(content, indent=2) + "\n").encode())
