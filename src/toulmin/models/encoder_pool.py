"""Runs token sequences through a cross-encoder, one a run, on one thread for each core.

int8 encoders scale activations over a whole batch, so in a batch one pair's text moves the scores
of the others. Alone, a pair's score is its own whoever else asks, there is no padding, and it is
faster as well (docs/decisions/0005). Requests take turns pair by pair, so a large one does not
hold up a small one.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from toulmin import metrics
from toulmin.errors import Cancelled, Unavailable
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


@dataclass(slots=True, eq=False)
class _Job:
    """The sequences of one request."""

    sequences: Sequence[TokenSequence]
    order: deque[int]
    should_stop: Callable[[], bool]
    results: dict[int, SequenceLogits] = field(default_factory=dict)
    running: int = 0
    started: float = 0.0
    failure: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)


class EncoderPool:
    """Worker threads in front of one encoder.

    Args:
        encoder: The model; each run uses one thread.
        workers: Runs at the same time; 0 takes one for each core.
    """

    def __init__(self, encoder: CrossEncoder, *, workers: int) -> None:
        self.encoder = encoder
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        for number in range(workers or os.cpu_count() or 1):
            threading.Thread(target=self._work, name=f"encoder-{number}", daemon=True).start()

    def run(
        self,
        sequences: Sequence[TokenSequence],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        timings: dict[str, float] | None = None,
    ) -> list[SequenceLogits]:
        """Return the logits of each sequence, in the order given.

        Adds `turn_ms` (waiting for the first run) and `infer_ms` (from then on) to `timings`.

        Raises:
            Cancelled: `should_stop()` became true; it is asked before every run.
            Unavailable: The pool is closed.
        """
        if not sequences:
            return []
        # Longest first, so that the workers finish at about the same time.
        order = sorted(range(len(sequences)), key=lambda i: (-len(sequences[i].ids), i))
        job = _Job(sequences, deque(order), should_stop)
        asked = time.perf_counter()
        with self._changed:
            if self._closed:
                raise Unavailable("the model is unloaded; the server is shutting down")
            self._jobs.append(job)
            self._changed.notify_all()
        job.done.wait()
        if job.failure is not None:
            raise job.failure
        if timings is not None:
            timings["turn_ms"] = (job.started - asked) * 1000
            timings["infer_ms"] = (time.perf_counter() - job.started) * 1000
        return [job.results[index] for index in range(len(sequences))]

    def close(self) -> None:
        """Take no more work, and end the worker threads once what was taken is done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            job, index = taken
            try:
                if job.should_stop():
                    raise Cancelled("the caller is gone; the rest is not computed")  # noqa: TRY301
                result = self._run_one(job.sequences[index])
            except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
                self._finish(job, failure=error)
            else:
                job.results[index] = result
                self._finish(job)

    def _take(self) -> tuple[_Job, int] | None:
        """Return the next pair of the request whose turn it is; None when the pool is closed."""
        with self._changed:
            while not self._jobs and not self._closed:
                self._changed.wait()
            if not self._jobs:
                return None
            job = self._jobs.popleft()
            index = job.order.popleft()
            job.running += 1
            job.started = job.started or time.perf_counter()
            if job.order:
                self._jobs.append(job)
            return job, index

    def _finish(self, job: _Job, failure: BaseException | None = None) -> None:
        with self._changed:
            job.running -= 1
            if failure is not None:
                job.failure = job.failure or failure
                job.order.clear()
                if job in self._jobs:
                    self._jobs.remove(job)
            if not job.running and not job.order:
                job.done.set()

    def _run_one(self, sequence: TokenSequence) -> SequenceLogits:
        ids = np.array([sequence.ids], dtype=np.int64)
        types = np.array([sequence.types], dtype=np.int64)
        with metrics.model_run("cross_encoder"):
            classes, words = self.encoder.run(ids, np.ones_like(ids), types)
        return SequenceLogits(classes[0], words[0])
