"""The trained model as an ONNX graph, written node by node with ONNX Runtime's fused operators.

Writing the graph instead of tracing it gives the fused form directly (one attention node and two
skip-normalisations a layer), needs no exporter package, and names every node plainly.
"""

from __future__ import annotations

import numpy as np
import onnx
from model import CrossEncoder
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
FUSED = "com.microsoft"
HEADS = ("pair_head_product", "word_head_product", "span_head_product")


class _Graph:
    """Nodes and weights, collected in order."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray) -> str:
        # Not np.ascontiguousarray: it makes a vector of a scalar, and Gather keeps the dimension.
        self.weights.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, domain: str = "", **attrs) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [out], name=out, domain=domain, **attrs))
        return out


def build_graph(model: CrossEncoder) -> onnx.ModelProto:
    """The model in float32.

    Its inputs are input_ids, attention_mask and token_type_ids; its outputs logits, word_logits,
    start_logits and end_logits.
    """
    state = {k: v.detach().cpu().numpy().astype(np.float32) for k, v in model.state_dict().items()}
    g = _Graph()
    x = _embed(g, state, model.size.epsilon)
    g.node("Cast", ["attention_mask"], "mask_int32", to=TensorProto.INT32)
    for i in range(model.size.layers):
        x = _layer(g, state, i, x, model)
    _heads(g, state, x)
    dims = ["batch", "length"]
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, dims)
        for n in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3]),
        *(
            helper.make_tensor_value_info(f"{name}_logits", TensorProto.FLOAT, dims)
            for name in ("word", "start", "end")
        ),
    ]
    graph = helper.make_graph(g.nodes, "cross_encoder", inputs, outputs, g.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)]
    proto = helper.make_model(graph, opset_imports=opsets, producer_name="toulmin")
    proto.ir_version = 8
    return proto


def _embed(g: _Graph, state: dict[str, np.ndarray], epsilon: float) -> str:
    g.weight("words", state["words.weight"])
    g.weight("positions", state["position.weight"])
    g.weight("types", state["types.weight"])
    g.weight("zero", np.array([0], np.int64))
    g.weight("one", np.array([1], np.int64))
    g.node("Gather", ["words", "input_ids"], "word_vectors")
    g.node("Gather", ["types", "token_type_ids"], "type_vectors")
    g.node("Shape", ["input_ids"], "length", start=1, end=2)
    g.node("Slice", ["positions", "zero", "length", "zero"], "position_vectors")
    g.node("Add", ["word_vectors", "type_vectors"], "words_and_types")
    g.node("Add", ["words_and_types", "position_vectors"], "embedded")
    scale, shift = g.weight("norm_w", state["norm.weight"]), g.weight("norm_b", state["norm.bias"])
    return g.node("LayerNormalization", ["embedded", scale, shift], "x0", epsilon=epsilon)


def _layer(g: _Graph, state: dict[str, np.ndarray], i: int, x: str, model: CrossEncoder) -> str:
    def matrix(name: str) -> str:
        return g.weight(f"l{i}_{name}_w", state[f"layers.{i}.{name}.weight"].T)

    def vector(name: str, kind: str = "bias") -> str:
        return g.weight(f"l{i}_{name}_{kind[0]}v", state[f"layers.{i}.{name}.{kind}"])

    def norm(inputs: list[str], name: str, bias: str, out: str) -> str:
        gamma, beta = vector(name, "weight"), vector(name)
        arguments = [*inputs, gamma, beta, bias]
        return g.node("SkipLayerNormalization", arguments, out, FUSED, epsilon=model.size.epsilon)

    a = g.node(
        "Attention",
        [x, matrix("qkv"), vector("qkv"), "mask_int32"],
        f"l{i}_attention",
        FUSED,
        num_heads=model.size.heads,
    )
    a = g.node("MatMul", [a, matrix("attended")], f"l{i}_attended")
    x = norm([a, x], "attended_norm", vector("attended"), f"l{i}_middle")
    h = g.node("MatMul", [x, matrix("inner")], f"l{i}_inner")
    h = g.node("BiasGelu", [h, vector("inner")], f"l{i}_gelu", FUSED)
    h = g.node("MatMul", [h, matrix("outer")], f"l{i}_outer")
    return norm([h, x], "outer_norm", vector("outer"), f"x{i + 1}")


def _heads(g: _Graph, state: dict[str, np.ndarray], x: str) -> None:
    g.weight("two", np.array([2], np.int64))
    g.weight("least", np.array(1.0, np.float32))
    g.node("Cast", ["attention_mask"], "mask_float", to=TensorProto.FLOAT)
    g.node("Cast", ["token_type_ids"], "types_float", to=TensorProto.FLOAT)
    g.node("Mul", ["mask_float", "types_float"], "claim_float")
    for name in ("mask", "claim"):
        g.node("Unsqueeze", [f"{name}_float", "one"], f"{name}_row")
        g.node("MatMul", [f"{name}_row", x], f"{name}_sum")
        g.node("ReduceSum", [f"{name}_row", "two"], f"{name}_count", keepdims=1)
        g.node("Max", [f"{name}_count", "least"], f"{name}_count_safe")
        g.node("Div", [f"{name}_sum", f"{name}_count_safe"], f"{name}_mean")
    g.node("Slice", [x, "zero", "one", "one"], "first")
    g.node("Concat", ["mask_mean", "claim_mean", "first"], "pooled_row", axis=2)
    g.node("Squeeze", ["pooled_row", "one"], "pooled")
    w = g.weight("pair_head_w", state["pair_head.weight"].T)
    g.node("MatMul", ["pooled", w], "pair_head_product")
    g.node("Add", ["pair_head_product", g.weight("pair_b", state["pair_head.bias"])], "logits")
    w = g.weight("word_head_w", state["word_head.weight"].T)
    g.node("MatMul", [x, w], "word_head_product")
    g.node("Add", ["word_head_product", g.weight("word_b", state["word_head.bias"])], "word_row")
    g.node("Squeeze", ["word_row", "two"], "word_logits")
    w = g.weight("span_head_w", state["span_head.weight"].T)
    g.node("MatMul", [x, w], "span_head_product")
    g.node("Add", ["span_head_product", g.weight("span_b", state["span_head.bias"])], "span_row")
    for i, name in enumerate(("start", "end")):
        at = g.weight(f"{name}_place", np.array([i], np.int64))
        g.node("Gather", ["span_row", at], f"{name}_column", axis=2)
        g.node("Squeeze", [f"{name}_column", "two"], f"{name}_logits")
