"""The base encoder (a plain BERT with mean pooling), for training only: no gradient, no dropout."""

from __future__ import annotations

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor


class BaseEncoder:
    """all-MiniLM-L6-v2, read from its folder: config, model.safetensors, tokenizer."""

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        self.layers: int = config["num_hidden_layers"]
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.vocabulary: int = config["vocab_size"]
        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(128)
        self.tokenizer.enable_padding()

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, weight.shape, weight, bias, self.epsilon)

    def _layer(self, x: Tensor, mask: Tensor, name: str) -> Tensor:
        batch, length, width = x.shape
        q, k, v = (
            self._linear(x, f"{name}.attention.self.{part}")
            .view(batch, length, self.heads, width // self.heads)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        a = a.transpose(1, 2).reshape(batch, length, width)
        out = f"{name}.attention.output"
        x = self._norm(x + self._linear(a, f"{out}.dense"), f"{out}.LayerNorm")
        inner = F.gelu(self._linear(x, f"{name}.intermediate.dense"))
        outer = self._linear(inner, f"{name}.output.dense")
        return self._norm(x + outer, f"{name}.output.LayerNorm")

    @torch.inference_mode()
    def pooled(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the mean over the unmasked positions of the last layer, shape (n, width)."""
        e = "embeddings"
        x = (
            self.weights[f"{e}.word_embeddings.weight"][ids]
            + self.weights[f"{e}.position_embeddings.weight"][: ids.shape[1]]
            + self.weights[f"{e}.token_type_embeddings.weight"][0]
        )
        x = self._norm(x, f"{e}.LayerNorm")
        attend = mask[:, None, None, :].bool()
        for i in range(self.layers):
            x = self._layer(x, attend, f"encoder.layer.{i}")
        weight = mask.float()[:, :, None]
        return (x * weight).sum(1) / weight.sum(1)

    def embed(self, texts: list[str], batch: int = 64) -> Tensor:
        """Return unit rows, shape (len(texts), width); texts are cut to 128 tokens."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows: list[Tensor] = [torch.empty(0)] * len(texts)
        for start in range(0, len(order), batch):
            at = order[start : start + batch]
            encodings = self.tokenizer.encode_batch([texts[i] for i in at])
            ids = torch.tensor([e.ids for e in encodings])
            mask = torch.tensor([e.attention_mask for e in encodings])
            for i, row in zip(at, F.normalize(self.pooled(ids, mask), dim=1), strict=True):
                rows[i] = row
        return torch.stack(rows)

    def embed_vocabulary(self, batch: int = 1024) -> Tensor:
        """Return one row for each vocabulary entry, read alone as [CLS] entry [SEP]."""
        first, last = self.tokenizer.token_to_id("[CLS]"), self.tokenizer.token_to_id("[SEP]")
        every = torch.arange(self.vocabulary)
        rows = []
        for start in range(0, self.vocabulary, batch):
            middle = every[start : start + batch]
            ids = torch.stack(
                [torch.full_like(middle, first), middle, torch.full_like(middle, last)], dim=1
            )
            rows.append(self.pooled(ids, torch.ones_like(ids)))
        return torch.cat(rows)
