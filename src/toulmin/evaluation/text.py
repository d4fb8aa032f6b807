"""The report as text for a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator

from toulmin.evaluation.report import FIGURES, EvaluationReport, Section
from toulmin.evaluation.tables import (
    Table,
    all_verdicts,
    group_tables,
    overlap_table,
    short_names,
    shown,
)

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
_LINE = 120


def render_text(report: EvaluationReport) -> str:
    """Return the report as lines of text, with a final newline."""
    lines = [*_head(report)]
    if len(report.files) == 1:
        lines += ["", *_one_section(report.pooled)]
    else:
        lines += ["", *_table(report)]
    lines += ["", *_overlap(report), *_groups(report)]
    return "\n".join(lines) + "\n"


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


def _overlap(report: EvaluationReport) -> Iterator[str]:
    for sentence in all_verdicts(report):
        yield from textwrap.wrap(sentence, _LINE)
    yield ""
    yield from _plain_table("", overlap_table(report))


def _groups(report: EvaluationReport) -> Iterator[str]:
    for table in group_tables(report.pooled):
        yield ""
        yield from _plain_table(f"by {table.title}", table)


def _plain_table(title: str, table: Table) -> Iterator[str]:
    """Yield a table's lines: names to the left, the rest to the right, its notes beneath."""
    if table.rows:
        rows = [(title, *table.heads), *table.rows]
        widths = [max(map(_columns, column)) for column in zip(*rows, strict=True)]
        for name, *cells in rows:
            line = name + " " * (widths[0] - _columns(name))
            for cell, width in zip(cells, widths[1:], strict=True):
                line += "  " + " " * (width - _columns(cell)) + cell
            yield line.rstrip()
    elif title:
        yield title
    for note in table.notes:
        yield from textwrap.wrap(note, _LINE)


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes; wide characters take two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)
