"""Write the shipped files: int8 ONNX graph, tokenizer, spec.

python training/cross_encoder/export.py --run RUN --base BASE --out WEIGHTS
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from graph import HEADS, build_graph
from model import LABELS, CrossEncoder, Size
from onnxruntime.quantization import QuantType, quantize_dynamic

QUANTISED = ["MatMul", "Attention", "Gather"]


def load_run(run: Path) -> CrossEncoder:
    """The model of the latest checkpoint of a run."""
    state = torch.load(run / "checkpoint.pt", map_location="cpu", weights_only=True)
    model = CrossEncoder(Size(**state["size"]))
    model.load_state_dict({**model.state_dict(), **state["model"]})
    return model.eval()


def session(path: Path, threads: int = 2) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def write_graphs(
    model: CrossEncoder, folder: Path, weight_type: QuantType, *, bits: int = 8
) -> tuple[Path, Path]:
    """float32 and int8 graphs in `folder`."""
    full, small = folder / "model.float32.onnx", folder / "model.int8.onnx"
    onnx.save(build_graph(model), str(full))
    quantize_dynamic(
        str(full),
        str(small),
        op_types_to_quantize=QUANTISED,
        per_channel=True,
        weight_type=weight_type,
        reduce_range=bits == 7,
        nodes_to_exclude=list(HEADS),
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    return full, small


def speed(path: Path) -> dict[str, float]:
    """Pairs a second in batches of 32 at four lengths, two threads."""
    run = session(path)
    result = {}
    for length in (32, 64, 128, 256):
        ids = np.random.default_rng(0).integers(1000, 30000, (32, length))
        types = np.zeros_like(ids)
        types[:, length * 2 // 3 :] = 1
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        run.run(None, feed)
        began, rounds = time.perf_counter(), 0
        while time.perf_counter() - began < 1.5:
            run.run(None, feed)
            rounds += 1
        result[str(length)] = round(32 * rounds / (time.perf_counter() - began), 1)
    return result


# "1,500" and "1500" are one number: without this they share no token, and the encoder calls one
# a contradiction of the other. Offsets still point at the text as it was.
THOUSANDS = {
    "type": "Replace",
    "pattern": {"Regex": r"(?<=\d),(?=\d{3}(?!\d))"},
    "content": "",
}
# Facts scraped from web pages carry these; the words are the same without them.
ENTITIES = {"&#39;": "'", "&quot;": '"', "&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&amp;": "&"}


def plain_tokenizer(base: Path) -> str:
    """The base's tokenizer, as JSON: no truncation or padding, plain numbers and characters."""
    tokenizer = json.loads((base / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    tokenizer["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            THOUSANDS,
            *(
                {"type": "Replace", "pattern": {"String": entity}, "content": character}
                for entity, character in ENTITIES.items()
            ),
            tokenizer["normalizer"],
        ],
    }
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))


def put(path: Path, content: bytes) -> str:
    """Write a file so that a reader sees the old one or the new one; returns its SHA-256."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).chmod(0o644)
    Path(name).replace(path)
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--base", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of the shipped weights")
    parser.add_argument("--version", required=True)
    parser.add_argument("--name", default="toulmin-support-minilm")
    parser.add_argument(
        "--tokenizer", default="tokenizer.json", help="share that of another folder: ../NAME/..."
    )
    parser.add_argument("--weights", choices=("int8", "uint8"), default="int8")
    parser.add_argument(
        "--bits", type=int, choices=(7, 8), default=8, help="7 avoids saturation without VNNI"
    )
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    kind = QuantType.QInt8 if args.weights == "int8" else QuantType.QUInt8
    _, small = write_graphs(load_run(args.run), args.run, kind, bits=args.bits)
    tokenizer = plain_tokenizer(args.base).encode("utf-8")
    if args.tokenizer == "tokenizer.json":
        put(args.out / args.tokenizer, tokenizer)
    elif (args.out / args.tokenizer).read_bytes() != tokenizer:
        raise SystemExit(f"{args.tokenizer} is another tokenizer than the one trained with")
    spec = {
        "name": args.name,
        "version": args.version,
        "files": {
            "model.onnx": put(args.out / "model.onnx", small.read_bytes()),
            args.tokenizer: hashlib.sha256(tokenizer).hexdigest(),
        },
        "tokenizer": args.tokenizer,
        "max_tokens": 256,
        "labels": list(LABELS),
        "int8": True,
        "base": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
    }
    put(args.out / "spec.json", (json.dumps(spec, indent=2) + "\n").encode())
    print(json.dumps(spec, indent=2))


if __name__ == "__main__":
    main()
