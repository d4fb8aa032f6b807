"""The report as one HTML page that needs nothing else: no script, no font, no request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from toulmin.evaluation.plots import histogram_plot, reliability_plot, sweep_plot
from toulmin.evaluation.report import FIGURES, EvaluationReport, Figures, Section
from toulmin.evaluation.runner import ScoredExample
from toulmin.evaluation.tables import (
    Table,
    all_verdicts,
    group_tables,
    overlap_table,
    short_names,
    shown,
)

_WORST = 10
_PREMISE_SHOWN = 3000
_CLAIM_SHOWN = 1500
_TILES = ("balanced_accuracy", "auroc", "false_pass_rate", "false_strip_rate", "ece")
_STYLE = files("toulmin.evaluation").joinpath("page.css")


def render_page(report: EvaluationReport) -> str:
    """Return the whole page; every text from the examples is escaped."""
    body = "\n".join(
        [
            *_head(report),
            *_tiles(report),
            *_table(report),
            *_overlap(report),
            *_groups(report),
            *_plots(report),
            *_mistakes(report),
            *_foot(report),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        '<meta name="color-scheme" content="light dark"/>\n'
        "<title>Toulmin: evaluation</title>\n"
        f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _head(report: EvaluationReport) -> Iterator[str]:
    setup, pooled = report.setup, report.pooled
    count = len(report.files)
    source = escape(short_names(report.files)[0]) if count == 1 else f"{count} files"
    yield "<header>"
    yield "<h1>How right is the check?</h1>"
    yield (
        f"<p>{pooled.items:,} labelled examples from {source},"
        f" {pooled.supported / pooled.items:.0%} of them supported. An example's support is the"
        f" {setup.aggregate} over its claims; it passes from {setup.threshold:g} on.</p>"
    )
    if pooled.unchecked:
        yield f"<p>{pooled.unchecked} state nothing to check: their support is 1.</p>"
    yield "</header>"


def _tiles(report: EvaluationReport) -> Iterator[str]:
    several = len(report.files) > 1
    yield '<section class="tiles">'
    for figure in FIGURES:
        if figure.name not in _TILES:
            continue
        yield f'<div class="tile" title="{escape(figure.meaning)}">'
        yield f'<div class="name">{escape(figure.title)}</div>'
        yield f'<div class="value">{shown(figure, report.mean[figure.name])}</div>'
        interval = report.mean_intervals.get(figure.name)
        if interval is not None:
            yield f'<div class="note">95 %: {interval.low:.3f} to {interval.high:.3f}</div>'
        elif figure.more_is_better is False:
            yield '<div class="note">less is better</div>'
        yield "</div>"
    yield "</section>"
    if several:
        yield '<p class="note">Means over files.</p>'


def _table(report: EvaluationReport) -> Iterator[str]:
    names = short_names(report.files)
    yield '<section><h2>Figures</h2><div class="wide"><table><thead><tr><th></th><th>items</th>'
    for figure in FIGURES:
        yield f'<th title="{escape(figure.meaning)}">{escape(figure.title)}</th>'
    yield "</tr></thead><tbody>"
    for name, section in zip(names, report.files, strict=True):
        yield _row(name, section.items, section.figures)
    if len(report.files) > 1:
        yield _row("mean of files", report.pooled.items, report.mean, css="sum")
        yield _row("all items", report.pooled.items, report.pooled.figures, css="sum")
    yield "</tbody></table></div>"
    if len(report.files) > 1 and report.best_common_threshold is not None:
        threshold, accuracy = report.best_common_threshold
        yield (
            f'<p class="note">The best one threshold for all files is {threshold:.2f}: mean'
            f" balanced accuracy {accuracy:.3f}.</p>"
        )
    yield "<details><summary>What the figures mean</summary><dl>"
    for figure in FIGURES:
        yield f"<dt>{escape(figure.title)}</dt><dd>{escape(figure.meaning)}</dd>"
    yield "</dl></details></section>"


def _row(name: str, items: int, figures: Figures, *, css: str = "") -> str:
    cells = "".join(f"<td>{shown(figure, figures[figure.name])}</td>" for figure in FIGURES)
    return f'<tr class="{css}"><th>{escape(name)}</th><td>{items:,}</td>{cells}</tr>'


def _overlap(report: EvaluationReport) -> Iterator[str]:
    yield "<section><h2>What would counting words get?</h2>"
    for sentence in all_verdicts(report):
        yield f"<p>{escape(sentence)}</p>"
    yield from _plain_table(overlap_table(report))
    yield "</section>"


def _groups(report: EvaluationReport) -> Iterator[str]:
    yield "<section><h2>Groups</h2>"
    for table in group_tables(report.pooled):
        yield f"<h3>By {escape(table.title)}</h3>"
        yield from _plain_table(table)
    yield "</section>"


def _plain_table(table: Table) -> Iterator[str]:
    if table.rows:
        heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
        yield f'<div class="wide"><table><thead><tr><th></th>{heads}</tr></thead><tbody>'
        for name, *cells in table.rows:
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            yield f"<tr><th>{escape(name)}</th>{row}</tr>"
        yield "</tbody></table></div>"
    for note in table.notes:
        yield f'<p class="note">{escape(note)}</p>'


def _plots(report: EvaluationReport) -> Iterator[str]:
    yield "<section>"
    yield from _plots_of(report.pooled, report.setup.threshold, title="All items")
    yield "</section>"
    if len(report.files) < 2:
        return
    for name, section in zip(short_names(report.files), report.files, strict=True):
        yield f"<details><summary>Plots of {escape(name)}</summary>"
        yield from _plots_of(section, report.setup.threshold, title="")
        yield "</details>"


def _plots_of(section: Section, threshold: float, *, title: str) -> Iterator[str]:
    if title:
        yield f"<h2>{title}</h2>"
    yield '<div class="plots">'
    yield _figure(
        "Is a score what it says?",
        "On the diagonal, of the items with score 0.8, 80 % are supported. Larger dots hold more"
        " items; the strokes are 95 % intervals.",
        reliability_plot(section.reliability),
    )
    yield _figure(
        "Which scores do they get?",
        "The fewer bars of the two kinds share a place, the better scores tell them apart.",
        histogram_plot(
            section.histogram_supported, section.histogram_unsupported, threshold=threshold
        ),
    )
    yield _figure(
        "What would another threshold do?",
        '<span class="key accent">balanced accuracy</span>'
        '<span class="key bad">false passes, share of the unsupported</span>'
        '<span class="key good">false strips, share of the supported</span>',
        sweep_plot(section.sweep, threshold=threshold, best=section.figures["best_threshold"]),
        css="broad",
    )
    yield "</div>"


def _figure(title: str, caption: str, plot: str, *, css: str = "") -> str:
    return (
        f'<figure class="{css}"><h3>{escape(title)}</h3><figcaption>{caption}</figcaption>'
        f"{plot}</figure>"
    )


def _mistakes(report: EvaluationReport) -> Iterator[str]:
    setup = report.setup
    scored = [(item.support(setup.aggregate), item) for item in report.scored]
    passes = [pair for pair in scored if not pair[1].example.label and pair[0] >= setup.threshold]
    strips = [pair for pair in scored if pair[1].example.label and pair[0] < setup.threshold]
    # Sorting is stable: among equals the order of the files stays.
    passes.sort(key=lambda pair: -pair[0])
    strips.sort(key=lambda pair: pair[0])
    yield from _list_of_mistakes("Worst false passes", "unsupported, yet passing", passes)
    yield from _list_of_mistakes("Worst false strips", "supported, yet not passing", strips)


def _list_of_mistakes(
    title: str, about: str, mistakes: Sequence[tuple[float, ScoredExample]]
) -> Iterator[str]:
    yield f"<section><h2>{title}</h2>"
    count = len(mistakes)
    first = f"; the first {_WORST}" if count > _WORST else ""
    yield f'<p class="note">{count} {about}{first}.</p>'
    for support, item in mistakes[:_WORST]:
        example = item.example
        yield '<article class="mistake">'
        yield (
            f'<p class="claim"><span class="score">{support:.2f}</span>'
            f"{escape(_shortened(example.claim, _CLAIM_SHOWN))}</p>"
        )
        for text in item.evidence[:3]:
            yield f'<p class="evidence"><b>cited</b> {escape(text)}</p>'
        premise = "\n\n".join(fact.text for fact in example.facts)
        yield (
            f"<details><summary>premise, {len(premise):,} characters"
            f" ({escape(example.file)}:{example.line}, {escape(example.id)})</summary>"
            f'<p class="premise">{escape(_shortened(premise, _PREMISE_SHOWN))}</p></details>'
        )
        yield "</article>"
    yield "</section>"


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more)"


def _foot(report: EvaluationReport) -> Iterator[str]:
    setup = report.setup
    models = ", ".join(f"{name} {version}" for name, version in setup.models.items())
    yield "<footer>"
    yield f"<p><code>{escape(setup.command)}</code></p>"
    yield f"<p>Toulmin {escape(setup.toulmin)}; {escape(models)}</p>"
    if setup.calibration:
        yield f"<p>Recalibrated by {escape(setup.calibration)}</p>"
    yield "</footer>"
