"""Fit the calibration of the support scorer on claims that the encoder never trained on.

    python training/calibration/fit.py --kept-out RUN/kept_out.npz \
        --model RUN/model \
        --out RUN/model/calibration.json

`--kept-out` is what kept_out.py wrote: labelled claims with all pieces of evidence that the
product reads for them. A claim counts by its best piece, as in the product, so that reading more
pieces of a long document does not make a score too high. `--rows` (small cross-encoder only) are
generated rows; of these, too, only claims that no stage saw are used. Writes the calibration and
prints cross-validated figures, and figures with each source left out in turn. Needs scipy and
scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from toulmin.grounding.inputs import PairText, encode_pairs
from toulmin.grounding.pack_scorer import PACK_FEATURES
from toulmin.grounding.support import (
    CALIBRATION_FILE,
    ENCODER_FEATURES,
    feature_names,
    pair_features,
)
from toulmin.models.cross_encoder import CrossEncoder
from toulmin.models.encoder_pool import EncoderPool

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cross_encoder"))

from data.rows import QUESTION, Row, is_kept_out, read_rows

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = range(4)
PENALTIES = {SUPPORT: 10.0, CONTRADICTION: 6.0}
"""Of squared weights. For contradiction less is better in five folds (decision 0040)."""
FOLDS = 5
ROUNDS = 4
GENERATED = "generated"
WRITTEN = (GENERATED, "written", "written_among", "written_elsewhere", "written_among_elsewhere")
CONTRASTS = "contrasts"
# Short sentence pairs, documents, and written or generated claims count a third each, whatever
# their number.
JAPANESE = ("jsick_ja.train", "jnli_ja.dev", "janli_ja.train")
SHORT = ("snli.dev", "cad_snli.train", "mnli_m.dev", "fever_dev.dev", "conjnli.train")
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
# Words in common are no reason to believe a paraphrase, and with them the score can be forced:
# beside the two models, only what is missing counts against a claim.
PACK_SUPPORT_SIGNS = {
    **{
        name: SUPPORT_SIGNS[name]
        for name in (*ENCODER_FEATURES, "numbers_missing", "names_missing")
    },
    **{f"heeded_{name}": SUPPORT_SIGNS[name] for name in ENCODER_FEATURES},
}
# How often a claim is supported, and how often one is contradicted that is not supported, where
# nothing else is known: most claims that facts do not support are merely not in them.
PRIORS = {SUPPORT: 0.5, CONTRADICTION: 0.2}
CONTRADICTION_SIGNS = {"support_margin": -1, "contradiction_margin": 1, "neutral_margin": -1}
PACK_CONTRADICTION_SIGNS = {
    **CONTRADICTION_SIGNS,
    **{f"small_{name}": sign for name, sign in CONTRADICTION_SIGNS.items()},
}


@dataclass
class Claims:
    """Claims with their pieces of evidence: `owner[i]` is the claim that `features[i]` is of."""

    features: np.ndarray
    owner: np.ndarray
    labels: np.ndarray
    sets: np.ndarray

    def best(self, scores: np.ndarray) -> np.ndarray:
        """Index of each claim's highest-scoring piece."""
        order = np.lexsort((scores, self.owner))
        last = np.append(self.owner[order][1:] != self.owner[order][:-1], True)
        return order[last]

    def only(self, chosen: np.ndarray) -> Claims:
        """The claims of a mask over claims."""
        pieces = chosen[self.owner]
        number = np.cumsum(chosen) - 1
        return Claims(
            self.features[pieces],
            number[self.owner[pieces]],
            self.labels[chosen],
            self.sets[chosen],
        )


def read_claims(kept_out: Path, rows: list[Row], folder: Path) -> Claims:
    """Labelled claims and generated ones, in one."""
    with np.load(kept_out) as given:
        claims = Claims(*(given[name] for name in ("features", "owner", "labels", "sets")))
    if not rows:
        return claims
    encoder = CrossEncoder(folder)
    pool = EncoderPool(encoder, workers=0)
    pairs = [PairText(row.evidence, row.claim, row.context) for row in rows]
    encoded = encode_pairs(encoder.tokenizer, pairs, max_tokens=encoder.max_tokens)
    features = pair_features(pairs, np.array([item.classes for item in pool.run(encoded)]))
    return Claims(
        np.concatenate([claims.features, features]),
        np.append(claims.owner, len(claims.labels) + np.arange(len(rows))),
        np.append(claims.labels, [row.label for row in rows]),
        np.append(claims.sets, [GENERATED] * len(rows)),
    )


def weights_of(sets: np.ndarray, targets: np.ndarray, share: float) -> np.ndarray:
    """Equal weight for short pairs, documents, generated rows; in each, `share` for positives.

    Contrast sets, where there are any, weigh as much as one of these, and claims in other languages
    than English as two.
    """
    group = np.where(np.isin(sets, WRITTEN), 2, np.where(np.isin(sets, SHORT), 0, 1))
    group[np.char.endswith(sets, "_elsewhere") | np.isin(sets, JAPANESE)] = 3
    group[sets == CONTRASTS] = 4
    weights = np.zeros(len(sets))
    for kind, weight in enumerate((1, 1, 1, 2, 1)):
        for target in (0, 1):
            inside = (group == kind) & (targets == target)
            if inside.any():
                weights[inside] = weight * (share if target else 1 - share) / inside.sum()
    return weights * len(sets) / weights.sum()


