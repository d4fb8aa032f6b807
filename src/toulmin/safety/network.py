"""A small network over a query's features: a probability for each class comes out.

One hidden layer, because no word is harmful by itself: "kill" beside "neighbour" is one thing and
beside "process" another, and a logistic head can only add the two up. Each class is on its own
("does this class apply?"), so several can apply at once.

A model folder holds `weights.npz`: `hidden` (dense features, units) int8 with `hidden_scale` and
`hidden_bias` (units,), `out` (units, classes) float32, `sparse` (places, classes) int8 with
`sparse_scale` (classes,), and `bias` (classes,).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import FailedPrecondition
from toulmin.models.embedder import Embedder
from toulmin.models.spec import load_spec
from toulmin.safety.concepts import CONCEPTS
from toulmin.safety.features import NUMBERS, PLACES, dense_of, hashed_ngrams, readings_of
from toulmin.work import UNLIMITED, Work


class Network:
    """Reads the network of one model folder; safe to share between threads.

    Args:
        folder: A model folder (see `ModelSpec`); `spec.json` names `classes` and the `embedder`
            version that the network was fitted on.
        embedder: The embedder.

    Raises:
        FailedPrecondition: The folder is incomplete, altered, or made for another embedder or
            another table of concepts.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.spec = load_spec(folder)
        self.classes: tuple[str, ...] = tuple(self.spec.details["classes"])
        self._embedder = embedder
        if self.spec.details["embedder"] != embedder.version:
            raise FailedPrecondition(
                f"{folder} was fitted on embedder {self.spec.details['embedder']}, "
                f"this is {embedder.version}"
            )
        with np.load(folder / "weights.npz", allow_pickle=False) as weights:
            whole = {name: weights[name].astype(np.float64) for name in weights if name != "sparse"}
            self._sparse: NDArray[np.int8] = weights["sparse"]
        self._hidden: NDArray[np.float64] = whole["hidden"] * whole["hidden_scale"]
        self._hidden_bias: NDArray[np.float64] = whole["hidden_bias"]
        self._out: NDArray[np.float64] = whole["out"]
        self._scale: NDArray[np.float64] = whole["sparse_scale"]
        self._bias: NDArray[np.float64] = whole["bias"]
        if self._sparse.shape != (PLACES, len(self.classes)):
            raise FailedPrecondition(f"{folder}: {self._sparse.shape} n-gram weights")
        if len(self._hidden) != embedder.dim + NUMBERS + len(CONCEPTS):
            raise FailedPrecondition(f"{folder}: {len(self._hidden)} dense features")

    def probabilities(self, text: str, *, work: Work = UNLIMITED) -> NDArray[np.float64]:
        """Return the probability in [0, 1] of each class for each piece, shape (pieces, classes).

        Raises:
            Cancelled: Nobody waits any more.
        """
        readings = readings_of(text)
        vectors = self._embedder.embed(readings, work=work)
        logits = np.stack([self._logits(r, v) for r, v in zip(readings, vectors, strict=True)])
        result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits))
        return result

    def _logits(self, reading: str, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        dense = dense_of(reading, vector).astype(np.float64)
        hidden = np.maximum(dense @ self._hidden + self._hidden_bias, 0.0)
        places = hashed_ngrams(reading)
        held = self._sparse[places].sum(axis=0, dtype=np.int64) / max(len(places), 1) ** 0.5
        logits: NDArray[np.float64] = hidden @ self._out + held * self._scale + self._bias
        return logits
