"""How fast is the search index, and how large does it get?

    python -m benchmarks.speed.index --chunks 100000

Texts are drawn from a Zipf vocabulary, 60 words each; vectors lie around 200 centres, 384 dimensions.
Built in batches as an import does it. A process of its own then opens the index and asks one query
at a time, each of two to six words and a vector near a chunk's. `filtered` asks for a tenth of the
chunks, `rare` for a five-hundredth. `select` lists the first 100 documents, `correct` puts right
queries with one misspelt word. Visibility is the time from handing over one chunk to finding it.
Parsing and embedding are not in it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measurement import circumstances, summary, write_result
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.index.predicate import EVERYTHING, And, AnyOf, InRange, Predicate
from toulmin.stores.index.protocol import IndexedChunk, Order, Put, Query, Selection

DIMENSIONS = 384
VOCABULARY = 300_000
WORDS_A_CHUNK = 60
BATCH = 2_000
VISIBILITY_ROUNDS = 10
FILTERED = And((AnyOf("colour", ("c3",)), InRange("price", 0, 1000)))  # a tenth
RARE = AnyOf("author", ("a7",))  # a five-hundredth


class Corpus:
    """Chunks and queries, all from a seed; the vocabulary and the centres are always the same."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(4)
        self._words = self._vocabulary()
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self._bounds = np.cumsum(weights / weights.sum())
        self._centres = self._rng.normal(size=(200, DIMENSIONS)).astype(np.float32)
        self._rng = np.random.default_rng(seed)

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
                        "title": (f"{texts[key - first][:40]}",),
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

    def misspelt(self, count: int) -> list[str]:
        """Queries, each with one word of five letters or more whose middle is exchanged."""
        found = []
        while len(found) < count:
            words = self._texts(1, 4)[0].split()
            if len(words[0]) >= 5:
                middle = len(words[0]) // 2
                first = words[0]
                words[0] = (
                    first[: middle - 1] + first[middle] + first[middle - 1] + first[middle + 1 :]
                )
                found.append(" ".join(words))
        return found

    def _vocabulary(self) -> np.ndarray:
        """Words of two to five syllables, so that nearly every word has near ones."""
        syllables = np.array([c + v for c in "bcdfghjklmnprstvwxyz" for v in "aeiou"], dtype=object)
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            drawn = syllables[self._rng.integers(len(syllables), size=(VOCABULARY, 5))]
            lengths = self._rng.choice([2, 3, 4, 5], p=[0.1, 0.35, 0.35, 0.2], size=VOCABULARY)
            words |= dict.fromkeys(
                "".join(row[:length]) for row, length in zip(drawn, lengths, strict=True)
            )
        return np.array(list(words)[:VOCABULARY], dtype=object)

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


def latency(asked: list[object], ask: Callable[[object], object]) -> dict[str, object]:
    """Milliseconds a query: of the clock, and of this process's processors."""
    ask(asked[0])
    wall, cpu = [], []
    for query in asked:
        started, started_cpu = time.perf_counter(), time.process_time()
        ask(query)
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


def memory_mb() -> dict[str, float]:
    """Memory of this process now, the most it ever was, its own, and that of mapped files."""
    kinds = {"VmRSS": "now", "VmHWM": "peak", "RssAnon": "own", "RssFile": "mapped"}
    lines = Path("/proc/self/status").read_text().splitlines()
    found = {name: line for line in lines for kind, name in kinds.items() if line.startswith(kind)}
    return {name: round(int(line.split()[1]) / 1024, 1) for name, line in found.items()}


def imported(folder: Path, chunks: int) -> dict[str, object]:
    """Build and close; only in this process."""
    index = EmbeddedIndex(folder, lineage="benchmark")
    before = memory_mb()["now"]
    result: dict[str, object] = {"build": build(index, Corpus(5), chunks)}
    index.close()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        **result,
        "build_memory_mb": {"before": before, **memory_mb()},
        "disk_mb": round(size / 1e6, 1),
    }


def asked(folder: Path, chunks: int, count: int) -> dict[str, object]:
    """Open, ask, change; only in this process."""
    corpus = Corpus(6)
    result: dict[str, object] = {"memory_before_mb": memory_mb()["now"]}
    started = time.perf_counter()
    index = EmbeddedIndex(folder, lineage="benchmark")
    result["open_s"] = round(time.perf_counter() - started, 3)
    pairs = corpus.queries(count)

    def hybrid(predicate: Predicate) -> list[Query]:
        return [Query(text, vector, predicate) for text, vector in pairs]

    few = max(5, count // 10)
    by_title = (Order("colour"), Order("title", descending=True))
    result["queries"] = {
        "lexical": latency([Query(text) for text, _ in pairs], index.search),
        "dense": latency([Query(vector=vector) for _, vector in pairs], index.search),
        "hybrid": latency(hybrid(EVERYTHING), index.search),
        "hybrid_filtered": latency(hybrid(FILTERED), index.search),
        "hybrid_rare": latency(hybrid(RARE), index.search),
    }
    result["memory_mb"] = memory_mb()
    result["queries"] |= {
        "select": latency([Selection()] * few, index.select),
        "select_by_number": latency([Selection(order_by=(Order("price"),))] * few, index.select),
        "select_by_strings": latency([Selection(order_by=by_title)] * few, index.select),
        "select_filtered": latency([Selection(FILTERED, by_title)] * few, index.select),
        "correct": latency(corpus.misspelt(count), index.correct),
    }
    result["corrected_share"] = float(
        np.mean([bool(index.correct(t)) for t in corpus.misspelt(50)])
    )
    result["memory_after_lists_mb"] = memory_mb()
    result["visibility_ms"] = visibility(index, corpus, chunks)
    index.close()
    return result


def measure(folder: Path, chunks: int, count: int) -> dict[str, object]:
    """Build in one process and ask in another."""
    processes = multiprocessing.get_context("spawn")
    result: dict[str, object] = {"chunks": chunks}
    for work, arguments in ((imported, (folder, chunks)), (asked, (folder, chunks, count))):
        with processes.Pool(1) as pool:
            result |= pool.apply(work, arguments)
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
