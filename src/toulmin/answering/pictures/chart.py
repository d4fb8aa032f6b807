"""A small chart of a table's numbers, as SVG.

SVG and not PNG: the text stays text (any script, read aloud, searched), it scales, a chart takes
3 kB, and it needs no rasteriser, no font files and no dependency. What it costs: a client that
shows bitmaps only must convert it. The bytes depend on the table and the title alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from toulmin.answering.pictures.number_table import NumberTable, Series
from toulmin.text.scripts import FIRST_EAST_ASIAN

MIME_TYPE = "image/svg+xml"
_WIDTH = 640
_SIDE = 16
_RIGHT = 64
_LINE_HEIGHT = 260
_BAR = 18
_GAP = 10
_TOP_TITLE = 26
_LEGEND = 22
_AXIS = 44
_MOST_LABEL = 30
_TICKS = 5
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")
"""Of the palette of Okabe and Ito, told apart by colour-blind people too."""


def draw_chart(table: NumberTable, title: str = "") -> bytes:
    """Return a chart of a table as an SVG file: lines over time, else bars.

    Args:
        table: What to draw.
        title: Stands above; may be empty.
    """
    drawing = _Drawing(title, table)
    if table.in_time:
        drawing.lines()
    else:
        drawing.bars()
    return drawing.file()


class _Drawing:
    """Collects the elements of one chart."""

    def __init__(self, title: str, table: NumberTable) -> None:
        self._title = _short(" ".join(title.split()), 80)
        self._table = table
        self._parts: list[str] = []
        self._top = _SIDE + (_TOP_TITLE if self._title else 0)
        self._top += _LEGEND if len(table.series) > 1 else 0
        self._height = 0
        if len(table.series) > 1:
            self._legend(self._top - _LEGEND + 8)

    def file(self) -> bytes:
        """Return the SVG file."""
        said = f"{self._title or 'Chart'}: {', '.join(s.name for s in self._table.series)}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{self._height}" '
            f'viewBox="0 0 {_WIDTH} {self._height}" role="img" font-family="sans-serif" '
            f'font-size="12" fill="#222">'
        )
        first = [head, f"<title>{_xml(said)}</title>"]
        first.append(f'<rect width="{_WIDTH}" height="{self._height}" fill="#fff"/>')
        if self._title:
            first.append(_text(_SIDE, _SIDE + 10, self._title, size=14, bold=True))
        return "\n".join([*first, *self._parts, "</svg>", ""]).encode()

    def bars(self) -> None:
        """Draw one group of horizontal bars for each label."""
        labels = self._table.labels
        series = self._table.series
        left = _SIDE + 12 + max(_wide(_short(label, _MOST_LABEL)) for label in labels)
        scale = _Scale([s.values for s in series], left, _WIDTH - _RIGHT)
        group = _BAR * len(series) + _GAP
        bottom = self._top + group * len(labels)
        self._grid_across(scale, bottom)
        for row, label in enumerate(labels):
            top = self._top + row * group + _GAP / 2
            middle = top + _BAR * len(series) / 2 + 4
            self._parts.append(_text(left - 8, middle, _short(label, _MOST_LABEL), anchor="end"))
            for place, column in enumerate(series):
                self._bar(scale, column.values[row], top + place * _BAR, _COLOURS[place])
        self._parts.append(_line(scale.at(0.0), self._top, scale.at(0.0), bottom, "#222"))
        self._height = bottom + _AXIS
        self._axis_name((left + _WIDTH - _RIGHT) / 2, bottom + 36)

    def _bar(self, scale: _Scale, value: float | None, top: float, colour: str) -> None:
        if value is None:
            return
        zero, end = scale.at(0.0), scale.at(value)
        start, width = min(zero, end), abs(end - zero)
        self._parts.append(
            f'<rect x="{_n(start)}" y="{_n(top)}" width="{_n(width)}" height="{_BAR - 3}" '
            f'fill="{colour}"/>'
        )
        at, anchor = (end + 4, "start") if value >= 0 else (end - 4, "end")
        self._parts.append(_text(at, top + 12, _number(value), size=11, anchor=anchor))

    def lines(self) -> None:
        """Draw one line for each column over the years."""
        series = self._table.series
        bottom = self._top + _LINE_HEIGHT
        scale = _Scale([s.values for s in series], bottom, self._top + 8)
        names = [_number(tick, scale.step) for tick in scale.ticks]
        left = _SIDE + 28 + max(_wide(name) for name in names)
        for tick, name in zip(scale.ticks, names, strict=True):
            y = scale.at(tick)
            self._parts.append(_line(left, y, _WIDTH - _SIDE, y, "#ddd" if tick else "#222"))
            self._parts.append(_text(left - 8, y + 4, name, anchor="end"))
        labels = self._table.labels
        step = (_WIDTH - _SIDE - 24 - left - 24) / (len(labels) - 1)
        places = [left + 24 + i * step for i in range(len(labels))]
        every = math.ceil((max(_wide(label) for label in labels) + 12) / step)
        for i, label in enumerate(labels):
            if i % every == 0:
                self._parts.append(_text(places[i], bottom + 18, label, anchor="middle"))
        for place, column in enumerate(series):
            self._polyline(column, places, scale, _COLOURS[place])
        self._height = bottom + _AXIS
        self._parts.append(
            _text((left + _WIDTH) / 2, bottom + 36, self._table.label_name, anchor="middle")
        )
        name = _axis_name(series)
        y = (self._top + bottom) / 2
        self._parts.append(
            f'<text x="{_SIDE + 8}" y="{_n(y)}" text-anchor="middle" '
            f'transform="rotate(-90 {_SIDE + 8} {_n(y)})">{_xml(name)}</text>'
        )

    def _polyline(
        self, column: Series, places: Sequence[float], scale: _Scale, colour: str
    ) -> None:
        run: list[str] = []
        for at, value in [*zip(places, column.values, strict=True), (0.0, None)]:
            if value is not None:
                run.append(f"{_n(at)},{_n(scale.at(value))}")
                self._parts.append(
                    f'<circle cx="{_n(at)}" cy="{_n(scale.at(value))}" r="3" fill="{colour}"/>'
                )
                continue
            if len(run) > 1:
                self._parts.append(
                    f'<polyline points="{" ".join(run)}" fill="none" stroke="{colour}" '
                    'stroke-width="2"/>'
                )
            run = []

    def _grid_across(self, scale: _Scale, bottom: float) -> None:
        for tick in scale.ticks:
            x = scale.at(tick)
            self._parts.append(_line(x, self._top, x, bottom, "#ddd"))
            self._parts.append(_text(x, bottom + 18, _number(tick, scale.step), anchor="middle"))

    def _axis_name(self, x: float, y: float) -> None:
        self._parts.append(_text(x, y, _axis_name(self._table.series), anchor="middle"))

    def _legend(self, y: float) -> None:
        x = float(_SIDE)
        for place, column in enumerate(self._table.series):
            name = _short(column.name, _MOST_LABEL)
            self._parts.append(
                f'<rect x="{_n(x)}" y="{y - 9}" width="10" height="10" fill="{_COLOURS[place]}"/>'
            )
            self._parts.append(_text(x + 15, y, name))
            x += 15 + _wide(name) + 18


class _Scale:
    """Values -> positions, with round ticks; zero is always on it."""

    def __init__(
        self, columns: Sequence[Sequence[float | None]], first: float, last: float
    ) -> None:
        values = [value for column in columns for value in column if value is not None]
        low, high = min(0.0, *values), max(0.0, *values)
        self.step = _round_step((high - low) / _TICKS)
        below, above = math.floor(low / self.step), math.ceil(high / self.step)
        self.ticks = [i * self.step for i in range(below, above + 1)]
        self._low = self.ticks[0]
        self._per = (last - first) / (self.ticks[-1] - self._low)
        self._first = first

    def at(self, value: float) -> float:
        """Return the position of a value, in pixels."""
        return self._first + (value - self._low) * self._per


def _round_step(raw: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below `raw`."""
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    return next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)


def _axis_name(series: Sequence[Series]) -> str:
    name = series[0].name if len(series) == 1 else ""
    unit = series[0].unit
    if not unit or unit in name:
        return name or unit
    return f"{name} ({unit})" if name else unit


def _number(value: float, step: float = 0.0) -> str:
    """Return a number as people read it: 1,200; 3.5; 2.5M."""
    for size, letter in ((1e9, "B"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}".replace("-", "−")  # noqa: RUF001
    places = max(0, -math.floor(math.log10(step))) if step else 6
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")  # noqa: RUF001


def _text(
    x: float, y: float, words: str, *, size: int = 12, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{size}" text-anchor="{anchor}"{weight}>'
        f"{_xml(words)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{colour}"/>'


def _xml(text: str) -> str:
    kept = "".join(c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF)
    return escape(kept.replace("\ufffe", "").replace("\uffff", ""))


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _wide(text: str) -> float:
    """Return about how wide a text is, in pixels of size 12."""
    return sum(12.0 if char >= FIRST_EAST_ASIAN else 6.7 for char in text)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
