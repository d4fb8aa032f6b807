"""Fit the calibration of the support scorer on pairs that the encoder never trained on.

    python training/calibration/fit.py --rows RUN/unseen.jsonl.gz --held-out 6000 \
        --model src/toulmin/models/weights/cross_encoder

`--rows` is what training/cross_encoder/unseen.py wrote; its first 6,000 rows are trained on by no
stage. Writes src/toulmin/grounding/data/calibration.json and prints what each group of
features is worth in five-fold cross-validation. Needs scipy and scikit-learn.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from toulmin.grounding.inputs import PairText, encode_pairs
from toulmin.grounding.support import (
    CALIBRATION_FILE,
    ENCODER_FEATURES,
    feature_names,
    pair_features,
)
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = range(4)
PENALTY = 10.0
FOLDS = 5
# Which way a feature may move support: without this, features that say nearly the same thing
# cancel each other out with large weights of opposite sign, and other data pays for it.
# A feature that is not listed is not used.
SUPPORT_SIGNS = {
    "support_margin": 1,
    "contradiction_margin": -1,
    "neutral_margin": -1,
    "terms_found": 1,
    "pairs_found": 1,
    "numbers_found": 1,
    "names_found": 1,
    "numbers_missing": -1,
    "names_missing": -1,
    "heaviest_missing": -1,
    "longest_run": 1,
    "negation_differs": -1,
    "claim_length": -1,
    "tightness": 1,
}
CONTRADICTION_SIGNS = {"support_margin": -1, "contradiction_margin": 1, "neutral_margin": -1}


def read_rows(path: Path, count: int) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in itertools.islice(file, count)]


def features_of(rows: list[dict], folder: Path) -> np.ndarray:
    encoder = CrossEncoder(folder)
    pool = EncoderPool(encoder, workers=0)
    pairs = [PairText(row["evidence"], row["claim"], row["context"]) for row in rows]
    encoded = encode_pairs(encoder.tokenizer, pairs, max_tokens=encoder.max_tokens)
    logits = np.array([item.classes for item in pool.run(encoded)])
    return pair_features(pairs, logits)


class Fit:
    """A logistic regression on standardised features whose weights keep to given signs."""

    def __init__(self, features: np.ndarray, targets: np.ndarray, signs: dict[str, int]) -> None:
        self.signs = [signs.get(name, 0) for name in feature_names()]
        self.mean, self.scale = features.mean(0), features.std(0) + 1e-9
        scaled = (features - self.mean) / self.scale

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            z = scaled @ weights[:-1] + weights[-1]
            value = np.where(targets, np.logaddexp(0, -z), np.logaddexp(0, z)).sum()
            wrong = 1 / (1 + np.exp(-z)) - targets
            gradient = np.append(scaled.T @ wrong + PENALTY * weights[:-1], wrong.sum())
            return value + PENALTY / 2 * (weights[:-1] ** 2).sum(), gradient

        limits = {1: (0, None), -1: (None, 0), 0: (0, 0)}
        bounds = [limits[sign] for sign in self.signs] + [(None, None)]
        found = minimize(loss, np.zeros(len(bounds)), jac=True, bounds=bounds, method="L-BFGS-B")
        self.weights = found.x[:-1] / self.scale
        self.bias = float(found.x[-1] - self.weights @ self.mean)

    def predict(self, features: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(features @ self.weights + self.bias)))

    def raw(self) -> dict:
        weights = [round(float(weight), 6) for weight in self.weights]
        return {"weights": weights, "bias": round(self.bias, 6)}


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
        "ece": round(float(calibration_error(probabilities, targets)), 4),
    }


def report(name: str, features: np.ndarray, targets: np.ndarray, signs: dict[str, int]) -> dict:
    """Print what each group of features is worth, cross-validated; return the fit on all rows."""
    encoder = {key: signs[key] for key in ENCODER_FEATURES}
    lexical = {key: sign for key, sign in signs.items() if key not in encoder}
    for group, chosen in {"encoder": encoder, "lexical": lexical, "all": signs}.items():
        if not chosen:
            continue
        predicted = np.zeros(len(targets))
        for fold in range(FOLDS):
            out = np.arange(len(targets)) % FOLDS == fold
            predicted[out] = Fit(features[~out], targets[~out], chosen).predict(features[out])
        print(f"{name:14} {group:8}", json.dumps(figures(predicted, targets)))
    return Fit(features, targets, signs).raw()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--held-out", type=int, default=6000)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=CALIBRATION_FILE)
    args = parser.parse_args()

    rows = read_rows(args.rows, args.held_out)
    features = features_of(rows, args.model)
    labels = np.array([row["label"] for row in rows])
    support = report("support", features, (labels == SUPPORT).astype(int), SUPPORT_SIGNS)
    known = labels != UNSUPPORTED
    contradiction = report(
        "contradiction",
        features[known],
        (labels[known] == CONTRADICTION).astype(int),
        CONTRADICTION_SIGNS,
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
