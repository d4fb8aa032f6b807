"""Texts with what is known of them: hate speech, harassment, dangerous content.

Labels are true, false or unknown (absent). The benign queries of the ledger and our generated
harmless ones are false for all three. No corpus has sexually explicit or civic integrity labels.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "query_classes"))
from rows import CLASSES
from rows import train_rows as query_rows

CATEGORIES = ("hate_speech", "harassment", "dangerous_content")
SEED = 6
# One core embeds some hundred posts a second; the offensive tweets alone are 17,000.
MOST = {"Davidson offensive": 900, "Davidson neither": 700, "Davidson hate": 700,
        "HatemojiBuild": 1000, "Vicomtech hate": 700, "Vicomtech": 700}  # fmt: skip
MOST_DEV = 150


@dataclass(frozen=True)
class Row:
    text: str
    labels: dict[str, bool]
    source: str


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Row(r["text"], r["labels"], r["source"]) for r in rows]


def kind_of(row: Row) -> str:
    """The rows among which we sample: a source, by label where it is lopsided."""
    if row.source == "Davidson":
        hate, harassing = row.labels["hate_speech"], row.labels["harassment"]
        return "Davidson hate" if hate else f"Davidson {'offensive' if harassing else 'neither'}"
    return (
        "Vicomtech hate" if row.source == "Vicomtech" and row.labels["hate_speech"] else row.source
    )


def train_rows(data: Path) -> list[Row]:
    """A seeded sample of the posts, and the queries that `training/query_classes` fits on."""
    rows = read(data / "safety" / "train.jsonl.gz")
    random.Random(SEED).shuffle(rows)
    counts: Counter[str] = Counter()
    kept = []
    for row in rows:
        kind = kind_of(row)
        if kind in MOST and counts[kind] < MOST[kind]:
            counts[kind] += 1
            kept.append(row)
    for query in query_rows(data):
        if query.label == "adversarial":
            kept.append(Row(query.text, {"dangerous_content": True}, query.source))
        elif query.label not in CLASSES:
            kept.append(Row(query.text, dict.fromkeys(CATEGORIES, False), query.source))
    return kept


def dev_rows(data: Path) -> list[Row]:
    """At most 150 rows of each source and label, seeded; the adversarial queries are all there."""
    rows = read(data / "safety" / "dev.jsonl.gz")
    random.Random(SEED).shuffle(rows)
    counts: Counter[str] = Counter()
    kept = []
    for row in rows:
        kind = f"{row.source} {sorted(row.labels.items())}"
        counts[kind] += 1
        if counts[kind] <= MOST_DEV:
            kept.append(row)
    return kept
