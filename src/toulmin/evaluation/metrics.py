"""Figures about a scorer: how well it tells supported from unsupported, and whether it is sure.

Labels are boolean, true for what should score high; an item passes when its score is at least the
threshold. A figure that needs both labels, or any item, is None where they are missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

BINS = 10
HISTOGRAM_BINS = 20
SWEEP_STEPS = 100
_DRAWS = 4000
_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Items whose scores are alike.

    Attributes:
        low: Lower bound of the scores, inclusive.
        high: Upper bound, exclusive except for 1.
        count: Items.
        score: Their mean score; None without items.
        share: Share of them that is labelled true; None without items.
    """

    low: float
    high: float
    count: int
    score: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The errors at one threshold; rates in [0, 1], None without items of that label."""

    threshold: float
    balanced_accuracy: float | None
    false_pass_rate: float | None
    false_strip_rate: float | None


def sweep_point(labels: BoolArray, scores: FloatArray, threshold: float) -> SweepPoint:
    """Return the error rates when items from `threshold` on pass."""
    passes = scores >= threshold
    false_pass = float(passes[~labels].mean()) if (~labels).any() else None
    false_strip = float((~passes[labels]).mean()) if labels.any() else None
    balanced = None
    if false_pass is not None and false_strip is not None:
        balanced = 1 - (false_pass + false_strip) / 2
    return SweepPoint(threshold, balanced, false_pass, false_strip)


def balanced_accuracy(labels: BoolArray, scores: FloatArray, threshold: float) -> float | None:
    """Return the mean of the shares of true items that pass and of false ones that do not."""
    return sweep_point(labels, scores, threshold).balanced_accuracy


def balanced_accuracy_draws(
    labels: BoolArray, scores: FloatArray, threshold: float, *, seed: int
) -> FloatArray | None:
    """Return balanced accuracies as they might have come out with other items; shape (draws,).

    Each class's rate is drawn from its Beta posterior with Jeffreys' prior. A plain bootstrap
    would call 5 hits of 5 certain; this does not, and for more items they agree.

    Source: Brown, Cai and DasGupta 2001, Interval Estimation for a Binomial Proportion.
    """
    if labels.all() or not labels.any():
        return None
    passes = scores >= threshold
    random = np.random.default_rng(seed)
    rates = []
    for hits in (passes[labels], ~passes[~labels]):
        right = int(hits.sum())
        rates.append(random.beta(right + 0.5, len(hits) - right + 0.5, size=_DRAWS))
    draws: FloatArray = (rates[0] + rates[1]) / 2
    return draws


def interval_of_draws(draws: FloatArray) -> Interval:
    """Return the central 95 % of the draws."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return Interval(float(low), float(high))


def best_threshold(
    labels: BoolArray, scores: FloatArray, *, near: float
) -> tuple[float, float] | None:
    """Return the threshold of the highest balanced accuracy, and that accuracy.

    Args:
        labels: Shape (items,).
        scores: Shape (items,), in [0, 1].
        near: Of equally good thresholds, the one nearest to this is taken: itself if it is one of
            them, else one halfway between two neighbouring scores.
    """
    if labels.all() or not labels.any():
        return None
    order = np.argsort(scores, kind="stable")
    values, first = np.unique(scores[order], return_index=True)
    # Candidate k passes the items from the k-th distinct value on; candidate 0 passes all.
    strips = np.concatenate([[0], np.cumsum(labels[order])])[first] / labels.sum()
    stops = np.concatenate([[0], np.cumsum(~labels[order])])[first] / (~labels).sum()
    accuracies = (1 - strips + stops) / 2
    # Every threshold above `lows` and up to `values` lets the same items pass.
    lows = np.concatenate([[0.0], values[:-1]])
    best = np.flatnonzero(accuracies >= accuracies.max() - 1e-12)
    distances = np.maximum(np.maximum(lows[best] - near, near - values[best]), 0)
    chosen = best[np.argmin(distances)]
    if lows[chosen] < near <= values[chosen]:
        return near, float(accuracies[chosen])
    return float((lows[chosen] + values[chosen]) / 2), float(accuracies[chosen])


def auroc(labels: BoolArray, scores: FloatArray) -> float | None:
    """Return how often a true item scores above a false one; ties count half."""
    placed = _placements(labels, scores)
    return None if placed is None else float(placed[0].mean())


def auroc_variance(labels: BoolArray, scores: FloatArray) -> float | None:
    """Return the variance of `auroc` over samples of items; None with under 2 of a label.

    Source: DeLong, DeLong and Clarke-Pearson 1988, equations 5 and 6, for one curve.
    """
    placed = _placements(labels, scores)
    if placed is None or min(len(placed[0]), len(placed[1])) < 2:
        return None
    return float(sum(part.var(ddof=1) / len(part) for part in placed))


