"""AsciiDoc's preprocessor: conditions, comments and what is to be included."""

from __future__ import annotations

import re

_CONDITION = re.compile(r"(ifdef|ifndef|ifeval)::([^\[\]\s]*)\[(.*)\][ \t]*")
_END = re.compile(r"endif::[^\[\]]*\[\][ \t]*")
_INCLUDE = re.compile(r"include::([^\[\]]+)\[.*\][ \t]*")
_SET = re.compile(r":(!?)([\w-]+)(!?):(?:[ \t]|$)")
_COMMENT = re.compile(r"//(?!/).*")
_VERBATIM = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|```+)\S*[ \t]*")


def preprocessed(lines: list[str], attributes: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the lines that count, and the names of the files that would be included.

    A condition holds by the attributes that are set above it; `ifeval` never holds. Lines in
    blocks of code are left as they are, but for conditions.
    """
    kept: list[str] = []
    included: list[str] = []
    names = set(attributes)
    conditions: list[bool] = []
    verbatim = ""
    for line in lines:
        condition = _CONDITION.fullmatch(line)
        if condition:
            holds = _holds(condition[1], condition[2], names)
            if not condition[3] or condition[1] == "ifeval":
                conditions.append(holds)
            elif holds and all(conditions):
                kept.append(condition[3])
        elif _END.fullmatch(line):
            conditions[-1:] = []
        elif not all(conditions):
            continue
        elif include := _INCLUDE.fullmatch(line):
            included.append(include[1])
        elif verbatim or not _COMMENT.fullmatch(line):
            verbatim = _verbatim(line, verbatim)
            kept.append(line)
            _note_attribute(line, names)
    return kept, included


def _verbatim(line: str, inside: str) -> str:
    """Return the mark of the block of code that is open behind a line, "" for none."""
    mark = _VERBATIM.fullmatch(line)
    if not inside:
        return mark[1] if mark else ""
    return "" if line.rstrip() == inside else inside


def _holds(kind: str, names: str, known: set[str]) -> bool:
    if kind == "ifeval":
        return False
    join, parts = (all, names.split("+")) if "+" in names else (any, names.split(","))
    is_set = join(name.strip().lower() in known for name in parts)
    return is_set == (kind == "ifdef")


def _note_attribute(line: str, names: set[str]) -> None:
    found = _SET.match(line)
    if found:
        name = found[2].lower()
        if found[1] or found[3]:
            names.discard(name)
        else:
            names.add(name)
