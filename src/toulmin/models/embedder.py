"""Text -> unit vector by a small transformer, int8: English or multilingual (training/embedder).

Texts go in, vectors come out, shape (texts, 384); the dot product of two of one embedder is their
cosine, in [-1, 1]. The English embedder reads queries and passages the same way; the multilingual
one is told which of them a text is. Each text is a run of its own, because int8 products scale
activations over a whole batch and one text would move another's vector (docs/decisions/0005): so a
text's vector depends on nothing but the text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from toulmin import metrics
from toulmin.callers import CURRENT
from toulmin.models.pool import ModelPool, ModelTurns
from toulmin.models.session import open_session
from toulmin.models.spec import EMBEDDED_WEIGHTS, ModelSpec, load_spec
from toulmin.work import UNLIMITED, Work

_LONGEST_TEXT = 32_768  # characters; 256 tokens of at most 100 characters, and room for spaces
_REMEMBERED = 256  # texts that were asked for alone


class Embedder:
    """Embeds texts in one space; safe to share between threads. Loads its weights on first use.

    Args:
        folder: A model folder (see `ModelSpec`): `model.onnx`, and what `spec.json` names by paths
            relative to the folder: `tokenizer`; and `words` and `word_scales` where the word
            vectors are outside of the graph. It may name a `query_prefix` and a `passage_prefix`
            that stand in front of every text, and say that parts of a chunk have vectors (`parts`).
        pool: Whose turns its runs take; None makes one for this embedder alone.
        workers: Runs at the same time in a pool of its own; 0 takes one for each core.
    """

    def __init__(
        self,
        folder: Path = EMBEDDED_WEIGHTS / "embedder",
        *,
        pool: ModelPool | None = None,
        workers: int = 0,
    ) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: _Model | None = None
        self._remembered = _Remembered()
        self._turns = ModelTurns(pool, workers)

    @property
    def version(self) -> str:
        """The weights' version: vectors of different versions must not be compared."""
        return self._model().version

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._model().dim

    @property
    def has_parts(self) -> bool:
        """Whether chunks are found by the nearest of their parts, too: measured in English only."""
        return self._model().has_parts

    def embed(self, texts: Sequence[str], *, work: Work = UNLIMITED) -> NDArray[np.float32]:
        """Return one unit row for each passage, shape (texts, dim), in the order given.

        A text is read up to 256 tokens (about 190 English words).

        Raises:
            Cancelled: Nobody waits any more, which is asked before every text.
            Unavailable: The embedder is closed.
            FailedPrecondition: The weights are missing or altered (on first use).
        """
        model = self._open_model()
        return self._rows(model, [model.passage_prefix + text for text in texts], work)

    def embed_queries(self, texts: Sequence[str], *, work: Work = UNLIMITED) -> NDArray[np.float32]:
        """Return one unit row for each query, to be compared with those of passages.

        Else as `embed`, with which it agrees for the English embedder.
        """
        model = self._open_model()
        return self._rows(model, [model.query_prefix + text for text in texts], work)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text, however many of them `embed` reads.

        Raises:
            Unavailable: The embedder is closed.
            FailedPrecondition: The weights are missing or altered (on first use).
        """
        return self._open_model().count_tokens(text)

    def close(self) -> None:
        """Take no more work; what was taken is done."""
        self._turns.close()

    def _rows(self, model: _Model, texts: Sequence[str], work: Work) -> NDArray[np.float32]:
        # A query is embedded several times, one after the other: for retrieval, classes, ratings.
        key = (CURRENT.get(), texts[0]) if len(texts) == 1 else None
        if key is not None and (known := self._remembered.row(key)) is not None:
            return known[None].copy()
        found = self._turns.run(model.run, texts, size=len, work=work.part())
        if key is not None:
            self._remembered.put(key, found[0])
        rows = np.zeros((len(texts), model.dim), dtype=np.float32)
        for index, row in enumerate(found):
            rows[index] = row
        return rows

    def _open_model(self) -> _Model:
        self._turns.check_open()
        return self._model()

    def _model(self) -> _Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = _Model(self._folder)
            return self._loaded


class _Remembered:
    """The rows of the texts that were last asked for alone, each for its caller only."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: OrderedDict[tuple[str, str], NDArray[np.float32]] = OrderedDict()

    def row(self, key: tuple[str, str]) -> NDArray[np.float32] | None:
        with self._lock:
            if key in self._rows:
                self._rows.move_to_end(key)
            return self._rows.get(key)

    def put(self, key: tuple[str, str], row: NDArray[np.float32]) -> None:
        with self._lock:
            self._rows[key] = row
            if len(self._rows) > _REMEMBERED:
                self._rows.popitem(last=False)


class _Model:
    """The loaded weights."""

    def __init__(self, folder: Path) -> None:
        spec = load_spec(folder)
        self.version = spec.version
        self.dim = int(spec.details["dim"])
        self.has_parts = bool(spec.details.get("parts", False))
        self.query_prefix = str(spec.details.get("query_prefix", ""))
        self.passage_prefix = str(spec.details.get("passage_prefix", ""))
        self._words = _WordTable(spec) if "words" in spec.details else None
        self._tokenizer = Tokenizer.from_file(str(spec.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(int(spec.details["max_tokens"]))
        self._session: Any = open_session(folder / "model.onnx")

    def run(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one text, shape (dim,)."""
        ids = np.array([self._tokenizer.encode(text[:_LONGEST_TEXT]).ids], dtype=np.int64)
        feed: dict[str, Any] = {"attention_mask": np.ones_like(ids)}
        if self._words is not None:
            feed["word_vectors"] = self._words.vectors(ids)
        else:
            feed |= {"input_ids": ids, "token_type_ids": np.zeros_like(ids)}
        with metrics.model_run("embedder"):
            row: NDArray[np.float32] = self._session.run(["embedding"], feed)[0][0]
        return row

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of one text, without the marks at its ends."""
        read = self._tokenizer.encode(text, add_special_tokens=False)
        return len(read) + sum(len(rest) for rest in read.overflowing)


class _WordTable:
    """int8 word vectors beside the graph; mapped, not read whole, and shared with other models."""

    def __init__(self, spec: ModelSpec) -> None:
        self._rows: NDArray[np.int8] = np.load(
            spec.folder / spec.details["words"], mmap_mode="r", allow_pickle=False
        )
        self._scales: NDArray[np.float32] = np.load(
            spec.folder / spec.details["word_scales"], allow_pickle=False
        )

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of token ids, shape (*ids.shape, dim)."""
        found: NDArray[np.float32] = self._rows[ids] * self._scales[ids][..., None]
        return found
