"""The ONNX reader: token ids of (passage, question) in, start and end logits out.

The graph is the support model's own: what its other heads say of a question comes out of the same
pass and helps to tell whether there is an answer. Windows are run one at a time, as `encoder_pool`
does and for the same reason: an int8 batch moves its members' scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from toulmin import metrics
from toulmin.models.encoder_pool import TokenSequence
from toulmin.models.pool import ModelPool, ModelTurns
from toulmin.models.session import open_session
from toulmin.models.spec import ModelSpec, load_spec
from toulmin.work import UNLIMITED, Work

Logits = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpanLogits:
    """What the heads say of one window.

    Attributes:
        start: That a token begins the answer, shape (tokens,); position 0 is "no answer".
        end: That a token ends the answer, shape (tokens,); position 0 is "no answer".
        classes: Support, contradiction, neutral, shape (3,), the question taken as a claim.
        words: Above 0: the passage does not bear the token out, shape (tokens,).
    """

    start: Logits
    end: Logits
    classes: Logits
    words: Logits


class ReaderModel:
    """One loaded model; safe to call from several threads.

    Args:
        folder: A model folder (see `ModelSpec`) with `model.onnx`; the graph has the outputs
            `start_logits`, `end_logits`, `logits` and `word_logits`.
        pool: Whose turns its runs take; None makes one for this model alone.
        workers: Windows read at the same time in a pool of its own; 0 takes one for each core.
    """

    def __init__(self, folder: Path, *, pool: ModelPool | None = None, workers: int = 0) -> None:
        self.spec: ModelSpec = load_spec(folder)
        self.max_tokens: int = int(self.spec.details["max_tokens"])
        self.tokenizer = Tokenizer.from_file(str(self.spec.tokenizer))
        self._session: Any = open_session(folder / "model.onnx")
        self._turns = ModelTurns(pool, workers)

    def run_spans(
        self,
        sequences: Sequence[TokenSequence],
        *,
        work: Work = UNLIMITED,
    ) -> list[SpanLogits]:
        """Return the logits of each sequence, in order.

        Raises:
            Cancelled: Nobody waits any more.
            Unavailable: The model or the pool is closed.
        """
        return self._turns.run(
            self._run_one,
            sequences,
            size=lambda sequence: len(sequence.ids),
            work=work.part(),
        )

    def close(self) -> None:
        """Take no more work."""
        self._turns.close()

    def _run_one(self, sequence: TokenSequence) -> SpanLogits:
        ids = np.array([sequence.ids], dtype=np.int64)
        with metrics.model_run("reader"):
            start, end, classes, words = self._session.run(
                ["start_logits", "end_logits", "logits", "word_logits"],
                {
                    "input_ids": ids,
                    "attention_mask": np.ones_like(ids),
                    "token_type_ids": np.array([sequence.types], dtype=np.int64),
                },
            )
        return SpanLogits(start[0], end[0], classes[0], words[0])
