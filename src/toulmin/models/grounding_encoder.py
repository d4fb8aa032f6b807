"""The grounding model: packs of evidence and queries in, verdicts and marked words out.

A pack is evidence with the claims and questions that are read against it (`grounding.packs`). One
run takes one pack on one thread: int8 activations are scaled over a whole run, so that in a run of
its own a pack's scores do not depend on what else is asked (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from toulmin import metrics
from toulmin.errors import FailedPrecondition
from toulmin.models.pool import ModelPool, ModelTurns
from toulmin.models.session import open_session
from toulmin.models.spec import ModelSpec, load_spec
from toulmin.work import UNLIMITED, Work

Logits = npt.NDArray[np.float32]
WORDS_FILE = "words.npy"
_HEADS = ("pair", "answer", "conflict", "wrong")
_ENDS = "ends"


class Place(Protocol):
    """Where one query of a pack lies: its first token, the claim's first and one past its last."""

    @property
    def first(self) -> int: ...  # noqa: D102

    @property
    def start(self) -> int: ...  # noqa: D102

    @property
    def end(self) -> int: ...  # noqa: D102


class Pack(Protocol):
    """One input; a protocol because the layout belongs to `grounding.packs`, a room above."""

    @property
    def ids(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def positions(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def segments(self) -> Sequence[int]: ...  # noqa: D102

    @property
    def places(self) -> Sequence[Place]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class PackLogits:
    """What the heads say of one pack; tokens are the pack's, queries in its order.

    Attributes:
        pair: Support, contradiction, neutral, shape (queries, 3).
        answer: Span, yes, no, none, shape (queries, 4).
        conflict: That a claim is at odds with an evidence token, shape (queries, tokens).
        wrong: That the evidence does not bear a query's token out, shape (tokens,).
        ends: That a token begins, and ends, the answer, shape (tokens, 2), where evidence and
            question were read in one segment; None from a model that does not read so.
    """

    pair: Logits
    answer: Logits
    conflict: Logits
    wrong: Logits
    ends: Logits | None = None


class GroundingEncoder:
    """One loaded model; safe to call from several threads.

    Args:
        folder: A model folder (see `ModelSpec`) with `model.onnx`, `words.npy` (int8 rows of
            word vectors), `word_scales.npy` (the factor of each row) and a tokenizer.
        words_of: Folder of the model whose word vectors and tokenizer this one has, which then
            has none of its own: a reader has those of the model that it was trained from.
        pool: Whose turns its runs take; None makes one for this model alone.
        workers: Packs read at the same time in a pool of its own; 0 takes one for each core.
        name: What metrics call it.

    Raises:
        FailedPrecondition: A file is missing or altered, or the words are not those it was made
            for.
    """

    def __init__(
        self,
        folder: Path,
        *,
        words_of: Path | None = None,
        pool: ModelPool | None = None,
        workers: int = 0,
        name: str = "grounding",
    ) -> None:
        self.spec: ModelSpec = load_spec(folder)
        words = self.spec
        if words_of is not None and words_of != folder:
            words = _words_of(self.spec, words_of)
        self.tokenizer = Tokenizer.from_file(str(words.tokenizer))
        self._words: npt.NDArray[np.int8] = np.load(words.folder / WORDS_FILE, mmap_mode="r")
        self._scales: Logits = np.load(words.folder / "word_scales.npy")
        self._session = _open(folder / "model.onnx")
        given = {output.name for output in self._session.get_outputs()}
        self._heads = [*_HEADS, _ENDS] if _ENDS in given else list(_HEADS)
        self._turns = ModelTurns(pool, workers)
        self._name = name

    def run(
        self,
        packs: Sequence[Pack],
        *,
        work: Work = UNLIMITED,
    ) -> list[PackLogits]:
        """Return the logits of each pack, in order.

        Raises:
            Cancelled: Nobody waits any more.
            Unavailable: The model or the pool is closed.
        """
        return self._turns.run(
            self._run_one, packs, size=lambda pack: len(pack.ids), work=work.part()
        )

    def run_beside(
        self,
        packs: Sequence[Pack],
        other: GroundingEncoder,
        others: Sequence[Pack],
        *,
        work: Work = UNLIMITED,
    ) -> tuple[list[PackLogits], list[PackLogits]]:
        """Return the logits of each pack, and those of another model's packs, read side by side.

        Both take their turns in this model's pool, so that no core waits for the other's.

        Raises:
            Cancelled: Nobody waits any more.
            Unavailable: A model or the pool is closed.
        """
        other._turns.check_open()
        runs = [(self, pack) for pack in packs] + [(other, pack) for pack in others]
        found = self._turns.run(
            lambda run: run[0]._run_one(run[1]),
            runs,
            size=lambda run: len(run[1].ids),
            work=work.part(),
        )
        return found[: len(packs)], found[len(packs) :]

    def close(self) -> None:
        """Take no more work."""
        self._turns.close()

    def _run_one(self, pack: Pack) -> PackLogits:
        with metrics.model_run(self._name):
            return PackLogits(*self._session.run(self._heads, self._feed(pack)))

    def _feed(self, pack: Pack) -> dict[str, npt.NDArray[Any]]:
        ids = np.array(pack.ids)
        vectors = self._words[ids].astype(np.float32) * self._scales[ids][:, None]
        pool = np.zeros((len(pack.places), len(ids)), dtype=np.float32)
        for row, place in enumerate(pack.places):
            pool[row, place.start : place.end] = 1.0 / (place.end - place.start)
        return {
            "word_vectors": vectors[None],
            "positions": np.array([pack.positions], dtype=np.int64),
            "segments": np.array([pack.segments], dtype=np.int64),
            "pool": pool,
            "first": np.array([place.first for place in pack.places], dtype=np.int64),
        }


def _words_of(spec: ModelSpec, folder: Path) -> ModelSpec:
    """Return the model whose words another one reads by; it must be the one it was trained with."""
    found = load_spec(folder)
    for name, expected in spec.details.get("words", {}).items():
        if found.files.get(name) != expected:
            raise FailedPrecondition(
                f"{spec.name} {spec.version} was made for another {name} than that in {folder}"
            )
    return found


def _open(path: Path) -> Any:
    # The fused form of residual sum and normalisation runs ten times slower than its parts.
    return open_session(path, without=["SkipLayerNormFusion"])
