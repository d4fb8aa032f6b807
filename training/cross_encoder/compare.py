"""Compare the float32 and int8 graphs of a run: verdicts, probabilities, words, speed.

python training/cross_encoder/compare.py --run RUN --weights WEIGHTS --data DATA
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from evaluate import SETS, items_of, windows
from export import session, speed
from tokenizers import Tokenizer

from toulmin.grounding.inputs import PairText, encode_pairs, pad_batch

PAIRS = 1000


def sample(data: Path) -> list[PairText]:
    """1,000 pairs of the development sets, each claim with its best window."""
    pairs = [
        PairText(windows(record, 1)[0], record["claim"])
        for name in SETS
        for record in items_of(data, name, 200)
    ]
    return random.Random(3).sample(pairs, min(PAIRS, len(pairs)))


def outputs(model: Path, tokenizer: Tokenizer, pairs: list[PairText]) -> tuple[np.ndarray, list]:
    """(class probabilities, probability of "wrong" of each token of each pair)."""
    run = session(model)
    encoded = encode_pairs(tokenizer, pairs)
    classes, words = [], []
    for pair in encoded:
        ids, mask, types = pad_batch([pair])
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        logits, word_logits = run.run(["logits", "word_logits"], feed)
        powers = np.exp(logits[0] - logits[0].max())
        classes.append(powers / powers.sum())
        words.append(1 / (1 + np.exp(-word_logits[0])))
    return np.array(classes), words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()

    tokenizer = Tokenizer.from_file(str(args.weights / "tokenizer.json"))
    pairs = sample(args.data)
    full, full_words = outputs(args.run / "model.float32.onnx", tokenizer, pairs)
    small, small_words = outputs(args.weights / "model.onnx", tokenizer, pairs)
    change = np.abs(full - small)[:, 0]
    flags = [(a > 0.5) == (b > 0.5) for a, b in zip(full_words, small_words, strict=True)]
    figures = {
        "pairs": len(pairs),
        "same_class": float((full.argmax(1) == small.argmax(1)).mean()),
        "same_support_at_half": float(((full[:, 0] >= 0.5) == (small[:, 0] >= 0.5)).mean()),
        "support_change_mean": float(change.mean()),
        "support_change_p95": float(np.quantile(change, 0.95)),
        "support_correlation": float(np.corrcoef(full[:, 0], small[:, 0])[0, 1]),
        "same_word_flags": float(np.concatenate(flags).mean()),
        "pairs_per_second_float32": speed(args.run / "model.float32.onnx"),
        "pairs_per_second_int8": speed(args.weights / "model.onnx"),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
