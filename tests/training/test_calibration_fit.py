"""A claim counts by its best piece, and each kind of source weighs the same."""

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("sklearn")

from tests.training.modules import load
from toulmin.grounding.support import ENCODER_FEATURES, feature_names

fit = load("calibration/fit.py")


def claims(pieces, labels, sets=None):
    """Claims of (owner, value of the first feature) pieces."""
    features = np.zeros((len(pieces), len(feature_names())))
    features[:, 0] = [value for _, value in pieces]
    owner = np.array([of for of, _ in pieces])
    return fit.Claims(features, owner, np.array(labels), np.array(sets or ["a"] * len(labels)))


GIVEN = claims(
    [(1, 0.5), (0, 0.1), (1, 0.9), (2, -1.0), (0, 0.7), (1, 0.2)], [0, 1, 2], ["x", "y", "z"]
)


def test_best_is_each_claims_highest_piece_in_the_order_of_claims():
    assert GIVEN.best(GIVEN.features[:, 0]).tolist() == [4, 2, 3]
    assert GIVEN.best(-GIVEN.features[:, 0]).tolist() == [1, 5, 3]


def test_only_keeps_the_pieces_of_the_chosen_claims():
    part = GIVEN.only(np.array([False, True, True]))
    assert part.owner.tolist() == [0, 0, 1, 0]
    assert part.features[:, 0].tolist() == [0.5, 0.9, -1.0, 0.2]
    assert (part.labels.tolist(), part.sets.tolist()) == ([1, 2], ["y", "z"])
    assert part.best(part.features[:, 0]).tolist() == [1, 2]


def test_each_kind_of_source_and_each_answer_weighs_the_same():
    sets = np.array(["snli.dev"] * 6 + ["expertqa_domain.val"] * 3 + [fit.GENERATED] * 4)
    targets = np.array([1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0])
    weights = fit.weights_of(sets, targets, 0.5)
    assert weights.sum() == pytest.approx(13)
    sums = [
        weights[(targets == target) & part].sum()
        for part in (sets == "snli.dev", sets == "expertqa_domain.val", sets == fit.GENERATED)
        for target in (0, 1)
    ]
    assert sums == pytest.approx([13 / 6] * 6)


def test_sources_of_one_answer_alone_get_a_weight_too():
    weights = fit.weights_of(np.array(["snli.dev", "other"]), np.array([1, 1]), 0.5)
    assert weights.tolist() == [1.0, 1.0]


def test_the_fit_learns_and_keeps_to_its_signs():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 300)
    pieces = [(i, 2.0 * (labels[i] == 0) + rng.normal()) for i in range(300)]
    pieces += [(i, -9.0) for i in range(300)]  # a poor piece more says nothing of the claim
    given = claims(pieces, labels, ["snli.dev"] * 150 + ["other"] * 150)
    first = ENCODER_FEATURES[0]
    right = fit.fit(given, fit.SUPPORT, {first: 1})
    assert right.weights[0] > 0.5
    assert not right.weights[1:].any()
    p = fit.predict(right, given)
    assert p.shape == (300,)
    assert p[labels == 0].mean() > p[labels != 0].mean() + 0.2
    assert fit.fit(given, fit.SUPPORT, {first: -1}).weights[0] == 0


def test_calibration_error():
    p, even = np.array([0.05, 0.05, 0.95, 0.95]), np.ones(4)
    assert fit.calibration_error(p, np.array([0, 0, 1, 1]), even) == pytest.approx(0.05)
    assert fit.calibration_error(p, np.array([1, 1, 0, 0]), even) == pytest.approx(0.95)
    assert fit.calibration_error(
        p, np.array([1, 0, 1, 1]), np.array([0, 1, 1, 1])
    ) == pytest.approx(0.05)
