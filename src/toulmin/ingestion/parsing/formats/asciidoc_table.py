"""Tables of AsciiDoc: the lines between two marks -> rows of cells."""

from __future__ import annotations

import csv
import io
import re

_CELL = re.compile(
    r"(?:^|(?<=[\s|]))(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?(?<!\\)\|"
)
_REPEAT = re.compile(r"(\d{1,3})\*")
_MAX_COLUMNS = 1000
_DELIMITERS = {",": ",", ":": ":"}


def table_rows(mark: str, lines: list[str], options: str) -> tuple[list[list[str]], bool]:
    """Return the cells, row by row, and whether the first row names the columns.

    Args:
        mark: The line that begins the table, such as `|===`.
        lines: What stands in it.
        options: The block's attributes, such as `cols="1,2",options="header"`.
    """
    if mark[0] in _DELIMITERS or "format=" in options:
        return _separated(mark, lines, options), _has_header(lines, options)
    separator = "!" if mark[0] == "!" else "|"
    text = "\n".join(lines)
    if separator == "!":
        text = text.replace("!", "|")
    cells = _cells(text)
    columns = _columns(options) or _cells_of_first_line(text)
    return _in_rows(cells, columns), _has_header(lines, options)


def _separated(mark: str, lines: list[str], options: str) -> list[list[str]]:
    delimiter = _DELIMITERS.get(mark[0], ",")
    if "dsv" in options:
        delimiter = ":"
    elif "tsv" in options:
        delimiter = "\t"
    try:
        return [
            row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter) if row
        ]
    except csv.Error:
        return [line.split(delimiter) for line in lines if line.strip()]


def _cells(text: str) -> list[tuple[str, int, int]]:
    """Return each cell's text, how many columns it takes, and how many rows."""
    marks = list(_CELL.finditer(text))
    found: list[tuple[str, int, int]] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.start() if following else len(text)
        said = text[mark.end() : end].strip().replace("\\|", "|")
        across, below, kind = int(mark[1] or 1), int(mark[2] or 1), mark[3]
        if kind == "*":
            found += [(said, 1, 1)] * min(across, _MAX_COLUMNS)
        else:
            found.append((said, across, below))
    return found


def _cells_of_first_line(text: str) -> int:
    first = next((line for line in text.split("\n") if line.strip()), "")
    return sum(across for _, across, _ in _cells(first)) or 1


def _in_rows(cells: list[tuple[str, int, int]], columns: int) -> list[list[str]]:
    rows: list[list[str]] = []
    row: list[str] = []
    open_below: dict[int, int] = {}
    for said, across, below in cells:
        row = _below_others(row, open_below, columns)
        for column in range(len(row), min(len(row) + across, columns)):
            if below > 1:
                open_below[column] = below - 1
        row += [said, *[""] * (min(across, columns) - 1)]
        row = _below_others(row, open_below, columns)
        if len(row) >= columns:
            rows.append(row)
            row = []
    return [*rows, row] if row else rows


def _below_others(row: list[str], open_below: dict[int, int], columns: int) -> list[str]:
    """Return a row with empty cells where one of a row above reaches down."""
    while len(row) < columns and open_below.get(len(row), 0):
        open_below[len(row)] -= 1
        row = [*row, ""]
    return row


def _columns(options: str) -> int:
    found = re.search(r'cols=(?:"([^"]*)"|([^",\]]+))', options)
    if not found:
        return 0
    count = 0
    for part in re.split(r"[,;]", found[1] or found[2]):
        repeat = _REPEAT.search(part)
        count += int(repeat[1]) if repeat else 1
    return min(count, _MAX_COLUMNS)


def _has_header(lines: list[str], options: str) -> bool:
    """Whether the block says so, or its first line stands alone above an empty one."""
    if "noheader" in options:
        return False
    if "header" in options:
        return True
    begins = bool(lines) and bool(lines[0].strip())
    return begins and len(lines) > 2 and not lines[1].strip()
