"""The report as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from toulmin.evaluation.report import FIGURES, EvaluationReport, Figure, Section

_COLUMNS = {
    "balanced_accuracy": "bal.acc",
    "balanced_accuracy_best": "at best",
    "best_threshold": "best t",
    "auroc": "AUROC",
    "false_pass_rate": "f.pass",
    "false_strip_rate": "f.strip",
    "ece": "ECE",
    "brier": "Brier",
    "contradiction_auroc": "contra",
    "latency_p50_ms": "p50 ms",
    "latency_p95_ms": "p95 ms",
}
_WIDTH = 8


def render_text(report: EvaluationReport) -> str:
    """Return the report as lines of text, with a final newline."""
    lines = [*_head(report)]
    if len(report.files) == 1:
        lines += ["", *_one_section(report.pooled)]
    else:
        lines += ["", *_table(report)]
    return "\n".join(lines) + "\n"


def shown(figure: Figure, value: float | None) -> str:
    """Return a figure's value as people read it; "-" when it is not known."""
    return "-" if value is None else f"{value:.{figure.digits}f}"


def short_names(sections: Sequence[Section]) -> list[str]:
    """Return the file names without folders and endings, as long as they stay distinct."""
    names = [PurePath(s.name).name.removesuffix(".gz").removesuffix(".jsonl") for s in sections]
    return names if len(set(names)) == len(names) else [section.name for section in sections]


def _head(report: EvaluationReport) -> Iterator[str]:
    setup, pooled = report.setup, report.pooled
    models = ", ".join(f"{name} {version}" for name, version in setup.models.items())
    yield f"toulmin {setup.toulmin}; {models}"
    if setup.calibration:
        yield f"recalibrated by {setup.calibration}"
    share = pooled.supported / pooled.items
    yield (
        f"{pooled.items} items, {share:.0%} supported; an item's support is the {setup.aggregate}"
        f" over its claims; it passes from {setup.threshold:g} on"
    )
    if pooled.unchecked:
        yield f"{pooled.unchecked} items state nothing to check: their support is 1"


def _one_section(section: Section) -> Iterator[str]:
    width = max(len(figure.title) for figure in FIGURES)
    for figure in FIGURES:
        line = f"{figure.title:<{width}}  {shown(figure, section.figures[figure.name]):>7}"
        interval = section.intervals.get(figure.name)
        if interval is not None:
            line += f"  (95 %: {interval.low:.3f} to {interval.high:.3f})"
        yield line


def _table(report: EvaluationReport) -> Iterator[str]:
    names = short_names(report.files)
    width = max(len(name) for name in [*names, "mean of files"])
    figures = {figure.name: figure for figure in FIGURES}
    heads = "".join(f"{head:>{_WIDTH}}" for head in _COLUMNS.values())
    yield f"{'':<{width}}  {'items':>6}{heads}"
    rows = [(name, s.items, s.figures) for name, s in zip(names, report.files, strict=True)]
    rows.append(("mean of files", report.pooled.items, report.mean))
    for name, items, values in rows:
        cells = "".join(f"{shown(figures[key], values[key]):>{_WIDTH}}" for key in _COLUMNS)
        yield f"{name:<{width}}  {items:>6}{cells}"
    yield ""
    for key, interval in report.mean_intervals.items():
        yield f"mean {figures[key].title}, 95 %: {interval.low:.3f} to {interval.high:.3f}"
    if report.best_common_threshold is not None:
        threshold, accuracy = report.best_common_threshold
        yield f"best one threshold for all files: {threshold:.2f}, mean {accuracy:.3f}"
