"""Fit the safety ratings' heads and measure them.

    PYTHONPATH=src python training/safety/fit.py --data DATA --vectors FOLDER [--write]

Four fifths of the train rows are fitted on; one fifth calibrates. Then everything is fitted again
on all of them. The development rows and the sentences of `tests/safety/data` are only measured.
`--leave` leaves out one source after the other; `--grid` tries other features.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent))
from head_fit import EmbeddedTexts, Head, Kind, fit_head, matrix, platt, sigmoid, whole, write
from ratings_rows import CATEGORIES, Row, dev_rows, train_rows
from rows import other_questions

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = ROOT / "tests" / "safety" / "data"
SEED = 12
BEST = Kind()
GRID = {
    "embedding alone": Kind(ngrams=1e-6),
    "n-grams alone": Kind(embedding=1e-6),
    "both": Kind(),
    "both, stronger": Kind(c=4.0),
    "both, weaker": Kind(c=0.25),
    "both, more n-grams": Kind(ngrams=4.0),
}
LEVELS = (0.25, 0.5, 0.8)  # least calibrated probability of LOW, MEDIUM, HIGH


class Fit:
    def __init__(self, rows: list[Row], vectors: EmbeddedTexts) -> None:
        self.rows = rows
        self.matrix = matrix([r.text for r in rows], vectors)
        self.truth = {
            name: np.array([r.labels.get(name, np.nan) for r in rows], dtype=float)
            for name in CATEGORIES
        }
        self.sources = np.array([r.source for r in rows])
        self.held = np.random.default_rng(SEED).random(len(rows)) < 0.2

    def head(self, name: str, use: np.ndarray, kind: Kind) -> Head:
        pieces = self.matrix.of(use & ~np.isnan(self.truth[name]))
        labels = self.truth[name][self.matrix.owner[pieces]].astype(int)
        return fit_head(self.matrix, pieces, labels, kind)

    def logits(self, head: Head) -> np.ndarray:
        return whole(head.logits(self.matrix), self.matrix, len(self.rows), most=True)

    def slope(self, name: str, kind: Kind) -> tuple[float, float, float]:
        """Slope, shift, and AUROC of the held-out fifth."""
        logits = self.logits(self.head(name, ~self.held, kind))
        use = self.held & ~np.isnan(self.truth[name])
        truth = self.truth[name][use].astype(int)
        return *platt(logits[use], truth), float(roc_auc_score(truth, logits[use]))


def calibration_error(scores: np.ndarray, truth: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((scores * 10).astype(int), 9)
    return float(
        sum(abs((scores - truth)[bins == b].sum()) for b in range(10)) / max(len(scores), 1)
    )


def figures(scores: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    flagged = scores >= LEVELS[1]
    result = {
        "rows": len(truth),
        "positive": int(truth.sum()),
        "recall at MEDIUM": round(float(flagged[truth == 1].mean()), 3) if truth.any() else None,
        "false alarms at MEDIUM": (
            round(float(flagged[truth == 0].mean()), 4) if not truth.all() else None
        ),
        "ece": round(calibration_error(scores, truth), 3),
    }
    if 0 < truth.sum() < len(truth):
        result["auroc"] = round(float(roc_auc_score(truth, scores)), 3)
    return result


def measure(heads: dict[str, Head], rows: list[Row], vectors: EmbeddedTexts) -> None:
    m = matrix([r.text for r in rows], vectors)
    sources = np.array([r.source for r in rows])
    for name, head in heads.items():
        scores = sigmoid(whole(head.logits(m), m, len(rows), most=True))
        truth = np.array([r.labels.get(name, np.nan) for r in rows], dtype=float)
        known = ~np.isnan(truth)
        print("dev", name, json.dumps(figures(scores[known], truth[known].astype(int))))
        for source in sorted(set(sources[known])):
            at = known & (sources == source)
            print("   ", source, json.dumps(figures(scores[at], truth[at].astype(int))))


def alarms(heads: dict[str, Head], data: Path, vectors: EmbeddedTexts) -> None:
    """Ratings of harmless texts: our own sentences, and passages and questions."""
    own = (SENTENCES / "hard_benign.txt").read_text(encoding="utf-8").splitlines()
    for label, texts in {"hard_benign": own, **other_questions(data)}.items():
        vectors.add(texts)
        m = matrix(texts, vectors)
        for name, head in heads.items():
            scores = sigmoid(whole(head.logits(m), m, len(texts), most=True))
            counts = [int((scores >= cut).sum()) for cut in LEVELS]
            print(label, name, f"of {len(texts)}: at least LOW, MEDIUM, HIGH", counts)


def leave_out(fit: Fit, slopes: dict[str, tuple[float, float, float]]) -> None:
    """Fit without one source and measure on it: is the category learnt, or the source's style?"""
    for name in CATEGORIES:
        known = ~np.isnan(fit.truth[name])
        for source in ("Davidson", "HatemojiBuild", "Vicomtech", "AdvBench", "CatQA English"):
            out = known & (fit.sources == source)
            if out.any() and (fit.truth[name][known & ~out] == 1).any():
                head = fit.head(name, ~out, BEST).sharpened(*slopes[name][:2])
                scores, truth = sigmoid(fit.logits(head)[out]), fit.truth[name][out].astype(int)
                print("without", source, name, json.dumps(figures(scores, truth)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "src/toulmin/models/weights/safety_ratings"
    )
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--leave", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()

    vectors = EmbeddedTexts(args.vectors)
    rows, dev = train_rows(args.data), dev_rows(args.data)
    vectors.add([r.text for r in [*rows, *dev]])
    fit = Fit(rows, vectors)
    if args.grid:
        for label, kind in GRID.items():
            found = {name: round(fit.slope(name, kind)[2], 4) for name in CATEGORIES}
            print(label, "AUROC of the held-out fifth", json.dumps(found), flush=True)
        return
    slopes = {name: fit.slope(name, BEST) for name in CATEGORIES}
    print("slope, shift, AUROC of the held-out fifth", slopes)
    everything = np.ones(len(rows), bool)
    heads = {
        name: fit.head(name, everything, BEST).sharpened(*slopes[name][:2]) for name in CATEGORIES
    }
    measure(heads, dev, vectors)
    alarms(heads, args.data, vectors)
    if args.write:
        spec = {
            "name": "toulmin-safety-ratings",
            "version": args.version,
            "embedder": vectors.embedder.version,
            "levels": {name: list(LEVELS) for name in CATEGORIES},
            "licence": "Apache-2.0",
        }
        write(args.out, heads, spec)
    if args.leave:
        leave_out(fit, slopes)


if __name__ == "__main__":
    main()
