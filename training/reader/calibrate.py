"""Fit the answerability of the reader on rows of articles that it never trained on.

    PYTHONPATH=src python training/reader/calibrate.py --rows RUN/held_out.jsonl.gz \
        --model src/toulmin/models/weights/reader

`--rows` is what `build.py --held-out` wrote. Each row is read alone, and some once more among other
passages. Made-up unanswerable questions are easier than people's: the kinds that keep the passage
and change the question (or the other way round) get most of the weight. Writes
src/toulmin/answering/reading/data/answerability.json and prints figures of a cross-validation in
which all rows of an article are in the same fold. Needs scipy and scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))

from data.text import content_words, sentences
from question_rows import QuestionRow, read_rows

from toulmin.answering.reading.answerability import CALIBRATION_FILE, FEATURE_NAMES, Answerability
from toulmin.answering.reading.reader import Reader
from toulmin.models.reader_model import ReaderModel

PENALTY = 10.0
FOLDS = 5
MOST_BESIDE = 5
# Which way a feature may move the probability; a feature that is not listed is not used.
SIGNS = {
    "margin": 1,
    "log_share": 1,
    "null_log_share": -1,
    "lead": 1,
    "log_windows": -1,
    "support": 1,
    "contradiction": -1,
    "doubted_word": -1,
    "doubted_words": -1,
    "terms_found": 1,
    "numbers_missing": -1,
    "names_missing": -1,
    "heaviest_missing": -1,
    "negation_differs": -1,
    "tightness": 1,
}
# Share of the unanswerable rows' weight, by the kind's beginning.
WEIGHTS = {
    "question_": 0.50,
    "passage_": 0.15,
    "removed": 0.10,
    "elsewhere": 0.15,
    "retrieved": 0.10,
}
PEOPLE = ("squad1_part", "adversarial_qa_part", "qed_nq")
"""Sources of the answerable rows: what people asked, the policies' repeated questions left out."""


@dataclass
class Case:
    """A question with passages; `group` is equal for rows that may share text."""

    question: str
    passages: list[str]
    answerable: bool
    kind: str
    group: int


def cases(rows: list[QuestionRow], rng: random.Random, together: float) -> list[Case]:
    """Every row alone, and a share of them among passages that share words with the question."""
    kept = [r for r in rows if (r.kind in PEOPLE if r.answers else _kind(r.kind) is not None)]
    group = groups(kept)
    found = [
        Case(r.question, [r.evidence], bool(r.answers), r.kind, group[i])
        for i, r in enumerate(kept)
    ]
    pool = [(set(content_words(r.evidence)), group[i], r.evidence) for i, r in enumerate(kept)]
    for i, row in enumerate(kept):
        if rng.random() >= together:
            continue
        asked = set(content_words(row.question))
        others = sorted((p for p in pool if p[1] != group[i]), key=lambda p: -len(asked & p[0]))
        passages = list(dict.fromkeys(text for _, _, text in others[:12]))
        passages = rng.sample(passages, min(len(passages), rng.randint(1, MOST_BESIDE)))
        passages.insert(rng.randint(0, len(passages)), row.evidence)
        found.append(Case(row.question, passages, bool(row.answers), row.kind, group[i]))
    return found


