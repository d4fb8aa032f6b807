"""Fit the calibration of the support scorer on pairs that the encoder never trained on.

    python training/calibration/fit.py --rows RUN/rows.jsonl.gz --held-out 3000 \
        --model src/toulmin/models/weights/cross_encoder

`--rows` is what training/cross_encoder/build.py wrote; its first rows are the ones that train.py
holds out. Writes src/toulmin/grounding/data/calibration.json and prints what each group of
features is worth on a fifth of the rows that the fit does not see.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from toulmin.grounding.inputs import PairText, encode_pairs
from toulmin.grounding.support import (
    CALIBRATION_FILE,
    ENCODER_FEATURES,
    feature_names,
    pair_features,
)
from toulmin.models.batcher import TokenBatcher
from toulmin.models.cross_encoder import CrossEncoder

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = range(4)
# Regularisation: strong enough that no lexical feature can outvote the encoder on its own.
INVERSE_PENALTY = 0.1


def read_rows(path: Path, count: int) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in itertools.islice(file, count)]


def features_of(rows: list[dict], folder: Path) -> np.ndarray:
    encoder = CrossEncoder(folder, threads=2)
    batcher = TokenBatcher(encoder, max_batch_tokens=2048)
    pairs = [PairText(row["evidence"], row["claim"], row["context"]) for row in rows]
    encoded = encode_pairs(encoder.tokenizer, pairs, max_tokens=encoder.max_tokens)
    logits = np.array([item.classes for item in batcher.run(encoded)])
    return pair_features(pairs, logits)


class Fit:
    """A logistic regression on standardised features, written in raw units."""

    def __init__(self, features: np.ndarray, targets: np.ndarray, columns: list[int]) -> None:
        self.columns = columns
        chosen = features[:, columns]
        self.mean, self.scale = chosen.mean(0), chosen.std(0) + 1e-9
        self.model = LogisticRegression(C=INVERSE_PENALTY, max_iter=2000)
        self.model.fit((chosen - self.mean) / self.scale, targets)

    def predict(self, features: np.ndarray) -> np.ndarray:
        chosen = (features[:, self.columns] - self.mean) / self.scale
        return self.model.predict_proba(chosen)[:, 1]

    def raw(self, width: int) -> dict:
        weights = np.zeros(width)
        weights[self.columns] = self.model.coef_[0] / self.scale
        bias = float(self.model.intercept_[0] - (self.model.coef_[0] / self.scale) @ self.mean)
        return {"weights": [round(float(w), 6) for w in weights], "bias": round(bias, 6)}


def calibration_error(probabilities: np.ndarray, targets: np.ndarray, bins: int = 10) -> float:
    """Return the expected calibration error over equal-width bins."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    total = 0.0
    for index in range(bins):
        inside = which == index
        if inside.any():
            total += inside.mean() * abs(probabilities[inside].mean() - targets[inside].mean())
    return total


def figures(probabilities: np.ndarray, targets: np.ndarray) -> dict:
    return {
        "auroc": round(float(roc_auc_score(targets, probabilities)), 4),
        "balanced_accuracy": round(
            float(balanced_accuracy_score(targets, probabilities >= 0.5)), 4
        ),
        "ece": round(calibration_error(probabilities, targets), 4),
    }


def report(name: str, features: np.ndarray, targets: np.ndarray) -> dict:
    """Print what each group of features is worth, and return the fit of all on all rows."""
    names = feature_names()
    groups = {
        "encoder": list(range(len(ENCODER_FEATURES))),
        "lexical": list(range(len(ENCODER_FEATURES), len(names))),
        "both": list(range(len(names))),
    }
    cut = len(targets) * 4 // 5
    for group, columns in groups.items():
        fit = Fit(features[:cut], targets[:cut], columns)
        print(f"{name:14} {group:8}", figures(fit.predict(features[cut:]), targets[cut:]))
    return Fit(features, targets, groups["both"]).raw(len(names))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--held-out", type=int, default=3000)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=CALIBRATION_FILE)
    args = parser.parse_args()

    rows = read_rows(args.rows, args.held_out)
    features = features_of(rows, args.model)
    labels = np.array([row["label"] for row in rows])
    support = report("support", features, (labels == SUPPORT).astype(int))
    known = labels != UNSUPPORTED
    contradiction = report(
        "contradiction", features[known], (labels[known] == CONTRADICTION).astype(int)
    )
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(
        json.dumps(
            {
                "model": json.loads((args.model / "spec.json").read_text())["version"],
                "features": list(feature_names()),
                "support": support,
                "contradiction": contradiction,
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
