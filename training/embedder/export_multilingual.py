"""Write the multilingual embedder's shipped files: int8 ONNX graph and spec.

    python training/embedder/export_multilingual.py --base E5_CUT \
        --out src/toulmin/models/weights/multilingual/embedder --float32 RUN/model.float32.onnx \
        --languages RUN/languages.npy

The trunk is multilingual-e5-small's, unchanged, with its word vectors cut to those of
`training/grounding_model/vocabulary.py`. They and the tokenizer are not written: the multilingual
grounding model was trained with the same vectors frozen, so both read one table, which the spec
names with its hash.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from trunk import MAX_TOKENS, embedder_graph, load_base, put, quantise, with_less_of, without_words

LESS = 0.7
"""Share of what tells languages apart that is taken out of every vector; the figures for others
are in docs/decisions/0033-embedder-across-languages.md."""
SHARED = ("../words.npy", "../word_scales.npy", "../tokenizer.json")


def check_words(base: Path, folder: Path) -> None:
    """Refuse a shared table that is not the base's."""
    table = load_file(base / "model.safetensors")["embeddings.word_embeddings.weight"]
    scales = np.maximum(np.abs(table).max(1), 1e-8) / 127
    rows = np.round(table / scales[:, None]).astype(np.int8)
    if not np.array_equal(rows, np.load(folder / "words.npy")):
        raise SystemExit(f"{folder} has other word vectors than the base")
    vocabularies = [
        json.loads((path / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        for path in (base, folder)
    ]
    if vocabularies[0] != vocabularies[1]:
        raise SystemExit(f"{folder} has another vocabulary than the base")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of the cut base")
    parser.add_argument("--out", type=Path, required=True, help="folder of the shipped weights")
    parser.add_argument("--float32", type=Path, required=True, help="where the full graph goes")
    parser.add_argument("--languages", type=Path, help="what languages.py found")
    parser.add_argument("--version", default="multilingual-1.0.0")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    check_words(args.base, args.out.parent)
    graph = without_words(embedder_graph(load_base(args.base).eval()))
    if args.languages:
        graph = with_less_of(graph, np.load(args.languages), LESS)
    model = quantise(graph, args.float32)
    spec = {
        "name": "toulmin-embedder-multilingual",
        "version": args.version,
        "files": {
            "model.onnx": put(args.out / "model.onnx", model),
            **{name: hashlib.sha256((args.out / name).read_bytes()).hexdigest() for name in SHARED},
        },
        "tokenizer": "../tokenizer.json",
        "words": "../words.npy",
        "word_scales": "../word_scales.npy",
        "query_prefix": "query: ",
        "passage_prefix": "passage: ",
        "max_tokens": MAX_TOKENS,
        "dim": 384,
        "int8": True,
        "base": "intfloat/multilingual-e5-small",
        "licence": "MIT",
    }
    put(args.out / "spec.json", (json.dumps(spec, indent=2) + "\n").encode())
    print(json.dumps(spec, indent=2))


if __name__ == "__main__":
    main()
