"""Make a checkpoint to go on from out of shipped weights.

    python training/grounding_model/restore.py --weights WEIGHTS --base BASE --out RUN/restored

int8 weights become float32 again, which loses what rounding lost; the span reader, which is not
shipped, and the optimiser's moments begin anew. For a run on a machine that has no checkpoint.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import torch
from model import GroundingModel, load_base
from onnx import numpy_helper


def restored(weights: Path, base: Path) -> GroundingModel:
    """The model whose files are in `weights`, with the span reader of a new one."""
    model = load_base(base)
    given = read_graph(weights / "model.onnx")
    state = model.state_dict()
    words = weights if (weights / "words.npy").is_file() else weights.parent  # a reader's
    table = np.load(words / "words.npy").astype(np.float32)
    found = {"words.weight": table * np.load(words / "word_scales.npy")[:, None]}
    found["position.weight"] = given["position_table"]
    found["types.weight"] = given["type_table"]
    found["norm.weight"], found["norm.bias"] = given["norm_w"], given["norm_b"]
    for i in range(model.size.layers):
        for part in ("qkv", "attended", "inner", "outer"):
            matrix = given[f"l{i}_{part}_w"]
            if part == "outer" and f"l{i}_smooth" in given:
                matrix = matrix * given[f"l{i}_smooth"][:, None]
            found[f"layers.{i}.{part}.weight"] = matrix.T
        for part in ("qkv", "attended", "inner", "outer", "attended_norm", "outer_norm"):
            found[f"layers.{i}.{part}.bias"] = given[f"l{i}_{part}_bv"]
        for part in ("attended_norm", "outer_norm"):
            found[f"layers.{i}.{part}.weight"] = given[f"l{i}_{part}_wv"]
    scale = model.size.width**-0.5
    factors = {"pair": 1.0, "answer": 1.0, "wrong": 1.0, "conflict": scale, "ends": 1.0}
    for head, factor in factors.items():
        if f"{head}_w" not in given:  # models before the multilingual one have no ends
            continue
        found[f"{head}_head.weight"] = given[f"{head}_w"].T / factor
        found[f"{head}_head.bias"] = given[f"{head}_b"] / factor
    new = ("span_head", "relative", "ends_head")
    missing = [k for k in state if k not in found and not k.startswith(new)]
    if missing:
        raise SystemExit(f"not in the weights: {', '.join(missing)}")
    state.update({k: torch.from_numpy(np.array(v, np.float32)) for k, v in found.items()})
    model.load_state_dict(state)
    return model


def read_graph(path: Path) -> dict[str, np.ndarray]:
    """The weights of an exported graph by the names of graph.py, int8 ones as float32."""
    tensors = {t.name: numpy_helper.to_array(t) for t in onnx.load(str(path)).graph.initializer}
    given = {}
    for name, value in tensors.items():
        plain = name.removesuffix("_quantized")
        if plain != name:
            zero, scale = tensors[f"{plain}_zero_point"], tensors[f"{plain}_scale"]
            value = (value.astype(np.float32) - zero.astype(np.float32)) * scale
        given[plain] = value
    return given


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="folder of shipped weights")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    model = restored(args.weights, args.base)
    state = {"model": model.state_dict(), "size": asdict(model.size)}
    torch.save(state, args.out / "checkpoint.pt")


if __name__ == "__main__":
    main()
