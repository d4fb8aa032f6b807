"""Measure the bare model on development sets that were never trained on.

    python training/cross_encoder/evaluate.py --weights WEIGHTS --data DATA [--items 150]

A premise is cut to windows of about 90 words; the item's score is that of the window with the
highest support among the three that overlap the claim most. With --joined, nearer to what the
product does, a claim is split into sentences, each is read with its three best windows of about
45 words joined, and the item has the score of its least supported sentence.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from data.rows import read_jsonl
from data.text import best_evidence, chunks, overlap, sentences
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from toulmin.grounding.inputs import PairText, encode_pairs, pad_batch

SETS = (
    "qags_cnndm.test",
    "qags_xsum.test",
    "aggrefact_cliff.val",
    "bump.all",
    "wice_claim.dev",
    "healthver.dev",
    "mnli_mm_1k.test",
    "fever_symmetric.dev",
)
QUICK = {"mnli_mm_1k.test": 150, "fever_symmetric.dev": 150, "qags_xsum.test": 60, "bump.all": 60}
Probabilities = Callable[[list[PairText]], np.ndarray]


def items_of(data: Path, name: str, count: int) -> list[dict]:
    records = read_jsonl(data / "grounding" / "dev" / f"{name}.jsonl.gz")
    random.Random(7).shuffle(records)
    return records[:count]


def windows(record: dict, count: int) -> list[str]:
    """The `count` windows of about 90 words that overlap the claim most."""
    parts = chunks(record["premise"], 90) or [record["premise"]]
    ranked = sorted(zip(overlap(record["claim"], parts), parts, strict=True), reverse=True)
    return [part for _, part in ranked[:count]]


def score(records: list[dict], probabilities: Probabilities) -> np.ndarray:
    """(support, contradiction, neutral) of each item, of its best-supported window."""
    pairs: list[PairText] = []
    owner: list[int] = []
    for i, record in enumerate(records):
        for part in windows(record, 3):
            pairs.append(PairText(part, record["claim"]))
            owner.append(i)
    all_scores = probabilities(pairs)
    best = np.zeros((len(records), 3))
    for i, row in zip(owner, all_scores, strict=True):
        if row[0] >= best[i, 0]:
            best[i] = row
    return best


def score_joined(records: list[dict], probabilities: Probabilities) -> np.ndarray:
    """(support, contradiction, neutral) of each item, of its least supported sentence."""
    pairs: list[PairText] = []
    owner: list[int] = []
    for i, record in enumerate(records):
        for sentence in sentences(record["claim"]):
            pairs.append(PairText(best_evidence(sentence, record["premise"], 45, 3), sentence))
            owner.append(i)
    least = np.full((len(records), 3), 2.0)
    for i, row in zip(owner, probabilities(pairs), strict=True):
        if row[0] < least[i, 0]:
            least[i] = row
    return least


def balanced(labels: np.ndarray, guesses: np.ndarray) -> float:
    return float((guesses[labels == 1].mean() + (1 - guesses[labels == 0]).mean()) / 2)


def figures(records: list[dict], scores: np.ndarray) -> dict[str, float]:
    labels = np.array([r["label"] for r in records])
    support = scores[:, 0]
    result = {
        "auroc": roc_auc_score(labels, support),
        "balanced_at_half": balanced(labels, support >= 0.5),
        "balanced_at_best": max(balanced(labels, support >= t) for t in [*support, 2.0]),
    }
    against = np.array([r["label"] == 0 and r["contradiction"] is not None for r in records])
    kinds = np.array([bool(r["contradiction"]) for r in records])
    if against.any() and 0 < kinds[against].sum() < against.sum():
        result["contradiction_auroc"] = roc_auc_score(kinds[against], scores[against, 1])
    return {k: round(float(v), 3) for k, v in result.items()}


def quick_figures(model: object, tokenizer: Tokenizer, data: Path) -> dict[str, list[float]]:
    """AUROC and balanced accuracy on a few sets, of a torch model in training."""
    import torch

    def probabilities(pairs: list[PairText]) -> np.ndarray:
        out = []
        with torch.inference_mode():
            for start in range(0, len(pairs), 32):
                encoded = encode_pairs(tokenizer, pairs[start : start + 32])
                tensors = (torch.from_numpy(a) for a in pad_batch(encoded))
                out.append(torch.softmax(model(*tensors)[0], dim=1).numpy())
        return np.concatenate(out)

    model.eval()
    result = {}
    for name, count in QUICK.items():
        records = items_of(data, name, count)
        f = figures(records, score(records, probabilities))
        result[name] = [f["auroc"], f["balanced_at_half"], f.get("contradiction_auroc", 0.0)]
    model.train()
    return result


def onnx_probabilities(model: Path, tokenizer: Tokenizer, threads: int = 2) -> Probabilities:
    """Class probabilities by an exported graph, pairs of like length batched together."""
    from export import session

    run = session(model, threads)

    def probabilities(pairs: list[PairText]) -> np.ndarray:
        encoded = encode_pairs(tokenizer, pairs)
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
        out = np.zeros((len(pairs), 3))
        for start in range(0, len(order), 32):
            index = order[start : start + 32]
            ids, mask, types = pad_batch([encoded[i] for i in index])
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
            logits = run.run(["logits"], feed)[0].astype(np.float64)
            powers = np.exp(logits - logits.max(1, keepdims=True))
            out[index] = powers / powers.sum(1, keepdims=True)
        return out

    return probabilities


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--model", default="model.onnx", help="file, in --weights or absolute")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--joined", action="store_true")
    args = parser.parse_args()

    tokenizer = Tokenizer.from_file(str(args.weights / "tokenizer.json"))
    probabilities = onnx_probabilities(args.weights / args.model, tokenizer)
    read = score_joined if args.joined else score
    results = {}
    for name in SETS:
        records = items_of(args.data, name, args.items)
        results[name] = figures(records, read(records, probabilities))
        print(f"{name:24}", results[name], flush=True)
    for key in ("auroc", "balanced_at_half", "balanced_at_best"):
        print(f"mean {key}: {np.mean([r[key] for r in results.values()]):.3f}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
