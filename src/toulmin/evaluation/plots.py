"""Plots as SVG: reliability, histograms of scores, errors against the threshold.

Colours are names of CSS variables of the page around them (`page.py`), so that one drawing suits
light and dark. Every mark has a `<title>`, which browsers show on hovering.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from toulmin.evaluation.metrics import Bin, SweepPoint, wilson_interval

_Point = tuple[float, float]
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 16.0, 14.0, 40.0


@dataclass(frozen=True, slots=True)
class _Frame:
    """A plot's area; x and y run over [0, 1] unless `y_low` says otherwise."""

    width: float = 400.0
    height: float = 300.0
    y_low: float = 0.0

    def x(self, value: float) -> float:
        return _LEFT + value * (self.width - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / (1 - self.y_low)
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)


def reliability_plot(bins: Sequence[Bin]) -> str:
    """Return the share of supported items against the score, by bins; the diagonal is honest."""
    frame = _Frame()
    most = max((part.count for part in bins), default=0) or 1
    marks = [
        _line((frame.x(0), frame.y(0)), (frame.x(1), frame.y(1)), "--faint", dash="4 4"),
        _path(
            [
                (frame.x(part.score), frame.y(part.share))
                for part in bins
                if part.score is not None and part.share is not None
            ],
            "--accent",
        ),
    ]
    for part in bins:
        if part.score is None or part.share is None:
            continue
        x = frame.x(part.score)
        likely = wilson_interval(part.share, part.count)
        marks.append(
            _line((x, frame.y(likely.low)), (x, frame.y(likely.high)), "--accent", opacity=0.45)
        )
        radius = 3 + 6 * (part.count / most) ** 0.5
        note = (
            f"score {part.score:.2f}: {part.share:.0%} of {part.count} items are supported"
            f" (95 %: {likely.low:.0%} to {likely.high:.0%})"
        )
        marks.append(_dot(x, frame.y(part.share), radius, "--accent", note))
    axes = _axes(frame, "support score", "share that is supported")
    return _svg(frame, "Reliability", [*axes, *marks])


def histogram_plot(
    supported: Sequence[int], unsupported: Sequence[int], *, threshold: float
) -> str:
    """Return the numbers of items by score: supported ones above the line, others below."""
    frame = _Frame()
    most = max([*supported, *unsupported, 1])
    middle = frame.y(0.5)
    room = middle - frame.y(1) - 6
    step = 1 / len(supported)
    marks = []
    for direction, color, name, counts in (
        (-1, "--good", "supported", supported),
        (1, "--bad", "unsupported", unsupported),
    ):
        for index, count in enumerate(counts):
            tall = room * count / most
            note = f"score {index * step:.2f} to {(index + 1) * step:.2f}: {count} {name}"
            x, wide = frame.x(index * step) + 0.75, frame.x(step) - frame.x(0) - 1.5
            top = middle - tall if direction < 0 else middle
            marks.append(_bar(x, top, wide, tall, color, note))
    marks += [
        _line((frame.x(0), middle), (frame.x(1), middle), "--line"),
        *_threshold_mark(frame, threshold),
        _text(frame.x(0.02), frame.y(0.95), "supported", "--good"),
        _text(frame.x(0.02), frame.y(0.02), "unsupported", "--bad"),
    ]
    axes = [*_x_axis(frame, "support score"), *_count_ticks(frame, most, room)]
    return _svg(frame, "Scores by label", [*axes, *marks])


