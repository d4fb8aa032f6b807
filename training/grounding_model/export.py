"""Write the shipped files: int8 ONNX graph, int8 word vectors, tokenizer, spec.

python training/grounding_model/export.py --run RUN --base BASE --out WEIGHTS \
    --packs RUN/written.jsonl.gz --version 3.0.0

With `--words-of WEIGHTS`, for a model beside another one whose word vectors and tokenizer it has
(a reader): only the graph is written, and the spec says for which words.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from batching import batch_packs
from graph import HEADS, build_graph
from model import GroundingModel, Size
from onnxruntime.quantization import QuantType, quantize_dynamic
from packs import encode_all, read_packs
from tokenizer import plain_json, plain_tokenizer
from torch import Tensor, nn


def load_run(checkpoint: Path) -> GroundingModel:
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    model = GroundingModel(Size(**state["size"]))
    model.load_state_dict({**model.state_dict(), **state["model"]})
    return model.eval()


SMOOTHING = 0.85
CALIBRATION_PACKS = 48
SAME_WORDS = 1e-4
"""By how much the word vectors of a run may differ from those it began with, which are frozen."""


def smoothing_of(model: GroundingModel, base: Path, packs: Path) -> list[np.ndarray]:
    """A factor for each inner channel of each layer, by how large it grows on some packs."""
    encoded = encode_all(plain_tokenizer(base), read_packs(packs)[:CALIBRATION_PACKS])
    most = [torch.zeros(model.size.inner) for _ in model.layers]

    def watch(number: int) -> Callable[[nn.Module, tuple[Tensor]], None]:
        def note(_module: nn.Module, given: tuple[Tensor]) -> None:
            found = given[0].float().abs().flatten(0, 1).amax(0)
            most[number] = torch.maximum(most[number], found)

        return note

    hooks = [
        layer.outer.register_forward_pre_hook(watch(i)) for i, layer in enumerate(model.layers)
    ]
    with torch.inference_mode():
        for pack in encoded:
            model(batch_packs([pack], 0), torch.float32)
    for hook in hooks:
        hook.remove()
    factors = []
    for layer, activation in zip(model.layers, most, strict=True):
        weight = layer.outer.weight.detach().abs().amax(0)
        factor = activation.clamp(min=1e-3) ** SMOOTHING / weight.clamp(min=1e-4) ** (1 - SMOOTHING)
        factors.append((factor / factor.median()).clamp(0.05, 200.0).numpy().astype(np.float32))
    return factors


def write_graphs(
    model: GroundingModel, folder: Path, smoothing: list[np.ndarray]
) -> tuple[Path, Path]:
    """float32 and int8 graphs in `folder`."""
    full, small = folder / "model.float32.onnx", folder / "model.int8.onnx"
    onnx.save(build_graph(model, smoothing), str(full))
    quantize_dynamic(
        str(full),
        str(small),
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        nodes_to_exclude=list(HEADS),
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT, "MatMulConstBOnly": True},
    )
    return full, small


def quantised_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows and the factor of each."""
    scales = np.maximum(np.abs(table).max(1), 1e-8) / 127
    return np.round(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def put(path: Path, content: bytes) -> str:
    """Write a file so that a reader sees the old one or the new one; returns its SHA-256."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(0o644)
    Path(name).replace(path)
    return hashlib.sha256(content).hexdigest()


def words_of(weights: Path, vectors: np.ndarray) -> dict[str, str]:
    """The hashes of the files that hold the words of shipped weights, which must be these."""
    table = np.load(weights / "words.npy").astype(np.float32)
    shipped = table * np.load(weights / "word_scales.npy")[:, None]
    if shipped.shape != vectors.shape or np.abs(shipped - vectors).max() > SAME_WORDS:
        raise SystemExit(f"the run's word vectors are not those of {weights}")
    files = json.loads((weights / "spec.json").read_text())["files"]
    return {name: files[name] for name in ("words.npy", "word_scales.npy", "tokenizer.json")}


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the shipped weights")
    parser.add_argument("--packs", type=Path, required=True, help="packs to see activations on")
    parser.add_argument("--version", required=True)
    parser.add_argument("--name", default="toulmin-grounding-mpnet")
    parser.add_argument("--base-name", default="sentence-transformers/all-mpnet-base-v2")
    parser.add_argument("--licence", default="Apache-2.0")
    parser.add_argument("--words-of", type=Path, help="folder of shipped weights with its words")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    model = load_run(args.run / "checkpoint.pt")
    _, small = write_graphs(model, args.run, smoothing_of(model, args.base, args.packs))
    files = {"model.onnx": small.read_bytes()}
    vectors = model.words.weight.detach().numpy()
    if args.words_of:
        words = {"words": words_of(args.words_of, vectors)}
    else:
        table, scales = quantised_rows(vectors)
        files |= {
            "words.npy": npy(table),
            "word_scales.npy": npy(scales),
            "tokenizer.json": plain_json(args.base).encode("utf-8"),
        }
        words = {"tokenizer": "tokenizer.json"}
    spec = {
        "name": args.name,
        "version": args.version,
        "files": {name: put(args.out / name, content) for name, content in files.items()},
        **words,
        "max_tokens": 512,
        "evidence_tokens": 384,
        "labels": ["support", "contradiction", "neutral"],
        "answers": ["span", "yes", "no", "none"],
        "int8": True,
        "base": args.base_name,
        "licence": args.licence,
    }
    put(args.out / "spec.json", (json.dumps(spec, indent=2) + "\n").encode())
    print(json.dumps(spec, indent=2))


if __name__ == "__main__":
    main()
