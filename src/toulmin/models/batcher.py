"""Runs token sequences through a cross-encoder in batches of bounded size.

A batch holds sequences of one request only. int8 encoders quantise activations over the whole
batch, so sharing a batch would let one caller's text move another caller's scores in the last
digits; on a CPU a shared batch is not faster either (docs/decisions/0005). Requests take turns
batch by batch, first come first served, so a large one does not hold up a small one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from toulmin.errors import Cancelled
from toulmin.models.cross_encoder import CrossEncoder


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


class FairTurns:
    """A lock that threads get in the order in which they asked."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._busy = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock for the body of a `with` statement."""
        ticket = threading.Lock()
        ticket.acquire()
        with self._guard:
            if self._busy:
                self._waiting.append(ticket)
            else:
                self._busy = True
                ticket.release()
        ticket.acquire()
        try:
            yield
        finally:
            with self._guard:
                if self._waiting:
                    self._waiting.popleft().release()
                else:
                    self._busy = False


class TokenBatcher:
    """Batches by token count and takes turns between callers.

    Args:
        encoder: The model.
        max_batch_tokens: Padded tokens a batch may hold; a longer sequence is a batch of its own.
    """

    def __init__(self, encoder: CrossEncoder, *, max_batch_tokens: int) -> None:
        self.encoder = encoder
        self._max_batch_tokens = max_batch_tokens
        self._turns = FairTurns()

    def run(
        self,
        sequences: Sequence[TokenSequence],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        timings: dict[str, float] | None = None,
    ) -> list[SequenceLogits]:
        """Return the logits of each sequence, in the order given.

        Adds `turn_ms` (waiting for a turn) and `infer_ms` (in the model) to `timings`.

        Raises:
            Cancelled: `should_stop()` became true; it is asked before every batch.
        """
        results: list[SequenceLogits | None] = [None] * len(sequences)
        queue_s = infer_s = 0.0
        for batch in self._batches(sequences):
            asked = time.perf_counter()
            with self._turns.turn():
                started = time.perf_counter()
                queue_s += started - asked
                if should_stop():
                    raise Cancelled("the caller is gone or out of time; the rest is not computed")
                classes, words = self.encoder.run(*_pad([sequences[i] for i in batch]))
                infer_s += time.perf_counter() - started
            for row, index in enumerate(batch):
                length = len(sequences[index].ids)
                results[index] = SequenceLogits(classes[row], words[row, :length])
        if timings is not None:
            timings["turn_ms"] = timings.get("turn_ms", 0.0) + queue_s * 1000
            timings["infer_ms"] = timings.get("infer_ms", 0.0) + infer_s * 1000
        return [result for result in results if result is not None]

    def _batches(self, sequences: Sequence[TokenSequence]) -> Iterator[list[int]]:
        # Longest first: sequences of like length share a batch, so little padding is computed.
        order = sorted(range(len(sequences)), key=lambda i: (-len(sequences[i].ids), i))
        batch: list[int] = []
        for index in order:
            longest = len(sequences[batch[0]].ids) if batch else len(sequences[index].ids)
            if batch and (len(batch) + 1) * longest > self._max_batch_tokens:
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch


def _pad(
    sequences: Sequence[TokenSequence],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    width = max(len(sequence.ids) for sequence in sequences)
    ids = np.zeros((len(sequences), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    types = np.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        length = len(sequence.ids)
        ids[row, :length] = sequence.ids
        mask[row, :length] = 1
        types[row, :length] = sequence.types
    return ids, mask, types
