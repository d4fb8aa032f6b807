# ruff: noqa: RUF001 - dashes and full-width marks are what is looked for.
"""Lines of a PDF page -> headings, paragraphs, list items, tables, in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toulmin.ingestion.parsing.builder import DocumentBuilder
from toulmin.ingestion.parsing.formats.pdf_images import PageImage
from toulmin.ingestion.parsing.formats.pdf_lines import Line
from toulmin.ingestion.parsing.formats.pdf_tables import RuledTable

_LIST_MARK = re.compile(r"(?:[•◦▪●○■□‣·–—*-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])(?=\s|$)")
_BULLET = re.compile(r"[•◦▪●○■□‣·–—*-]\s*")
_CAPTION = re.compile(r"(?:Fig(?:ure|\.)|Table|Abbildung|Tabelle|Tableau|Figura|Tabla)\s*\d", re.I)
_DIGITS = re.compile(r"\d+")
_NOT_WORDS = re.compile(r"[\W_]+")
_LARGER = 1.12
"""A heading's characters are higher than the body's by this factor."""
_MIN_HEADING_LETTERS = 4
_MAX_HEADING = 200
_MAX_BOLD_HEADING = 100
_MAX_HEADING_LINES = 4
_MARGIN = 0.09
"""Share of the page's height at top and bottom in which lines may be running ones."""
_MIN_REPEATS = 3
_REPEAT_SHARE = 0.3
_ENDS = ".!?:;…。！？"


@dataclass(slots=True)
class PageLayout:
    """What stands on a page."""

    number: int
    height: float = 0.0
    lines: list[Line] = field(default_factory=list)
    tables: list[RuledTable] = field(default_factory=list)
    images: list[PageImage] = field(default_factory=list)
    is_scan: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """The document's own table of contents: (page, normalised title) -> level from 1."""

    levels: Mapping[tuple[int, str], int]

    @staticmethod
    def normalised(title: str) -> str:
        """Return a title without spaces, marks, case and its own number in front."""
        return _NOT_WORDS.sub("", title).casefold().lstrip("0123456789")

    def level(self, page: int, text: str) -> int:
        """Return the level of the entry with this title on this page, 0 without one."""
        return self.levels.get((page, self.normalised(text)), 0)


def drop_running_lines(pages: Sequence[PageLayout]) -> None:
    """Take out the lines at the upper and lower edge that many pages share, numbers apart."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_running_key(line) for line in page.lines if _at_edge(line, page)})
    least = max(_MIN_REPEATS, _REPEAT_SHARE * len(pages))
    running = {key for key, count in seen.items() if count >= least}
    for page in pages:
        page.lines = [
            line
            for line in page.lines
            if not (_at_edge(line, page) and _running_key(line) in running)
        ]


def body_size(pages: Sequence[PageLayout]) -> float:
    """Return the size that most characters of the document have, 0 without any."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0


def heading_sizes(pages: Sequence[PageLayout], body: float) -> dict[float, int]:
    """Return the level of each size that is clearly larger than the body's, largest first."""
    counts: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            letters = sum(map(str.isalpha, line.text))
            if line.size > body * _LARGER and letters >= _MIN_HEADING_LETTERS:
                counts[line.size] += 1
    sizes = counts.keys()
    groups: list[float] = []
    levels: dict[float, int] = {}
    for size in sorted(sizes, reverse=True):
        if not groups or size < groups[-1] * 0.93:
            groups.append(size)
        levels[size] = len(groups)
    return levels


def add_page(
    page: PageLayout,
    builder: DocumentBuilder,
    outline: Outline,
    body: float,
    levels: Mapping[float, int],
) -> None:
    """Add a page: its paragraphs in content order, tables and images where they stand."""
    tables = sorted(page.tables, key=lambda table: -table.top)
    images = sorted(page.images, key=lambda image: -image.top)
    for paragraph in _paragraphs(page, outline):
        top = paragraph[0].top
        while tables and tables[0].top >= top:
            builder.table(tables.pop(0).rows)
        while images and images[0].top >= top:
            image = images.pop(0)
            builder.blob(image.data, image.mime_type)
        _add(paragraph, page, builder, outline, body, levels)
    for table in tables:
        builder.table(table.rows)
    for image in images:
        builder.blob(image.data, image.mime_type)


