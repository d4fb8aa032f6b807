"""The trained model as an ONNX graph of ONNX Runtime's fused operators, one pack a run.

Written node by node: it gives the fused form directly and names every node plainly. Word vectors
stay outside (an int8 table, looked up in numpy), so that each file is under 100 MB.

Inputs: `word_vectors` (1, length, width), `positions` and `segments` (1, length), `pool`
(queries, length; row q holds 1 / n at the n tokens of claim q) and `first` (queries; where each
query begins). Outputs: `pair` (queries, 3), `answer` (queries, 4), `conflict` (queries, length),
`wrong` (length), `ends` (length, 2) and `states` (length, width). The span reader is not in it
(decision 0019).
"""

from __future__ import annotations

import numpy as np
import onnx
import torch
from model import MASKED, GroundingModel, relative_buckets
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
FUSED = "com.microsoft"
HEADS = ("pair_product", "answer_product", "wrong_product", "ends_product")


class _Graph:
    """Nodes and weights, collected in order."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, domain: str = "", **attrs) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [out], name=out, domain=domain, **attrs))
        return out


def build_graph(
    model: GroundingModel, smoothing: list[np.ndarray] | None = None
) -> onnx.ModelProto:
    """The model in float32.

    `smoothing` has for each layer a factor for each of the inner channels: activations are divided
    by it and the weights of the next product multiplied, which changes nothing but what int8 makes
    of them (SmoothQuant, Xiao et al. 2023).
    """
    state = {k: v.detach().cpu().numpy().astype(np.float32) for k, v in model.state_dict().items()}
    g = _Graph()
    for name, value in (("i0", 0), ("i1", 1), ("i2", 2)):
        g.weight(name, np.array([value], np.int64))
    x = _embed(g, state, model)
    _bias(g, model)
    for i in range(model.size.layers):
        x = _layer(g, state, i, x, model, None if smoothing is None else smoothing[i])
    _heads(g, state, x, model.size.width)
    width = model.size.width
    inputs = [
        helper.make_tensor_value_info("word_vectors", TensorProto.FLOAT, [1, "length", width]),
        helper.make_tensor_value_info("positions", TensorProto.INT64, [1, "length"]),
        helper.make_tensor_value_info("segments", TensorProto.INT64, [1, "length"]),
        helper.make_tensor_value_info("pool", TensorProto.FLOAT, ["queries", "length"]),
        helper.make_tensor_value_info("first", TensorProto.INT64, ["queries"]),
    ]
    shapes = {
        "pair": ["queries", 3],
        "answer": ["queries", 4],
        "conflict": ["queries", "length"],
        "wrong": ["length"],
        "ends": ["length", 2],
        "states": ["length", width],
    }
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in shapes.items()
    ]
    return _finished(g, "grounding_model", inputs, outputs)


def _finished(
    g: _Graph, name: str, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]
) -> onnx.ModelProto:
    graph = helper.make_graph(g.nodes, name, inputs, outputs, g.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    proto = helper.make_model(graph, opset_imports=opsets, producer_name="toulmin")
    proto.ir_version = 8
    return proto


def _embed(g: _Graph, state: dict[str, np.ndarray], model: GroundingModel) -> str:
    g.weight("position_table", state["position.weight"])
    g.weight("type_table", state["types.weight"])
    g.node("Gather", ["position_table", "positions"], "position_vectors")
    g.node("Min", ["segments", "i1"], "types")
    g.node("Gather", ["type_table", "types"], "type_vectors")
    g.node("Add", ["word_vectors", "position_vectors"], "placed")
    g.node("Add", ["placed", "type_vectors"], "embedded")
    scale, shift = g.weight("norm_w", state["norm.weight"]), g.weight("norm_b", state["norm.bias"])
    return g.node(
        "LayerNormalization", ["embedded", scale, shift], "x0", epsilon=model.size.epsilon
    )


def _bias(g: _Graph, model: GroundingModel) -> None:
    """`bias`, shape (1, heads or 1, length, length): who sees whom, and MPNet's distances."""
    g.node("Unsqueeze", ["segments", "i2"], "segment_column")
    g.node("Unsqueeze", ["segments", "i1"], "segment_row")
    g.node("Equal", ["segment_column", "segment_row"], "own")
    g.node("Equal", ["segment_row", "i0"], "evidence")
    g.node("Or", ["own", "evidence"], "seen")
    g.weight("zero", np.array(0.0, np.float32))
    g.weight("masked", np.array(MASKED, np.float32))
    g.node("Where", ["seen", "zero", "masked"], "mask")
    if not model.size.relative_buckets:
        g.node("Unsqueeze", ["mask", "i1"], "bias")
        return
    most = model.size.positions - 1
    buckets = relative_buckets(torch.arange(-most, most + 1), model.size.relative_buckets)
    table = model.relative.weight.detach()[buckets].float().numpy()  # (distances, heads)
    g.weight("distance_table", table.T)  # (heads, distances)
    g.weight("most", np.array([most], np.int64))
    g.node("Unsqueeze", ["positions", "i2"], "position_column")
    g.node("Unsqueeze", ["positions", "i1"], "position_row")
    g.node("Sub", ["position_row", "position_column"], "apart")
    g.node("Add", ["apart", "most"], "place")
    g.node("Gather", ["distance_table", "place"], "distances", axis=1)  # (heads, 1, len, len)
    g.node("Transpose", ["distances"], "distance_bias", perm=[1, 0, 2, 3])
    g.node("Unsqueeze", ["mask", "i1"], "mask_heads")
    g.node("Add", ["distance_bias", "mask_heads"], "bias")


