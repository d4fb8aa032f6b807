"""Logistic heads over a text's embedding and its hashed n-grams: probabilities by class come out.

One head a class, each on its own ("does this class apply?"), so several can apply at once. A model
folder holds `weights.npz`: `dense` (embedding + numbers, classes) float32, `sparse` (places,
classes) int8 with `sparse_scale` (classes,), and `bias` (classes,).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.errors import FailedPrecondition
from toulmin.models.embedder import Embedder
from toulmin.models.spec import load_spec
from toulmin.safety.features import PLACES, hashed_ngrams, numbers_of, pieces_of
from toulmin.work import UNLIMITED, Work


class Heads:
    """Reads the heads of one model folder; safe to share between threads.

    Args:
        folder: A model folder (see `ModelSpec`); `spec.json` names `classes` and the `embedder`
            version that the heads were fitted on.
        embedder: The embedder.

    Raises:
        FailedPrecondition: The folder is incomplete, altered, or made for another embedder.
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
            self._dense: NDArray[np.float64] = weights["dense"].astype(np.float64)
            self._sparse: NDArray[np.int8] = weights["sparse"]
            self._scale: NDArray[np.float64] = weights["sparse_scale"].astype(np.float64)
            self._bias: NDArray[np.float64] = weights["bias"].astype(np.float64)
        if self._sparse.shape != (PLACES, len(self.classes)):
            raise FailedPrecondition(f"{folder}: {self._sparse.shape} n-gram weights")

    def probabilities(self, text: str, *, work: Work = UNLIMITED) -> NDArray[np.float64]:
        """Return the probability in [0, 1] of each class for each piece, shape (pieces, classes).

        Raises:
            Cancelled: Nobody waits any more.
        """
        pieces = pieces_of(text)
        vectors = self._embedder.embed(pieces, work=work)
        logits = np.stack([self._logits(p, v) for p, v in zip(pieces, vectors, strict=True)])
        result: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-logits))
        return result

    def _logits(self, piece: str, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        dense = np.concatenate([vector, numbers_of(piece)]).astype(np.float64)
        places = hashed_ngrams(piece)
        held = self._sparse[places].sum(axis=0, dtype=np.int64) / max(len(places), 1) ** 0.5
        logits: NDArray[np.float64] = dense @ self._dense + held * self._scale + self._bias
        return logits
