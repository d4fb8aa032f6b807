"""What does a chunk lose that is longer than the embedder reads?

    python -m benchmarks.quality.chunk_vectors --data DATA

Three collections, searched by vectors alone: the paragraphs of the SQuAD 2.0 half joined, in the
order of the file, into chunks of up to 500 tokens; the same paragraphs singly; Cranfield 1400.
`cut` embeds each text once, so that the embedder drops what is after its 256 tokens; `halves` is
what imports do (`toulmin.ingestion.chunk_vectors`). The interval is a bootstrap over the queries.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from benchmarks.measurement import circumstances, write_result
from benchmarks.retrieval_collections import Collection, cranfield, read, squad
from toulmin.ingestion.chunk_vectors import ChunkText, embed_chunks
from toulmin.ingestion.token_count import count_tokens
from toulmin.models.embedder import Embedder

MOST_TOKENS = 500
RESAMPLES = 2000
DEPTHS = (1, 5, 20)


def joined(data: Path) -> Collection:
    """Consecutive paragraphs as one chunk; relevant is the one with the question's paragraph."""
    single = squad(data)
    rows = read(data / "qa" / "dev" / "squad2_half.jsonl.gz")
    chunks: list[list[str]] = []
    place: dict[str, int] = {}
    room = 0
    for context in dict.fromkeys(row["context"] for row in rows):
        tokens = count_tokens(context)
        if tokens > room:
            chunks.append([])
            room = MOST_TOKENS
        room -= tokens
        place[context] = len(chunks) - 1
        chunks[-1].append(context)
    relevant = [{place[single.documents[next(iter(r))]]: 1} for r in single.relevant]
    texts = ["\n\n".join(chunk) for chunk in chunks]
    return Collection("squad2_half joined", texts, single.queries, relevant)


def recalls(collection: Collection, chunks: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Share of the relevant chunks within each depth, by query: shape (queries, depths)."""
    found = []
    for row, relevant in zip(queries @ chunks.T, collection.relevant, strict=True):
        order = np.argsort(-row, kind="stable").tolist()
        found.append([len(relevant.keys() & set(order[:k])) / len(relevant) for k in DEPTHS])
    return np.array(found)


def measure(collection: Collection, embedder: Embedder) -> dict:
    """Both ways on one collection."""
    queries = embedder.embed(collection.queries)
    texts = [ChunkText("", (), text) for text in collection.documents]
    result: dict = {
        "chunks": len(texts),
        "queries": len(queries),
        "tokens": round(float(np.mean([count_tokens(text.content) for text in texts]))),
    }
    by_query = {}
    for name in ("cut", "halves"):
        start = time.perf_counter()
        if name == "cut":
            vectors = embedder.embed(collection.documents)
        else:
            vectors = embed_chunks(embedder, texts)
        seconds = time.perf_counter() - start
        by_query[name] = recalls(collection, vectors, queries)
        means = by_query[name].mean(axis=0)
        result[name] = {
            f"recall@{k}": round(float(mean), 4) for k, mean in zip(DEPTHS, means, strict=True)
        } | {"ms_a_chunk": round(1000 * seconds / len(texts), 1)}
    gain = (by_query["halves"] - by_query["cut"])[:, DEPTHS.index(5)]
    random = np.random.default_rng(1)
    means = [random.choice(gain, len(gain)).mean() for _ in range(RESAMPLES)]
    interval = [round(float(value), 4) for value in np.percentile(means, [2.5, 97.5])]
    return result | {"gain_at_5": round(float(gain.mean()), 4), "interval_95": interval}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    embedder = Embedder()
    embedder.embed(["loads the weights", "before the clock runs"])
    result: dict = {"circumstances": circumstances(), "collections": {}}
    for collection in (joined(args.data), squad(args.data), cranfield(args.data)):
        result["collections"][collection.name] = measure(collection, embedder)
        print(collection.name, json.dumps(result["collections"][collection.name], indent=1))
    result["circumstances"]["command"] = "python -m benchmarks.quality.chunk_vectors --data DATA"
    write_result("chunk_vectors", result, out=args.out)


if __name__ == "__main__":
    main()
