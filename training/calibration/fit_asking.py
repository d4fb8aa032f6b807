"""Fit what the values of the evidence are worth, asked for in the places of a claim's own.

    python training/calibration/fit_asking.py --data DATA --model RUN/model \
        --packs RUN/kept_packs.jsonl.gz --pairs contrasts=RUN/contrasts_kept.jsonl.gz \
        --pairs tables=RUN/tables_kept.jsonl.gz --unseen stated=RUN/stated_kept.jsonl.gz \
        --out RUN/model/asking.json

The claims are those that no training stage saw, as in kept_out.py, of which only those with a
value (`grounding/asking/values.py`) count; each set counts the same, those named by --unseen only
in the figures. What is fitted is added to the
log odds that the calibration gives a claim's best piece of evidence: agreement may raise support
and lower contradiction, difference the reverse. Prints AUROC and balanced accuracy at .5 of each
set before and after, the set left out while the weights were fitted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from kept_out import MOST, Model, ledger_items, pair_text, pieces_of, written_items
from scipy.optimize import minimize
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from toulmin.domain import Fact
from toulmin.grounding.asking.agreement import agreements
from toulmin.grounding.asking.values import asked_values
from toulmin.grounding.claims import split_claims
from toulmin.grounding.evidence import select_evidence
from toulmin.grounding.pack_scorer import PACK_FEATURES
from toulmin.grounding.subjects import spell_out
from toulmin.grounding.support import load_calibration
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.models.static_embedder import StaticEmbedder

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = range(4)
LEDGER = "ledger"
PENALTY = 5.0
"""Of squared weights, beside a mean loss of all sets times the number of claims."""

Item = tuple[str, int, str, list[Fact]]


def pair_items(name: str, path: Path) -> Iterator[Item]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            pack = json.loads(line)
            for query in pack["queries"]:
                if query["label"] is not None:
                    yield name, query["label"], query["text"], [Fact(pack["evidence"])]


def measured(items: list[Item], folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sets, labels, and log odds of both with the parts of agreement, by claim."""
    model = Model(folder, threads=1)
    calibration = load_calibration(folder / "calibration.json", PACK_FEATURES)
    embedder = StaticEmbedder(EMBEDDED_WEIGHTS / "static_embedder")
    names, labels, rows = [], [], []
    for name, label, text, facts in items:
        claims = [found for found in split_claims(text) if found.needs_check]
        if len(claims) != 1 or not facts:
            continue
        read = spell_out(claims[0])
        (found,) = select_evidence([read], facts, embedder=embedder, budget=model.budget(1))
        if not found:
            continue
        pairs = [pair_text(read, pieces_of(item, facts))[0] for item in found]
        support, contradiction = calibration.probabilities(model.features(pairs))
        best = int(np.argmax(support))
        (agreed,) = agreements(model.encoder, [(pairs[best].claim, pairs[best].evidence)])
        odds = [np.log(p / (1 - p)) for p in (support[best], contradiction[best])]
        names.append(name)
        labels.append(label)
        rows.append([*odds, agreed.agrees, agreed.differs, agreed.differs_new])
    return np.array(names), np.array(labels), np.array(rows)


def fitted(odds: np.ndarray, asked: np.ndarray, target: np.ndarray, sets: np.ndarray, sign: int):
    """Return the weights, that of agreement of `sign`, those of difference against it."""
    counts = {name: (sets == name).sum() for name in set(sets)}
    weight = np.array([len(sets) / len(counts) / counts[name] for name in sets])

    def loss(w: np.ndarray) -> float:
        z = odds + asked @ w
        return float((weight * (np.logaddexp(0, z) - target * z)).sum() + PENALTY * (w**2).sum())

    up, down = (0, None), (None, 0)
    bounds = [up, down, down] if sign > 0 else [down, up, up]
    return minimize(loss, np.zeros(3), bounds=bounds).x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--packs", type=Path, required=True, help="kept-out written passages")
    parser.add_argument("--pairs", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--unseen", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--most", type=int, default=220, help="claims of each set")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    groups: dict[str, list[Item]] = {
        LEDGER: [(LEDGER, *rest) for _, *rest in ledger_items(args.data, MOST)]
    }
    groups["written"] = [("written", *rest) for _, *rest in written_items(args.packs)]
    for given in [*args.pairs, *args.unseen]:
        name, _, path = given.partition("=")
        groups[name] = list(pair_items(name, Path(path)))
    items: list[Item] = []
    for group in groups.values():
        asked = [item for item in group if asked_values(item[2])]
        random.Random(5).shuffle(asked)
        items += asked[: args.most]
    sets, labels, rows = measured(items, args.model)
    is_fitted = ~np.isin(sets, [given.partition("=")[0] for given in args.unseen])
    weights = {}
    for task, column, sign in (("support", 0, 1), ("contradiction", 1, -1)):
        known = (
            np.ones(len(labels), bool)
            if task == "support"
            else np.isin(labels, (CONTRADICTION, NEUTRAL))
        )
        target = (labels == (SUPPORT if task == "support" else CONTRADICTION)).astype(float)
        odds, asked = rows[:, column], rows[:, 2:]
        for name in dict.fromkeys(sets):
            here, rest = known & (sets == name), known & (sets != name) & is_fitted
            if len(set(target[here])) < 2:
                continue
            w = fitted(odds[rest], asked[rest], target[rest], sets[rest], sign)
            report(task, name, target[here], odds[here], odds[here] + asked[here] @ w)
        kept = known & is_fitted
        w = fitted(odds[kept], asked[kept], target[kept], sets[kept], sign)
        weights[task] = [round(float(x), 4) for x in w]
    print(weights)
    args.out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def report(task: str, name: str, target: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
    figures = [
        f"{roc_auc_score(target, z):.3f} {balanced_accuracy_score(target, z >= 0):.3f}"
        for z in (before, after)
    ]
    print(f"{task:14}{name:12}{len(target):5}  before {figures[0]}  after {figures[1]}", flush=True)


if __name__ == "__main__":
    main()
