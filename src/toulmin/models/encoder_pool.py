"""Runs token sequences through a cross-encoder, one a run, in the turns of the model pool.

int8 encoders scale activations over a whole batch, so in a batch one pair's text moves the scores
of the others. Alone, a pair's score is its own whoever else asks, there is no padding, and it is
faster as well (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from toulmin import metrics
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.pool import ModelPool, ModelTurns
from toulmin.work import UNLIMITED, Work


class TokenSequence(Protocol):
    """One encoder input: token ids and, for each, 0 for evidence or 1 for the claim's side.

    A protocol because the layout of a sequence belongs to `grounding.inputs`, a room above.
    """

    @property
    def ids(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def types(self) -> Sequence[int]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class SequenceLogits:
    """One encoder output: class logits, shape (3,), and word logits, shape (tokens,)."""

    classes: npt.NDArray[np.float32]
    words: npt.NDArray[np.float32]


class EncoderPool:
    """One encoder and the pool that runs it.

    Args:
        encoder: The model; each run uses one thread.
        pool: Whose turns its runs take; None makes one for this encoder alone.
        workers: Runs at the same time in a pool of its own; 0 takes one for each core.
    """

    def __init__(
        self, encoder: CrossEncoder, *, pool: ModelPool | None = None, workers: int = 0
    ) -> None:
        self.encoder = encoder
        self._turns = ModelTurns(pool, workers)

    def run(
        self,
        sequences: Sequence[TokenSequence],
        *,
        work: Work = UNLIMITED,
    ) -> list[SequenceLogits]:
        """Return the logits of each sequence, in the order given.

        Times `turn_ms` (waiting for the first run) and `infer_ms` (from then on).

        Raises:
            Cancelled: Nobody waits any more, which is asked before every run.
            Unavailable: The encoder or the pool is closed.
        """
        return self._turns.run(
            self._run_one,
            sequences,
            size=lambda sequence: len(sequence.ids),
            work=work,
        )

    def close(self) -> None:
        """Take no more work; what was taken is done."""
        self._turns.close()

    def _run_one(self, sequence: TokenSequence) -> SequenceLogits:
        ids = np.array([sequence.ids], dtype=np.int64)
        types = np.array([sequence.types], dtype=np.int64)
        with metrics.model_run("cross_encoder"):
            classes, words = self.encoder.run(ids, np.ones_like(ids), types)
        return SequenceLogits(classes[0], words[0])
