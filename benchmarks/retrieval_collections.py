"""Test collections that nothing was trained on, and how good a ranking is.

Cranfield 1400 (225 queries); the paragraphs of the SQuAD 2.0 half (at most 1,500 of its
answerable questions, seeded; the paragraph a question was asked about is the relevant one), alone
or among the paragraphs of the other SQuAD file; and the English written questions over their
passages, of which many answer nearly the same.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

QUESTIONS = 1500
DEPTH = 100
SEED = 3
DISCOUNTS = [float(1 / np.log2(i + 2)) for i in range(DEPTH)]
RESAMPLES = 2000

Ranking = list[int]


@dataclass(frozen=True)
class Collection:
    """Documents, queries, and for each query the grade of each relevant document."""

    name: str
    documents: list[str]
    queries: list[str]
    relevant: list[dict[int, int]]


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cranfield(data: Path) -> Collection:
    """Grades as in the ledger's file; a query's lines with grade 0 or less do not count."""
    folder = data / "retrieval" / "cranfield"
    corpus = read(folder / "corpus.jsonl.gz")
    place = {row["id"]: i for i, row in enumerate(corpus)}
    queries = read(folder / "queries.jsonl.gz")
    relevant: dict[str, dict[int, int]] = {row["id"]: {} for row in queries}
    for row in read(folder / "qrels.jsonl.gz"):
        if row["grade"] > 0 and row["doc"] in place:
            relevant[row["query"]][place[row["doc"]]] = int(row["grade"])
    kept = [row for row in queries if relevant[row["id"]]]
    return Collection(
        "cranfield",
        [row["text"] for row in corpus],
        [row["text"] for row in kept],
        [relevant[row["id"]] for row in kept],
    )


def squad(data: Path) -> Collection:
    """Passage retrieval: every unique context; answerable questions, one relevant context each."""
    rows = read(data / "qa" / "dev" / "squad2_half.jsonl.gz")
    contexts = sorted({row["context"] for row in rows})
    place = {context: i for i, context in enumerate(contexts)}
    asked = [row for row in rows if row["answerable"]]
    asked = random.Random(SEED).sample(asked, min(QUESTIONS, len(asked)))
    return Collection(
        "squad2_half",
        contexts,
        [row["question"] for row in asked],
        [{place[row["context"]]: 1} for row in asked],
    )


def written(data: Path) -> Collection:
    """English passages of handbooks, notices and the like; their answerable questions."""
    rows = read(data / "qa" / "dev" / "written_questions.jsonl.gz")
    rows = [row for row in rows if row["lang"] == "en"]
    contexts = sorted({row["context"] for row in rows})
    place = {context: i for i, context in enumerate(contexts)}
    asked = [row for row in rows if row["answerable"]]
    return Collection(
        "written_en",
        contexts,
        [row["question"] for row in asked],
        [{place[row["context"]]: 1} for row in asked],
    )


def squad_among_all(data: Path) -> Collection:
    """The same questions over the paragraphs of both SQuAD files, about 3,050."""
    half = squad(data)
    others = {row["context"] for row in read(data / "qa" / "train" / "squad1_part.jsonl.gz")}
    contexts = sorted(others | set(half.documents))
    place = {context: i for i, context in enumerate(contexts)}
    return Collection(
        "squad_all",
        contexts,
        half.queries,
        [{place[half.documents[i]]: 1 for i in relevant} for relevant in half.relevant],
    )


def ndcg(ranking: Ranking, relevant: Mapping[int, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with the grades as gains, in [0, 1]."""
    gained = sum(relevant.get(d, 0) * DISCOUNTS[i] for i, d in enumerate(ranking[:depth]))
    best = sorted(relevant.values(), reverse=True)[:depth]
    return gained / sum(g * DISCOUNTS[i] for i, g in enumerate(best))


def recall(ranking: Ranking, relevant: Mapping[int, int], depth: int) -> float:
    return len(relevant.keys() & set(ranking[:depth])) / len(relevant)


def reciprocal_rank(ranking: Ranking, relevant: Mapping[int, int]) -> float:
    return next((1 / (i + 1) for i, d in enumerate(ranking) if d in relevant), 0.0)


def figures(rankings: list[Ranking], collection: Collection) -> dict[str, float]:
    pairs = list(zip(rankings, collection.relevant, strict=True))
    return {
        "ndcg@10": round(float(np.mean([ndcg(r, k) for r, k in pairs])), 4),
        "recall@10": round(float(np.mean([recall(r, k, 10) for r, k in pairs])), 4),
        "recall@100": round(float(np.mean([recall(r, k, 100) for r, k in pairs])), 4),
        "mrr": round(float(np.mean([reciprocal_rank(r, k) for r, k in pairs])), 4),
    }


def gain(ours: list[Ranking], theirs: list[Ranking], collection: Collection) -> dict[str, float]:
    """Difference of nDCG@10 and its 95 % interval over resampled queries (paired)."""
    differences = np.array(
        [ndcg(a, k) - ndcg(b, k) for a, b, k in zip(ours, theirs, collection.relevant, strict=True)]
    )
    draws = np.random.default_rng(SEED).integers(0, len(differences), (RESAMPLES, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])
    return {
        "ndcg@10 gain": round(float(differences.mean()), 4),
        "95% from": round(float(low), 4),
        "to": round(float(high), 4),
    }
