"""Encoders of the size of published grounding checkers, with random weights, under transformers.

Speed does not depend on the weights, so nothing is downloaded. All read the same token ids, made
with our WordPiece vocabulary (theirs give about as many tokens); tokenisation is not timed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer

from benchmarks.speed.inputs import CheckInput

BATCH = 16  # MiniCheck's default
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_SPECIAL = 101, 102  # any ids will do


def _hhem_size() -> Any:
    # HHEM-2.1-open: the encoder of Flan-T5-base with a head on the first token.
    config = transformers.T5Config(
        vocab_size=32_128,
        d_model=768,
        d_kv=64,
        d_ff=2_048,
        num_layers=12,
        num_heads=12,
        feed_forward_proj="gated-gelu",
        num_labels=2,
        tie_word_embeddings=False,
    )
    return transformers.T5ForTokenClassification(config)


def _roberta_large() -> Any:
    config = transformers.RobertaConfig(
        vocab_size=50_265,
        hidden_size=1_024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4_096,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=2,
    )
    return transformers.RobertaForSequenceClassification(config)


def _deberta_v3_large() -> Any:
    config = transformers.DebertaV2Config(
        vocab_size=128_100,
        hidden_size=1_024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4_096,
        max_position_embeddings=512,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        num_labels=2,
    )
    return transformers.DebertaV2ForSequenceClassification(config)


@dataclass(frozen=True, slots=True)
class Architecture:
    """One published checker's shape.

    Attributes:
        build: Makes the model.
        chunk_tokens: Longest chunk of the joined facts: the tool's own default.
        what: Of which tool this is the size.
    """

    build: Callable[[], Any]
    chunk_tokens: int
    what: str


ARCHITECTURES = {
    "hhem-2.1-open size": Architecture(
        _hhem_size, 500, "T5ForTokenClassification, Flan-T5-base encoder: HHEM-2.1-open"
    ),
    "roberta-large size": Architecture(
        _roberta_large, 400, "RobertaForSequenceClassification: MiniCheck-RoBERTa-large"
    ),
    "deberta-v3-large size": Architecture(
        _deberta_v3_large,
        400,
        "DebertaV2ForSequenceClassification: MiniCheck-DeBERTa-v3-large, FactCG-DeBERTa-large",
    ),
}


class LargeEncoder:
    """Each claim against each chunk of the joined facts, sixteen pairs a batch."""

    def __init__(self, name: str, dtype: str, *, tokenizer: Tokenizer) -> None:
        architecture = ARCHITECTURES[name]
        torch.manual_seed(0)
        self._model = architecture.build().to(getattr(torch, dtype)).eval()
        self._tokenizer = tokenizer
        self._chunk_tokens = architecture.chunk_tokens
        self.about = {
            "what": architecture.what,
            "weights": "random",
            "parameters_million": round(sum(p.numel() for p in self._model.parameters()) / 1e6, 1),
            "dtype": dtype,
            "threads": torch.get_num_threads(),
            "chunk_tokens": architecture.chunk_tokens,
            "batch": BATCH,
        }

    def pairs(self, item: CheckInput) -> list[list[int]]:
        """Return the token ids of each claim with each chunk."""
        cls, sep = _SPECIAL
        chunks = list(self._chunks("\n".join(item.facts)))
        claims = [
            self._tokenizer.encode(claim, add_special_tokens=False).ids for claim in item.claims
        ]
        return [[cls, *chunk, sep, *claim, sep][:512] for claim in claims for chunk in chunks]

    def score(self, pairs: Sequence[list[int]]) -> None:
        """Run the model over all pairs."""
        with torch.inference_mode():
            for low in range(0, len(pairs), BATCH):
                self._model(**_padded(pairs[low : low + BATCH]))

    def _chunks(self, text: str) -> Iterator[list[int]]:
        """Fill chunks with whole sentences, as MiniCheck does; a longer sentence is cut."""
        sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
        chunk: list[int] = []
        for encoding in self._tokenizer.encode_batch(sentences, add_special_tokens=False):
            ids = encoding.ids[: self._chunk_tokens]
            if len(chunk) + len(ids) > self._chunk_tokens:
                yield chunk
                chunk = []
            chunk = chunk + ids
        if chunk:
            yield chunk


def _padded(rows: Sequence[list[int]]) -> dict[str, torch.Tensor]:
    width = max(map(len, rows))
    ids = torch.tensor([row + [1] * (width - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return {"input_ids": ids, "attention_mask": mask}
