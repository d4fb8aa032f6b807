"""Labelled queries: the ledger's, other questions of the ledger, and generated ones.

A row's label is one of `CLASSES`, or `answer_seeking` for none of them. `injected_instruction` and
`instruction` of the ledger: the first are left out (harmless when alone, an attack inside a
document), the second count as answer-seeking.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wording import harmless, jailbreaks, keywords, reframed

CLASSES = ("chit_chat", "no_clear_intent", "adversarial", "jailbreak")
NONE = "answer_seeking"
SEED = 5
# Questions of other kinds, so that "answer-seeking" is not the style of three sources.
QUESTIONS = {"qed_nq": 200, "policyqa": 100, "adversarial_qa_part": 100, "jaquad": 150}
KEYWORDS = {"qed_nq": 150, "squad1_part": 150}
GENERATED_JAILBREAKS, GENERATED_HARMLESS = 600, 800
# Keeps the embedding to some seconds of one core.
MOST = {NONE: 4000, "chit_chat": 1700}
REFRAMED_HARMLESS = 900
PASSAGES = {"squad1_part": 120, "policyqa": 60}  # pasted text, and what the ratings will read


@dataclass(frozen=True)
class Row:
    text: str
    label: str
    source: str


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def ledger(data: Path, split: str) -> list[Row]:
    """The ledger's queries of one split."""
    rows = []
    for row in read(data / "queries" / f"{split}.jsonl.gz"):
        label = NONE if row["label"] == "instruction" else row["label"]
        if label in (*CLASSES, NONE):
            rows.append(Row(row["text"], label, row["source"].split(",")[0]))
    return rows


def train_rows(data: Path) -> list[Row]:
    """Everything that is fitted on, seeded; the same text at most once."""
    rng = random.Random(SEED)
    rows = ledger(data, "train")
    rng.shuffle(rows)
    kept, counts = [], Counter[str]()
    for row in rows:
        if row.source.startswith(("self-instruct", "chatterbot")) or counts[row.label] < MOST.get(
            row.label, len(rows)
        ):
            kept.append(row)
            counts[row.label] += 1
    for name, count in QUESTIONS.items():
        kept += [Row(q, NONE, name) for q in _questions(data, name, count, SEED)]
    for name, count in KEYWORDS.items():
        asked = _questions(data, name, count, SEED + 1)
        kept += [Row(keywords(q), NONE, "keywords") for q in asked]
    for name, count in PASSAGES.items():
        kept += [Row(p, NONE, "passages") for p in _passages(data / "qa" / "train", name, count)]
    kept += [Row(t, "jailbreak", "generated") for t in jailbreaks(GENERATED_JAILBREAKS, SEED)]
    kept += [Row(t, NONE, "generated harmless") for t in harmless(GENERATED_HARMLESS, SEED)]
    kept += _reframed(kept, rows)
    unique = {row.text: row for row in reversed(kept) if row.text}
    return list(reversed(unique.values()))


def _reframed(kept: list[Row], rows: list[Row]) -> list[Row]:
    """Harmful and harmless deeds in the same frames, so that the frame says nothing.

    One harmful source asks "How can I ...?", the other orders "Write a tutorial on ...".
    """
    harmless_rows = [row for row in rows if row.label == NONE]
    made = []
    for label, pool, most in (
        ("adversarial", [row for row in kept if row.label == "adversarial"], len(kept)),
        (NONE, harmless_rows, REFRAMED_HARMLESS),
    ):
        rng = random.Random(SEED + 2)
        found = [
            Row(new, label, f"{row.source}, reframed")
            for row in pool
            if (new := reframed(row.text, rng))
        ]
        made += found[:most]
    return made


def _questions(data: Path, name: str, count: int, seed: int) -> list[str]:
    asked = sorted({row["question"] for row in read(data / "qa" / "train" / f"{name}.jsonl.gz")})
    return random.Random(seed).sample(asked, min(count, len(asked)))


def _passages(folder: Path, name: str, count: int) -> list[str]:
    passages = sorted({row["context"] for row in read(folder / f"{name}.jsonl.gz")})
    return random.Random(SEED).sample(passages, min(count, len(passages)))


def other_questions(data: Path, count: int = 100) -> dict[str, list[str]]:
    """Questions in four languages, and passages, of the development sets: none is of a class."""
    found = {}
    for name in ("squad2_half", "xquad_es", "squad_it", "jaquad"):
        asked = sorted({row["question"] for row in read(data / "qa" / "dev" / f"{name}.jsonl.gz")})
        found[name] = random.Random(SEED).sample(asked, min(count, len(asked)))
    passages = _passages(data / "qa" / "dev", "squad2_half", count)
    found["passages of squad2_half"] = passages
    return found