def sweep_plot(points: Sequence[SweepPoint], *, threshold: float, best: float | None) -> str:
    """Return balanced accuracy, false pass and false strip rates against the threshold."""
    frame = _Frame(width=840.0, height=320.0)
    marks = list(_threshold_mark(frame, threshold))
    if best is not None and abs(best - threshold) > 1e-9:
        marks += _threshold_mark(frame, best, label=f"best {best:.2f}", low=True)
    for name, color, values in (
        ("balanced accuracy", "--accent", [point.balanced_accuracy for point in points]),
        ("false passes", "--bad", [point.false_pass_rate for point in points]),
        ("false strips", "--good", [point.false_strip_rate for point in points]),
    ):
        line = [
            (frame.x(point.threshold), frame.y(value))
            for point, value in zip(points, values, strict=True)
            if value is not None
        ]
        marks.append(_path(line, color))
        marks += [
            _dot(
                frame.x(point.threshold),
                frame.y(value),
                5,
                color,
                f"threshold {point.threshold:.2f}: {name} {value:.3f}",
                opacity=0,
            )
            for point, value in zip(points, values, strict=True)
            if value is not None
        ]
    axes = _axes(frame, "threshold", "")
    return _svg(frame, "Errors against the threshold", [*axes, *marks])


def _axes(frame: _Frame, x_title: str, y_title: str) -> list[str]:
    marks = _x_axis(frame, x_title)
    for step in range(6):
        value = step / 5
        y = frame.y(value)
        marks.append(_line((frame.x(0), y), (frame.x(1), y), "--grid"))
        marks.append(_text(frame.x(0) - 7, y + 4, f"{value:.1f}", "--muted", anchor="end"))
    if y_title:
        middle = frame.y(0.5)
        marks.append(
            f'<text x="12" y="{middle:.1f}" transform="rotate(-90 12 {middle:.1f})"'
            f' text-anchor="middle" style="fill:var(--muted)">{escape(y_title)}</text>'
        )
    return marks


def _x_axis(frame: _Frame, title: str) -> list[str]:
    bottom = frame.height - _BOTTOM
    marks = [_line((frame.x(0), bottom), (frame.x(1), bottom), "--line")]
    for step in range(6):
        value = step / 5
        marks.append(_text(frame.x(value), bottom + 17, f"{value:.1f}", "--muted", anchor="middle"))
    marks.append(_text(frame.x(0.5), frame.height - 6, title, "--muted", anchor="middle"))
    return marks


def _count_ticks(frame: _Frame, most: int, room: float) -> list[str]:
    middle, x = frame.y(0.5), frame.x(0) - 7
    return [
        _text(x, middle + 4, "0", "--muted", anchor="end"),
        _text(x, middle - room + 4, str(most), "--muted", anchor="end"),
        _text(x, middle + room + 4, str(most), "--muted", anchor="end"),
    ]


def _threshold_mark(
    frame: _Frame, threshold: float, *, label: str = "", low: bool = False
) -> list[str]:
    x = frame.x(threshold)
    bottom = frame.height - _BOTTOM
    # Left of the mark where there is no room to its right.
    anchor, gap = ("end", -5) if threshold > 0.75 else ("start", 5)
    text_y = bottom - 8 if low else _TOP + 8
    return [
        _line((x, _TOP), (x, bottom), "--ink", dash="2 3"),
        _text(x + gap, text_y, label or f"threshold {threshold:g}", "--ink", anchor=anchor),
    ]


def _svg(frame: _Frame, title: str, marks: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {frame.width:g} {frame.height:g}" role="img"'
        f' aria-label="{escape(title)}">' + "".join(marks) + "</svg>"
    )


def _line(start: _Point, end: _Point, color: str, *, dash: str = "", opacity: float = 1) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
        f' style="stroke:var({color})" stroke-opacity="{opacity:g}"{dashes}/>'
    )


def _path(points: Sequence[_Point], color: str) -> str:
    if len(points) < 2:
        return ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{line}" style="stroke:var({color})" fill="none" stroke-width="2"/>'


def _dot(
    x: float, y: float, radius: float, color: str, note: str, *, opacity: float = 1
) -> str:  # fmt: skip
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" style="fill:var({color})"'
        f' fill-opacity="{opacity:g}"><title>{escape(note)}</title></circle>'
    )


def _bar(x: float, y: float, width: float, height: float, color: str, note: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1"'
        f' style="fill:var({color})"><title>{escape(note)}</title></rect>'
    )


def _text(x: float, y: float, text: str, color: str, *, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="fill:var({color})">'
        f"{escape(text)}</text>"
    )
