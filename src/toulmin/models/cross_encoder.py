"""The ONNX cross-encoder: token ids of (evidence, claim) in, logits out.

Its heads: three classes a pair (support, contradiction, neutral), and for every token one logit
that says "this word is not borne out" (on the claim's side) or "this is the word it conflicts
with" (on the evidence's side). See training/cross_encoder/CARD.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from toulmin.models.spec import ModelSpec, load_spec


class CrossEncoder:
    """One loaded model; safe to call from several threads.

    Args:
        folder: A model folder (see `ModelSpec`) with `model.onnx` and `tokenizer.json`.
    """

    def __init__(self, folder: Path) -> None:
        self.spec: ModelSpec = load_spec(folder)
        self.max_tokens: int = int(self.spec.details["max_tokens"])
        self.tokenizer = Tokenizer.from_file(str(self.spec.tokenizer))
        options = onnxruntime.SessionOptions()
        # One thread a run; several runs at the same time use the cores (see `encoder_pool`).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The arena never returns memory; inputs are small, so plain allocation costs nothing.
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def run(
        self,
        input_ids: npt.NDArray[np.int64],
        attention_mask: npt.NDArray[np.int64],
        token_type_ids: npt.NDArray[np.int64],
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return class logits, shape (pairs, 3), and word logits, shape (pairs, tokens).

        All three inputs have the shape (pairs, tokens).
        """
        logits, word_logits = self._session.run(
            ["logits", "word_logits"],
            {
                "input_ids": input_ids,
                "attention_mask": attention_mask,
                "token_type_ids": token_type_ids,
            },
        )
        return logits, word_logits
