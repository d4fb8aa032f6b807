"""Fit what another grounding model's reading of long evidence is worth, on claims no training saw.

    python training/calibration/fit_second_reading.py --kept-out RUN/kept_second.npz \
        --model RUN/model --out RUN/model/second_reading.json

`--kept-out` is what kept_out.py wrote with `--other`. Of support's log odds, which stay what the
model's calibration says, the other model's margin is worth one number: a few hundred claims can
tell that, and scores over short evidence, which it does not count for, stay as they are. A fit of
all features anew, of the other margins, or of a weakened calibration was no better where it was
not fitted (docs/decisions/0062). Prints figures of the model alone and of both in five folds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from fit import FOLDS, PRIORS, SUPPORT, Claims, figures, weights_of
from scipy.optimize import minimize_scalar

from toulmin.grounding.pack_scorer import PACK_CALIBRATION, PACK_FEATURES

PENALTY = 3.0
MOST = 2.0


def best_odds(claims: Claims, own: np.ndarray, worth: float) -> np.ndarray:
    """Log odds of each claim's best piece, shape (claims,)."""
    odds = own + worth * claims.features[:, -1]
    return odds[claims.best(odds)]


def fit(claims: Claims, own: np.ndarray) -> float:
    """What the other's margin is worth."""
    truth = claims.labels == SUPPORT
    weights = weights_of(claims.sets, truth.astype(int), PRIORS[SUPPORT])
    spread = claims.features[:, -1].std() + 1e-9

    def loss(worth: float) -> float:
        odds = best_odds(claims, own, worth)
        each = np.where(truth, np.logaddexp(0, -odds), np.logaddexp(0, odds))
        return float(weights @ each + PENALTY / 2 * (worth * spread) ** 2)

    return float(minimize_scalar(loss, bounds=(0.0, MOST), method="bounded").x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept-out", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    with np.load(args.kept_out) as given:
        claims = Claims(*(given[name] for name in ("features", "owner", "labels", "sets")))
    known = json.loads((args.model / PACK_CALIBRATION).read_text(encoding="utf-8"))
    support = known["support"]
    own = claims.features[:, : len(PACK_FEATURES)] @ np.array(support["weights"]) + support["bias"]

    truth = (claims.labels == SUPPORT).astype(int)
    folds = np.random.default_rng(0).permutation(len(truth)) % FOLDS
    both = np.zeros(len(truth))
    for fold in range(FOLDS):
        rest, held = folds != fold, folds == fold
        worth = fit(claims.only(rest), own[rest[claims.owner]])
        both[held] = best_odds(claims.only(held), own[held[claims.owner]], worth)
    shares = weights_of(claims.sets, truth, PRIORS[SUPPORT])
    for name, odds in (("alone", best_odds(claims, own, 0.0)), ("both, five folds", both)):
        print(name, figures(1 / (1 + np.exp(-odds)), truth, shares))
    worth = fit(claims, own)
    print(f"worth {worth:.4f}")
    result = {"model": known["model"], "support": round(worth, 4)}
    args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
