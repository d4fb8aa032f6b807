"""Fit the helpfulness weights and measure them on questions that the fit has not seen.

    python training/helpfulness/fit.py --qa QA_FOLDER [--write]

QA_FOLDER holds `train/*.jsonl.gz` and `dev/*.jsonl.gz` of the ledger. One fifth of the training
passages, and the dev files, are measured and never fitted. Takes a few minutes on one core. With
`--write` the weights go to `src/toulmin/grounding/data/helpfulness.json`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from examples import Example, Record, grade, read_records
from toulmin.grounding.helpfulness import WEIGHTS_FILE
from toulmin.grounding.helpfulness_features import FEATURES, describe
from toulmin.models.static_embedder import StaticEmbedder

SEED = 7
TRAIN_FILES = {
    "squad1_part": 300,
    "policyqa": 80,
    "qed_nq": 100,
    "adversarial_qa_part": 70,
    "jaquad": 150,
}
DEV_FILES = {"squad2_half": 50, "jaquad": 50, "xquad_es": 50, "squad_it": 50}
HELD_OUT_EVERY = 5
RIDGE = 2e-4
GOOD_KINDS = {
    "full", "complete", "fragment", "complete_fragment", "open_full", "yes_no_full", "yes_no_bare",
}  # fmt: skip
IMPORTANCE_OF_GOOD = 3.0
MUST_SHOW = {
    "partial": {"parts_missing"},
    "partial_fragment": {"parts_missing", "kind_missing"},
    "on_topic": {"far_from_prompt", "kind_missing"},
    "on_topic_long": {"far_from_prompt", "kind_missing", "beside_the_point"},
    "wrong_kind": {"kind_missing"},
    "off_fragment": {"kind_missing"},
    "off_topic": {"far_from_prompt", "kind_missing"},
    "off_long": {"far_from_prompt", "kind_missing"},
    "empty": {"empty_talk", "far_from_prompt"},
}
"""Defects of which a kind must show one to be fitted on.