def _layer(
    g: _Graph,
    state: dict[str, np.ndarray],
    i: int,
    x: str,
    model: GroundingModel,
    factors: np.ndarray | None,
) -> str:
    def matrix(name: str) -> str:
        return g.weight(f"l{i}_{name}_w", state[f"layers.{i}.{name}.weight"].T)

    def vector(name: str, kind: str = "bias") -> str:
        return g.weight(f"l{i}_{name}_{kind[0]}v", state[f"layers.{i}.{name}.{kind}"])

    def norm(inputs: list[str], name: str, bias: str, out: str) -> str:
        gamma, beta = vector(name, "weight"), vector(name)
        arguments = [*inputs, gamma, beta, bias]
        return g.node("SkipLayerNormalization", arguments, out, FUSED, epsilon=model.size.epsilon)

    g.node("MatMul", [x, matrix("qkv")], f"l{i}_qkv")
    parts = [f"l{i}_q", f"l{i}_k", f"l{i}_v"]
    g.nodes.append(helper.make_node("Split", [f"l{i}_qkv"], parts, name=f"l{i}_split", axis=2))
    a = g.node(
        "MultiHeadAttention",
        [*parts, vector("qkv"), "", "bias"],
        f"l{i}_attention",
        FUSED,
        num_heads=model.size.heads,
    )
    a = g.node("MatMul", [a, matrix("attended")], f"l{i}_attended")
    x = norm([a, x], "attended_norm", vector("attended"), f"l{i}_middle")
    h = g.node("MatMul", [x, matrix("inner")], f"l{i}_inner")
    h = g.node("BiasGelu", [h, vector("inner")], f"l{i}_gelu", FUSED)
    outer = state[f"layers.{i}.outer.weight"].T
    if factors is not None:
        h = g.node("Mul", [h, g.weight(f"l{i}_smooth", 1 / factors)], f"l{i}_smoothed")
        outer = outer * factors[:, None]
    h = g.node("MatMul", [h, g.weight(f"l{i}_outer_w", outer)], f"l{i}_outer")
    return norm([h, x], "outer_norm", vector("outer"), f"x{i + 1}")


def _heads(g: _Graph, state: dict[str, np.ndarray], x: str, width: int) -> None:
    g.node("Squeeze", [x, "i0"], "states")
    g.node("Gather", ["states", "first"], "first_states")
    g.node("MatMul", ["pool", "states"], "claim_means")
    g.node("Concat", ["first_states", "claim_means"], "pooled", axis=1)
    for name in ("pair", "answer"):
        w = g.weight(f"{name}_w", state[f"{name}_head.weight"].T)
        g.node("MatMul", ["pooled", w], f"{name}_product")
        b = g.weight(f"{name}_b", state[f"{name}_head.bias"])
        g.node("Add", [f"{name}_product", b], name)
    scale = np.float32(width**-0.5)
    w = g.weight("conflict_w", state["conflict_head.weight"].T * scale)
    g.node("MatMul", ["pooled", w], "conflict_product")
    b = g.weight("conflict_b", state["conflict_head.bias"] * scale)
    g.node("Add", ["conflict_product", b], "conflict_pointer")
    g.node("Transpose", ["states"], "states_t", perm=[1, 0])
    g.node("MatMul", ["conflict_pointer", "states_t"], "conflict_scores")
    g.node("Squeeze", ["evidence", "i0"], "evidence_row")
    g.node("Where", ["evidence_row", "conflict_scores", "masked"], "conflict")
    w = g.weight("wrong_w", state["wrong_head.weight"].T)
    g.node("MatMul", ["states", w], "wrong_product")
    g.node("Add", ["wrong_product", g.weight("wrong_b", state["wrong_head.bias"])], "wrong_column")
    g.node("Squeeze", ["wrong_column", "i1"], "wrong")
    g.node("MatMul", ["states", g.weight("ends_w", state["ends_head.weight"].T)], "ends_product")
    g.node("Add", ["ends_product", g.weight("ends_b", state["ends_head.bias"])], "ends")
