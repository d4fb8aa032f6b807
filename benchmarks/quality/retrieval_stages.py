"""Search in the product's index, one step more each time: what does each step give and cost?

    lexical    BM25, the best hundred
    dense      cosine of the embedder's vectors of whole documents, the best hundred
    parts      the same with the nearest part of each counted in (stores/index/parts.py)
    whole      lexical and dense, by standard deviations (retrieval/fusion.py)
    fused      lexical and parts, in the same way
    relevance  the same candidates by cosine, share of words and BM25 (retrieval/relevance.py)
    reranked   its ten best read by the reader (retrieval/rerank.py)

At most 500 questions a collection, the first ones. Gains are paired, against the stage before and
against `fused`. Calibration is measured with the relevant documents taken away from every second
query: then the best result's relevance should be low.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.retrieval_collections import (
    DEPTH,
    RESAMPLES,
    SEED,
    Collection,
    Ranking,
    ndcg,
    recall,
    reciprocal_rank,
)
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.part_vectors import part_texts
from toulmin.models.embedder import Embedder
from toulmin.models.reader_model import ReaderModel
from toulmin.models.spec import EMBEDDED_WEIGHTS
from toulmin.retrieval.fusion import VECTOR_WEIGHT, fuse_scores
from toulmin.retrieval.relevance import coverage, load_relevance
from toulmin.retrieval.rerank import DEPTH as RERANKED
from toulmin.retrieval.rerank import Reranker, load_rerank_weights
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.protocol import IndexedChunk, Put, Query
from toulmin.stores.index.vectors import quantized

STAGES = ("lexical", "dense", "parts", "whole", "fused", "relevance", "reranked")
MOST_QUERIES = 500
TIMED = 40
BINS = 10


@dataclass
class Candidates:
    """What was found for a query.

    Attributes:
        rankings: Of each stage up to `relevance`.
        places: Candidates of the stage `relevance`, best first.
        relevance: Of each of them.
        reranked: The same after reranking.
    """

    rankings: dict[str, Ranking]
    places: list[int]
    relevance: np.ndarray
    reranked: np.ndarray


class Stages:
    """The stages over one collection; keeps what the reader said of a pair."""

    def __init__(self, collection: Collection, index: EmbeddedIndex) -> None:
        self.collection = collection
        self.index = index
        self.model = load_relevance()
        self.weights = load_rerank_weights()
        self.reranker = Reranker(ReaderModel(EMBEDDED_WEIGHTS / "reader"))
        self.margins: dict[tuple[str, int], float] = {}

    def run(self, text: str, vector: np.ndarray, without: Iterable[int] = ()) -> Candidates:
        """All stages of one query; the documents `without` are not there."""
        gone = set(without)
        plain = self.index.search(Query(text=text, vector=vector, limit=DEPTH))
        whole = {hit.key: hit.score for hit in plain.dense if hit.key not in gone}
        hits = self.index.search(Query(text=text, vector=vector, limit=DEPTH, by_parts=True))
        words = {hit.key: hit.score for hit in hits.lexical if hit.key not in gone}
        near = {hit.key: hit.score for hit in hits.dense if hit.key not in gone}
        fused = joined(words, near)
        lexical = np.array([words.get(d, 0.0) for d in fused])
        least = min(near.values(), default=0.0)
        dense = np.array([near.get(d, least) for d in fused])
        held = coverage(text, [self.collection.documents[d] for d in fused])
        relevance = self.model.predict(lexical, dense, held)
        order = np.argsort(-relevance, kind="stable")
        places, relevance = [fused[i] for i in order], relevance[order]
        return Candidates(
            {
                "lexical": list(words),
                "dense": list(whole),
                "parts": list(near),
                "whole": joined(words, whole),
                "fused": fused,
                "relevance": places,
            },
            places,
            relevance,
            self._reranked(text, places, relevance),
        )

    def _reranked(self, text: str, places: list[int], relevance: np.ndarray) -> np.ndarray:
        """As `Reranker.rerank` does, with margins that are computed once a pair."""
        best = places[:RERANKED]
        fresh = [d for d in best if (text, d) not in self.margins]
        if fresh:
            found = self.reranker.margins(text, [self.collection.documents[d] for d in fresh])
            self.margins |= {(text, d): m for d, m in zip(fresh, found.tolist(), strict=True)}
        margins = np.array([self.margins[text, d] for d in best])
        scores = self.weights.scores(relevance[:RERANKED], margins)
        return self.weights.calibration.probabilities(scores)


def joined(words: dict[int, float], near: dict[int, float]) -> Ranking:
    return [d for d, _ in fuse_scores([words, near], weights=[1 - VECTOR_WEIGHT, VECTOR_WEIGHT])]


def indexed(documents: list[str], vectors: np.ndarray, embedder: Embedder) -> list[IndexedChunk]:
    """Documents as imports put them into the index, each one chunk."""
    texts = [part_texts(ChunkText("", (), text)) for text in documents]
    every = [part for own in texts for part in own]
    rows = iter(quantized(embedder.embed(every))[0] if every else ())
    return [
        IndexedChunk(
            key=i,
            document=i,
            text=text,
            vector=vectors[i],
            parts=np.stack([next(rows) for _ in texts[i]]) if texts[i] else None,
        )
        for i, text in enumerate(documents)
    ]


def measure_stages(collection: Collection, vectors: np.ndarray, embedder: Embedder) -> dict:
    count = min(MOST_QUERIES, len(collection.queries))
    queries, relevant = collection.queries[:count], collection.relevant[:count]
    asked = embedder.embed(queries)
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder) / "index", lineage="benchmark")
        chunks = indexed(collection.documents, vectors, embedder)
        index.apply([Put(chunk) for chunk in chunks], up_to=1)
        stages = Stages(collection, index)
        found = [stages.run(text, vector) for text, vector in zip(queries, asked, strict=True)]
        cut = [
            stages.run(text, asked[i], relevant[i]) if i % 2 else found[i]
            for i, text in enumerate(queries)
        ]
        times = timed(stages, queries[:TIMED])
        index.close()
    rankings = {name: [item.rankings[name] for item in found] for name in STAGES[:-1]}
    rankings["reranked"] = [reordered(item) for item in found]
    kept = [{} if i % 2 else known for i, known in enumerate(relevant)]
    return {
        "documents": len(collection.documents),
        "queries": count,
        "stages": {name: {**figures(rankings[name], relevant), **times[name]} for name in STAGES},
        "gains": {
            f"{ours} over {theirs}": gains(rankings[ours], rankings[theirs], relevant)
            for ours, theirs in (
                ("fused", "lexical"),
                ("fused", "whole"),
                ("relevance", "fused"),
                ("reranked", "relevance"),
                ("reranked", "fused"),
            )
        },
        "calibration": {
            "relevance": reliability([(c.relevance, c.places) for c in cut], kept),
            "reranked": reliability([sorted_pairs(c) for c in cut], kept),
        },
    }


def reordered(found: Candidates) -> Ranking:
    places = sorted_pairs(found)[1]
    return places + found.places[len(places) :]


def sorted_pairs(found: Candidates) -> tuple[np.ndarray, list[int]]:
    order = np.argsort(-found.reranked, kind="stable")
    return found.reranked[order], [found.places[i] for i in order]


def figures(rankings: list[Ranking], relevant: list[dict[int, int]]) -> dict[str, float]:
    pairs = list(zip(rankings, relevant, strict=True))
    return {
        "ndcg@10": round(float(np.mean([ndcg(r, k) for r, k in pairs])), 4),
        "recall@5": round(float(np.mean([recall(r, k, 5) for r, k in pairs])), 4),
        "mrr": round(float(np.mean([reciprocal_rank(r, k) for r, k in pairs])), 4),
    }


def gains(ours: list[Ranking], theirs: list[Ranking], relevant: list[dict[int, int]]) -> dict:
    """Differences with their 95 % intervals over resampled queries (paired)."""
    found = {}
    for name, measure in (
        ("ndcg@10", ndcg),
        ("recall@5", lambda ranking, known: recall(ranking, known, 5)),
    ):
        differences = np.array(
            [measure(a, k) - measure(b, k) for a, b, k in zip(ours, theirs, relevant, strict=True)]
        )
        size = len(differences)
        draws = np.random.default_rng(SEED).integers(0, size, (RESAMPLES, size))
        low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])
        found[name] = [round(float(v), 4) for v in (differences.mean(), low, high)]
    return found


def reliability(found: list[tuple[np.ndarray, list[int]]], relevant: list[dict[int, int]]) -> dict:
    """Of the best result of each query, and of its five best: said against found."""
    firsts = np.array([values[0] for values, _ in found])
    right = np.array(
        [places[0] in known for (_, places), known in zip(found, relevant, strict=True)]
    )
    five = np.concatenate([values[:5] for values, _ in found])
    hit = np.concatenate(
        [
            [d in known for d in places[:5]]
            for (_, places), known in zip(found, relevant, strict=True)
        ]
    )
    has = np.array([bool(known) for known in relevant])
    return {
        "first: mean said": round(float(firsts.mean()), 3),
        "first: share relevant": round(float(right.mean()), 3),
        "first: calibration error": calibration_error(firsts, right),
        "first five: calibration error": calibration_error(five, hit),
        "AUROC of the first for 'there is a relevant one'": auroc(firsts, has),
    }


def calibration_error(said: np.ndarray, right: np.ndarray) -> float:
    """Mean distance of said and found over ten bins of equal width, weighted by their size."""
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    parts = [
        np.mean(bins == b) * abs(said[bins == b].mean() - right[bins == b].mean())
        for b in set(bins.tolist())
    ]
    return round(float(np.sum(parts)), 3)


def auroc(scores: np.ndarray, positive: np.ndarray) -> float:
    more = scores[positive][:, None] - scores[~positive][None, :]
    return round(float(np.mean((more > 0) + 0.5 * (more == 0))), 3)


def timed(stages: Stages, queries: list[str]) -> dict[str, dict[str, float]]:
    """Milliseconds from the text of a query to each stage's ranking, one query at a time.

    `ms_p50` is the median of wall time, which other work on the machine lengthens; `cpu_ms_p50`
    that of processor time, over all threads.
    """
    embedder = Embedder()  # a new one: they remember queries, and vectors must be computed here
    embedder.embed(["warm up"])
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in STAGES}
    for text in queries:
        with _Clock() as embedding:
            vector = embedder.embed([text])[0]
        with _Clock() as words_only:
            stages.index.search(Query(text=text, limit=DEPTH))
        with _Clock() as vectors_only:
            stages.index.search(Query(vector=vector, limit=DEPTH))
        with _Clock() as parts_too:
            stages.index.search(Query(vector=vector, limit=DEPTH, by_parts=True))
        with _Clock() as joining:
            hits = stages.index.search(Query(text=text, vector=vector, limit=DEPTH))
            joined(
                {hit.key: hit.score for hit in hits.lexical},
                {hit.key: hit.score for hit in hits.dense},
            )
        with _Clock() as fusing:
            hits = stages.index.search(Query(text=text, vector=vector, limit=DEPTH, by_parts=True))
            words = {hit.key: hit.score for hit in hits.lexical}
            near = {hit.key: hit.score for hit in hits.dense}
            fused = joined(words, near)
        with _Clock() as judging:
            texts = [stages.collection.documents[d] for d in fused]
            lexical = np.array([words.get(d, 0.0) for d in fused])
            dense = np.array([near.get(d, min(near.values())) for d in fused])
            relevance = stages.model.predict(lexical, dense, coverage(text, texts))
        with _Clock() as reading:
            stages.reranker.rerank(text, texts, relevance)
        steps = {
            "lexical": (words_only,),
            "dense": (embedding, vectors_only),
            "parts": (embedding, parts_too),
            "whole": (embedding, joining),
            "fused": (embedding, fusing),
            "relevance": (embedding, fusing, judging),
            "reranked": (embedding, fusing, judging, reading),
        }
        for name, clocks in steps.items():
            spent[name].append((sum(c.wall for c in clocks), sum(c.cpu for c in clocks)))
    embedder.close()
    medians = {name: 1000 * np.median(np.array(rows), axis=0) for name, rows in spent.items()}
    return {
        name: {"ms_p50": round(float(wall), 1), "cpu_ms_p50": round(float(cpu), 1)}
        for name, (wall, cpu) in medians.items()
    }


class _Clock:
    """Wall and processor seconds of a block."""

    def __enter__(self) -> _Clock:
        self.wall, self.cpu = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *_error: object) -> None:
        self.wall += time.perf_counter()
        self.cpu += time.process_time()


def table(name: str, measured: dict) -> str:
    lines = [f"{name}: {measured['documents']} documents, {measured['queries']} queries"]
    lines += [
        f"  {stage:10s} nDCG@10 {row['ndcg@10']:.4f}  recall@5 {row['recall@5']:.4f}  "
        f"MRR {row['mrr']:.4f}  {row['ms_p50']:7.1f} ms ({row['cpu_ms_p50']:.1f} ms of processor)"
        for stage, row in measured["stages"].items()
    ]
    for label, row in measured["gains"].items():
        said = (f"{key} {v[0]:+.4f} ({v[1]:+.4f} to {v[2]:+.4f})" for key, v in row.items())
        lines.append(f"  {label}: {', '.join(said)}")
    lines += [f"  calibration, {label}: {row}" for label, row in measured["calibration"].items()]
    return "\n".join(lines)
