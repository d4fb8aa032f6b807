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
from tokenizers import Tokenizer

from toulmin.models.session import open_session
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
        self._session: Any = open_session(folder / "model.onnx")

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
