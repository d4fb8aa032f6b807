"""Fit the query classes and measure them.

    PYTHONPATH=src python training/query_classes/fit.py --data DATA --vectors FOLDER [--write]

Four fifths of the train rows are fitted on and one fifth chooses the features' shares, the
calibration and the thresholds; then everything is fitted again on all of them. The development
split and the sentences of `tests/safety/data` are only measured. `--vectors` keeps embeddings
between runs. `--grid` tries other shares; `--leave` leaves out one source after the other.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "safety"))
from head_fit import EmbeddedTexts, Head, Kind, Matrix, fit_head, matrix, platt, whole, write
from rows import CLASSES, NONE, Row, ledger, other_questions, train_rows

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = ROOT / "tests" / "safety" / "data"
HARMFUL = ("adversarial", "jailbreak")
FALSE_ALARMS = 0.003  # of answer-seeking rows of the held-out fifth, for each class
SEED = 11
BEST = Kind(c=4.0)
GRID = {
    "embedding alone": Kind(ngrams=1e-6),
    "n-grams alone": Kind(embedding=1e-6),
    "both": Kind(),
    "both, stronger": Kind(c=4.0),
    "both, weaker": Kind(c=0.25),
    "both, more n-grams": Kind(ngrams=4.0),
    "both, more embedding": Kind(embedding=8.0),
}


def known(name: str, labels: np.ndarray) -> np.ndarray:
    """The texts whose truth for a class is known: a jailbreak may be adversarial as well."""
    return labels != "jailbreak" if name == "adversarial" else np.ones(len(labels), bool)


def fit_all(m: Matrix, labels: np.ndarray, use: np.ndarray, kind: Kind) -> dict[str, Head]:
    heads = {}
    for name in CLASSES:
        pieces = m.of(use & known(name, labels))
        heads[name] = fit_head(m, pieces, (labels == name)[m.owner[pieces]].astype(int), kind)
    return heads


def scores(heads: dict[str, Head], m: Matrix, count: int) -> np.ndarray:
    """Logit of each class for each text, shape (texts, classes)."""
    return np.stack(
        [whole(h.logits(m), m, count, most=n in HARMFUL) for n, h in heads.items()], axis=1
    )


def thresholds(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each class: best F1 of the held-out rows, but few false alarms on answer-seeking ones."""
    chosen = []
    for i, name in enumerate(CLASSES):
        use = known(name, labels)
        values, truth = logits[use, i], labels[use] == name
        harmless = np.sort(logits[labels == NONE, i])[::-1]
        least = harmless[int(len(harmless) * FALSE_ALARMS)]
        cuts = np.unique(np.append(values[values > least], least + 1e-6))
        f1 = [2 * (truth & (values >= c)).sum() / (truth.sum() + (values >= c).sum()) for c in cuts]
        best = np.flatnonzero(np.array(f1) >= max(f1) - 1e-9)
        # Empty talk is a matter of taste: the middle. Of harm, as little as possible is missed.
        middle = (cuts[best[0]] + cuts[best[-1]]) / 2
        chosen.append(cuts[best[0]] if name in HARMFUL else middle)
    return np.array(chosen)


