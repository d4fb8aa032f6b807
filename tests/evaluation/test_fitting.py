import numpy as np
import pytest

from toulmin.errors import InvalidArgument
from toulmin.evaluation import metrics
from toulmin.evaluation.fitting import (
    fit_map,
    fit_recalibration,
    recommended_threshold,
    require_enough,
)
from toulmin.grounding.recalibration import LogitMap, logit


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def too_sure(count, *, seed, factor=3.0, shift=1.0):
    """Labels drawn from honest probabilities, and scores that exaggerate them."""
    random = np.random.default_rng(seed)
    truth = random.normal(0.0, 1.5, count)
    return random.random(count) < sigmoid(truth), sigmoid(factor * truth + shift)


def examples(scored, count, *, seed, known=False):
    labels, scores = too_sure(count, seed=seed)
    random = np.random.default_rng(seed + 1)
    made = []
    for label, score in zip(labels, scores, strict=True):
        contradicted = None if not known else bool(random.random() < 0.6)
        against = float(sigmoid(2.5 * (1.0 if contradicted else -0.5) + random.normal(0, 2)))
        made.append(scored(label, float(score), [against], contradiction=contradicted))
    return made


def test_the_fit_undoes_what_was_done_to_honest_scores():
    labels, scores = too_sure(5000, seed=0)
    found = fit_map(labels, scores)
    assert found.slope == pytest.approx(1 / 3, abs=0.04)
    assert found.bias == pytest.approx(-1 / 3, abs=0.1)


def test_the_fit_is_the_minimum_of_the_penalised_loss():
    labels, scores = too_sure(80, seed=4)
    found = fit_map(labels, scores)
    high, low = (labels.sum() + 1) / (labels.sum() + 2), 1 / ((~labels).sum() + 2)
    targets = np.where(labels, high, low)

    def loss(slope, bias):
        p = sigmoid(slope * logit(scores) + bias)
        data = -(targets * np.log(p) + (1 - targets) * np.log(1 - p)).sum()
        return data + (slope - 1) ** 2 / (2 * 0.5**2) + bias**2 / (2 * 0.5**2)

    least = loss(found.slope, found.bias)
    for slope in np.linspace(0.05, 2, 60):
        for bias in np.linspace(-2, 2, 60):
            assert loss(slope, bias) >= least - 1e-6


def test_labels_that_go_against_the_scores_do_not_turn_them_round():
    labels, scores = too_sure(400, seed=1)
    found = fit_map(~labels, scores)
    assert 0 < found.slope <= 0.05
    mapped = found.of(np.linspace(0, 1, 50))
    assert (np.diff(mapped) >= 0).all()


def test_few_examples_cannot_wreck_honest_scores():
    """Over many draws of 50, honest scores stay nearly as good as they were."""
    losses = []
    fresh_labels, fresh = too_sure(4000, seed=99, factor=1.0, shift=0.0)
    before = metrics.brier_score(fresh_labels, fresh)
    for seed in range(40):
        labels, scores = too_sure(50, seed=seed, factor=1.0, shift=0.0)
        found = fit_map(labels, scores)
        losses.append(metrics.brier_score(fresh_labels, found.of(fresh)) - before)
    assert np.mean(losses) < 0.006
    assert max(losses) < 0.03


@pytest.mark.parametrize("count", [50, 200])
def test_calibration_gets_better_on_examples_that_were_left_out(scored, count):
    fitted = fit_recalibration(examples(scored, count, seed=3), default_threshold=0.6)
    ece, brier = fitted.of_support.ece, fitted.of_support.brier
    assert ece[1] < ece[0] - 0.05
    assert brier[1] < brier[0]
    fresh_labels, fresh = too_sure(4000, seed=50)
    after = metrics.calibration_error(fresh_labels, fitted.support.of(fresh))
    assert after < 0.5 * metrics.calibration_error(fresh_labels, fresh)
    assert fitted.contradiction == LogitMap()
    assert fitted.of_contradiction is None


def test_what_is_reported_is_out_of_fold(scored):
    """On labels that have nothing to do with scores, a fit looks better inside than outside."""
    random = np.random.default_rng(7)
    labels = random.random(60) < 0.5
    scores = random.random(60)
    items = [scored(y, float(s)) for y, s in zip(labels, scores, strict=True)]
    fitted = fit_recalibration(items, default_threshold=0.6)
    inside = metrics.brier_score(labels, fitted.support.of(scores))
    assert fitted.of_support.brier[1] > inside
    assert fitted.of_support.balanced_accuracy[1] < 0.6


def test_contradiction_is_fitted_where_enough_is_known(scored):
    items = examples(scored, 200, seed=5, known=True)
    fitted = fit_recalibration(items, default_threshold=0.6)
    assert fitted.of_contradiction.examples == 200
    assert fitted.of_contradiction.brier[1] < fitted.of_contradiction.brier[0]
    few = [item for item in items if not item.example.contradiction]
    assert fit_recalibration(few, default_threshold=0.6).of_contradiction is None


def test_the_contradiction_after_is_what_the_check_will_report(scored):
    """Applied to single pairs and discounted by the report, the maps give the fitted numbers."""
    from toulmin.evaluation import fitting
    from toulmin.grounding.report import _given_support
    from toulmin.grounding.support import PairScore

    raw_support, raw_contradiction = 0.3, 0.7
    pair = PairScore(None, raw_support, raw_contradiction, 1.0, None)
    reported = _given_support(pair, raw_support).contradiction
    support, contradiction = LogitMap(0.5, 0.2), LogitMap(0.7, -0.4)
    mapped = PairScore(None, support(raw_support), contradiction(raw_contradiction), 1.0, None)
    expected = _given_support(mapped, mapped.support).contradiction
    table = fitting._table([fitting.Judged(False, True, [raw_support], [reported])])
    assert fitting._discounted(table, support, contradiction) == pytest.approx([expected])


def test_the_same_examples_give_the_same_fit(scored):
    items = examples(scored, 60, seed=2, known=True)
    assert fit_recalibration(items, default_threshold=0.6) == fit_recalibration(
        items, default_threshold=0.6
    )


def test_examples_with_nothing_to_check_are_left_out(scored):
    items = examples(scored, 60, seed=2)
    fitted = fit_recalibration([*items, scored(0, []), scored(1, [])], default_threshold=0.6)
    assert fitted.of_support.examples == 60


def test_too_few_examples_are_refused_with_the_limit(scored):
    with pytest.raises(InvalidArgument, match=r"there are 49 examples .* at least 50"):
        fit_recalibration(examples(scored, 49, seed=1), default_threshold=0.6)
    require_enough([True] * 10 + [False] * 40)
    with pytest.raises(InvalidArgument, match="9 examples have label 0; at least 10"):
        require_enough([True] * 60 + [False] * 9)
    with pytest.raises(InvalidArgument, match="0 examples have label 1"):
        require_enough([False] * 60)


@pytest.mark.parametrize("shift", [-1.5, 0.0, 1.5])
def test_the_recommended_threshold_is_nearly_the_best_for_honest_scores(shift):
    random = np.random.default_rng(3)
    scores = sigmoid(random.normal(shift, 1.5, 20_000))
    labels = random.random(20_000) < scores
    found = metrics.balanced_accuracy(labels, scores, recommended_threshold(labels))
    _, best = metrics.best_threshold(labels, scores, near=0.5)
    assert found > best - 0.004
