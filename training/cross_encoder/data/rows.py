"""One training pair, and its file."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

SUPPORT, CONTRADICTION, NEUTRAL, UNSUPPORTED, QUESTION = 0, 1, 2, 3, 4
"""UNSUPPORTED is contradiction or neutral, which of the two is not known. QUESTION rows hold a
question in the place of the claim, for the span head alone."""

Spans = list[tuple[int, int]]
KEPT_OUT_OF_256 = 26


@dataclass
class Row:
    """A pair to train on.

    `claim_wrong` and `evidence_wrong` are character ranges of words that conflict or that the
    evidence does not carry; None where that is not known, an empty list where there are none.
    `kind` names the generator. `answers` are the character ranges of a question's answers in the
    evidence, an empty list where it has none; None for a claim.
    """

    evidence: str
    claim: str
    label: int
    kind: str
    context: str = ""
    claim_wrong: Spans | None = None
    evidence_wrong: Spans | None = None
    answers: Spans | None = None


def usable(row: Row) -> bool:
    """Leaves out broken rows, and any that touch the acceptance examples."""
    text = f"{row.evidence} {row.claim} {row.context}".lower()
    return len(row.claim) >= 3 and bool(row.evidence.strip()) and "titanic" not in text


def is_kept_out(claim: str) -> bool:
    """Whether no row with this claim (or question) is trained on: one in ten, by its words.

    The same claim is kept out of every stage and every generator, so a calibration can be fitted
    on what is kept out, whatever was built since.
    """
    plain = " ".join(claim.lower().split())
    return hashlib.sha256(plain.encode()).digest()[0] < KEPT_OUT_OF_256


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read_rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [_row(json.loads(line)) for line in file]


def _row(record: dict) -> Row:
    if "question" in record:  # a line of training/reader/build.py
        return Row(
            record["evidence"],
            record["question"],
            QUESTION,
            record["kind"],
            answers=[tuple(span) for span in record["answers"]],
        )
    return Row(**record)


def read_jsonl(path: Path) -> list[dict]:
    if not path.exists():
        sys.exit(f"{path} is missing: --data names the folder that holds grounding/ and qa/")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