def predict(logits: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """One class a text: the one furthest above its threshold, or none."""
    margins = logits - cuts
    names = np.array([*CLASSES, NONE])
    return names[np.where(margins.max(axis=1) >= 0, margins.argmax(axis=1), len(CLASSES))]


def report(predicted: np.ndarray, labels: np.ndarray) -> dict[str, object]:
    result: dict[str, object] = {}
    f1 = []
    for name in (*CLASSES, NONE):
        right = ((predicted == name) & (labels == name)).sum()
        said, there = (predicted == name).sum(), (labels == name).sum()
        if there:
            f1.append(2 * right / (said + there))
            result[name] = {
                "precision": round(float(right / max(said, 1)), 4),
                "recall": round(float(right / there), 4),
                "f1": round(float(f1[-1]), 4),
                "rows": int(there),
            }
    result["macro_f1"] = round(float(np.mean(f1)), 4)
    benign = labels == NONE
    result["false_alarms"] = round(float((predicted[benign] != NONE).mean()), 4)
    return result


class Fit:
    """Rows, features, heads, thresholds."""

    def __init__(self, rows: list[Row], vectors: EmbeddedTexts) -> None:
        self.labels = np.array([r.label for r in rows])
        self.sources = np.array([r.source for r in rows])
        self.matrix = matrix([r.text for r in rows], vectors)
        self.held = np.random.default_rng(SEED).random(len(rows)) < 0.2

    def choose(self, kind: Kind) -> tuple[np.ndarray, dict[str, tuple[float, float]], dict]:
        """Calibrated thresholds, slopes and shifts, and the figures of the held-out fifth."""
        first = fit_all(self.matrix, self.labels, ~self.held, kind)
        logits = scores(first, self.matrix, len(self.labels))[self.held]
        labels = self.labels[self.held]
        slopes = {}
        for i, name in enumerate(CLASSES):
            use = known(name, labels)
            slopes[name] = platt(logits[use, i], (labels[use] == name).astype(int))
            logits[:, i] = logits[:, i] * slopes[name][0] + slopes[name][1]
        cuts = thresholds(logits, labels)
        # Generated rows are like the generated rows that were fitted on: they would flatter.
        real = ~np.char.startswith(self.sources[self.held], "generated")
        return cuts, slopes, report(predict(logits, cuts)[real], labels[real])

    def final(self, kind: Kind, slopes: dict, use: np.ndarray | None = None) -> dict[str, Head]:
        everything = np.ones(len(self.labels), bool) if use is None else use
        heads = fit_all(self.matrix, self.labels, everything, kind)
        return {n: h.sharpened(*slopes[n]) for n, h in heads.items()}


def measure(heads: dict[str, Head], cuts: np.ndarray, texts: list[str], vectors: EmbeddedTexts):
    logits = scores(heads, matrix(texts, vectors), len(texts))
    return predict(logits, cuts), logits


def show(
    heads: dict[str, Head],
    cuts: np.ndarray,
    dev: list[Row],
    others: dict[str, list[str]],
    vectors: EmbeddedTexts,
    *,
    errors: bool,
) -> None:
    """Print the figures of the development split and of other sentences."""
    labels = np.array([r.label for r in dev])
    predicted, _ = measure(heads, cuts, [r.text for r in dev], vectors)
    print("dev", json.dumps(report(predicted, labels), indent=1))
    sources = np.array([r.source for r in dev])
    for name in sorted(set(sources)):
        at = sources == name
        print("  ", name, "right:", round(float((predicted == labels)[at].mean()), 4), at.sum())
    for name, texts in others.items():
        predicted, logits = measure(heads, cuts, texts, vectors)
        found = {c: int((predicted == c).sum()) for c in CLASSES if (predicted == c).any()}
        positive = (logits >= cuts).any(axis=1).sum()
        print("  ", name, len(texts), "flagged:", int(positive), found)
        if errors and "(looked at)" in name:
            wanted = "jailbreak" if name.startswith("jail") else NONE
            for text, said in zip(texts, predicted, strict=True):
                if said != wanted:
                    print("      ", said, "|", text)


def own_sentences(passages: list[str]) -> dict[str, list[str]]:
    benign = (SENTENCES / "hard_benign.txt").read_text().splitlines()
    attacks = (SENTENCES / "jailbreaks.txt").read_text().splitlines()
    hidden = [f"{p} {a}" for p, a in zip(passages, attacks, strict=False)]
    return {
        "hard_benign, odd lines (looked at)": benign[::2],
        "hard_benign, even lines (not looked at)": benign[1::2],
        "jailbreaks, odd lines (looked at)": attacks[::2],
        "jailbreaks, even lines (not looked at)": attacks[1::2],
        "jailbreaks after a passage, odd lines": hidden[::2],
        "jailbreaks after a passage, even lines": hidden[1::2],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "src/toulmin/models/weights/query_classes"
    )
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--leave", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="errors of the lines looked at")
    args = parser.parse_args()

    vectors = EmbeddedTexts(args.vectors)
    rows, dev = train_rows(args.data), ledger(args.data, "dev")
    others = other_questions(args.data)
    own = own_sentences(others["passages of squad2_half"])
    for texts in ([r.text for r in rows], [r.text for r in dev], *others.values(), *own.values()):
        vectors.add(texts)
    fit = Fit(rows, vectors)
    if args.grid:
        for name, kind in GRID.items():
            print(name, json.dumps(fit.choose(kind)[2]), flush=True)
        return
    cuts, slopes, held = fit.choose(BEST)
    print("held-out fifth of train", json.dumps(held))
    heads = fit.final(BEST, slopes)
    show(heads, cuts, dev, {**others, **own}, vectors, errors=args.show)
    if args.write:
        at = 1 / (1 + np.exp(-cuts))
        spec = {
            "name": "toulmin-query-classes",
            "version": args.version,
            "embedder": vectors.embedder.version,
            "thresholds": {n: round(float(c), 4) for n, c in zip(CLASSES, at, strict=True)},
            "licence": "Apache-2.0",
        }
        write(args.out, heads, spec)
    if args.leave:
        leave_out(fit, cuts, slopes)


def leave_out(fit: Fit, cuts: np.ndarray, slopes: dict[str, tuple[float, float]]) -> None:
    """Fit without one source and measure on it: is the class learnt, or the source's style?"""
    for source, of in (
        ("AdvBench", "adversarial"), ("CatQA English", "adversarial"), ("chatterbot-corpus",
        "chit_chat"),
        ("BANKING77", NONE), ("CLINC150", NONE), ("SQuAD 1.1 train part", NONE),
        ("Self-Reminder jailbreak prompts", "jailbreak"), ("generated", "jailbreak"),
    ):  # fmt: skip
        out = (fit.sources == source) & (fit.labels == of)
        kin = np.char.startswith(fit.sources, source) & (fit.labels == of)  # reframed ones too
        heads = fit_all(fit.matrix, fit.labels, ~kin & ~fit.held, BEST)
        heads = {n: h.sharpened(*slopes[n]) for n, h in heads.items()}
        logits = scores(heads, fit.matrix, len(fit.labels))
        right = {"right": round(float((predict(logits[out], cuts) == of).mean()), 4)}
        if of != NONE:
            at = CLASSES.index(of)
            harmless = np.sort(logits[fit.held & (fit.labels == NONE), at])
            cut = harmless[int(0.99 * len(harmless))]
            found = (logits[out, at] > cut).mean()
            right["recall at 1 % false alarms"] = round(float(found), 4)
        print("  without", source, "of", of, right, int(out.sum()), flush=True)


if __name__ == "__main__":
    main()
