"""How well is the right passage found: by words, by vectors, by both, and read once more?

    python -m benchmarks.quality.retrieval --data DATA [--vectors FOLDER] [--only stages|fusions]

Collections that nothing was trained on (`retrieval_collections.py`).

Stages (`retrieval_stages.py`): what search does, one step more each time, in the product's index.
Fusions: BM25 of tantivy (k1 1.2, b 0.75), with and without its English stemmer; the stronger one
is the baseline; weights of fusions are chosen on one collection and reported on the other.
`--vectors` keeps embeddings between runs, by the hash of weights and texts; `--only` leaves the
other part of the result file as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tantivy

from benchmarks.measurement import RESULTS, circumstances, write_result
from benchmarks.quality.retrieval_stages import measure_stages, table
from benchmarks.retrieval_collections import (
    DEPTH,
    Collection,
    Ranking,
    cranfield,
    figures,
    gain,
    squad,
    squad_among_all,
    written,
)
from toulmin.models.embedder import Embedder
from toulmin.models.static_embedder import StaticEmbedder
from toulmin.retrieval.fusion import fuse_scores, reciprocal_rank_fusion

COMMAND = "python -m benchmarks.quality.retrieval --data DATA"
WEIGHTS = tuple(round(0.1 * i, 1) for i in range(11))


def bm25(collection: Collection, tokenizer: str) -> list[dict[int, float]]:
    """BM25 score of every document that shares a word with the query, best first, by query."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name=tokenizer)
    schema.add_unsigned_field("place", stored=True)
    index = tantivy.Index(schema.build())
    writer = index.writer(num_threads=1)
    for place, text in enumerate(collection.documents):
        writer.add_document(tantivy.Document(text=text, place=place))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    found = []
    for text in collection.queries:
        words = " ".join(
            re.findall(r"\w+", text.lower())
        )  # no query syntax; words are joined by OR
        hits = searcher.search(index.parse_query(words, ["text"]), len(collection.documents)).hits
        scores = {searcher.doc(address)["place"][0]: score for score, address in hits}
        found.append(dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))))
    return found


def by_vectors(documents: np.ndarray, queries: np.ndarray) -> list[dict[int, float]]:
    """Cosine of every document, best first, by query."""
    found = []
    for row in queries @ documents.T:
        order = np.argsort(-row, kind="stable")
        found.append(dict(zip(order.tolist(), row[order].tolist(), strict=True)))
    return found


Found = list[dict[int, float]]
Fusion = Callable[[dict[int, float], dict[int, float], float], Ranking]


def top(scores: dict[int, float]) -> dict[int, float]:
    return dict(list(scores.items())[:DEPTH])


def by_rank(words: dict[int, float], vectors: dict[int, float], weight: float) -> Ranking:
    pair = [list(top(words)), list(top(vectors))]
    return [d for d, _ in reciprocal_rank_fusion(pair, weights=[1 - weight, weight])]


def by_min_max(words: dict[int, float], vectors: dict[int, float], weight: float) -> Ranking:
    fused: dict[int, float] = {}
    for scores, share in ((top(words), 1 - weight), (top(vectors), weight)):
        low, high = min(scores.values()), max(scores.values())
        for document, value in scores.items():
            scaled = (value - low) / max(high - low, 1e-9)
            fused[document] = fused.get(document, 0.0) + share * scaled
    return [d for d, _ in sorted(fused.items(), key=lambda item: -item[1])]


def by_deviation(words: dict[int, float], vectors: dict[int, float], weight: float) -> Ranking:
    return [d for d, _ in fuse_scores([top(words), top(vectors)], weights=[1 - weight, weight])]


FUSIONS: dict[str, Fusion] = {
    "reciprocal rank": by_rank,
    "min-max": by_min_max,
    "standard deviations": by_deviation,
}


def fused(fusion: Fusion, words: Found, vectors: Found, weight: float) -> list[Ranking]:
    return [fusion(w, v, weight) if w else list(v) for w, v in zip(words, vectors, strict=True)]


