"""Fit the answerability of a grounding model that reads, on questions that no training saw.

    PYTHONPATH=src python training/grounding_model/calibrate_open.py --data DATA \
        --packs RUN/kept_packs.jsonl.gz --model RUN/model [--english]

Give the multilingual model the kept-out packs of `asked.py --across` and `translated.py`, too.
Each question meets its passage alone, and its passage among others that share most words with it;
an answerable one also meets those others without its own, which do not answer it. Writes
answerability.json into the model's folder and prints five-fold figures.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from asked import ACROSS, KIND
from packs import NONE, read_packs
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score
from sources import QUESTIONS, QUESTIONS_ELSEWHERE, read_jsonl

from toulmin.answering.reading.answerability import load_answerability
from toulmin.answering.reading.by_language import is_english
from toulmin.answering.reading.open_reader import ANSWERABILITY, OPEN_FEATURES, OpenReader
from toulmin.models.grounding_encoder import GroundingEncoder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))
from data.rows import is_kept_out
from data.text import content_words

PENALTY = 3.0
FOLDS = 5
OTHERS = 4
CONTRASTS = {KIND, ACROSS}
BOTH = 2
FREE = 2
FEWEST = 60
"""Cases from which on a kind of them has as much weight as the others; a handful would decide."""
SIGNS = {
    "odds": 1,
    "share": 1,
    "lead": 1,
    "log_windows": -1,
    "terms_found": 1,
    "numbers_missing": -1,
    "names_missing": -1,
    "heaviest_missing": -1,
    "across": FREE,
}
"""The way that each may count; others not at all."""


@dataclass
class Case:
    question: str
    passages: list[str]
    answerable: bool
    written: bool
    kind: str


def cases(
    data: Path,
    packs: Sequence[Path],
    sets: Sequence[str],
    most: int,
    most_written: int,
    *,
    english: bool,
) -> Iterator[Case]:
    """Questions with what is read of them: both in English, or one of them at least not."""
    rng = random.Random(1)
    asked: list[tuple[str, str, bool, bool, str]] = []
    alike = set()
    for pack in (pack for path in packs for pack in read_packs(path)):
        if pack.kind in CONTRASTS:
            alike.add(pack.evidence)
        for query in pack.queries:
            if query.answer is not None and is_english(query.text, [pack.evidence]) == english:
                answerable = query.answer != NONE
                asked.append((query.text, pack.evidence, answerable, True, query.kind))
    asked = rng.sample(asked, min(most_written, len(asked)))
    for name in sets:
        records = [
            record
            for record in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz")
            if is_kept_out(record["question"])
        ]
        for record in rng.sample(records, min(most, len(records))):
            asked.append((record["question"], record["context"], True, False, name))
    passages = list(dict.fromkeys(context for _, context, *_ in asked))
    words = [set(content_words(text)) for text in passages]
    for question, own, answerable, written, kind in asked:
        told = set(content_words(question))
        order = sorted(range(len(passages)), key=lambda i: (-len(told & words[i]), i))
        # The other contexts of a set of contrasts may well answer its questions.
        others = [passages[i] for i in order if passages[i] != own and passages[i] not in alike][
            :OTHERS
        ]
        yield Case(question, [own], answerable, written, kind)
        among = list(others)
        among.insert(rng.randint(0, len(among)), own)
        if rng.random() < 0.5:
            yield Case(question, among, answerable, written, f"{kind} among others")
        if answerable and rng.random() < 0.5:
            yield Case(question, others, answerable=False, written=written, kind="retrieved")


class Fit:
    """A logistic regression whose weights keep to given signs."""

    def __init__(self, x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        limits = {1: (0, None), -1: (None, 0), 0: (0, 0), FREE: (None, None)}
        mean, scale = x.mean(0), x.std(0) + 1e-9
        z = (x - mean) / scale

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            logit = z @ w[:-1] + w[-1]
            each = np.where(y, np.logaddexp(0, -logit), np.logaddexp(0, logit))
            wrong = weights * (1 / (1 + np.exp(-logit)) - y)
            gradient = np.append(z.T @ wrong + PENALTY * w[:-1], wrong.sum())
            return float(weights @ each + PENALTY / 2 * (w[:-1] ** 2).sum()), gradient

        bounds = [limits[SIGNS.get(name, 0)] for name in OPEN_FEATURES] + [(None, None)]
        found = minimize(loss, np.zeros(len(bounds)), jac=True, bounds=bounds, method="L-BFGS-B")
        self.weights = found.x[:-1] / scale
        self.bias = float(found.x[-1] - self.weights @ mean)

    def predict(self, x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-(x @ self.weights + self.bias)))


def weights_of(
    written: np.ndarray, several: np.ndarray, across: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Written and other questions, one passage and several, in one language and across, both
    answers: equal weight to each.

    What is served reads several passages; with most cases of one passage, a fit takes several for
    a sign that there is no answer.
    """
    cell = 8 * across + 4 * written + 2 * several + y
    weights = np.zeros(len(y))
    for index in np.unique(cell):
        inside = cell == index
        weights[inside] = 1.0 / max(inside.sum(), FEWEST)
    return weights * len(y) / weights.sum()


