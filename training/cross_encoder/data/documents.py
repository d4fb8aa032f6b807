"""Labelled claims of people, their evidence among other text of its subject, or without it."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from data.contrast import told_by
from data.rows import CONTRADICTION, NEUTRAL, SUPPORT, Row, read_jsonl
from data.shorter import NAME
from data.text import clean, sentences

_GENERAL = re.compile(r"\b(?:is|was|are|were) (?:not )?(?:an?|the|only|exclusively|solely)\b")


@dataclass
class Labelled:
    """Claims with evidence and label, by the name that they begin with."""

    items: list[tuple[str, str, int, str]]
    """(name, claim, label, evidence)."""
    evidence: dict[str, list[str]]


def labelled_of(data: Path) -> Labelled:
    items: list[tuple[str, str, int, str]] = []
    about: dict[str, dict[str, None]] = defaultdict(dict)
    for name in ("fever_dev.dev", "foolmetwice.dev"):
        for record in read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz"):
            match = re.match(NAME, record["claim"])
            if match is None:
                continue
            text = clean(record["premise"])
            label = SUPPORT if record["label"] == 1 else CONTRADICTION
            key = re.sub(r"(?:['’]s)?\.?$", "", match.group())
            items.append((key, record["claim"], label, text))
            about[key][text] = None
    return Labelled(items, {k: list(v) for k, v in about.items()})


def document_row(labelled: Labelled, others: list[list[str]], rng: random.Random) -> Row | None:
    """A claim with its evidence in a longer text, or (neutral) with other text of its subject."""
    key, claim, label, text = rng.choice(labelled.items)
    same = [
        t
        for t in labelled.evidence[key]
        if not set(sentences(t)) & set(sentences(text)) and not _told(claim, key, t)
    ]
    if rng.random() < 0.4:
        if not same or _GENERAL.search(claim):
            return None
        pieces = rng.sample(same, min(len(same), rng.choice([1, 1, 2, 3])))
        kind, label = "document_other", NEUTRAL
    else:
        pieces = [text, *rng.sample(same, min(len(same), rng.choice([0, 1, 2, 2])))]
        kind = "document_kept"
    size = sum(len(p.split()) for p in pieces)
    for _ in range(rng.choice([0, 1, 2])):
        found = rng.choice(others)
        extra = " ".join(found[: rng.choice([1, 2, 3])])
        if size + len(extra.split()) <= 165 and key not in extra:
            pieces.append(extra)
            size += len(extra.split())
    if size > 185 or size < 8:
        return None
    rng.shuffle(pieces)
    return Row(" | ".join(pieces), claim, label, kind)


def _told(claim: str, key: str, text: str) -> bool:
    """Whether the text may decide the claim: what it says besides the name occurs there."""
    return told_by(claim.replace(key, ""), text.replace(key, "")) or told_by(claim, text)
