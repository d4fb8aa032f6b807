"""Which int8 matrix product should the encoder use? Speed and error of each, in one run.

    python benchmarks/speed/int8_matmul.py --threads 1        # needs onnx, numpy, onnxruntime

One inner layer of the encoder (2,048 tokens, 384 -> 1,536): float32; int8 with activations scaled
over the whole batch (DynamicQuantizeMatMul); weights in blocks with activations scaled per row
(MatMulNBits), whose result for a row does not depend on the other rows.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TOKENS, INPUT, OUTPUT = 2048, 384, 1536
REPEATS = 12


def model(node, arrays):
    graph = helper.make_graph(
        [node],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, INPUT])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, OUTPUT])],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def whole_batch(weights):
    scale = np.abs(weights).max(0) / 127
    codes = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    node = helper.make_node("DynamicQuantizeMatMul", ["x", "q", "s"], ["y"], domain="com.microsoft")
    return model(node, {"q": codes, "s": scale.astype(np.float32)})


def per_row(weights, bits, block):
    blocks = weights.T.reshape(OUTPUT, INPUT // block, block)
    scale = np.abs(blocks).max(-1) / (2 ** (bits - 1) - 1)
    zero = 2 ** (bits - 1)
    codes = np.clip(np.round(blocks / scale[..., None]) + zero, 0, 2**bits - 1).astype(np.uint8)
    if bits == 4:
        codes = codes[..., 0::2] | (codes[..., 1::2] << 4)
    node = helper.make_node(
        "MatMulNBits", ["x", "q", "s"], ["y"], domain="com.microsoft",
        K=INPUT, N=OUTPUT, bits=bits, block_size=block, accuracy_level=4,
    )  # fmt: skip
    return model(node, {"q": codes, "s": scale.astype(np.float32).reshape(-1)})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    threads = parser.parse_args().threads
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 0.05, (INPUT, OUTPUT)).astype(np.float32)
    x = rng.normal(0, 1, (TOKENS, INPUT)).astype(np.float32)
    models = {
        "float32": model(helper.make_node("MatMul", ["x", "w"], ["y"]), {"w": weights}),
        "int8, whole batch": whole_batch(weights),
        "int8, per row, blocks of 32": per_row(weights, 8, 32),
        "int8, per row, blocks of 128": per_row(weights, 8, 128),
        "int4, per row, blocks of 128": per_row(weights, 4, 128),
    }
    exact = x @ weights
    rows = {}
    for name, made in models.items():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(
            made.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        times = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            (y,) = session.run(None, {"x": x})
            times.append(time.perf_counter() - started)
        error = np.linalg.norm(y - exact) / np.linalg.norm(exact)
        rows[name] = {"ms": round(min(times) * 1000, 2), "relative_error": round(float(error), 5)}
    for row in rows.values():
        row["times_float32"] = round(rows["float32"]["ms"] / row["ms"], 2)
    print(json.dumps({"threads": threads, "results": rows}, indent=1))


if __name__ == "__main__":
    main()