def groups(rows: list[QuestionRow]) -> list[int]:
    """A number for each row; rows that share a question or a sentence have the same."""
    parent = list(range(len(rows)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first: dict[str, int] = {}
    for i, row in enumerate(rows):
        pieces = [row.question.lower(), *(s for s in sentences(row.evidence) if len(s) > 40)]
        for piece in pieces:
            parent[root(i)] = root(first.setdefault(piece, i))
    return [root(i) for i in range(len(rows))]


def _kind(kind: str) -> str | None:
    return next((k for k in WEIGHTS if kind.removeprefix("cloze_").startswith(k)), None)


def weights_of(found: list[Case]) -> np.ndarray:
    """Answerable and unanswerable cases weigh the same in all, the kinds as `WEIGHTS` says."""
    counts = Counter("answer" if c.answerable else _kind(c.kind) for c in found)
    shares = {"answer": 1.0, **WEIGHTS}
    raw = [
        shares[k] / counts[k] for k in ("answer" if c.answerable else _kind(c.kind) for c in found)
    ]
    return np.array(raw) * len(found) / sum(raw)


def features_of(found: list[Case], model: Path) -> np.ndarray:
    reader = Reader(ReaderModel(model), Answerability(np.zeros(len(FEATURE_NAMES)), 0.0))
    rows = []
    for number, case in enumerate(found):
        _, features = reader.examine(case.question, case.passages)
        rows.append(features)
        if number % 200 == 0:
            print(f"read {number} of {len(found)}", file=sys.stderr)
    return np.array(rows)


def fit(
    features: np.ndarray, targets: np.ndarray, weights: np.ndarray, names: list[str]
) -> Answerability:
    """A logistic regression on standardised features whose weights keep to the signs."""
    mean, scale = features.mean(0), features.std(0) + 1e-9
    scaled = (features - mean) / scale

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = scaled @ w[:-1] + w[-1]
        value = (weights * np.where(targets, np.logaddexp(0, -z), np.logaddexp(0, z))).sum()
        wrong = weights * (1 / (1 + np.exp(-z)) - targets)
        gradient = np.append(scaled.T @ wrong + PENALTY * w[:-1], wrong.sum())
        return value + PENALTY / 2 * (w[:-1] ** 2).sum(), gradient

    limits = {1: (0, None), -1: (None, 0), 0: (0, 0)}
    signs = [SIGNS.get(name, 0) if name in names else 0 for name in FEATURE_NAMES]
    bounds = [limits[sign] for sign in signs] + [(None, None)]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, bounds=bounds, method="L-BFGS-B")
    slopes = found.x[:-1] / scale
    return Answerability(slopes, float(found.x[-1] - slopes @ mean))


def predicted(model: Answerability, features: np.ndarray) -> np.ndarray:
    return np.array([model.probability(row) for row in features])


def calibration_error(p: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> float:
    """Expected calibration error over ten equal bins, weighted."""
    which = np.minimum((p * 10).astype(int), 9)
    total = 0.0
    for index in range(10):
        inside = which == index
        if inside.any():
            share = weights[inside].sum() / weights.sum()
            mean = np.average(p[inside], weights=weights[inside])
            hit = np.average(targets[inside], weights=weights[inside])
            total += share * abs(mean - hit)
    return total


def cross_validate(
    found: list[Case], features: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> None:
    """Print what the groups of features are worth on articles that the fit has not seen."""
    fold = np.array([random.Random(case.group).randrange(FOLDS) for case in found])
    alone = np.array([len(case.passages) == 1 for case in found])
    for title, names in (
        ("margin alone", ["margin"]),
        ("span head", list(FEATURE_NAMES[:5])),
        ("all heads", list(FEATURE_NAMES[:9])),
        ("all", list(FEATURE_NAMES)),
    ):
        p = np.zeros(len(found))
        for number in range(FOLDS):
            out = fold == number
            model = fit(features[~out], targets[~out], weights[~out], names)
            p[out] = predicted(model, features[out])
        for part, chosen in (("one passage", alone), ("several", ~alone)):
            auroc = roc_auc_score(targets[chosen], p[chosen], sample_weight=weights[chosen])
            error = calibration_error(p[chosen], targets[chosen], weights[chosen])
            print(f"{title:14} {part:12} AUROC {auroc:.4f}  ECE {error:.4f}  {chosen.sum()} cases")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=CALIBRATION_FILE)
    parser.add_argument("--most", type=int, default=2500, help="rows to read")
    parser.add_argument("--together", type=float, default=0.3, help="share read among others too")
    parser.add_argument("--keep", type=Path, help="file for the features, read if it exists")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    rows = read_rows(args.rows)[: args.most]
    found = cases(rows, random.Random(args.seed), args.together)
    if args.keep and args.keep.exists():
        features = np.load(args.keep)
    else:
        features = features_of(found, args.model)
        if args.keep:
            np.save(args.keep, features)
    targets = np.array([case.answerable for case in found], dtype=int)
    weights = weights_of(found)
    cross_validate(found, features, targets, weights)
    model = fit(features, targets, weights, list(FEATURE_NAMES))
    raw = {
        "model": json.loads((args.model / "spec.json").read_text())["version"],
        "features": list(FEATURE_NAMES),
        "weights": [round(float(w), 6) for w in model.weights],
        "bias": round(model.bias, 6),
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(raw, indent=1))


if __name__ == "__main__":
    main()
