"""How fast is the search index, and how large does it get?

    python -m benchmarks.index --chunks 100000

Texts are drawn from a Zipf vocabulary, 60 words each; vectors lie around 200 centres, 384 dimensions.
Built in batches as an import does it; then one query at a time, each of two to six words and a
vector near a chunk's. `filtered` asks for a tenth of the chunks, `rare` for a five-hundredth.
Visibility is the time from handing over one chunk to finding it. Parsing and embedding are not in
it.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measurement import circumstances, summary, write_result
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.predicate import EVERYTHING, And, AnyOf, InRange, Predicate
from toulmin.stores.index.protocol import IndexedChunk, Put, Query

DIMENSIONS = 384
VOCABULARY = 50_000
WORDS_A_CHUNK = 60
BATCH = 2_000
VISIBILITY_ROUNDS = 10
FILTERED = And((AnyOf("colour", ("c3",)), InRange("price", 0, 1000)))  # a tenth
RARE = AnyOf("author", ("a7",))  # a five-hundredth


class Corpus:
    """Chunks and queries, all from a seed."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(4)
        self._words = np.array([f"w{number}" for number in range(VOCABULARY)], dtype=object)
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self._bounds = np.cumsum(weights / weights.sum())
        self._centres = self._rng.normal(size=(200, DIMENSIONS)).astype(np.float32)

    def batches(self, chunks: int) -> Iterator[list[Put]]:
        """Yield all chunks, `BATCH` at a time."""
        for first in range(0, chunks, BATCH):
            yield self.batch(first, min(BATCH, chunks - first))

    def batch(self, first: int, count: int) -> list[Put]:
        texts, vectors = self._texts(count, WORDS_A_CHUNK), self.vectors(count)
        return [
            Put(
                IndexedChunk(
                    key,
                    key // 10,
                    texts[key - first],
                    vector=vectors[key - first],
                    fields={
                        "colour": (f"c{key % 10}",),
                        "author": (f"a{key % 500}",),
                        "price": (float(key % 1000),),
                    },
                )
            )
            for key in range(first, first + count)
        ]

    def queries(self, count: int) -> list[tuple[str, np.ndarray]]:
        lengths = self._rng.integers(2, 7, size=count)
        return [
            (self._texts(1, int(length))[0], vector)
            for length, vector in zip(lengths, self.vectors(count), strict=True)
        ]

    def vectors(self, count: int) -> np.ndarray:
        near = self._centres[self._rng.integers(len(self._centres), size=count)]
        vectors = near + self._rng.normal(size=(count, DIMENSIONS)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _texts(self, count: int, length: int) -> list[str]:
        drawn = np.searchsorted(self._bounds, self._rng.random((count, length)))
        return [" ".join(self._words[row]) for row in np.minimum(drawn, VOCABULARY - 1)]


def build(index: EmbeddedIndex, corpus: Corpus, chunks: int) -> dict[str, float]:
    """Import everything; only the time within the index counts."""
    wall, cpu = 0.0, 0.0
    for number, batch in enumerate(corpus.batches(chunks), start=1):
        started, started_cpu = time.perf_counter(), time.process_time()
        index.apply(batch, up_to=number)
        wall += time.perf_counter() - started
        cpu += time.process_time() - started_cpu
    return {
        "chunks_per_s": round(chunks / wall, 1),
        "chunks_per_cpu_s": round(chunks / cpu, 1),
        "seconds": round(wall, 2),
    }


def latency(index: EmbeddedIndex, queries: list[Query]) -> dict[str, object]:
    """Milliseconds a query: of the clock, and of this process's processors."""
    index.search(queries[0])
    wall, cpu = [], []
    for query in queries:
        started, started_cpu = time.perf_counter(), time.process_time()
        index.search(query)
        wall.append(1e3 * (time.perf_counter() - started))
        cpu.append(1e3 * (time.process_time() - started_cpu))
    return {"wall_ms": summary(wall), "cpu_ms": summary(cpu)}


def visibility(index: EmbeddedIndex, corpus: Corpus, chunks: int) -> dict[str, float]:
    """Milliseconds from handing over one chunk to finding it."""
    delays = []
    for number in range(VISIBILITY_ROUNDS):
        (put,) = corpus.batch(chunks + number, 1)
        position = index.position + 1
        started = time.perf_counter()
        index.apply([put], up_to=position)
        found = index.search(Query(vector=put.chunk.vector, limit=1)).dense
        delays.append(1e3 * (time.perf_counter() - started))
        assert found[0].key == put.chunk.key
    return summary(delays)


def resident_mb(kind: str) -> float:
    """Memory of this process now: "RssAnon" its own, "RssFile" of mapped files, "VmRSS" all."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024, 1)


def measure(folder: Path, chunks: int, count: int) -> dict[str, object]:
    """Build, close, open, ask."""
    corpus = Corpus()
    index = EmbeddedIndex(folder, lineage="benchmark")
    result: dict[str, object] = {"chunks": chunks, "build": build(index, corpus, chunks)}
    index.close()
    result["build_peak_rss_mb"] = round(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
    )
    result["disk_mb"] = round(
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1
    )
    started = time.perf_counter()
    index = EmbeddedIndex(folder, lineage="benchmark")
    result["open_s"] = round(time.perf_counter() - started, 3)
    asked = corpus.queries(count)

    def queries(make: Callable[[str, np.ndarray], Query]) -> list[Query]:
        return [make(text, vector) for text, vector in asked]

    def hybrid(predicate: Predicate) -> list[Query]:
        return queries(lambda text, vector: Query(text, vector, predicate))

    result["queries"] = {
        "lexical": latency(index, queries(lambda text, _: Query(text))),
        "dense": latency(index, queries(lambda _, vector: Query(vector=vector))),
        "hybrid": latency(index, hybrid(EVERYTHING)),
        "hybrid_filtered": latency(index, hybrid(FILTERED)),
        "hybrid_rare": latency(index, hybrid(RARE)),
    }
    result["rss_mb"] = {kind: resident_mb(kind) for kind in ("VmRSS", "RssAnon", "RssFile")}
    result["visibility_ms"] = visibility(index, corpus, chunks)
    index.close()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where to build; default: a temporary one")
    arguments = parser.parse_args()
    where = circumstances()
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        result = measure(folder / "index", arguments.chunks, arguments.queries)
    finally:
        shutil.rmtree(folder)
    print(result)
    write_result("index", {"circumstances": where, **result})


if __name__ == "__main__":
    main()
