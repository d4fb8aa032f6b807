"""Questions that people wrote, and the passages around them: the ledger's train lines."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from pathlib import Path

from data.rows import read_jsonl
from data.text import clean, content_words
from question_rows import Example

FILES = ("squad1_part", "adversarial_qa_part", "qed_nq", "policyqa")
NEAR = 14
"""Contexts are in the order of their articles: so many before and after count as the same one."""
HELD_OUT = 0.05


def load(data: Path, name: str) -> list[Example]:
    """One file's questions. Answers are checked against the text and stripped of edges."""
    found = []
    for record in read_jsonl(data / "qa" / "train" / f"{name}.jsonl.gz"):
        context = record["context"]
        spans = []
        for answer in record["answers"]:
            start, end = answer["start"], answer["start"] + len(answer["text"])
            if context[start:end] != answer["text"]:
                continue
            while start < end and context[start] in ' "“(,.':
                start += 1
            while end > start and context[end - 1] in ' "”),.;:':
                end -= 1
            if end > start:
                spans.append((start, end))
        question = record["question"].strip().strip('"').strip()
        if spans:
            found.append(Example(context, question, sorted(set(spans)), name))
    return found


def split(examples: list[Example]) -> tuple[list[Example], list[Example]]:
    """(to train on, held out): the contexts at the end of a file are held out.

    A file's contexts are in the order of their articles, so whole articles are held out.
    """
    contexts = list(dict.fromkeys(e.context for e in examples))
    kept = set(contexts[: round(len(contexts) * (1 - HELD_OUT))])
    return (
        [e for e in examples if e.context in kept],
        [e for e in examples if e.context not in kept],
    )


class Passages:
    """Contexts in their order, with their questions, and a BM25 index over them."""

    def __init__(self, examples: list[Example]) -> None:
        self.texts = list(dict.fromkeys(e.context for e in examples))
        self._position = {text: i for i, text in enumerate(self.texts)}
        self._source = {e.context: e.source for e in examples}
        self.questions: dict[str, list[Example]] = defaultdict(list)
        for example in examples:
            self.questions[example.context].append(example)
        self._index: dict[str, list[tuple[int, float]]] = defaultdict(list)
        counts = [Counter(content_words(text)) for text in self.texts]
        mean = sum(sum(c.values()) for c in counts) / max(1, len(counts))
        for i, count in enumerate(counts):
            length = sum(count.values())
            for word, n in count.items():
                weight = n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / mean))
                self._index[word].append((i, weight))

    def near(self, context: str) -> list[str]:
        """Other paragraphs of the same article (as far as the order tells)."""
        at = self._position[context]
        around = self.texts[max(0, at - NEAR) : at + NEAR + 1]
        return [t for t in around if t != context and self._source[t] == self._source[context]]

    def ranked(self, query: str, most: int) -> list[str]:
        """The passages nearest to a query by BM25, best first."""
        scores: Counter[int] = Counter()
        for word in dict.fromkeys(content_words(query)):
            entries = self._index.get(word, [])
            weight = math.log(1 + len(self.texts) / (len(entries) + 0.5)) if entries else 0.0
            for i, value in entries:
                scores[i] += weight * value
        order = sorted(scores, key=lambda i: (-scores[i], i))
        return [self.texts[i] for i in order[:most]]


def claims(data: Path, name: str, rng: random.Random) -> list[dict]:
    """Labelled claims with their evidence, treebank spacing undone, in a seeded order."""
    records = read_jsonl(data / "grounding" / "train" / f"{name}.jsonl.gz")
    rng.shuffle(records)
    return [{**r, "premise": clean(r["premise"]), "claim": clean(r["claim"])} for r in records]