class Vectors:
    """Embeddings of texts, kept in a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.embedder = Embedder(workers=1)
        self.seconds = 0.0
        self.texts = 0

    def of(self, texts: list[str]) -> np.ndarray:
        key = hashlib.sha256("\0".join([self.embedder.version, *texts]).encode()).hexdigest()[:16]
        path = self.folder / f"{key}.npy" if self.folder else None
        if path and path.exists():
            return np.load(path)
        began = time.process_time()
        rows = self.embedder.embed(texts)
        self.seconds += time.process_time() - began
        self.texts += len(texts)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, rows)
        return rows


def measure(collection: Collection, vectors: Vectors) -> tuple[dict, dict]:
    """Figures of each single search, and what fusions need."""
    stemmed, plain = bm25(collection, "en_stem"), bm25(collection, "default")
    static = StaticEmbedder()
    searches: dict[str, Found] = {
        "BM25, stemmed": stemmed,
        "BM25, words as they are": plain,
        "static embedder": by_vectors(
            static.embed(collection.documents), static.embed(collection.queries)
        ),
        "embedder": by_vectors(vectors.of(collection.documents), vectors.of(collection.queries)),
    }
    single = {n: figures([list(s) for s in f], collection) for n, f in searches.items()}
    baseline = max(list(searches)[:2], key=lambda name: single[name]["ndcg@10"])
    return single, {"baseline": baseline, **searches}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--only", choices=("stages", "fusions"))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    path = args.out or RESULTS / "retrieval.json"
    result: dict = json.loads(path.read_text("utf-8")) if args.only and path.exists() else {}
    vectors = Vectors(args.vectors)
    if args.only != "fusions":
        result["stages"] = {"circumstances": circumstances(), "collections": {}}
        for make in (written, cranfield, squad, squad_among_all):
            collection = make(args.data)
            rows = vectors.of(collection.documents)
            measured = measure_stages(collection, rows, vectors.embedder)
            result["stages"]["collections"][collection.name] = measured
            print(table(collection.name, measured), flush=True)
        result["stages"]["circumstances"]["command"] = COMMAND
    if args.only != "stages":
        result |= measure_fusions(args.data, vectors)
        print(json.dumps(result["collections"], indent=1))
    write_result("retrieval", result, out=args.out)


def measure_fusions(data: Path, vectors: Vectors) -> dict:
    """Each search alone, and every fusion with weights chosen on the other collection."""
    result: dict = {"circumstances": circumstances(), "collections": {}}
    collections = {c.name: c for c in (cranfield(data), squad(data))}
    searches = {}
    for name, collection in collections.items():
        single, searches[name] = measure(collection, vectors)
        result["collections"][name] = {
            "documents": len(collection.documents),
            "queries": len(collection.queries),
            "baseline": searches[name]["baseline"],
            "alone": single,
            "fused": {},
            "by weight": {},
        }
    for kind in ("static embedder", "embedder"):
        for fusion in FUSIONS:
            compare(result, collections, searches, kind, fusion)
    result["circumstances"]["command"] = COMMAND
    if vectors.texts:
        result["embedding_cpu_ms_a_text"] = round(1000 * vectors.seconds / vectors.texts, 2)
    return result


def compare(result: dict, collections: dict, searches: dict, kind: str, fusion: str) -> None:
    """Each collection with the weight that is best on the other one, against its baseline."""
    best, rankings = {}, {}
    for name, collection in collections.items():
        words = searches[name][searches[name]["baseline"]]
        rankings[name] = {
            w: fused(FUSIONS[fusion], words, searches[name][kind], w) for w in WEIGHTS
        }
        scores = {w: figures(r, collection)["ndcg@10"] for w, r in rankings[name].items()}
        result["collections"][name]["by weight"][f"{kind}, {fusion}"] = scores
        best[name] = max(WEIGHTS, key=lambda w, s=scores: s[w])
    for name, collection in collections.items():
        other = next(n for n in collections if n != name)
        baseline = [list(s) for s in searches[name][searches[name]["baseline"]]]
        entry = result["collections"][name]["fused"]
        for label, weight in ((f"weight chosen on {other}", best[other]), ("equal weights", 0.5)):
            ours = rankings[name][weight]
            entry[f"{kind}, {fusion}, {label}"] = {
                "weight": weight,
                **figures(ours, collection),
                **gain(ours, baseline, collection),
            }


if __name__ == "__main__":
    main()