Some defects cannot be seen without the facts (a wrong name after "who"). Such an example looks like
a good answer, and would teach that good answers are bad. Nothing is left out where we measure.
"""
SHOWN = 0.25


def main() -> None:
    """Generate, fit, measure; print the report as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--embedder", type=Path, default=None, help="another embedder's folder")
    parser.add_argument("--vocabulary", type=Path, default=None)
    arguments = parser.parse_args()
    started = time.time()
    embedder = (
        StaticEmbedder(arguments.embedder, vocabulary=arguments.vocabulary)
        if arguments.embedder
        else StaticEmbedder()
    )
    fitted, held_out = make_examples(arguments.qa)
    weights = fit(*visible(fitted, describe_all(fitted, embedder)))
    report = {
        "embedder": embedder.version,
        "fitted_examples": len(fitted),
        "held_out_examples": len(held_out),
        "weights": {n: round(float(w), 4) for n, w in zip(FEATURES, weights[1:], strict=True)},
        "bias": round(float(weights[0]), 4),
        "held_out": measure(held_out, describe_all(held_out, embedder), weights),
        "seconds": round(time.time() - started),
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    if arguments.write:
        kept = {key: report[key] for key in ("embedder", "bias", "weights")}
        WEIGHTS_FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def make_examples(folder: Path) -> tuple[list[Example], list[Example]]:
    """Return (examples to fit on, examples of other passages to measure on)."""
    rng = random.Random(SEED)
    fitted: list[Example] = []
    held_out: list[Example] = []
    for name, count in TRAIN_FILES.items():
        records = by_passage(read_records(folder / "train" / f"{name}.jsonl.gz"), rng)
        kept = [r for r in records if r.passage_id % HELD_OUT_EVERY][:count]
        kept_out = [r for r in records if not r.passage_id % HELD_OUT_EVERY][: count // 5]
        fitted += grade(kept, name, rng)
        held_out += grade(kept_out, f"{name} (held out)", rng)
    for name, count in DEV_FILES.items():
        records = by_passage(read_records(folder / "dev" / f"{name}.jsonl.gz"), rng)
        held_out += grade(records[:count], f"dev {name}", rng)
    return fitted, held_out


def by_passage(records: Sequence[Record], rng: random.Random) -> list[Record]:
    """Return the records, those of one passage together, the passages shuffled."""
    passages = sorted({r.passage_id for r in records})
    rng.shuffle(passages)
    place = {passage: i for i, passage in enumerate(passages)}
    return sorted(records, key=lambda r: place[r.passage_id])


def describe_all(examples: Sequence[Example], embedder: StaticEmbedder) -> np.ndarray:
    """Return the features of all examples, shape (examples, features)."""
    return np.stack([describe(e.prompt, e.answer, embedder=embedder) for e in examples])


def visible(examples: Sequence[Example], features: np.ndarray) -> tuple[list[Example], np.ndarray]:
    """Return the examples, and their features, that show one of the defects in `MUST_SHOW`."""
    at = {name: i for i, name in enumerate(FEATURES)}
    kept = [
        i
        for i, e in enumerate(examples)
        if e.kind not in MUST_SHOW
        or any(features[i, at[name]] >= SHOWN for name in MUST_SHOW[e.kind])
    ]
    return [examples[i] for i in kept], features[kept]


def fit(examples: Sequence[Example], features: np.ndarray) -> np.ndarray:
    """Return bias and weights of a logistic regression on the targets, signs constrained.

    Newton steps whose quadratic is solved by coordinate descent, each weight held at 0 where it
    would take the wrong sign. Every (language, kind) counts alike.
    """
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for e in examples:
        counts[e.lang, e.kind] += 1
    n = len(examples)
    importance = np.array([_importance(e) / counts[e.lang, e.kind] for e in examples])
    importance *= n / importance.sum()
    x = np.hstack([np.ones((n, 1)), features])
    y = np.array([e.target for e in examples])
    ridge = RIDGE * np.eye(x.shape[1])
    ridge[0, 0] = 0.0
    w = np.zeros(x.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-(x @ w)))
        curvature = importance * np.maximum(p * (1 - p), 1e-3)
        hessian = (x * curvature[:, None]).T @ x / n + ridge
        gradient = x.T @ (importance * (p - y)) / n + ridge @ w
        step = _constrained(hessian, gradient - hessian @ w, w.copy())
        if np.abs(step - w).max() < 1e-7:
            break
        w = step
    return w


def _importance(example: Example) -> float:
    weight = IMPORTANCE_OF_GOOD if example.kind in GOOD_KINDS else 1.0
    return weight if example.lang == "en" else weight / 2


def _constrained(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Minimise w·a·w / 2 + b·w with every weight but the first, the bias, at most 0."""
    for _ in range(5000):
        before = w.copy()
        for j in range(len(w)):
            w[j] -= (a[j] @ w + b[j]) / a[j, j]
            if j:
                w[j] = min(0.0, w[j])
        if np.abs(w - before).max() < 1e-9:
            break
    return w


def measure(examples: Sequence[Example], features: np.ndarray, weights: np.ndarray) -> dict:
    """Return rank correlation, pair order and mean scores, overall and by language and kind."""
    score = 1 / (1 + np.exp(-(weights[0] + features @ weights[1:])))
    target = np.array([e.target for e in examples])
    report: dict = {"all": _agreement(examples, score, target)}
    for lang in sorted({e.lang for e in examples}):
        at = [i for i, e in enumerate(examples) if e.lang == lang]
        report[lang] = _agreement([examples[i] for i in at], score[at], target[at])
    kinds: dict[str, list[int]] = defaultdict(list)
    for i, e in enumerate(examples):
        kinds[e.kind].append(i)
    report["kinds"] = {
        kind: {
            "target": round(float(target[at].mean()), 3),
            "mean": round(float(score[at].mean()), 3),
            "p10": round(float(np.quantile(score[at], 0.1)), 3),
            "p90": round(float(np.quantile(score[at], 0.9)), 3),
            "n": len(at),
        }
        for kind, at in sorted(kinds.items(), key=lambda item: -target[item[1]].mean())
    }
    report["pairs"] = _pairs_by_kind(examples, score)
    return report


def _agreement(examples: Sequence[Example], score: np.ndarray, target: np.ndarray) -> dict:
    right, total = _ordered_pairs(examples, score)
    return {
        "n": len(examples),
        "spearman": round(float(np.corrcoef(_ranks(score), _ranks(target))[0, 1]), 3),
        "mean_absolute_error": round(float(np.abs(score - target).mean()), 3),
        "pairs_in_order": round(float(right) / max(1, total), 3),
        "pairs": total,
    }


def _ranks(values: np.ndarray) -> np.ndarray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def _groups(examples: Sequence[Example]) -> list[list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for i, e in enumerate(examples):
        groups[e.group].append(i)
    return list(groups.values())


def _ordered_pairs(examples: Sequence[Example], score: np.ndarray) -> tuple[int, int]:
    """Pairs of answers to one prompt whose grades differ: (in the right order, all)."""
    right = total = 0
    for group in _groups(examples):
        for i, j in itertools.combinations(group, 2):
            if abs(examples[i].target - examples[j].target) > 0.009:
                total += 1
                right += int((score[i] > score[j]) == (examples[i].target > examples[j].target))
    return right, total


def _pairs_by_kind(examples: Sequence[Example], score: np.ndarray) -> dict[str, float]:
    """Share in the right order of the pairs that the product promises to order."""
    better = {"full": 0, "complete": 0, "open_full": 0, "yes_no_full": 0, "fragment": 1}
    counts: dict[str, list[int]] = defaultdict(list)
    for group in _groups(examples):
        for i, j in itertools.permutations(group, 2):
            a, b = examples[i], examples[j]
            if a.kind in better and a.target > b.target + 0.009:
                counts[f"{a.kind} > {b.kind}"].append(int(score[i] > score[j]))
    return {k: round(sum(v) / len(v), 3) for k, v in sorted(counts.items())}


if __name__ == "__main__":
    main()
