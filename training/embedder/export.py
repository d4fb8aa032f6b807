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
from pathlib import Path

from trunk import MAX_TOKENS, embedder_graph, load_base, put, quantise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder of the shipped weights")
    parser.add_argument("--float32", type=Path, required=True, help="where the full graph goes")
    parser.add_argument("--version", default="1.0.0")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    model = quantise(embedder_graph(load_base(args.base).eval()), args.float32)
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
