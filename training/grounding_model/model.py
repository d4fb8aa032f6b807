"""The grounding model: one reading of the evidence serves every claim and question about it.

A *pack* is evidence followed by queries (claims or questions). Evidence attends to evidence only;
a query attends to the evidence and to itself. So the evidence is encoded once for all its queries,
a query's result does not depend on the others in its pack, and a training step sees several times
as many claims as with one sequence for each pair. Reading a passage independently of the question
in this way was tried for question answering by Cao et al. (DeFormer, 2020) and for ranking by Hui
et al. (ED2LM, 2022).

Trunks: BERT (all-MiniLM, multilingual-e5) and MPNet, whose attention has a bias for each distance.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from batching import PackBatch
from safetensors.torch import load_file
from torch import Tensor, nn

POSITION_OFFSET = 2  # MPNet's first two positions belong to padding
RELATIVE_DISTANCE = 128
MASKED = -1e4


@dataclass(frozen=True)
class Size:
    vocabulary: int
    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float
    relative_buckets: int = 0

    @classmethod
    def of_base(cls, base: Path) -> Size:
        config = json.loads((base / "config.json").read_text())
        offset = POSITION_OFFSET if config["model_type"] == "mpnet" else 0
        return cls(
            config["vocab_size"],
            config["hidden_size"],
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["intermediate_size"],
            config["max_position_embeddings"] - offset,
            config["layer_norm_eps"],
            config.get("relative_attention_num_buckets", 0),
        )


def trained_in() -> torch.dtype:
    """bfloat16 where the processor multiplies it, else float32: emulated it is far slower."""
    has_it = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return torch.bfloat16 if has_it else torch.float32


class _Linear(torch.autograd.Function):
    """A bfloat16 product with float32 weights.

    The weights' gradient is computed with the smaller factor transposed in memory: a quarter
    faster than what autograd does on CPUs with AMX.
    """

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        weight = weight.bfloat16()
        ctx.save_for_backward(x, weight)
        return F.linear(x, weight, bias.bfloat16())

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        flat, rows = grad.reshape(-1, grad.shape[-1]), x.reshape(-1, x.shape[-1])
        down = grad @ weight if ctx.needs_input_grad[0] else None
        if not ctx.needs_input_grad[1]:
            return down, None, None
        if rows.shape[1] <= flat.shape[1]:
            by_weight = (rows.t().contiguous() @ flat).t()
        else:
            by_weight = flat.t().contiguous() @ rows
        return down, by_weight.float(), flat.sum(0).float()


class Linear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        if x.dtype == torch.bfloat16:
            return _Linear.apply(x, self.weight, self.bias)
        return super().forward(x)


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.qkv = Linear(size.width, 3 * size.width)
        self.attended = Linear(size.width, size.width)
        self.attended_norm = nn.LayerNorm(size.width, size.epsilon)
        self.inner = Linear(size.width, size.inner)
        self.outer = Linear(size.inner, size.width)
        self.outer_norm = nn.LayerNorm(size.width, size.epsilon)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        flat = qkv.permute(2, 0, 3, 1, 4).reshape(3, batch * self.heads, length, -1)
        q, k, v = flat.unbind(0)
        # Written out: the backward pass of torch's fused attention is slower on CPUs.
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=q.shape[-1] ** -0.5)
        a = torch.bmm(scores.softmax(-1), v)
        a = a.view(batch, self.heads, length, -1).transpose(1, 2).reshape(batch, length, width)
        x = _norm(self.attended_norm, x + self.attended(a))
        return _norm(self.outer_norm, x + self.outer(F.gelu(self.inner(x))))


class SpanReader(nn.Module):
    """One layer in which the evidence reads a question, and the answer's two ends.

    Without it no evidence token knows what is asked, and a pointer from the question alone finds
    few answers.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.query = Linear(size.width, size.width)
        self.key_value = Linear(size.width, 2 * size.width)
        self.attended = Linear(size.width, size.width)
        self.attended_norm = nn.LayerNorm(size.width, size.epsilon)
        self.inner = Linear(size.width, size.width)
        self.outer = Linear(size.width, size.width)
        self.outer_norm = nn.LayerNorm(size.width, size.epsilon)
        self.ends = nn.Linear(size.width, 2)

    def forward(self, evidence: Tensor, question: Tensor, mask: Tensor) -> Tensor:
        """Logits of first and last token, shape (questions, evidence tokens, 2).

        `mask` (questions, question tokens) is True where a question has a token.
        """
        count, length, width = evidence.shape
        head = width // self.heads
        q = self.query(evidence).view(count, length, self.heads, head).transpose(1, 2)
        both = self.key_value(question).view(count, -1, 2, self.heads, head)
        k, v = both[:, :, 0].permute(0, 2, 3, 1), both[:, :, 1].transpose(1, 2)
        bias = torch.where(mask, 0.0, MASKED).to(q.dtype)[:, None, None, :]
        a = (q @ k * head**-0.5 + bias).softmax(-1) @ v
        a = self.attended(a.transpose(1, 2).reshape(count, length, width))
        x = _norm(self.attended_norm, evidence + a)
        x = _norm(self.outer_norm, x + self.outer(F.gelu(self.inner(x))))
        return self.ends(x.float())


