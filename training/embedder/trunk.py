"""The trunk of a BERT encoder as an embedder's graph: mean of all tokens, scaled to length 1.

`training/cross_encoder` builds the fused graph; here its heads are cut off.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
from export import QUANTISED, put
from graph import build_graph
from model import CrossEncoder, load_base

__all__ = [
    "MAX_TOKENS",
    "embedder_graph",
    "load_base",
    "put",
    "quantise",
    "with_less_of",
    "without_words",
]

MAX_TOKENS = 256
WEAKENED = "weakened"
POOLED = "mask_mean"  # the node of the cross-encoder's graph that averages all tokens


def embedder_graph(model: CrossEncoder) -> onnx.ModelProto:
    """The trunk in float32: input_ids, attention_mask and token_type_ids in, unit vectors out."""
    proto = build_graph(model)
    graph = proto.graph
    kept = _needed(graph, POOLED)
    weights = {w.name: w for w in graph.initializer}
    positions = numpy_helper.to_array(weights["positions"])[:MAX_TOKENS]
    _set(weights["positions"], positions)
    kept += [
        helper.make_node("Squeeze", [POOLED, "one"], ["pooled"], name="pooled"),
        helper.make_node(
            "LpNormalization", ["pooled"], ["embedding"], name="embedding", axis=1, p=2
        ),
    ]
    output = helper.make_tensor_value_info(
        "embedding", TensorProto.FLOAT, ["batch", positions.shape[1]]
    )
    return _model_of(proto, kept, list(graph.input), output)


def without_words(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The same with word vectors (1, length, width) and attention_mask in: the table is outside.

    All tokens are of type 0, whose vector goes into those of the positions.
    """
    graph = proto.graph
    weights = {w.name: w for w in graph.initializer}
    positions, types, words = (
        numpy_helper.to_array(weights[name]) for name in ("positions", "types", "words")
    )
    _set(weights["positions"], positions + types[0])
    kept = []
    for node in graph.node:
        if node.name in {"word_vectors", "type_vectors", "words_and_types"}:
            continue
        if node.name == "length":
            node.input[0] = "attention_mask"
        if node.name == "embedded":
            node.input[0] = "word_vectors"
        kept.append(node)
    mask = next(given for given in graph.input if given.name == "attention_mask")
    vectors = helper.make_tensor_value_info(
        "word_vectors", TensorProto.FLOAT, ["batch", "length", words.shape[1]]
    )
    return _model_of(proto, kept, [vectors, mask], graph.output[0])


def with_less_of(proto: onnx.ModelProto, directions: np.ndarray, share: float) -> onnx.ModelProto:
    """The same with a share of some orthonormal directions, shape (n, width), taken out."""
    graph = proto.graph
    kept = (np.eye(directions.shape[1]) - share * directions.T @ directions).astype(np.float32)
    graph.initializer.append(numpy_helper.from_array(kept, "kept"))
    place = next(i for i, node in enumerate(graph.node) if node.name == "embedding")
    graph.node[place].input[0] = "weakened"
    node = helper.make_node("MatMul", ["pooled", "kept"], ["weakened"], name=WEAKENED)
    return _model_of(
        proto,
        [*graph.node[:place], node, *graph.node[place:]],
        list(graph.input),
        graph.output[0],
    )


def quantise(graph: onnx.ModelProto, float32: Path) -> bytes:
    """Write the graph to `float32`; return it with int8 weights (one scale a channel)."""
    float32.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(graph, str(float32))
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "model.onnx"
        quantize_dynamic(
            str(float32),
            str(small),
            op_types_to_quantize=QUANTISED,
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=["mask_sum", WEAKENED],
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
        return small.read_bytes()


def _model_of(
    proto: onnx.ModelProto,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    output: onnx.ValueInfoProto,
) -> onnx.ModelProto:
    """A model of some of a graph's nodes, with the weights that they use."""
    used = {name for node in nodes for name in node.input}
    weights = [w for w in proto.graph.initializer if w.name in used]
    cut = helper.make_graph(nodes, "embedder", inputs, [output], weights)
    result = helper.make_model(cut, opset_imports=list(proto.opset_import), producer_name="toulmin")
    result.ir_version = proto.ir_version
    return result


def _set(weight: onnx.TensorProto, value: np.ndarray) -> None:
    weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), weight.name))


def _needed(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    """The nodes that `name` depends on, itself included, in the graph's order."""
    makers = {out: node for node in graph.node for out in node.output}
    waiting, needed = [name], set()
    while waiting:
        node = makers.get(waiting.pop())
        if node is not None and node.name not in needed:
            needed.add(node.name)
            waiting.extend(node.input)
    return [node for node in graph.node if node.name in needed]
