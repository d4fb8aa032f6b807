"""Fit the query classes and measure them.

    PYTHONPATH=src python training/query_classes/fit.py --data DATA --vectors FOLDER [--write]

Each fifth of the train rows is scored by a network fitted on the other four; these scores choose
the calibration and the thresholds. Then everything is fitted again on all rows. The development
split, the kept-out half of `written.jsonl`, the kept-out fifth of the twins and the sentences of
`tests/safety/data` are only measured. `--vectors` keeps embeddings between runs. `--grid` tries
other networks; `--leave` leaves out one source after the other; `--errors` prints what was wrong
among the fitted rows' fifths; `--twins` fits on the twins, too (decision 0039: not shipped).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "safety"))
from head_fit import EmbeddedTexts, platt
from network_fit import Kind, Matrix, Weights, fit_network, matrix, whole, write
from rows import CLASSES, FOLDS, NONE, SENTENCES, Row, ledger, other_questions, train_rows
from twins import Twin, parts, twins
from written_queries import LANGUAGES, Written, halves, written

from toulmin.safety.features import readings_of

ROOT = Path(__file__).resolve().parents[2]
HARMFUL = ("adversarial", "jailbreak")
FALSE_ALARMS = dict(zip(CLASSES, (0.002, 0.002, 0.001, 0.003), strict=True))  # of harmless rows
WEIGHTS = {"written": 3.0, "twins": 3.0}  # of a row, where it is not 1
BEST = Kind()
GRID = {
    "as shipped": Kind(),
    "no hidden layer": Kind(units=0),
    "no concepts": Kind(concepts=False),
    "no n-grams": Kind(ngrams=0.0),
    "256 units": Kind(units=256),
    "24 epochs": Kind(epochs=24),
    "one network": Kind(networks=1),
    "other seeds": Kind(seed=11),
}


def known(name: str, labels: np.ndarray) -> np.ndarray:
    """The texts whose truth for a class is known: a jailbreak may be adversarial as well."""
    return labels != "jailbreak" if name == "adversarial" else np.ones(len(labels), bool)


def truth(labels: np.ndarray) -> np.ndarray:
    """Shape (texts, classes): 0, 1, or NaN where it is not known."""
    columns = [np.where(known(n, labels), labels == n, np.nan) for n in CLASSES]
    return np.stack(columns, axis=1).astype(float)


def scores(fitted: Weights, m: Matrix, count: int) -> np.ndarray:
    """Logit of each class for each text, shape (texts, classes)."""
    logits = fitted.logits(m)
    most, least = (whole(logits, m, count, most=most) for most in (True, False))
    return np.where([name in HARMFUL for name in CLASSES], most, least)


def thresholds(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each class: best F1 of the scored rows, but few false alarms on answer-seeking ones."""
    chosen = []
    for i, name in enumerate(CLASSES):
        use = known(name, labels)
        values, right = logits[use, i], labels[use] == name
        harmless = np.sort(logits[labels == NONE, i])[::-1]
        least = harmless[int(len(harmless) * FALSE_ALARMS[name])]
        cuts = np.unique(np.append(values[values > least], least + 1e-6))
        f1 = [2 * (right & (values >= c)).sum() / (right.sum() + (values >= c).sum()) for c in cuts]
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


def found(logits: np.ndarray, cuts: np.ndarray, labels: np.ndarray) -> dict[str, str]:
    """Of each class, in how many texts it was seen; of the others, in how many any class was."""
    positive, result = logits >= cuts, {}
    for i, name in enumerate((*CLASSES, NONE)):
        of = labels == name
        hits = positive[of].any(axis=1) if name == NONE else positive[of, i]
        if of.any():
            result[name] = f"{int(hits.sum())} of {int(of.sum())} = {hits.mean():.3f}"
    return result


