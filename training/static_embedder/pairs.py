"""Texts and pairs that belong together, read from the ledger's train lines only."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

QA_SETS = ("squad1_part", "jaquad", "policyqa", "qed_nq", "adversarial_qa_part")
HELD_OUT_SHARE = 0.2
"""The last fifth of each set's passages, kept for benchmarks/quality/evidence_selection.py."""


def read_lines(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_questions(data: Path, name: str) -> tuple[list[dict], list[dict]]:
    """Return a question-answering set's rows: those to train on, and those held out by passage."""
    rows = list(read_lines(data / "qa" / "train" / f"{name}.jsonl.gz"))
    passages = list(dict.fromkeys(row["context"] for row in rows))
    held = set(passages[int(len(passages) * (1 - HELD_OUT_SHARE)) :])
    return [r for r in rows if r["context"] not in held], [r for r in rows if r["context"] in held]


def read_pairs(data: Path, seed: int) -> list[tuple[str, str]]:
    """Return (question or claim, passage or premise) pairs, in a seeded order."""
    pairs: list[tuple[str, str]] = []
    for name in QA_SETS:
        for row in read_questions(data, name)[0]:
            if not row["answerable"]:
                continue
            window = _around(row["context"], row["answers"][0])
            pairs.append((row["question"], window))
            pairs.append((f"{row['question']} {row['answers'][0]['text']}", window))
    for path in sorted((data / "grounding" / "train").glob("*.jsonl.gz")):
        pairs.extend(
            (row["claim"], row["premise"][:800])
            for row in read_lines(path)
            if row["label"] == 1 and len(row["claim"]) > 15
        )
    random.Random(seed).shuffle(pairs)
    return pairs


def read_texts(data: Path) -> list[str]:
    """Return every distinct passage, question, premise and claim, to count words in."""
    texts: dict[str, None] = {}
    for name in QA_SETS:
        for row in read_questions(data, name)[0]:
            texts[row["context"]] = texts[row["question"]] = None
    for path in sorted((data / "grounding" / "train").glob("*.jsonl.gz")):
        for row in read_lines(path):
            texts[row["premise"]] = texts[row["claim"]] = None
    return list(texts)


def _around(context: str, answer: dict, reach: int = 300) -> str:
    """Return the passage within `reach` characters of the answer, cut at spaces."""
    start = max(0, answer["start"] - reach)
    end = min(len(context), answer["start"] + len(answer["text"]) + reach)
    if start:
        start = max(start, context.find(" ", start, answer["start"]) + 1)
    return context[start:end]
