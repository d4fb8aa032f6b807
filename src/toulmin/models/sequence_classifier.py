"""A cross-encoder from elsewhere: any Hugging Face text-pair classifier exported to ONNX.

In: pairs of texts. Out: logits. The folder is what Optimum, sentence-transformers and
Transformers.js write: `config.json`, `tokenizer.json`, `tokenizer_config.json` and an ONNX file.
Everything is read from these files; nothing is concluded from a model's name, and none of the
repository's code is run. What a logit means is for `grounding.classifier_scorer` to say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Encoding, Tokenizer

from toulmin import metrics
from toulmin.errors import FailedPrecondition
from toulmin.models.hub import ModelFiles
from toulmin.models.session import open_session

_INTEGERS: Mapping[str, Any] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
_USUAL_LENGTH = 512
_NO_LIMIT = 1_000_000  # tokenizers without a limit state 10^30
_LEAST_FIRST_TOKENS = 32
# Families that number positions from the padding token's id on, so that many fewer are left.
_POSITIONS_AFTER_PADDING = frozenset(
    {
        "camembert",
        "data2vec-text",
        "longformer",
        "mpnet",
        "roberta",
        "xlm-roberta",
        "xlm-roberta-xl",
    }
)


class SequenceClassifier:
    """One loaded model; safe to call from several threads.

    Args:
        files: The model's files.

    Attributes:
        labels: What the model calls each logit, in order; "LABEL_0", ... where it has no names.
        is_multi_label: Whether each label has a probability of its own, not shared with others.
        max_tokens: Longest input, special tokens included.

    Raises:
        FailedPrecondition: The files are missing, unreadable or not those of a text-pair
            classifier; the message says which and why.
    """

    def __init__(self, files: ModelFiles) -> None:
        config = _read_json(files.folder / "config.json")
        tokenizer_config = _read_json(files.folder / "tokenizer_config.json", required=False)
        self._first_position = _first_position(config)
        self.max_tokens = _max_tokens(config, tokenizer_config)
        self.is_multi_label = config.get("problem_type") == "multi_label_classification"
        self._network = files.network
        self._tokenizer = _load_tokenizer(files.folder / "tokenizer.json")
        self._most_second = self._most_second_tokens()
        self._tokenizer.enable_truncation(self.max_tokens, strategy="only_first")
        self._session = _load_session(files.network)
        self._inputs = self._check_inputs()
        self._output = self._find_output()
        width = self.run([("a", "b")]).shape[1]  # a first run shows what the graph only hints at
        self.labels = _labels(config, width, files)

    def run(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return the logits of each pair, shape (pairs, labels).

        Pairs are run one by one: quantised models scale activations over a whole batch, so in a
        batch one pair's text would move the scores of the others. The first text is cut where
        both together are too long.

        Raises:
            FailedPrecondition: The model does not give finite numbers.
        """
        return np.concatenate([self._run_one(*pair) for pair in pairs])

    def _run_one(self, first: str, second: str) -> npt.NDArray[np.float64]:
        encoding = self._tokenizer.encode(first, self._shortened(second))
        with metrics.model_run("classifier"):
            (logits,) = self._session.run([self._output], self._feed(encoding))
        row: npt.NDArray[np.float64] = np.asarray(logits, dtype=np.float64).reshape(1, -1)
        if not np.isfinite(row).all():
            raise FailedPrecondition(
                f"{self._network} gave {row.tolist()[0]} for a pair; use another variant of it, "
                "such as a float32 one"
            )
        return row

    def _feed(self, encoding: Encoding) -> dict[str, npt.NDArray[Any]]:
        length = len(encoding.ids)
        rows = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
            "position_ids": range(self._first_position, self._first_position + length),
        }
        return {name: np.array([rows[name]], dtype=kind) for name, kind in self._inputs.items()}

    def _shortened(self, second: str) -> str:
        """Return the second text, cut where it would leave no room for the first."""
        offsets = self._tokenizer.encode(second, add_special_tokens=False).offsets
        if len(offsets) <= self._most_second:
            return second
        return second[: offsets[self._most_second - 1][1]]

    def _most_second_tokens(self) -> int:
        special: int = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        room = self.max_tokens - special
        return max(room // 2, room - _LEAST_FIRST_TOKENS)

    def _check_inputs(self) -> dict[str, Any]:
        """Return the type of each input of the graph."""
        inputs = {node.name: node.type for node in self._session.get_inputs()}
        for name, kind in inputs.items():
            if name not in _KNOWN_INPUTS or kind not in _INTEGERS:
                raise FailedPrecondition(
                    f"{self._network} has the input {name} of type {kind}; a text-pair classifier "
                    f"has whole numbers for {', '.join(sorted(_KNOWN_INPUTS))}, or some of these"
                )
        if "input_ids" not in inputs:
            raise FailedPrecondition(f"{self._network} has no input input_ids")
        return {name: _INTEGERS[kind] for name, kind in inputs.items()}

    def _find_output(self) -> str:
        """Return the name of the output that holds one row of logits a pair."""
        outputs = {node.name: node.shape for node in self._session.get_outputs()}
        name = "logits" if "logits" in outputs else next(iter(outputs))
        if (name != "logits" and len(outputs) > 1) or len(outputs[name]) > 2:
            listed = ", ".join(f"{name} {shape}" for name, shape in outputs.items())
            raise FailedPrecondition(
                f"{self._network} has the outputs {listed}; one row of logits for each pair is "
                "needed: export it for the task text-classification"
            )
        return name


def _read_json(path: Path, *, required: bool = True) -> Mapping[str, Any]:
    if not required and not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FailedPrecondition(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise FailedPrecondition(f"{path} is no JSON object")
    return value


def _load_tokenizer(path: Path) -> Tokenizer:
    if not path.is_file():
        raise FailedPrecondition(
            f"{path} is missing: save the model's fast tokenizer beside it "
            "(AutoTokenizer.from_pretrained(model).save_pretrained(folder))"
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise FailedPrecondition(f"{path} is no tokenizer: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _load_session(network: Path) -> Any:
    try:
        return open_session(network, keeps_memory=True)
    except Exception as error:  # its errors have no common class but this
        raise FailedPrecondition(
            f"onnxruntime {onnxruntime.__version__} cannot run {network}: {error}"
        ) from error


def _max_tokens(config: Mapping[str, Any], tokenizer_config: Mapping[str, Any]) -> int:
    """Return the smaller of the limits that the files state; 512 if they state none."""
    positions = config.get("max_position_embeddings", config.get("n_positions"))
    if isinstance(positions, int):
        positions -= _first_position(config)
    limits = [
        int(limit)
        for limit in (tokenizer_config.get("model_max_length"), positions)
        if isinstance(limit, int | float) and 0 < limit < _NO_LIMIT
    ]
    return min(limits, default=_USUAL_LENGTH)


def _first_position(config: Mapping[str, Any]) -> int:
    if config.get("model_type") not in _POSITIONS_AFTER_PADDING:
        return 0
    return int(config.get("pad_token_id") or 0) + 1


def _labels(config: Mapping[str, Any], width: int, files: ModelFiles) -> tuple[str, ...]:
    """Return the names of `width` logits."""
    stated = config.get("id2label")
    if not isinstance(stated, dict) or not stated:
        return tuple(f"LABEL_{index}" for index in range(width))
    names = {str(index): str(name) for index, name in stated.items()}
    if set(names) != {str(index) for index in range(width)}:
        raise FailedPrecondition(
            f"{files.network} gives {width} logits a pair, but {files.folder / 'config.json'} "
            f"names {len(names)} labels: {', '.join(names.values())}"
        )
    return tuple(names[str(index)] for index in range(width))
