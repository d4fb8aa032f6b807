"""Write the embedder's shipped files: int8 ONNX graph and spec.

    python training/embedder/export.py --base BASE --out WEIGHTS --float32 RUN/model.float32.onnx

The trunk is the base's, unchanged: `training/cross_encoder` builds the fused graph, here its heads
are cut off and mean pooling and scaling to length 1 take their place. The tokenizer is the static
embedder's, named in the spec with its hash, so that it is not shipped twice.
"""

from __future__ import annotations

import argparse
import hashlib
import json
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
from model import load_base

MAX_TOKENS = 256
POOLED = "mask_mean"  # the node of the cross-encoder's graph that averages all tokens


def embedder_graph(base: Path) -> onnx.ModelProto:
    """The base in float32: input_ids, attention_mask and token_type_ids in, unit vectors out."""
    proto = build_graph(load_base(base).eval())
    graph = proto.graph
    kept = _needed(graph, POOLED)
    weights = {w.name: w for w in graph.initializer}
    positions = numpy_helper.to_array(weights["positions"])[:MAX_TOKENS]
    weights["positions"].CopyFrom(
        numpy_helper.from_array(np.ascontiguousarray(positions), "positions")
    )
    kept += [
        helper.make_node("Squeeze", [POOLED, "one"], ["pooled"], name="pooled"),
        helper.make_node(
            "LpNormalization", ["pooled"], ["embedding"], name="embedding", axis=1, p=2
        ),
    ]
    used = {name for node in kept for name in node.input}
    output = helper.make_tensor_value_info(
        "embedding", TensorProto.FLOAT, ["batch", positions.shape[1]]
    )
    cut = helper.make_graph(
        kept,
        "embedder",
        list(graph.input),
        [output],
        [w for name, w in weights.items() if name in used],
    )
    result = helper.make_model(cut, opset_imports=list(proto.opset_import), producer_name="toulmin")
    result.ir_version = proto.ir_version
    return result


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
            nodes_to_exclude=["mask_sum"],
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
        return small.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of the shipped weights")
    parser.add_argument("--float32", type=Path, required=True, help="where the full graph goes")
    parser.add_argument("--version", default="1.0.0")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    model = quantise(embedder_graph(args.base), args.float32)
    tokenizer = "../static_embedder/tokenizer.json"
    content = (args.out / tokenizer).read_bytes()
    if (
        json.loads(content)["model"]
        != json.loads((args.base / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    ):
        raise SystemExit(f"{tokenizer} has another vocabulary than the base")
    spec = {
        "name": "toulmin-embedder-minilm",
        "version": args.version,
        "files": {
            "model.onnx": put(args.out / "model.onnx", model),
            tokenizer: hashlib.sha256(content).hexdigest(),
        },
        "tokenizer": tokenizer,
        "max_tokens": MAX_TOKENS,
        "dim": 384,
        "int8": True,
        "base": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
    }
    put(args.out / "spec.json", (json.dumps(spec, indent=2) + "\n").encode())
    print(json.dumps(spec, indent=2))


if __name__ == "__main__":
    main()