def calibration_error(p: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    which = np.minimum((p * 10).astype(int), 9)
    total = 0.0
    for index in range(10):
        inside = which == index
        if inside.any():
            share = weights[inside] / weights[inside].sum()
            total += weights[inside].sum() * abs(share @ p[inside] - share @ y[inside])
    return total / weights.sum()


def show(
    found: list[Case], p: np.ndarray, y: np.ndarray, weights: np.ndarray, across: np.ndarray
) -> None:
    """Print how good the probabilities are, by where the questions come from and by kind."""
    written = np.array([case.written for case in found])
    several = np.array([len(case.passages) > 1 for case in found])
    sides = {"written": written, "ledger": ~written, "several": several, "across": across}
    for name, side in sides.items():
        if len(set(y[side])) < BOTH:
            continue
        auroc = roc_auc_score(y[side], p[side])
        error = calibration_error(p[side], y[side], weights[side])
        print(f"{name:10} {side.sum():5} AUROC {auroc:.3f} calibration error {error:.3f}")
    for name, side in (("across", several & across), ("in one language", several & ~across)):
        if len(set(y[side])) < BOTH:
            continue
        for least in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
            said = p[side] >= least
            has = y[side]
            print(
                f"  several, {name}, from {least:.2f}: {said[has].mean():.2f} of those with an"
                f" answer, {said[~has].mean():.2f} of the others"
            )
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for case, probability in zip(found, p, strict=True):
        by_kind[case.kind].append((probability >= 0.5) == case.answerable)
    for kind, right in sorted(by_kind.items()):
        if len(right) >= 10:
            print(f"  {kind:40} {len(right):5} right {np.mean(right):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--packs", type=Path, required=True, action="append", help="may repeat")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--most", type=int, default=150, help="questions of each set of the ledger")
    parser.add_argument("--most-written", type=int, default=10_000, help="written questions")
    parser.add_argument("--english", action="store_true", help="for the English model")
    parser.add_argument("--words-of", type=Path, help="model whose words a reader has")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    out = args.model / ANSWERABILITY

    if not out.exists():
        empty = {"features": list(OPEN_FEATURES), "weights": [0.0] * len(OPEN_FEATURES), "bias": 0}
        out.write_text(json.dumps(empty))
    encoder = GroundingEncoder(args.model, words_of=args.words_of, workers=args.threads)
    reader = OpenReader(encoder, load_answerability(out, OPEN_FEATURES))
    sets = QUESTIONS if args.english else QUESTIONS_ELSEWHERE
    wanted = cases(args.data, args.packs, sets, args.most, args.most_written, english=args.english)
    found = [(c, reader.examine(c.question, c.passages).features) for c in wanted]
    found = [(case, features) for case, features in found if len(features)]
    x = np.array([features for _, features in found])
    y = np.array([case.answerable for case, _ in found])
    written = np.array([case.written for case, _ in found])
    several = np.array([len(case.passages) > 1 for case, _ in found])
    across = x[:, OPEN_FEATURES.index("across")] > 0
    weights = weights_of(written, several, across, y)
    # All cases of a question's passage are in one fold.
    names = {text: i for i, text in enumerate(dict.fromkeys(c.passages[0] for c, _ in found))}
    folds = np.array([names[case.passages[0]] for case, _ in found]) % FOLDS
    p = np.zeros(len(y))
    for fold in range(FOLDS):
        rest = folds != fold
        p[~rest] = Fit(x[rest], y[rest], weights[rest]).predict(x[~rest])
    show([case for case, _ in found], p, y, weights, across)
    final = Fit(x, y, weights)
    result = {
        "model": json.loads((args.model / "spec.json").read_text())["version"],
        "features": list(OPEN_FEATURES),
        "weights": [round(float(weight), 6) for weight in final.weights],
        "bias": round(final.bias, 6),
    }
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