def _paragraphs(page: PageLayout, outline: Outline) -> list[list[Line]]:
    paragraphs: list[list[Line]] = []
    for line in page.lines:
        if paragraphs and _goes_on(paragraphs[-1], line, page, outline):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


def _goes_on(paragraph: Sequence[Line], line: Line, page: PageLayout, outline: Outline) -> bool:
    """Whether a line belongs to the paragraph in front of it."""
    last = paragraph[-1]
    if last.hyphenated:
        return True
    if line.bold != last.bold and len(paragraph) < 3 and last.bold:
        return False
    size = max(last.size, 1.0)
    if _beside(line, last):
        return True
    if abs(line.size - last.size) > 0.1 * size or _LIST_MARK.match(line.text):
        return False
    if outline.level(page.number, line.text) or outline.level(page.number, last.text):
        return False
    drop = last.bottom - line.bottom
    if drop < -0.5 * size or drop > 6 * size:
        # The next column: a sentence that is under way goes on there.
        return last.text[-1] not in _ENDS and line.text[:1].islower()
    if len(paragraph) > 1 and drop > 1.25 * (paragraph[-2].bottom - last.bottom):
        return False
    if drop > 1.9 * size:
        return False
    indented = line.left - last.left > 0.8 * size and last.text[-1] in _ENDS
    short = last.right < line.right - 4 * size and last.text[-1] in _ENDS
    return not (indented or short)


def _beside(line: Line, last: Line) -> bool:
    """Whether a line goes on at the height of the last, as around an index or an exponent."""
    overlap = min(line.top, last.top) - max(line.bottom, last.bottom)
    smaller = min(line.top - line.bottom, last.top - last.bottom)
    gap = line.left - last.right
    return overlap > 0.3 * smaller and -last.size < gap < 1.5 * last.size


def _add(
    paragraph: Sequence[Line],
    page: PageLayout,
    builder: DocumentBuilder,
    outline: Outline,
    body: float,
    levels: Mapping[float, int],
) -> None:
    text = joined(paragraph)
    level = _heading_level(paragraph, text, outline.level(page.number, text), body, levels)
    if level:
        builder.heading(text, level)
    elif _LIST_MARK.match(text):
        mark = _BULLET.match(text)
        marker = "-" if mark else text.split(None, 1)[0]
        rest = text[mark.end() :] if mark else text[len(marker) :].strip()
        builder.list_item(rest, 1, marker)
    elif _CAPTION.match(text) and len(paragraph) <= 4:
        builder.caption(text)
    else:
        builder.paragraph(text)


def _heading_level(
    paragraph: Sequence[Line],
    text: str,
    in_outline: int,
    body: float,
    levels: Mapping[float, int],
) -> int:
    """Return a heading's level, 0 for what is none."""
    if in_outline:
        return in_outline
    if sum(map(str.isalpha, text)) < _MIN_HEADING_LETTERS or len(paragraph) > _MAX_HEADING_LINES:
        return 0
    size = max(line.size for line in paragraph)
    if size > body * _LARGER and len(text) <= _MAX_HEADING and text[-1] not in ",;":
        return levels.get(size, 0)
    bold = all(line.bold for line in paragraph) and size > body * 0.9
    if bold and len(text) <= _MAX_BOLD_HEADING and text[-1] not in _ENDS + ",":
        return min(max(levels.values(), default=0) + 1, 6)
    return 0


def joined(lines: Sequence[Line]) -> str:
    """Return the lines as running text; a word divided at a line's end is put together."""
    text = ""
    divided = False
    for line in lines:
        if divided and line.text[:1].islower():
            text = text[:-1] + line.text
        elif divided:
            text += line.text
        else:
            text = f"{text} {line.text}" if text else line.text
        divided = line.hyphenated
    return text


def _at_edge(line: Line, page: PageLayout) -> bool:
    margin = _MARGIN * page.height
    return line.bottom < margin or line.top > page.height - margin


def _running_key(line: Line) -> str:
    return _DIGITS.sub("#", line.text)
