import itertools

import numpy as np
import pytest

from toulmin.evaluation import metrics


def arrays(labels, scores):
    return np.array(labels, dtype=bool), np.array(scores, dtype=float)


def random_arrays(seed, count=60):
    random = np.random.default_rng(seed)
    # Few distinct values, so that there are ties.
    return random.random(count) < 0.4, random.integers(0, 12, count) / 12


def test_a_worked_example():
    labels, scores = arrays([1, 1, 1, 0, 0], [0.9, 0.6, 0.2, 0.7, 0.1])
    point = metrics.sweep_point(labels, scores, 0.6)
    # Passing: 0.9, 0.6 of three supported; 0.7 of two unsupported.
    assert point.false_strip_rate == pytest.approx(1 / 3)
    assert point.false_pass_rate == pytest.approx(1 / 2)
    assert point.balanced_accuracy == pytest.approx((2 / 3 + 1 / 2) / 2)
    # Pairs won: 0.9 twice, 0.6 once, 0.2 once, of six.
    assert metrics.auroc(labels, scores) == pytest.approx(4 / 6)
    expected = (0.1**2 + 0.4**2 + 0.8**2 + 0.7**2 + 0.1**2) / 5
    assert metrics.brier_score(labels, scores) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_auroc_is_the_share_of_pairs_won_and_ties_count_half(seed):
    labels, scores = random_arrays(seed)
    pairs = itertools.product(scores[labels], scores[~labels])
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs]
    assert metrics.auroc(labels, scores) == pytest.approx(np.mean(won))


def test_auroc_ends():
    assert metrics.auroc(*arrays([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4])) == 1
    assert metrics.auroc(*arrays([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])) == 0
    assert metrics.auroc(*arrays([1, 0], [0.5, 0.5])) == 0.5


@pytest.mark.parametrize("labels", [[1, 1], [0, 0], []])
def test_what_needs_both_labels_is_unknown_without(labels):
    labels, scores = arrays(labels, [0.4, 0.6][: len(labels)])
    assert metrics.auroc(labels, scores) is None
    assert metrics.auroc_variance(labels, scores) is None
    assert metrics.best_threshold(labels, scores, near=0.6) is None
    assert metrics.balanced_accuracy(labels, scores, 0.5) is None
    assert metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=0) is None


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_is_better_than_the_best(seed):
    labels, scores = random_arrays(seed)
    threshold, accuracy = metrics.best_threshold(labels, scores, near=0.6)
    assert metrics.balanced_accuracy(labels, scores, threshold) == pytest.approx(accuracy)
    tried = [metrics.balanced_accuracy(labels, scores, t) for t in np.linspace(0, 1, 500)]
    assert accuracy >= max(tried) - 1e-12


def test_of_equally_good_thresholds_the_nearest_is_taken():
    labels, scores = arrays([0, 0, 1, 1], [0.1, 0.3, 0.8, 0.9])
    assert metrics.best_threshold(labels, scores, near=0.6) == (0.6, 1.0)
    threshold, _ = metrics.best_threshold(labels, scores, near=0.2)
    assert threshold == pytest.approx((0.3 + 0.8) / 2)


def test_the_variance_of_auroc_is_that_of_resampled_items():
    random = np.random.default_rng(0)
    labels = np.arange(300) < 120
    scores = 1 / (1 + np.exp(-random.normal(labels * 1.0, 1.0)))
    high, low = scores[labels], scores[~labels]
    values = [
        metrics.auroc(
            labels, np.concatenate([random.choice(high, len(high)), random.choice(low, len(low))])
        )
        for _ in range(2000)
    ]
    assert metrics.auroc_variance(labels, scores) == pytest.approx(np.var(values), rel=0.12)


def test_the_interval_of_auroc_stays_in_range():
    interval = metrics.interval_of_auroc(0.99, 0.01)
    assert interval.high == 1
    assert interval.low == pytest.approx(0.99 - 1.96 * 0.1, abs=1e-3)


def test_draws_are_the_same_for_the_same_seed_and_cover_the_figure():
    labels, scores = random_arrays(1, 400)
    draws = metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=3)
    assert np.array_equal(draws, metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=3))
    assert not np.array_equal(draws, metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=4))
    interval = metrics.interval_of_draws(draws)
    assert interval.low < metrics.balanced_accuracy(labels, scores, 0.5) < interval.high


def test_draws_agree_with_a_bootstrap_on_many_items():
    random = np.random.default_rng(5)
    labels, scores = random_arrays(2, 1000)
    values = []
    for _ in range(1500):
        chosen = random.integers(len(labels), size=len(labels))
        values.append(metrics.balanced_accuracy(labels[chosen], scores[chosen], 0.5))
    expected = np.quantile(values, [0.025, 0.975])
    interval = metrics.interval_of_draws(
        metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=0)
    )
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.006)


def test_few_items_without_a_mistake_are_not_certain():
    labels, scores = arrays([1] * 5 + [0] * 5, [0.9] * 5 + [0.1] * 5)
    interval = metrics.interval_of_draws(
        metrics.balanced_accuracy_draws(labels, scores, 0.5, seed=0)
    )
    assert interval.low < 0.9


