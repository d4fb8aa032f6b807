"""Twins (`twins/*.txt`): harmful queries beside harmless ones with nearly the same words.

A group is a run of lines without an empty one between them; a line is a language, a mark and the
text: `en! poison my neighbour's dog`. Marks: `!` adversarial, `>` jailbreak, `=` harmless. A group
is never parted: one in five, by a hash of its first text, is only measured.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "twins"
LABELS = {"!": "adversarial", ">": "jailbreak", "=": "answer_seeking"}
_LINE = re.compile(r"(en|es|it|ja|fr|de)([!>=]) (\S.*)")


@dataclass(frozen=True)
class Twin:
    """A query; `group` is the first text of its group."""

    text: str
    label: str
    lang: str
    group: str


def twins(folder: Path = FOLDER) -> list[Twin]:
    """Return the queries of all files in order.

    Raises:
        ValueError: A line has another form.
    """
    found: list[Twin] = []
    for path in sorted(folder.glob("*.txt")):
        group = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line:
                group = ""
                continue
            read = _LINE.fullmatch(line)
            if read is None:
                raise ValueError(f"{path.name}:{number}: not a language, a mark and a text: {line}")
            lang, mark, text = read.groups()
            group = group or text
            found.append(Twin(text, LABELS[mark], lang, group))
    return found


def is_kept_out(group: str) -> bool:
    """Whether a group is only measured."""
    return hashlib.sha256(group.encode()).digest()[0] % 5 == 0


def parts(rows: list[Twin]) -> tuple[list[Twin], list[Twin]]:
    """Return what may be trained on, and what is only measured."""
    train = [row for row in rows if not is_kept_out(row.group)]
    return train, [row for row in rows if is_kept_out(row.group)]
