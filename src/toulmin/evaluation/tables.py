"""What text and page both show as tables: the overlap baseline, and the figures of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from toulmin.evaluation.groups import FEWEST_OF_LABEL, GROUPINGS, Group, Grouping
from toulmin.evaluation.metrics import Interval
from toulmin.evaluation.overlap import FEWEST_ITEMS, OverlapBaseline
from toulmin.evaluation.report import EvaluationReport, Figure, Section, verdicts

_NAME_SHOWN = 40
_SMALL_NAMED = 30
_UNKNOWN = "-"
# Groupings whose overlap baseline is shown; the JSON report has that of all.
_OVERLAP_SHOWN = ("kind", "language")
_SUPPORT, _CONTRADICTION = "supported against unsupported", "contradicted against neutral"
_JUDGED = "judged rightly"
_OVERLAP_NOTE = (
    "Words: the share of the claim's content words that occur in the facts, as a score; reversed:"
    " the share missing, where that is the better score. The difference is the check's figure less"
    " the better one. At best: balanced accuracy at the threshold that is best for these very"
    " items, for both."
)
_JUDGED_NOTE = (
    "Judged rightly, for groups of which nearly all have one label: words at the threshold that is"
    " best for all items, the check at its own."
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: What it is by, or of.
        heads: Head of each column after the first.
        rows: A name and a cell for each head.
        notes: Sentences to show beneath.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def shown(figure: Figure, value: float | None) -> str:
    """Return a figure's value as people read it; "-" when it is not known."""
    return _UNKNOWN if value is None else f"{value:.{figure.digits}f}"


def short_names(sections: Sequence[Section]) -> list[str]:
    """Return the file names without folders and endings, as long as they stay distinct."""
    names = [PurePath(s.name).name.removesuffix(".gz").removesuffix(".jsonl") for s in sections]
    return names if len(set(names)) == len(names) else [section.name for section in sections]


def all_verdicts(report: EvaluationReport) -> Iterator[str]:
    """Yield what counting words gets and what that means, of each file."""
    several = len(report.files) > 1
    for name, section in zip(short_names(report.files), report.files, strict=True):
        for sentence in verdicts(section):
            yield f"{name}: {sentence}" if several else sentence


def overlap_table(report: EvaluationReport) -> Table:
    """Return the overlap baseline of each file, and of the groups of all items."""
    rows: list[tuple[str, ...]] = []
    several = len(report.files) > 1
    for name, section in zip(short_names(report.files), report.files, strict=True):
        rows += _section_rows(section, name if several else "")
    if several:
        rows += _section_rows(report.pooled, "all items")
    for group in report.pooled.groups:
        if group.grouping in _OVERLAP_SHOWN:
            rows += _group_rows(group)
    heads = ("items", "measure", "words", "reversed", "check", "difference (95 %)")
    judged = any(row[2] == _JUDGED for row in rows)
    notes = (_OVERLAP_NOTE, _JUDGED_NOTE) if judged else (_OVERLAP_NOTE,)
    return Table("counting words", heads, rows, notes)


def group_tables(section: Section) -> Iterator[Table]:
    """Yield a table for each way of grouping that the file knows; a sentence when all are alike."""
    for grouping in GROUPINGS:
        members = [group for group in section.groups if group.grouping == grouping.name]
        if members:
            yield _group_table(grouping, members, total=section.items)


def _section_rows(section: Section, name: str) -> Iterator[tuple[str, ...]]:
    start = f"{_short(name)}, " if name else ""
    yield from _overlap_rows(start + _SUPPORT, section.overlap)
    if section.contradiction_overlap is not None:
        yield from _overlap_rows(start + _CONTRADICTION, section.contradiction_overlap)


def _group_rows(group: Group) -> Iterator[tuple[str, ...]]:
    name = f"{group.grouping} {_short(group.name)}"
    if group.overlap is not None:
        yield from _overlap_rows(name, group.overlap)
    words, check = group.words_accuracy, group.figures.get("accuracy")
    if words is not None and check is not None:
        cells = (_number(words), "", _number(check), _difference(check - words, None))
        yield (name, f"{group.items:,}", _JUDGED, *cells)
    if group.contradiction_overlap is not None:
        yield from _overlap_rows(f"{name}, {_CONTRADICTION}", group.contradiction_overlap)


def _overlap_rows(name: str, baseline: OverlapBaseline) -> Iterator[tuple[str, ...]]:
    words, check, gap = baseline.words, baseline.check, baseline.difference
    back = baseline.reversed
    yield (
        name,
        f"{baseline.items:,}",
        "AUROC",
        _number(words["auroc"]),
        _number(words["auroc_reversed"]) if back else "",
        _number(check["auroc"]),
        _difference(gap["auroc"], baseline.intervals.get("difference_auroc")),
    )
    best = _number(words["balanced_accuracy_best"])
    yield (
        "",
        "",
        "at best",
        "" if back else best,
        best if back else "",
        _number(check["balanced_accuracy_best"]),
        _difference(gap["balanced_accuracy_best"], None),
    )


def _group_table(grouping: Grouping, members: Sequence[Group], *, total: int) -> Table:
    if members[0].items == total:
        return Table(grouping.title, (), (), [f"All items: {_short(members[0].name)}."])
    large = [group for group in members if not group.too_small]
    small = [group for group in members if group.too_small]
    judged = any("accuracy" in group.figures for group in large)
    notes = []
    if judged:
        notes.append(
            f"Right: the share judged rightly, where fewer than {FEWEST_OF_LABEL} items have one of"
            " the labels."
        )
    if small:
        notes.append(_too_small(small))
    left_out = total - sum(group.items for group in members)
    if left_out:
        notes.append(f"Of {left_out:,} items the file does not say it.")
    heads = ("items", "supported", "AUROC (95 %)", "bal.acc (95 %)", "f.pass", "f.strip")
    rows = [_group_row(group, judged=judged) for group in large]
    return Table(grouping.title, (*heads, "right (95 %)") if judged else heads, rows, notes)


def _group_row(group: Group, *, judged: bool) -> tuple[str, ...]:
    figures, intervals = group.figures, group.intervals
    cells = (
        _short(group.name),
        f"{group.items:,}",
        f"{group.supported:,}",
        _with_interval("auroc", figures, intervals),
        _with_interval("balanced_accuracy", figures, intervals),
        _number(figures["false_pass_rate"]),
        _number(figures["false_strip_rate"]),
    )
    return (*cells, _with_interval("accuracy", figures, intervals)) if judged else cells


def _too_small(groups: Sequence[Group]) -> str:
    named = [f"{_short(group.name)} {group.items}" for group in groups[:_SMALL_NAMED]]
    if len(groups) > _SMALL_NAMED:
        named.append(f"and {len(groups) - _SMALL_NAMED} more")
    return f"Too small for figures (under {FEWEST_ITEMS} items): {', '.join(named)}."


def _with_interval(
    name: str, figures: Mapping[str, float | None], intervals: Mapping[str, Interval]
) -> str:
    text = _number(figures.get(name))
    interval = intervals.get(name)
    return f"{text} ({interval.low:.2f} to {interval.high:.2f})" if interval else text


def _difference(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return _UNKNOWN
    text = _signed(value)
    return f"{text} ({_signed(interval.low)} to {_signed(interval.high)})" if interval else text


def _signed(value: float) -> str:
    # Adding 0 makes minus zero plain zero.
    return f"{round(value, 2) + 0.0:+.2f}"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.2f}"


def _short(name: str) -> str:
    return name if len(name) <= _NAME_SHOWN else name[: _NAME_SHOWN - 1] + "…"
