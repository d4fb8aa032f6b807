"""From scores to the report: figures of each file, their mean over files, and of all items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from toulmin.evaluation import groups, metrics
from toulmin.evaluation.groups import Group
from toulmin.evaluation.metrics import Bin, BoolArray, FloatArray, Interval, SweepPoint
from toulmin.evaluation.overlap import OverlapBaseline, verdict
from toulmin.evaluation.runner import Aggregate, ScoredExample
from toulmin.grounding.check import CITATION_THRESHOLD

# The threshold that the product cites from unless a request says otherwise.
DEFAULT_THRESHOLD = CITATION_THRESHOLD
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """What a figure is.

    Attributes:
        name: As in the JSON report and in `--fail-under`.
        title: For people.
        meaning: One sentence for those who have not met it.
        more_is_better: None where neither is.
        digits: Decimals worth showing.
    """

    name: str
    title: str
    meaning: str
    more_is_better: bool | None = True
    digits: int = 3


FIGURES: tuple[Figure, ...] = (
    Figure(
        "balanced_accuracy",
        "balanced accuracy",
        "Mean of the shares of supported items that pass and of unsupported ones that do not.",
    ),
    Figure(
        "balanced_accuracy_best",
        "balanced accuracy at best",
        "The same at the threshold that is best for these very items.",
    ),
    Figure("best_threshold", "best threshold", "That threshold.", more_is_better=None),
    Figure(
        "auroc",
        "AUROC",
        "How often a supported item scores above an unsupported one, whatever the threshold.",
    ),
    Figure(
        "false_pass_rate",
        "false pass rate",
        "Share of the unsupported items that pass.",
        more_is_better=False,
    ),
    Figure(
        "false_strip_rate",
        "false strip rate",
        "Share of the supported items that do not pass.",
        more_is_better=False,
    ),
    Figure(
        "ece",
        "calibration error",
        "Expected difference between a score and the share of items with it that are supported"
        " (ECE, ten bins).",
        more_is_better=False,
    ),
    Figure(
        "brier",
        "Brier score",
        "Mean squared difference between score and label.",
        more_is_better=False,
    ),
    Figure(
        "contradiction_auroc",
        "contradiction AUROC",
        "How often a contradicted item's contradiction score is above that of an item that is"
        " merely unsupported.",
    ),
    Figure(
        "contradiction_auroc_all",
        "contradiction AUROC, all",
        "How often it is above that of any item that is not contradicted.",
    ),
    Figure(
        "latency_mean_ms", "latency, mean ms", "Time of one check.", more_is_better=False, digits=1
    ),
    Figure("latency_p50_ms", "latency, p50 ms", "Half are faster.", more_is_better=False, digits=1),
    Figure(
        "latency_p95_ms",
        "latency, p95 ms",
        "Nineteen of twenty are faster.",
        more_is_better=False,
        digits=1,
    ),
)

Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Section:
    """The figures of one file, or of all items.

    Attributes:
        name: The file as given, or "all items".
        items: How many.
        supported: How many of them are labelled 1.
        unchecked: How many state nothing to check, and so have support 1.
        figures: By name; None where the labels do not allow one.
        intervals: 95 % intervals of `balanced_accuracy` and `auroc`, where there is one.
        reliability: Ten bins of support.
        histogram_supported: Supported items in each of twenty bins of support.
        histogram_unsupported: Unsupported items in the same bins.
        sweep: The errors at the thresholds 0.00 to 1.00.
        overlap: What counting words gets at telling supported from unsupported.
        contradiction_overlap: What it gets at telling contradicted from neutral (unsupported, but
            not contradicted); None where the labels do not tell them apart.
        groups: The figures by kind, language, length of the premise, number of facts.
    """

    name: str
    items: int
    supported: int
    unchecked: int
    figures: Figures
    intervals: Mapping[str, Interval]
    reliability: Sequence[Bin]
    histogram_supported: Sequence[int]
    histogram_unsupported: Sequence[int]
    sweep: Sequence[SweepPoint]
    overlap: OverlapBaseline
    contradiction_overlap: OverlapBaseline | None
    groups: Sequence[Group]


@dataclass(frozen=True, slots=True)
class Setup:
    """What was measured, and how.

    Attributes:
        command: The command line.
        toulmin: Version of the package.
        models: Version of each model that scores depend on.
        calibration: File of the recalibration in force; empty when none is.
        aggregate: How an item's score is made of its claims'.
        threshold: Least support of an item that passes.
        workers: Checks at the same time.
    """

    command: str
    toulmin: str
    models: Mapping[str, str]
    calibration: str
    aggregate: Aggregate
    threshold: float
    workers: int = 1


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """All that was measured.

    Attributes:
        setup: What was measured, and how.
        files: One section a file, in the order given.
        mean: Each figure's mean over the files that have it.
        mean_intervals: 95 % intervals of the means.
        best_common_threshold: The threshold, in steps of 0.01, of the highest mean balanced
            accuracy over the files, and that mean; None when no file has both labels.
        pooled: All items together.
        scored: Every item, in the order of the files.
    """

    setup: Setup
    files: Sequence[Section]
    mean: Figures
    mean_intervals: Mapping[str, Interval]
    best_common_threshold: tuple[float, float] | None
    pooled: Section
    scored: Sequence[ScoredExample]


def build_report(files: Mapping[str, Sequence[ScoredExample]], setup: Setup) -> EvaluationReport:
    """Return the report on the scores of each file, by its name; at least one, none empty."""
    sections = [_section(name, scored, setup) for name, scored in files.items()]
    everything = [item for scored in files.values() for item in scored]
    return EvaluationReport(
        setup=setup,
        files=sections,
        mean=_mean_figures(sections),
        mean_intervals=_mean_intervals(list(files.values()), setup),
        best_common_threshold=_best_common(sections, near=setup.threshold),
        pooled=_section("all items", everything, setup),
        scored=everything,
    )


def as_json(report: EvaluationReport) -> dict[str, Any]:
    """Return the report as JSON values; numbers are rounded to six decimals."""
    common = report.best_common_threshold
    content = {
        "format": FORMAT,
        "setup": asdict(report.setup),
        "mean": dict(report.mean),
        "mean_intervals": {name: asdict(it) for name, it in report.mean_intervals.items()},
        "best_common_threshold": common
        and {"threshold": common[0], "mean_balanced_accuracy": common[1]},
        "files": [_section_row(section) for section in report.files],
        "pooled": _section_row(report.pooled),
        "scores": [_score_row(item) for item in report.scored],
    }
    rounded: dict[str, Any] = _rounded(content)
    return rounded


def verdicts(section: Section) -> list[str]:
    """Return what counting words gets on these items, and what that means."""
    found = [verdict(section.overlap)]
    if section.contradiction_overlap is not None:
        where = "at telling contradicted from neutral"
        found.append(verdict(section.contradiction_overlap, where=where))
    return found


def _section_row(section: Section) -> dict[str, Any]:
    return {**asdict(section), "verdicts": verdicts(section)}


def _score_row(item: ScoredExample) -> dict[str, Any]:
    example = item.example
    return {
        "file": example.file,
        "line": example.line,
        "id": example.id,
        "label": int(example.label),
        "contradiction": example.contradiction,
        "supports": item.supports,
        "contradictions": item.contradictions,
        "words_found": item.words.found,
        "premise_words": item.words.premise_words,
        "kind": example.kind or None,
        "language": example.language or None,
        "milliseconds": item.milliseconds,
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _labels_and_scores(
    scored: Sequence[ScoredExample], setup: Setup
) -> tuple[BoolArray, FloatArray]:
    labels = np.array([item.example.label for item in scored], dtype=bool)
    scores = np.array([item.support(setup.aggregate) for item in scored], dtype=float)
    return labels, scores


def _section(name: str, scored: Sequence[ScoredExample], setup: Setup) -> Section:
    items = groups.columns(scored, setup.aggregate)
    labels, scores = items.labels, items.supports
    intervals = {}
    draws = metrics.balanced_accuracy_draws(labels, scores, setup.threshold, seed=0)
    if draws is not None:
        intervals["balanced_accuracy"] = metrics.interval_of_draws(draws)
    curve = metrics.auroc_interval(labels, scores)
    if curve is not None:
        intervals["auroc"] = curve
    return Section(
        name=name,
        items=len(scored),
        supported=int(labels.sum()),
        unchecked=sum(not item.supports for item in scored),
        figures=_figures(scored, setup),
        intervals=intervals,
        reliability=metrics.reliability(labels, scores),
        histogram_supported=metrics.histogram(scores[labels]),
        histogram_unsupported=metrics.histogram(scores[~labels]),
        sweep=metrics.sweep(labels, scores),
        overlap=groups.support_overlap(items, setup.threshold),
        contradiction_overlap=groups.contradiction_overlap(items),
        groups=groups.groups_of(scored, setup.aggregate, setup.threshold),
    )


def _figures(scored: Sequence[ScoredExample], setup: Setup) -> Figures:
    labels, scores = _labels_and_scores(scored, setup)
    point = metrics.sweep_point(labels, scores, setup.threshold)
    best = metrics.best_threshold(labels, scores, near=setup.threshold)
    times = [item.milliseconds for item in scored]
    unsupported = [item for item in scored if not item.example.label]
    return {
        "balanced_accuracy": point.balanced_accuracy,
        "balanced_accuracy_best": best and best[1],
        "best_threshold": best and best[0],
        "auroc": metrics.auroc(labels, scores),
        "false_pass_rate": point.false_pass_rate,
        "false_strip_rate": point.false_strip_rate,
        "ece": metrics.calibration_error(labels, scores),
        "brier": metrics.brier_score(labels, scores),
        "contradiction_auroc": _contradiction_auroc(unsupported, setup),
        "contradiction_auroc_all": _contradiction_auroc(scored, setup),
        "latency_mean_ms": sum(times) / len(times),
        "latency_p50_ms": metrics.percentile(times, 50),
        "latency_p95_ms": metrics.percentile(times, 95),
    }


def _contradiction_auroc(scored: Sequence[ScoredExample], setup: Setup) -> float | None:
    known = [item for item in scored if item.example.contradiction is not None]
    labels = np.array([item.example.contradiction for item in known], dtype=bool)
    scores = np.array([item.contradiction(setup.aggregate) for item in known], dtype=float)
    return metrics.auroc(labels, scores)


def _mean_figures(sections: Sequence[Section]) -> Figures:
    mean: dict[str, float | None] = {}
    for figure in FIGURES:
        values = [section.figures[figure.name] for section in sections]
        known = [value for value in values if value is not None]
        mean[figure.name] = sum(known) / len(known) if known else None
    return mean


def _mean_intervals(files: Sequence[Sequence[ScoredExample]], setup: Setup) -> dict[str, Interval]:
    """Return the intervals of means over files, whose items were drawn independently."""
    data = [_labels_and_scores(scored, setup) for scored in files]
    intervals = {}
    draws = [
        drawn
        for seed, (labels, scores) in enumerate(data)
        if (drawn := metrics.balanced_accuracy_draws(labels, scores, setup.threshold, seed=seed))
        is not None
    ]
    if draws:
        intervals["balanced_accuracy"] = metrics.interval_of_draws(np.mean(draws, axis=0))
    curve = _mean_auroc_interval(data)
    if curve is not None:
        intervals["auroc"] = curve
    return intervals


def _mean_auroc_interval(data: Sequence[tuple[BoolArray, FloatArray]]) -> Interval | None:
    if len(data) == 1:
        return metrics.auroc_interval(*data[0])
    curves = [
        (value, metrics.auroc_variance(labels, scores))
        for labels, scores in data
        if (value := metrics.auroc(labels, scores)) is not None
    ]
    variances = [variance for _, variance in curves if variance is not None]
    if not curves or len(variances) < len(curves):
        return None
    mean = sum(value for value, _ in curves) / len(curves)
    return metrics.interval_of_auroc(mean, sum(variances) / len(curves) ** 2)


def _best_common(sections: Sequence[Section], *, near: float) -> tuple[float, float] | None:
    sweeps = [s.sweep for s in sections if s.figures["balanced_accuracy"] is not None]
    if not sweeps:
        return None
    means = [
        (sum(point.balanced_accuracy or 0.0 for point in points) / len(points), points[0].threshold)
        for points in zip(*sweeps, strict=True)
    ]
    accuracy, threshold = max(means, key=lambda pair: (round(pair[0], 9), -abs(pair[1] - near)))
    return threshold, accuracy
