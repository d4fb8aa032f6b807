"""One training question, its file, and the windows that its evidence is cut to."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from data.text import sentences

Span = tuple[int, int]
JOIN = " | "


@dataclass
class QuestionRow:
    """A question with the text to answer it from.

    `answers` are character ranges in `evidence`, end exclusive, each an acceptable answer; empty
    when the evidence does not answer the question. `kind` names the generator.
    """

    evidence: str
    question: str
    answers: list[Span]
    kind: str


@dataclass(frozen=True)
class Example:
    """A question with its whole passage, as its source gives it."""

    context: str
    question: str
    answers: list[Span]
    source: str

    def answer(self) -> str:
        start, end = self.answers[0]
        return self.context[start:end]


def usable(row: QuestionRow) -> bool:
    """Leaves out broken rows, and any that touch the acceptance examples."""
    text = f"{row.evidence} {row.question}".lower()
    inside = all(0 <= s < e <= len(row.evidence) for s, e in row.answers)
    return inside and len(row.question) >= 5 and len(row.evidence) >= 20 and "titanic" not in text


def write_rows(path: Path, rows: Iterable[QuestionRow]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read_rows(path: Path) -> list[QuestionRow]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [QuestionRow(r["evidence"], r["question"], _spans(r), r["kind"]) for r in records]


def _spans(record: dict) -> list[Span]:
    return [(start, end) for start, end in record["answers"]]


@lru_cache(maxsize=20_000)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Where the sentences of a text lie in it."""
    spans: list[Span] = []
    position = 0
    for sentence in sentences(text):
        start = text.find(sentence, position)
        if start < 0:
            return ((0, len(text)),)
        position = start + len(sentence)
        spans.append((start, position))
    return tuple(spans) or ((0, len(text)),)


def size(text: str) -> int:
    """Words; characters for text without spaces."""
    return max(len(text.split()), sum(ord(c) > 0x2E80 for c in text))


def cut(text: str, keep: Span, budget: int, rng: random.Random) -> Span:
    """A run of whole sentences around `keep`, of at most about `budget` words."""
    spans = sentence_spans(text)
    touched = [i for i, (s, e) in enumerate(spans) if s < keep[1] and e > keep[0]] or [0]
    low, high = touched[0], touched[-1]
    used = sum(size(text[s:e]) for s, e in spans[low : high + 1])
    while True:
        sides = [i for i in (low - 1, high + 1) if 0 <= i < len(spans)]
        sides = [i for i in sides if used + size(text[slice(*spans[i])]) <= budget]
        if not sides:
            return min(spans[low][0], keep[0]), max(spans[high][1], keep[1])
        side = rng.choice(sides)
        used += size(text[slice(*spans[side])])
        low, high = min(low, side), max(high, side)


def budget(rng: random.Random) -> int:
    """How many words of evidence to keep; short windows are cheaper to train on."""
    return rng.choice([50, 80, 110, 110, 170])


def windowed(example: Example, rng: random.Random) -> tuple[str, list[Span]]:
    """A window of the context around its first answer, and the answers that lie in it."""
    low, high = cut(example.context, example.answers[0], budget(rng), rng)
    inside = [(s - low, e - low) for s, e in example.answers if s >= low and e <= high]
    return example.context[low:high], inside


def beside(
    evidence: str, answers: list[Span], other: str, rng: random.Random
) -> tuple[str, list[Span]]:
    """The evidence with another passage before or after it."""
    if rng.random() < 0.5:
        return f"{evidence}{JOIN}{other}", answers
    shift = len(other) + len(JOIN)
    return f"{other}{JOIN}{evidence}", [(s + shift, e + shift) for s, e in answers]