def auroc_difference(
    labels: BoolArray, scores: FloatArray, others: FloatArray
) -> tuple[float, Interval | None] | None:
    """Return by how much the AUROC of `scores` is above that of `others`, and its interval.

    Both score the same items, so that most of the chance in which items there are cancels out.
    The interval is None where the items show no variance: under 2 of a label, or all of them
    placed alike by both.

    Source: DeLong, DeLong and Clarke-Pearson 1988, equation 8.
    """
    placed, placed_others = _placements(labels, scores), _placements(labels, others)
    if placed is None or placed_others is None:
        return None
    value = float(placed[0].mean() - placed_others[0].mean())
    if min(len(placed[0]), len(placed[1])) < 2:
        return value, None
    gaps = [mine - theirs for mine, theirs in zip(placed, placed_others, strict=True)]
    half = _NORMAL_95 * math.sqrt(sum(float(gap.var(ddof=1)) / len(gap) for gap in gaps))
    return value, Interval(max(-1.0, value - half), min(1.0, value + half)) if half else None


def interval_of_auroc(value: float, variance: float) -> Interval:
    """Return the normal interval about an AUROC, within [0, 1]."""
    half = _NORMAL_95 * math.sqrt(variance)
    return Interval(max(0.0, value - half), min(1.0, value + half))


def auroc_interval(labels: BoolArray, scores: FloatArray) -> Interval | None:
    """Return the interval of `auroc`; None with under 2 of a label, or when all scores tie.

    DeLong's, except for an AUROC of 1 or 0: his variance is 0 there, which would call it certain
    because it came out so in a handful of items.
    """
    value, variance = auroc(labels, scores), auroc_variance(labels, scores)
    if value is None or variance is None:
        return None
    if value in {0.0, 1.0}:
        low = _lowest_beneath_perfect(int(labels.sum()), int((~labels).sum()))
        return Interval(low, 1.0) if value else Interval(0.0, 1 - low)
    return interval_of_auroc(value, variance) if variance else None


def _lowest_beneath_perfect(high: int, low: int) -> float:
    """Return the lowest AUROC of which a sample of these sizes may well show 1.

    It is where 1 is 1.96 standard deviations above; found by halving.

    Source: Newcombe 2006, Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2, method 5.
    """
    more = (high + low) / 2 - 1
    below, above = 0.0, 1.0
    for _ in range(50):
        value = (below + above) / 2
        spread = 1 + more * ((1 - value) / (2 - value) + value / (1 + value))
        variance = value * (1 - value) * spread / (high * low)
        if 1 - value > _NORMAL_95 * math.sqrt(variance):
            below = value
        else:
            above = value
    return below


def wilson_interval(share: float, count: int) -> Interval:
    """Return the interval of a share of `count` items, at least one.

    Source: Wilson 1927, Probable Inference, the Law of Succession, and Statistical Inference.
    """
    z2 = _NORMAL_95**2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = (z2 * (share * (1 - share) / count + z2 / (4 * count**2))) ** 0.5 / (1 + z2 / count)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def _placements(labels: BoolArray, scores: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return for each true item the share of false ones below it, and for each false the converse.

    Shapes (true items,) and (false items,).
    """
    if labels.all() or not labels.any():
        return None
    high, low = scores[labels], scores[~labels]
    return _share_below(high, low), 1 - _share_below(low, high)


def _share_below(values: FloatArray, others: FloatArray) -> FloatArray:
    """Return for each of `values` the share of `others` below it; equal ones count half."""
    others = np.sort(others)
    below = np.searchsorted(others, values, side="left")
    up_to = np.searchsorted(others, values, side="right")
    share: FloatArray = (below + up_to) / (2 * len(others))
    return share


def reliability(labels: BoolArray, scores: FloatArray, *, bins: int = BINS) -> list[Bin]:
    """Return `bins` bins of equal width; a score on a bound is in the upper bin, 1 in the last."""
    index = np.minimum((scores * bins).astype(int), bins - 1)
    result = []
    for number in range(bins):
        inside = index == number
        count = int(inside.sum())
        score = float(scores[inside].mean()) if count else None
        share = float(labels[inside].mean()) if count else None
        result.append(Bin(number / bins, (number + 1) / bins, count, score, share))
    return result


def calibration_error(labels: BoolArray, scores: FloatArray, *, bins: int = BINS) -> float | None:
    """Return the expected calibration error: |mean score - share true|, mean over items' bins.

    Source: Naeini, Cooper and Hauskrecht 2015, section 3, with bins of equal width.
    """
    if not len(labels):
        return None
    total = sum(
        part.count * abs((part.score or 0.0) - (part.share or 0.0))
        for part in reliability(labels, scores, bins=bins)
    )
    return float(total / len(labels))


def brier_score(labels: BoolArray, scores: FloatArray) -> float | None:
    """Return the mean squared difference between score and label (1 or 0)."""
    return float(np.mean((scores - labels) ** 2)) if len(labels) else None


def sweep(labels: BoolArray, scores: FloatArray) -> list[SweepPoint]:
    """Return the errors at the thresholds 0.00, 0.01, ... 1.00."""
    steps = range(SWEEP_STEPS + 1)
    return [sweep_point(labels, scores, step / SWEEP_STEPS) for step in steps]


def histogram(scores: FloatArray, *, bins: int = HISTOGRAM_BINS) -> list[int]:
    """Return the number of scores in each of `bins` bins of equal width over [0, 1]."""
    index = np.minimum((scores * bins).astype(int), bins - 1)
    return [int(count) for count in np.bincount(index, minlength=bins)]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return the percentile, interpolated between neighbours."""
    return float(np.percentile(np.asarray(values), percent)) if values else None
