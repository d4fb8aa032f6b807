"""How well is the right passage found in and across six languages, with each embedder?

    python -m benchmarks.quality.languages --data DATA [--vectors FOLDER] [--only NAME]

Words (BM25, the product's index), vectors alone, and both as search fuses them, then ordered by
relevance; the English and the multilingual embedder over the same collections
(`language_collections.py`). `--vectors` keeps embeddings between runs.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.language_collections import language_collections
from benchmarks.measurement import circumstances, write_result
from benchmarks.retrieval_collections import Collection, Ranking, gain, ndcg, recall
from toulmin.models.embedder import Embedder
from toulmin.retrieval.candidates import DEPTH, Elsewhere, Searched, find_candidates
from toulmin.retrieval.relevance import coverage, elsewhere, load_relevance
from toulmin.services.embedders import embedder_folder
from toulmin.settings import Settings
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.predicate import EVERYTHING
from toulmin.stores.index.protocol import IndexedChunk, Put, Query

EMBEDDERS = ("english", "multilingual")
COMMAND = "python -m benchmarks.quality.languages --data DATA"


class Vectors:
    """One embedder's rows, kept in a folder if there is one; and what they cost."""

    def __init__(self, setting: str, folder: Path | None) -> None:
        self.setting = setting
        model = embedder_folder(Settings(embedder=setting))
        self.embedder = Embedder(model, workers=1)
        self._folder = folder
        self.seconds = 0.0
        self.passages = 0

    def passages_of(self, texts: list[str]) -> np.ndarray:
        began = time.process_time()
        rows, fresh = self._kept("passages", texts)
        if fresh:
            self.seconds += time.process_time() - began
            self.passages += len(texts)
        return rows

    def queries_of(self, texts: list[str]) -> np.ndarray:
        return self._kept("queries", texts)[0]

    def _kept(self, kind: str, texts: list[str]) -> tuple[np.ndarray, bool]:
        text = "\0".join([self.embedder.version, kind, *texts])
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = self._folder / f"{name}.npy" if self._folder else None
        if path and path.exists():
            return np.load(path), False
        embed = self.embedder.embed if kind == "passages" else self.embedder.embed_queries
        rows = embed(texts)
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, rows)
        return rows, True


def rankings_of(collection: Collection, vectors: Vectors) -> dict[str, list[Ranking]]:
    rows = vectors.passages_of(collection.documents)
    asked = vectors.queries_of(collection.queries)
    model = load_relevance(vectors.setting)

    def others(text: str) -> Elsewhere | None:
        if not model.across:
            return None
        known = elsewhere(text, collection.documents)
        return lambda keys: {key for key in keys if known[key]}

    found: dict[str, list[Ranking]] = {n: [] for n in ("words", "vectors", "fused", "relevance")}
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder) / "index", lineage="benchmark")
        puts = [
            Put(IndexedChunk(key=i, document=i, text=text, vector=rows[i]))
            for i, text in enumerate(collection.documents)
        ]
        index.apply(puts, up_to=1)
        for text, vector in zip(collection.queries, asked, strict=True):
            hits = index.search(Query(text=text, vector=vector, limit=DEPTH))
            found["words"].append([hit.key for hit in hits.lexical])
            found["vectors"].append([hit.key for hit in hits.dense])
            best = find_candidates(
                [Searched(index, EVERYTHING)],
                text,
                vector,
                words_only=False,
                elsewhere=others(text),
            )
            found["fused"].append([item.key for item in best])
            relevance = model.predict(
                np.array([item.lexical for item in best], dtype=np.float64),
                np.array([item.dense for item in best], dtype=np.float64),
                coverage(text, [collection.documents[item.key] for item in best]),
                model.elsewhere(text, [collection.documents[item.key] for item in best]),
                among=len(best),
            )
            order = np.argsort(-relevance, kind="stable")
            found["relevance"].append([best[i].key for i in order])
        index.close()
    return found


def figures(rankings: list[Ranking], collection: Collection) -> dict[str, float]:
    pairs = list(zip(rankings, collection.relevant, strict=True))
    return {
        "hit@1": round(float(np.mean([bool(r) and r[0] in k for r, k in pairs])), 3),
        "recall@5": round(float(np.mean([recall(r, k, 5) for r, k in pairs])), 3),
        "ndcg@10": round(float(np.mean([ndcg(r, k) for r, k in pairs])), 3),
    }


def measure(collection: Collection, embedders: dict[str, Vectors]) -> dict:
    found = {name: rankings_of(collection, vectors) for name, vectors in embedders.items()}
    words = next(iter(found.values()))["words"]
    return {
        "passages": len(collection.documents),
        "questions": len(collection.queries),
        "words": figures(words, collection),
        **{
            name: {stage: figures(rankings[stage], collection) for stage in list(rankings)[1:]}
            for name, rankings in found.items()
        },
        "fused, multilingual over English": gain(
            found["multilingual"]["fused"], found["english"]["fused"], collection
        ),
    }


def line(name: str, measured: dict) -> str:
    parts = [f"words {measured['words']['ndcg@10']:.3f}"]
    for embedder in EMBEDDERS:
        stages = ", ".join(f"{s} {v['ndcg@10']:.3f}" for s, v in measured[embedder].items())
        parts.append(f"{embedder}: {stages}")
    low, high = (measured["fused, multilingual over English"][k] for k in ("95% from", "to"))
    size = f"{measured['passages']} passages, {measured['questions']} questions"
    return f"{name} ({size}), nDCG@10: {'; '.join(parts)}; fused gain {low:+.3f} to {high:+.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--only", help="collections whose name begins so; nothing is written")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    embedders = {name: Vectors(name, args.vectors) for name in EMBEDDERS}
    result: dict = {"circumstances": circumstances() | {"command": COMMAND}, "collections": {}}
    for collection in language_collections(args.data):
        if args.only and not collection.name.startswith(args.only):
            continue
        measured = measure(collection, embedders)
        result["collections"][collection.name] = measured
        print(line(collection.name, measured), flush=True)
    result["processor ms a passage"] = {
        name: round(1000 * vectors.seconds / vectors.passages, 1)
        for name, vectors in embedders.items()
        if vectors.passages
    }
    print(result["processor ms a passage"])
    if not args.only:
        write_result("languages", result, out=args.out)


if __name__ == "__main__":
    main()