class Fit:
    """Rows, features, networks, thresholds."""

    def __init__(self, rows: list[Row], vectors: EmbeddedTexts) -> None:
        self.rows = rows
        self.labels = np.array([r.label for r in rows])
        self.sources = np.array([r.source for r in rows])
        self.folds = np.array([r.fold for r in rows])
        # Generated rows are like the generated rows that were fitted on: they would flatter.
        self.real = ~np.char.startswith(self.sources, "generated")
        self.matrix = matrix([r.text for r in rows], vectors)
        self.weights = np.array([WEIGHTS.get(r.source, 1.0) for r in rows])

    def weights_of(self, use: np.ndarray, kind: Kind) -> Weights:
        pieces = self.matrix.of(use)
        owner = self.matrix.owner[pieces]
        return fit_network(
            self.matrix, pieces, truth(self.labels)[owner], self.weights[owner], kind
        )

    def held_out(self, kind: Kind) -> np.ndarray:
        """Each text's logits by a network that was not fitted on its fifth."""
        logits = np.zeros((len(self.labels), len(CLASSES)))
        for fold in range(FOLDS):
            of = self.folds == fold
            logits[of] = scores(self.weights_of(~of, kind), self.matrix, len(self.labels))[of]
        return logits

    def choose(self, kind: Kind) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Slopes, shifts and thresholds, and the calibrated logits that they were chosen on."""
        logits = self.held_out(kind)
        slopes, shifts = np.ones(len(CLASSES)), np.zeros(len(CLASSES))
        for i, name in enumerate(CLASSES):
            use = known(name, self.labels) & self.real
            slopes[i], shifts[i] = platt(logits[use, i], (self.labels[use] == name).astype(int))
        logits = logits * slopes + shifts
        # A false alarm at a twin is no measure of how many there will be: it was written to be one.
        use = self.real & (self.sources != "twins")
        return slopes, shifts, thresholds(logits[use], self.labels[use]), logits

    def show_held_out(self, logits: np.ndarray, cuts: np.ndarray, *, errors: bool) -> None:
        predicted = predict(logits, cuts)
        print("fifths", json.dumps(report(predicted[self.real], self.labels[self.real])))
        for source in WEIGHTS:
            of = self.sources == source
            if not of.any():
                continue
            print("fifths,", source, json.dumps(found(logits[of], cuts, self.labels[of])))
        if errors:
            of = np.isin(self.sources, list(WEIGHTS))
            for i in np.flatnonzero(of & (predicted != self.labels)):
                print("   ", self.labels[i], "taken for", predicted[i], "|", self.rows[i].text)


def measure(fitted: Weights, cuts: np.ndarray, texts: list[str], vectors: EmbeddedTexts):
    logits = scores(fitted, matrix(texts, vectors), len(texts))
    return predict(logits, cuts), logits


def show(
    fitted: Weights,
    cuts: np.ndarray,
    dev: list[Row],
    others: dict[str, list[str]],
    vectors: EmbeddedTexts,
) -> None:
    """Print the figures of the development split and of other sentences."""
    labels = np.array([r.label for r in dev])
    predicted, _ = measure(fitted, cuts, [r.text for r in dev], vectors)
    print("dev", json.dumps(report(predicted, labels), indent=1))
    sources = np.array([r.source for r in dev])
    for name in sorted(set(sources)):
        at = sources == name
        print("  ", name, "right:", round(float((predicted == labels)[at].mean()), 4), at.sum())
    for name, texts in others.items():
        predicted, logits = measure(fitted, cuts, texts, vectors)
        of = {c: int((predicted == c).sum()) for c in CLASSES if (predicted == c).any()}
        positive = (logits >= cuts).any(axis=1).sum()
        print("  ", name, len(texts), "flagged:", int(positive), of)


def show_kept_out(
    fitted: Weights, cuts: np.ndarray, rows: list[Written], vectors: EmbeddedTexts
) -> None:
    """Print what was found in the half of the written queries that nothing was fitted on."""
    _, logits = measure(fitted, cuts, [r.text for r in rows], vectors)
    labels, langs = np.array([r.label for r in rows]), np.array([r.lang for r in rows])
    rounds = np.array([r.round for r in rows])
    print("kept out", json.dumps(found(logits, cuts, labels), indent=1))
    for lang in LANGUAGES:
        of = langs == lang
        print("  ", lang, json.dumps(found(logits[of], cuts, labels[of])))
    for number in sorted(set(rounds)):
        of = rounds == number
        print("  round", number, json.dumps(found(logits[of], cuts, labels[of])))


def in_order(scores: np.ndarray, rows: list[Twin]) -> str:
    """Of the pairs of a harmful and a harmless query of one group, how many are in order.

    `scores` has a number for each row and class that rises with the class's logit.
    """
    hits = []
    for group in dict.fromkeys(row.group for row in rows):
        at = [i for i, row in enumerate(rows) if row.group == group]
        harmless = [i for i in at if rows[i].label == NONE]
        for i in (i for i in at if rows[i].label != NONE):
            column = CLASSES.index(rows[i].label)
            hits += [bool(scores[i, column] > scores[j, column]) for j in harmless]
    return f"{sum(hits)} of {len(hits)} = {np.mean(hits):.3f}"


def show_twins(fitted: Weights, cuts: np.ndarray, rows: list[Twin], vectors: EmbeddedTexts) -> None:
    """Print what was found in the twins that nothing was fitted on, and the order in pairs."""
    _, logits = measure(fitted, cuts, [r.text for r in rows], vectors)
    labels = np.array([r.label for r in rows])
    print("twins kept out", json.dumps(found(logits, cuts, labels)), in_order(logits, rows))


def own_sentences(passages: list[str]) -> dict[str, list[str]]:
    benign = (SENTENCES / "hard_benign.txt").read_text(encoding="utf-8").splitlines()
    attacks = (SENTENCES / "jailbreaks.txt").read_text(encoding="utf-8").splitlines()
    hidden = [f"{p} {a}" for p, a in zip(passages, attacks, strict=False)]
    return {
        "hard_benign, odd lines": benign[::2],
        "hard_benign, even lines": benign[1::2],
        "jailbreaks, odd lines": attacks[::2],
        "jailbreaks, even lines": attacks[1::2],
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
    parser.add_argument("--version", default="2.0.0")
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--leave", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--errors", action="store_true")
    args = parser.parse_args()

    vectors = EmbeddedTexts(args.vectors)
    rows, dev = train_rows(args.data, with_twins=args.twins), ledger(args.data, "dev")
    kept_out, kept_twins = halves(written())[1], parts(twins())[1]
    others = other_questions(args.data)
    own = own_sentences(others["passages of squad2_half"])
    for texts in (
        [r.text for r in [*rows, *dev, *kept_out, *kept_twins]],
        *others.values(),
        *own.values(),
    ):
        vectors.add(texts, readings_of)
    fit = Fit(rows, vectors)
    if args.grid:
        for name, kind in GRID.items():
            print(name, flush=True)
            *_, cuts, logits = fit.choose(kind)
            fit.show_held_out(logits, cuts, errors=False)
        return
    slopes, shifts, cuts, logits = fit.choose(BEST)
    fit.show_held_out(logits, cuts, errors=args.errors)
    fitted = fit.weights_of(np.ones(len(rows), bool), BEST).sharpened(slopes, shifts).rounded()
    show(fitted, cuts, dev, {**others, **own}, vectors)
    show_kept_out(fitted, cuts, kept_out, vectors)
    show_twins(fitted, cuts, kept_twins, vectors)
    if args.write:
        at = 1 / (1 + np.exp(-cuts))
        spec = {
            "name": "toulmin-query-classes",
            "version": args.version,
            "embedder": vectors.embedder.version,
            "thresholds": {n: round(float(c), 4) for n, c in zip(CLASSES, at, strict=True)},
            "licence": "Apache-2.0",
        }
        write(args.out, fitted, CLASSES, spec)
    if args.leave:
        leave_out(fit, logits, cuts, slopes, shifts)


def leave_out(
    fit: Fit, held_out: np.ndarray, cuts: np.ndarray, slopes: np.ndarray, shifts: np.ndarray
) -> None:
    """Fit without one source and measure on it: is the class learnt, or the source's style?"""
    for source, of in (
        ("AdvBench", "adversarial"), ("CatQA English", "adversarial"),
        ("generated deeds", "adversarial"), ("chatterbot-corpus", "chit_chat"),
        ("BANKING77", NONE), ("CLINC150", NONE), ("SQuAD 1.1 train part", NONE),
        ("Self-Reminder jailbreak prompts", "jailbreak"), ("generated", "jailbreak"),
        ("written", "adversarial"), ("written", "jailbreak"),
    ):  # fmt: skip
        out = (fit.sources == source) & (fit.labels == of)
        kin = np.char.startswith(fit.sources, source) & (fit.labels == of)  # reframed ones too
        made_of = {row.text for row, gone in zip(fit.rows, kin, strict=True) if gone}
        kin |= np.array([row.group in made_of for row in fit.rows])  # and their glosses
        fitted = fit.weights_of(~kin, BEST).sharpened(slopes, shifts)
        logits = scores(fitted, fit.matrix, len(fit.labels))
        right = {"right": round(float((predict(logits[out], cuts) == of).mean()), 4)}
        if of != NONE:
            at = CLASSES.index(of)
            harmless = np.sort(held_out[fit.real & (fit.labels == NONE), at])
            cut = harmless[int(0.99 * len(harmless))]
            right["recall at 1 % false alarms"] = round(float((logits[out, at] > cut).mean()), 4)
        print("  without", source, "of", of, right, int(out.sum()), flush=True)


if __name__ == "__main__":
    main()
