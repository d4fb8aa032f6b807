"""One training pair, and its file."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED = 0, 1, 2, 3
"""UNSUPPORTED is contradiction or neutral, which of the two is not known."""

Spans = list[tuple[int, int]]


@dataclass
class Row:
    """A pair to train on.

    `claim_wrong` and `evidence_wrong` are character ranges of words that conflict or that the
    evidence does not carry; None where that is not known, an empty list where there are none.
    `kind` names the generator.
    """

    evidence: str
    claim: str
    label: int
    kind: str
    context: str = ""
    claim_wrong: Spans | None = None
    evidence_wrong: Spans | None = None


def usable(row: Row) -> bool:
    """Leaves out broken rows, and any that touch the acceptance examples."""
    text = f"{row.evidence} {row.claim} {row.context}".lower()
    return len(row.claim) >= 3 and bool(row.evidence.strip()) and "titanic" not in text


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read_rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Row(**json.loads(line)) for line in file]


def read_jsonl(path: Path) -> list[dict]:
    if not path.exists():
        sys.exit(f"{path} is missing: --data names the folder that holds grounding/ and qa/")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