class Fit:
    """A logistic regression on standardised features whose weights keep to given signs."""

    def __init__(
        self,
        features: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
        signs: dict[str, int],
        penalty: float = PENALTIES[SUPPORT],
    ) -> None:
        limits = {1: (0, None), -1: (None, 0), 0: (0, 0)}
        self.mean, self.scale = features.mean(0), features.std(0) + 1e-9
        scaled = (features - self.mean) / self.scale

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            z = scaled @ w[:-1] + w[-1]
            each = np.where(targets, np.logaddexp(0, -z), np.logaddexp(0, z))
            wrong = weights * (1 / (1 + np.exp(-z)) - targets)
            gradient = np.append(scaled.T @ wrong + penalty * w[:-1], wrong.sum())
            return float(weights @ each + penalty / 2 * (w[:-1] ** 2).sum()), gradient

        names = (*PACK_FEATURES,)[: features.shape[1]]
        bounds = [limits[signs.get(name, 0)] for name in names] + [(None, None)]
        found = minimize(loss, np.zeros(len(bounds)), jac=True, bounds=bounds, method="L-BFGS-B")
        self.weights = found.x[:-1] / self.scale
        self.bias = float(found.x[-1] - self.weights @ self.mean)

    def logits(self, features: np.ndarray) -> np.ndarray:
        return features @ self.weights + self.bias

    def raw(self) -> dict:
        weights = [round(float(weight), 6) for weight in self.weights]
        return {"weights": weights, "bias": round(self.bias, 6)}


def fit(claims: Claims, target: int, signs: dict[str, int]) -> Fit:
    """Fit on each claim's best piece; which one is best follows from the fit before."""
    margin = feature_names().index(ENCODER_FEATURES[target])
    scores = claims.features[:, margin]
    truth = (claims.labels == target).astype(int)
    weights = weights_of(claims.sets, truth, PRIORS[target])
    for _ in range(ROUNDS):
        best = claims.best(scores)
        found = Fit(claims.features[best], truth, weights, signs, PENALTIES[target])
        scores = found.logits(claims.features)
    return found


def predict(found: Fit, claims: Claims) -> np.ndarray:
    """Probability of each claim, shape (claims,)."""
    scores = found.logits(claims.features)
    return 1 / (1 + np.exp(-scores[claims.best(scores)]))


def calibration_error(
    probabilities: np.ndarray, targets: np.ndarray, weights: np.ndarray, bins: int = 10
) -> float:
    """Return the expected calibration error over equal-width bins, claims weighted."""
    which = np.minimum((probabilities * bins).astype(int), bins - 1)
    total = 0.0
    for index in range(bins):
        inside = which == index
        if inside.any():
            share = weights[inside] / weights[inside].sum()
            gap = abs(share @ probabilities[inside] - share @ targets[inside])
            total += weights[inside].sum() / weights.sum() * gap
    return total


def figures(probabilities: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> dict:
    auroc = roc_auc_score(targets, probabilities, sample_weight=weights)
    return {
        "auroc": round(float(auroc), 4),
        "balanced_accuracy": round(
            float(balanced_accuracy_score(targets, probabilities >= 0.5, sample_weight=weights)),
            4,
        ),
        "ece": round(float(calibration_error(probabilities, targets, weights)), 4),
    }


def cross_validate(claims: Claims, target: int, signs: dict[str, int], name: str) -> None:
    """Print figures in five folds, and of each source by a fit that never saw the source."""
    truth = (claims.labels == target).astype(int)
    folds = np.random.default_rng(0).permutation(len(truth)) % FOLDS
    predicted = np.zeros(len(truth))
    for fold in range(FOLDS):
        predicted[folds == fold] = predict(
            fit(claims.only(folds != fold), target, signs), claims.only(folds == fold)
        )
    weights = weights_of(claims.sets, truth, PRIORS[target])
    print(f"{name:14} five folds", figures(predicted, truth, weights))
    errors = []
    for source in sorted(set(claims.sets)):
        out = claims.sets == source
        if len(set(truth[out])) < 2:
            continue
        held = claims.only(out)
        held_truth = truth[out]
        guess = predict(fit(claims.only(~out), target, signs), held)
        found = figures(guess, held_truth, np.ones(len(held_truth)))
        errors.append(found)
        print(f"   without {source:24} {out.sum():5}", found)
    mean = {key: round(float(np.mean([e[key] for e in errors])), 4) for key in errors[0]}
    print(f"{name:14} mean of sources left out", mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept-out", type=Path, required=True)
    parser.add_argument("--rows", type=Path, action="append", default=[])
    parser.add_argument("--most", type=int, default=3000, help="generated rows to use")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=CALIBRATION_FILE)
    args = parser.parse_args()

    rows = [
        row
        for path in args.rows
        for row in read_rows(path)
        if is_kept_out(row.claim) and row.label != QUESTION
    ][: args.most]
    claims = read_claims(args.kept_out, rows, args.model)
    # Of supported claims support already says that they are not contradicted (`_given_support` in
    # grounding/report.py). Fitted against all others, contradiction would learn to be "not
    # supported", and no longer tell what is denied from what is not said.
    known = claims.only(np.isin(claims.labels, (CONTRADICTION, NEUTRAL)))
    encoder = {key: SUPPORT_SIGNS[key] for key in ENCODER_FEATURES}
    cross_validate(claims, SUPPORT, encoder, "encoder alone")
    packed = (args.model / "words.npy").exists()
    signs = PACK_SUPPORT_SIGNS if packed else SUPPORT_SIGNS
    against = PACK_CONTRADICTION_SIGNS if packed else CONTRADICTION_SIGNS
    cross_validate(claims, SUPPORT, signs, "support")
    cross_validate(known, CONTRADICTION, against, "contradiction")
    result = {
        "model": json.loads((args.model / "spec.json").read_text())["version"],
        "features": list(PACK_FEATURES if packed else feature_names()),
        "support": fit(claims, SUPPORT, signs).raw(),
        "contradiction": fit(known, CONTRADICTION, against).raw(),
    }
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
