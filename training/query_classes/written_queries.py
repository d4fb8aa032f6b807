"""The queries written for this model by hand (`written.jsonl`), and their two halves.

One half is trained on, the other is only measured. A hash of the text decides, so that nobody does;
queries that say the same in several languages, or in nearly the same words, carry the same `like`
and are never parted: a translation of what was fitted on would flatter.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).parent / "written.jsonl"
LANGUAGES = ("en", "es", "it", "ja", "fr", "de")


@dataclass(frozen=True)
class Written:
    """A query; `like` is the text whose hash decides its half, `round` when it was written."""

    text: str
    label: str
    lang: str
    like: str
    round: int


def is_kept_out(text: str) -> bool:
    """Whether a text's half is the one that is only measured."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def written(path: Path = PATH) -> list[Written]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Written(r["text"], r["label"], r["lang"], r.get("like", r["text"]), r.get("round", 1))
        for r in rows
    ]


def halves(rows: list[Written]) -> tuple[list[Written], list[Written]]:
    """Return what may be trained on, and what is only measured."""
    train = [r for r in rows if not is_kept_out(r.like)]
    return train, [r for r in rows if is_kept_out(r.like)]
