"""Tables of a PDF page that have rules between their cells.

Horizontal and vertical rules are read from the page's paths; those that cross belong together and
make a grid; words go to the cell that their middle lies in. Tables without rules stay lines.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
from pypdfium2 import raw

from toulmin.ingestion.parsing.formats.pdf_lines import Line, Word

_THIN = 2.5
"""Rules are thinner than this, in points; places closer together than this are one."""
_MIN_RULE = 6.0
_MAX_RULES = 1500
_MAX_SEGMENTS = 64
_MIN_CELLS = 4


@dataclass(frozen=True, slots=True)
class _Rule:
    """A horizontal (`at` is its y) or vertical (`at` is its x) rule from `low` to `high`."""

    at: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table and the height of its upper edge in points."""

    rows: list[list[str]]
    top: float


def find_tables(page: pdfium.PdfPage, lines: list[Line]) -> tuple[list[RuledTable], list[Line]]:
    """Return the tables of a page, and the lines without the words that are in them."""
    horizontal, vertical = _rules(page)
    if not horizontal or not vertical or len(horizontal) + len(vertical) > _MAX_RULES:
        return [], lines
    tables: list[RuledTable] = []
    for group_h, group_v in _grids(horizontal, vertical):
        ys = sorted(_merged([rule.at for rule in group_h]), reverse=True)
        xs = _merged([rule.at for rule in group_v])
        if (len(ys) - 1) * (len(xs) - 1) < _MIN_CELLS or len(xs) < 3:
            continue
        rows, rest = _fill(xs, ys, lines)
        if sum(bool(cell) for row in rows for cell in row) >= _MIN_CELLS:
            tables.append(RuledTable(rows, ys[0]))
            lines = rest
    return tables, lines


def _rules(page: pdfium.PdfPage) -> tuple[list[_Rule], list[_Rule]]:
    horizontal: list[_Rule] = []
    vertical: list[_Rule] = []
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=2):
        for left, bottom, right, top in _rectangles(item):
            width, height = right - left, top - bottom
            if height <= _THIN and width >= _MIN_RULE:
                horizontal.append(_Rule((bottom + top) / 2, left, right))
            elif width <= _THIN and height >= _MIN_RULE:
                vertical.append(_Rule((left + right) / 2, bottom, top))
            elif width >= _MIN_RULE and height >= _MIN_RULE:
                horizontal += [_Rule(bottom, left, right), _Rule(top, left, right)]
                vertical += [_Rule(left, bottom, top), _Rule(right, bottom, top)]
    return horizontal, vertical


def _rectangles(item: pdfium.PdfObject) -> Iterator[tuple[float, float, float, float]]:
    """Yield a path as rectangles (left, bottom, right, top): whole if drawn as one, else its lines.

    Paths with curves, and drawings of very many lines, yield nothing.
    """
    count = raw.FPDFPath_CountSegments(item)
    if not 2 <= count <= _MAX_SEGMENTS:
        return
    matrix = item.get_matrix()
    before: tuple[float, float] | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = matrix.on_point(x.value, y.value)
        if kind == raw.FPDF_SEGMENT_LINETO and before is not None:
            (x0, x1), (y0, y1) = sorted((before[0], point[0])), sorted((before[1], point[1]))
            if x1 - x0 <= _THIN or y1 - y0 <= _THIN:
                yield x0, y0, x1, y1
        before = point
    if count >= 4:
        left, bottom, right, top = item.get_bounds()
        if right - left <= _THIN or top - bottom <= _THIN:
            yield left, bottom, right, top


def _grids(
    horizontal: Sequence[_Rule], vertical: Sequence[_Rule]
) -> Iterator[tuple[list[_Rule], list[_Rule]]]:
    """Yield the groups of rules that cross one another, highest first."""
    parent = list(range(len(horizontal) + len(vertical)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    vertical = sorted(vertical, key=lambda rule: rule.at)
    places = [rule.at for rule in vertical]
    for i, across in enumerate(horizontal):
        first = bisect_left(places, across.low - _THIN)
        last = bisect_right(places, across.high + _THIN)
        for j in range(first, last):
            if vertical[j].low - _THIN <= across.at <= vertical[j].high + _THIN:
                parent[root(len(horizontal) + j)] = root(i)
    groups: dict[int, tuple[list[_Rule], list[_Rule]]] = {}
    for i, across in enumerate(horizontal):
        groups.setdefault(root(i), ([], []))[0].append(across)
    for j, down in enumerate(vertical, start=len(horizontal)):
        groups.setdefault(root(j), ([], []))[1].append(down)
    found = [group for group in groups.values() if group[0] and group[1]]
    yield from sorted(found, key=lambda group: -max(rule.at for rule in group[0]))


def _merged(places: Sequence[float]) -> list[float]:
    """Return the places in ascending order, those close together as one."""
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > _THIN:
            merged.append(place)
    return merged


def _fill(
    xs: Sequence[float], ys: Sequence[float], lines: Sequence[Line]
) -> tuple[list[list[str]], list[Line]]:
    """Return the cells' texts, and the lines without the words in them."""
    cells: list[list[list[str]]] = [[[] for _ in xs[1:]] for _ in ys[1:]]
    down = [-y for y in ys]
    rest = []
    for line in lines:
        outside: list[Word] = []
        for word in line.words:
            column = bisect_right(xs, (word.left + word.right) / 2) - 1
            row = bisect_right(down, -(word.bottom + word.top) / 2) - 1
            if 0 <= column < len(xs) - 1 and 0 <= row < len(ys) - 1:
                cells[row][column].append(word.text)
            else:
                outside.append(word)
        if len(outside) == len(line.words):
            rest.append(line)
        elif outside:
            rest.append(Line(outside, line.size, line.bold, hyphenated=False))
    return [[" ".join(cell) for cell in row] for row in cells], rest