def test_calibration_error_by_hand():
    # Bin 0.1..0.2: scores .10, .15 (mean .125), none true. Bin 0.9..1: .9, 1.0 (mean .95), half.
    labels, scores = arrays([0, 0, 1, 0], [0.1, 0.15, 0.9, 1.0])
    expected = (2 * 0.125 + 2 * 0.45) / 4
    assert metrics.calibration_error(labels, scores) == pytest.approx(expected)
    bins = metrics.reliability(labels, scores)
    assert [part.count for part in bins] == [0, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (bins[9].score, bins[9].share) == (pytest.approx(0.95), 0.5)
    assert bins[5].score is None
    assert metrics.calibration_error(*arrays([], [])) is None


def test_honest_scores_have_little_calibration_error():
    random = np.random.default_rng(0)
    scores = random.random(20_000)
    labels = random.random(20_000) < scores
    assert metrics.calibration_error(labels, scores) < 0.02
    assert metrics.calibration_error(labels, scores**3) > 0.15


def test_sweep_and_histogram():
    labels, scores = arrays([1, 0, 1], [1.0, 0.0, 0.5])
    points = metrics.sweep(labels, scores)
    assert [points[0].threshold, points[-1].threshold, len(points)] == [0, 1, 101]
    assert (points[0].false_pass_rate, points[0].false_strip_rate) == (1, 0)
    assert (points[100].false_pass_rate, points[100].false_strip_rate) == (0, 0.5)
    strips = [point.false_strip_rate for point in points]
    assert strips == sorted(strips), "a higher threshold never strips less"
    counts = metrics.histogram(scores)
    assert (len(counts), sum(counts), counts[0], counts[10], counts[19]) == (20, 3, 1, 1, 1)


def test_percentile():
    assert metrics.percentile([1.0, 2.0, 3.0], 50) == 2
    assert metrics.percentile([], 50) is None


def test_a_worked_difference_of_two_curves():
    labels, scores = arrays([1, 1, 0, 0], [0.9, 0.8, 0.1, 0.2])
    others = np.array([1.0, 0.5, 0.5, 0.0])
    value, interval = metrics.auroc_difference(labels, scores, others)
    # Pairs won: all four; three and a tie.
    assert value == pytest.approx(1 - 3.5 / 4)
    # Placements differ by 0 and 1/4 in either label: variance 1/32, over two items, twice.
    half = 1.959964 * np.sqrt(1 / 32)
    assert [interval.low, interval.high] == pytest.approx([value - half, value + half])


def test_the_interval_of_a_difference_is_that_of_resampled_items():
    random = np.random.default_rng(1)
    labels = np.arange(300) < 120
    shared = random.normal(size=300)
    scores, others = shared + labels, shared + 0.5 * labels + random.normal(size=300)
    value, interval = metrics.auroc_difference(labels, scores, others)
    values = []
    for _ in range(1500):
        chosen = np.concatenate([random.integers(0, 120, 120), random.integers(120, 300, 180)])
        mine, theirs = scores[chosen], others[chosen]
        values.append(metrics.auroc(labels, mine) - metrics.auroc(labels, theirs))
    expected = np.quantile(values, [0.025, 0.975])
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.012)
    assert value == pytest.approx(metrics.auroc(labels, scores) - metrics.auroc(labels, others))


def test_a_difference_without_variance_has_no_interval():
    labels, scores = arrays([1, 1, 0, 0], [0.9, 0.8, 0.1, 0.2])
    assert metrics.auroc_difference(labels, scores, scores) == (0, None)
    one = arrays([1, 0, 0], [0.9, 0.1, 0.2])
    assert metrics.auroc_difference(*one, np.zeros(3)) == (0.5, None)
    assert metrics.auroc_difference(*arrays([1, 1], [0.5, 0.6]), np.zeros(2)) is None


@pytest.mark.parametrize(("high", "low"), [(5, 5), (3, 40), (200, 100)])
def test_the_interval_of_a_perfect_curve_solves_newcombes_equation(high, low):
    labels, scores = arrays([1] * high + [0] * low, [0.9] * high + [0.1] * low)
    interval = metrics.auroc_interval(labels, scores)
    assert interval.high == 1
    value, half = interval.low, (high + low) / 2
    # The variance as his paper has it.
    spread = 2 * half - 1 - (3 * half - 3) / ((2 - value) * (1 + value))
    deviation = np.sqrt(value * (1 - value) * spread / (high * low))
    assert 1 - value == pytest.approx(1.959964 * deviation)
    mirrored = metrics.auroc_interval(~labels, scores)
    assert [mirrored.low, mirrored.high] == pytest.approx([0, 1 - value])


def test_the_interval_of_any_other_curve_is_delongs():
    labels, scores = random_arrays(3)
    value, variance = metrics.auroc(labels, scores), metrics.auroc_variance(labels, scores)
    assert metrics.auroc_interval(labels, scores) == metrics.interval_of_auroc(value, variance)
    assert metrics.auroc_interval(labels, np.full(len(labels), 0.5)) is None, "all tie"
    assert metrics.auroc_interval(*arrays([1, 0, 0], [0.9, 0.1, 0.2])) is None


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [(0.0, 10, 0.0, 0.2775), (0.5, 10, 0.2366, 0.7634), (1.0, 10, 0.7225, 1.0)],
)
def test_the_interval_of_a_share(share, count, low, high):
    interval = metrics.wilson_interval(share, count)
    assert [interval.low, interval.high] == pytest.approx([low, high], abs=1e-4)
