"""The support model: a BERT trunk, three classes for the pair, scores for each word.

The same trunk reads a question in the place of the claim; then the span head's scores say where
the answer starts and ends (on the first token: nowhere).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn

LABELS = ("support", "contradiction", "neutral")


@dataclass(frozen=True)
class Size:
    vocabulary: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 512
    epsilon: float = 1e-12

    @classmethod
    def of_base(cls, base: Path) -> Size:
        config = json.loads((base / "config.json").read_text())
        return cls(
            config["vocab_size"],
            config["hidden_size"],
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["intermediate_size"],
            config["max_position_embeddings"],
            config["layer_norm_eps"],
        )


class Layer(nn.Module):
    def __init__(self, size: Size, dropout: float) -> None:
        super().__init__()
        self.heads = size.heads
        self.dropout = dropout
        self.qkv = nn.Linear(size.width, 3 * size.width)
        self.attended = nn.Linear(size.width, size.width)
        self.attended_norm = nn.LayerNorm(size.width, size.epsilon)
        self.inner = nn.Linear(size.width, size.inner)
        self.outer = nn.Linear(size.inner, size.width)
        self.outer_norm = nn.LayerNorm(size.width, size.epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        flat = qkv.permute(2, 0, 3, 1, 4).reshape(3, batch * self.heads, length, -1)
        q, k, v = flat.unbind(0)
        # Written out: on two CPU cores the backward pass of torch's fused attention takes 28 % of
        # a training step, these products a third of that.
        scores = torch.bmm(q * q.shape[-1] ** -0.5, k.transpose(1, 2))
        scores = scores.view(batch, self.heads, length, length) + mask
        shares = scores.softmax(-1).to(v.dtype).view(batch * self.heads, length, length)
        a = torch.bmm(shares, v).view(batch, self.heads, length, -1)
        a = a.transpose(1, 2).reshape(batch, length, width)
        p, on = self.dropout, self.training and self.dropout > 0
        x = self.attended_norm(x + F.dropout(self.attended(a), p, on))
        return self.outer_norm(x + F.dropout(self.outer(F.gelu(self.inner(x))), p, on))


class CrossEncoder(nn.Module):
    """Logits of the pair (support, contradiction, neutral), of each token ("wrong"), and of each
    token as the start and as the end of an answer."""

    def __init__(self, size: Size, dropout: float = 0.0) -> None:
        super().__init__()
        self.size = size
        self.words = nn.Embedding(size.vocabulary, size.width)
        self.position = nn.Embedding(size.positions, size.width)
        self.types = nn.Embedding(2, size.width)
        self.norm = nn.LayerNorm(size.width, size.epsilon)
        self.layers = nn.ModuleList(Layer(size, dropout) for _ in range(size.layers))
        self.pair_head = nn.Linear(3 * size.width, 3)
        self.word_head = nn.Linear(size.width, 1)
        self.span_head = nn.Linear(size.width, 2)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x = self.words(ids) + self.position.weight[: ids.shape[1]] + self.types(types)
        x = self.norm(x)
        bias = ((1.0 - mask.float()) * -10000.0)[:, None, None, :]
        if torch.is_autocast_enabled("cpu"):
            bias = bias.bfloat16()
        for layer in self.layers:
            x = layer(x, bias)
        x = x.float()
        seen = mask.float()[:, :, None]
        claim = types.float()[:, :, None] * seen
        pooled = torch.cat(
            [
                (x * seen).sum(1) / seen.sum(1),
                (x * claim).sum(1) / claim.sum(1).clamp(min=1.0),
                x[:, 0],
            ],
            dim=1,
        )
        return self.pair_head(pooled), self.word_head(x).squeeze(-1), self.span_head(x)


def load_base(base: Path, dropout: float = 0.0) -> CrossEncoder:
    """The trunk of the base encoder with fresh heads."""
    size = Size.of_base(base)
    model = CrossEncoder(size, dropout)
    given = {k.removeprefix("bert."): v for k, v in load_file(base / "model.safetensors").items()}
    state = model.state_dict()
    state["words.weight"] = given["embeddings.word_embeddings.weight"]
    state["position.weight"] = given["embeddings.position_embeddings.weight"]
    state["types.weight"] = given["embeddings.token_type_embeddings.weight"]
    for kind in ("weight", "bias"):
        state[f"norm.{kind}"] = given[f"embeddings.LayerNorm.{kind}"]
        for i in range(size.layers):
            old, new = f"encoder.layer.{i}", f"layers.{i}"
            parts = [given[f"{old}.attention.self.{n}.{kind}"] for n in ("query", "key", "value")]
            state[f"{new}.qkv.{kind}"] = torch.cat(parts)
            state[f"{new}.attended.{kind}"] = given[f"{old}.attention.output.dense.{kind}"]
            norm = given[f"{old}.attention.output.LayerNorm.{kind}"]
            state[f"{new}.attended_norm.{kind}"] = norm
            state[f"{new}.inner.{kind}"] = given[f"{old}.intermediate.dense.{kind}"]
            state[f"{new}.outer.{kind}"] = given[f"{old}.output.dense.{kind}"]
            state[f"{new}.outer_norm.{kind}"] = given[f"{old}.output.LayerNorm.{kind}"]
    model.load_state_dict({k: v.float() for k, v in state.items()})
    return model