def _norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    weight, bias = norm.weight.to(x.dtype), norm.bias.to(x.dtype)
    return F.layer_norm(x, norm.normalized_shape, weight, bias, norm.eps)


@dataclass
class Output:
    """What the heads say, one row a query of the batch, in the order of `PackBatch.query_pack`.

    Attributes:
        pair: Support, contradiction, neutral, shape (queries, 3).
        answer: Span, yes, no, none, shape (queries, 4).
        asked: Which of the queries are questions.
        spans: For each question and evidence token, that the answer begins, and ends, there,
            shape (questions, evidence tokens, 2).
        conflict: For each evidence token, that the claim is at odds with it, (queries, length).
        wrong: For each token of the pack, that it is a claim's word that is not borne out,
            shape (packs, length).
    """

    pair: Tensor
    answer: Tensor
    asked: list[int]
    spans: Tensor
    conflict: Tensor
    wrong: Tensor


class GroundingModel(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.words = nn.Embedding(size.vocabulary, size.width)
        self.position = nn.Embedding(size.positions, size.width)
        self.types = nn.Embedding(2, size.width)
        self.norm = nn.LayerNorm(size.width, size.epsilon)
        self.layers = nn.ModuleList(Layer(size) for _ in range(size.layers))
        self.pair_head = nn.Linear(2 * size.width, 3)
        self.answer_head = nn.Linear(2 * size.width, 4)
        self.conflict_head = nn.Linear(2 * size.width, size.width)
        self.span_head = SpanReader(size)
        self.ends_head = nn.Linear(size.width, 2)
        self.wrong_head = nn.Linear(size.width, 1)
        if size.relative_buckets:
            self.relative = nn.Embedding(size.relative_buckets, size.heads)

    def attention_bias(self, batch: PackBatch) -> Tensor:
        """What is added to attention scores, shape (packs * heads, length, length)."""
        segments = batch.segments
        own = segments[:, :, None] == segments[:, None, :]
        seen = (own | (segments == 0)[:, None, :]) & (segments >= 0)[:, None, :]
        bias = torch.where(seen, 0.0, MASKED)[:, None].expand(-1, self.size.heads, -1, -1)
        if self.size.relative_buckets:
            apart = batch.positions[:, None, :] - batch.positions[:, :, None]
            buckets = relative_buckets(apart, self.size.relative_buckets)
            bias = bias + self.relative.weight.detach()[buckets].permute(0, 3, 1, 2)
        return bias.reshape(-1, *bias.shape[2:])

    def encode(self, batch: PackBatch, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        """The last layer's states in float32, shape (packs, length, width)."""
        types = (batch.segments > 0).long()
        x = self.words(batch.ids) + self.position(batch.positions) + self.types(types)
        x = self.norm(x).to(dtype)
        bias = self.attention_bias(batch).to(dtype)
        for layer in self.layers:
            x = layer(x, bias)
        return x.float()

    def forward(self, batch: PackBatch, dtype: torch.dtype = torch.bfloat16) -> Output:
        x = self.encode(batch, dtype)
        flat = x.reshape(-1, x.shape[-1])
        claim = batch.pooled >= 0
        sums = flat.new_zeros(len(batch.query_pack), x.shape[-1])
        sums = sums.index_add(0, batch.pooled[claim], flat[claim.reshape(-1)])
        counts = torch.bincount(batch.pooled[claim], minlength=len(sums)).clamp(min=1)
        first = x[batch.query_pack, batch.query_first]
        pooled = torch.cat([first, sums / counts[:, None]], dim=1)
        pointers = self.conflict_head(pooled) * x.shape[-1] ** -0.5
        conflict = torch.einsum("qw,qlw->ql", pointers, x[batch.query_pack])
        conflict = conflict.masked_fill(batch.segments[batch.query_pack] != 0, MASKED)
        wrong = self.wrong_head(x).squeeze(-1)
        asked, spans = self.spans(x, batch, dtype)
        pair, answer = self.pair_head(pooled), self.answer_head(pooled)
        return Output(pair, answer, asked, spans, conflict, wrong)

    def spans(self, x: Tensor, batch: PackBatch, dtype: torch.dtype) -> tuple[list[int], Tensor]:
        """The questions of the batch, and the logits of their answers' ends."""
        asked = [i for i, query in enumerate(batch.queries) if query.answer is not None]
        if not asked:
            return asked, x.new_zeros(0, 0, 2)
        places = [place for pack in batch.encoded for place in pack.tokens.places]
        most = max(places[i].end - places[i].first for i in asked)
        longest = int((batch.segments == 0).sum(1).max())
        index = torch.zeros(len(asked), most, dtype=torch.long)
        mask = torch.zeros(len(asked), most, dtype=torch.bool)
        for row, i in enumerate(asked):
            tokens = torch.arange(places[i].first, places[i].end)
            index[row, : len(tokens)], mask[row, : len(tokens)] = tokens, True
        packs = batch.query_pack[asked]
        if all(batch.encoded[pack].open for pack in packs.tolist()):
            # The evidence has seen the question: its states say where the answer is.
            lengths = [len(batch.encoded[pack].tokens.offsets) for pack in packs.tolist()]
            longest = max(lengths) + 1
            logits = self.ends_head(x[packs, :longest])
            at = torch.arange(longest)[None, :]
            hidden = (at < 1) | (at > torch.tensor(lengths)[:, None])
            return asked, logits.masked_fill(hidden[:, :, None], MASKED)
        question = x[packs[:, None], index].to(dtype)
        logits = self.span_head(x[packs, :longest].to(dtype), question, mask)
        hidden = batch.segments[packs, :longest] != 0
        return asked, logits.masked_fill(hidden[:, :, None], MASKED)


def relative_buckets(apart: Tensor, buckets: int) -> Tensor:
    """MPNet's (and T5's) bucket of each distance `key - query`, half of them for either side."""
    half = buckets // 2
    exact = half // 2
    distance = apart.abs()
    scale = torch.log(distance.float().clamp(min=1) / exact) / math.log(RELATIVE_DISTANCE / exact)
    far = (exact + (scale * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(apart > 0, half, 0) + torch.where(distance < exact, distance, far)


# Our names of a layer's parts, and those of the two families of checkpoints.
BERT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer_norm": "output.LayerNorm",
}
MPNET = {
    **BERT,
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attended": "attention.attn.o",
    "attended_norm": "attention.LayerNorm",
}


def load_base(base: Path) -> GroundingModel:
    """The trunk of the base encoder with fresh heads.

    MPNet has no token types: they begin at zero.
    """
    size = Size.of_base(base)
    model = GroundingModel(size)
    given = {k.removeprefix("bert."): v for k, v in load_file(base / "model.safetensors").items()}
    state = model.state_dict()
    names, offset = (MPNET, POSITION_OFFSET) if size.relative_buckets else (BERT, 0)
    state["words.weight"] = given["embeddings.word_embeddings.weight"]
    state["position.weight"] = given["embeddings.position_embeddings.weight"][offset:]
    types = given.get("embeddings.token_type_embeddings.weight")
    state["types.weight"] = torch.zeros(2, size.width) if types is None else types
    if types is not None:  # trained with the first type only
        state["types.weight"][1] = types[0]
    if size.relative_buckets:
        state["relative.weight"] = given["encoder.relative_attention_bias.weight"]
    for kind in ("weight", "bias"):
        state[f"norm.{kind}"] = given[f"embeddings.LayerNorm.{kind}"]
        for i in range(size.layers):
            old = {part: given[f"encoder.layer.{i}.{name}.{kind}"] for part, name in names.items()}
            state[f"layers.{i}.qkv.{kind}"] = torch.cat(
                [old.pop(part) for part in ("query", "key", "value")]
            )
            for part, value in old.items():
                state[f"layers.{i}.{part}.{kind}"] = value
    model.load_state_dict({k: v.float() for k, v in state.items()})
    return model
