"""Rankings -> nDCG@10 and recall@5 by query, their means, and how sure a difference is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import summary
from benchmarks.retrieval_collections import RESAMPLES, SEED, Collection, ndcg, recall

MEASURES = ("ndcg@10", "recall@5")


def by_query(rankings: Sequence[list[int]], collection: Collection) -> dict[str, NDArray[Any]]:
    """Return each measure of each query."""
    pairs = list(zip(rankings, collection.relevant, strict=True))
    return {
        "ndcg@10": np.array([ndcg(ranking, relevant) for ranking, relevant in pairs]),
        "recall@5": np.array([recall(ranking, relevant, 5) for ranking, relevant in pairs]),
    }


def difference(ours: NDArray[Any], theirs: NDArray[Any]) -> dict[str, float]:
    """Return the mean of ours - theirs and its 95 % interval over resampled queries."""
    values = ours - theirs
    draws = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return {
        "mean": round(float(values.mean()), 4),
        "from": round(float(low), 4),
        "to": round(float(high), 4),
    }


def import_figures(found: dict[str, Any]) -> dict[str, Any]:
    """Return what a worker said of an import, as the result file has it."""
    documents = found["documents"]
    return {
        "documents_per_s": round(documents / found["import_s"], 1),
        "documents_per_cpu_s": round(documents / max(found["import_cpu_s"], 1e-2), 1),
        "seconds": round(found["import_s"], 2),
        "keep_s": round(found["keep_s"], 2),
        "load_s": round(found["load_s"], 2),
        "peak_mib": round(found["peak_mib"]),
    }


def ask_figures(found: dict[str, Any]) -> dict[str, Any]:
    """Return what a worker said of its answers, as the result file has it."""
    together = found["threads_ms"]
    rate = found["threads_queries_per_s"]
    return {
        "cold_start_s": round(found["cold_start_s"], 2),
        "single_ms": summary(found["single_ms"]),
        "single_cpu_ms": round(found["single_cpu_ms"], 2),
        "threads_ms": summary(together) if together else None,
        "threads_queries_per_s": round(rate, 1) if together else None,
        "peak_mib": round(found["peak_mib"]),
    }
