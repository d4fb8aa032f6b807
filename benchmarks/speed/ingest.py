"""How fast are files and paragraphs imported, and what limits it?

    python -m benchmarks.speed.ingest --data DATA [--documents FOLDER] [--paragraphs N]

Imports the files of FOLDER (default: DATA/documents) and the unique paragraphs of the SQuAD files
(as an import file of plain texts) through the API's handlers, each with one and with two parser
processes, each in a process and on a data folder of its own. Functions are wrapped from outside to
say where the time goes: `seconds` are of the clock, summed over threads; what runs beside the
import's own thread (parsers, the index) is named in `beside`. Then the same chunks go through the
embedder alone, in several ways. Writes benchmarks/results/ingest.json.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from benchmarks.measurement import circumstances, machine_ticks, write_result
from benchmarks.peers import rest
from benchmarks.peers.material import paragraphs
from benchmarks.peers.toulmin.peer import InProcess
from benchmarks.peers.worker import tree_cpu_s, tree_peak_mib
from toulmin.domain import Branch
from toulmin.ingestion import chunk_vectors, ingest
from toulmin.ingestion.chunk_vectors import ChunkText
from toulmin.ingestion.parsing.sandbox import ParserPool
from toulmin.models.embedder import Embedder
from toulmin.stores.index.embedded import EmbeddedIndex
from toulmin.stores.records import RecordStore

IMPORT_THREADS = "operations-"
BESIDE = ("parse", "index")
ALONE = 400
"""Chunks, spread over all of an import, that go through the embedder alone."""


class Stopwatch:
    """Seconds of the clock by name, summed over threads."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Add what the block takes."""
        began = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - began
            with self._lock:
                self.seconds[name] += took

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return `work`, timed."""

        def wrapped(*values: Any, **named: Any) -> Any:
            with self.running(name):
                return work(*values, **named)

        return wrapped


def watch(system: InProcess, clock: Stopwatch) -> list[ChunkText]:
    """Time the steps of imports from now on; return the list to which embedded chunks are added."""
    embedded: list[ChunkText] = []
    embed = ingest.embed_chunks
    write = RecordStore.write

    def embed_chunks(embedder: Any, chunks: Sequence[ChunkText], **more: Any) -> Any:
        embedded.extend(chunks)
        with clock.running("embed"):
            return embed(embedder, chunks, **more)

    @contextlib.contextmanager
    def timed_write(self: RecordStore) -> Iterator[Any]:
        ours = threading.current_thread().name.startswith(IMPORT_THREADS)
        with clock.running("store") if ours else contextlib.nullcontext(), write(self) as found:
            yield found

    ingest.embed_chunks = embed_chunks
    ingest.chunk_document = clock.timed("chunk", ingest.chunk_document)
    ParserPool.parse = clock.timed("parse", ParserPool.parse)  # type: ignore[method-assign]
    EmbeddedIndex.apply = clock.timed("index", EmbeddedIndex.apply)  # type: ignore[method-assign]
    RecordStore.write = timed_write  # type: ignore[method-assign,assignment]
    # The thread that waits for a slice's files: reading, parsing and chunking, several at a time.
    prepare = ingest.Ingestor._in_parallel
    ingest.Ingestor._in_parallel = clock.timed("prepare", prepare)  # type: ignore[method-assign]
    ingestor = system.services.ingestor()
    ingestor._fetch = clock.timed("fetch", ingestor._fetch)
    return embedded


def imported(uris: Sequence[str], schema: str, parsers: int, root: str) -> dict[str, Any]:
    """Import into a new data folder; only in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="toulmin-ingest-") as folder:
        system = InProcess(Path(folder), import_roots=root, parser_processes=parsers)
        system.prepare()
        clock = Stopwatch()
        embedded = watch(system, clock)
        cpu, began = tree_cpu_s(os.getpid()), time.perf_counter()
        operation = rest.import_files(system.call, uris, schema=schema)
        wall = time.perf_counter() - began
        cpu = tree_cpu_s(os.getpid()) - cpu
        with system.services.records().read() as transaction:
            found = transaction.documents.statistics(Branch(rest.STORE))
        peak = tree_peak_mib(os.getpid())
        system.close()
    metadata = operation.get("metadata", {})
    return {
        "parser_processes": parsers,
        "documents": int(found.documents),
        "failed": int(metadata.get("failureCount", 0)),
        "chunks": int(found.chunks),
        "characters": int(found.text_characters),
        "seconds": round(wall, 2),
        "cpu_seconds": round(cpu, 2),
        "cores_used": round(cpu / wall, 2),
        "documents_per_s": round(found.documents / wall, 2),
        "chunks_per_s": round(found.chunks / wall, 2),
        "chunks_per_cpu_s": round(found.chunks / cpu, 2),
        "peak_mib": peak,
        "steps": shares(clock.seconds, wall),
        "texts": [[text.title, list(text.headings), text.content] for text in embedded],
    }


def shares(seconds: dict[str, float], wall: float) -> dict[str, Any]:
    """Return each step's seconds, and as a share of the clock's where it holds the import up."""
    own = {name: seconds.get(name, 0.0) for name in ("prepare", "embed", "store")}
    own["rest"] = wall - sum(own.values())
    inside = {name: seconds.get(name, 0.0) for name in ("fetch", "parse", "chunk", "index")}
    return {
        "one_after_the_other": {
            name: {"seconds": round(value, 2), "share": round(value / wall, 3)}
            for name, value in own.items()
        },
        "inside_prepare_or_beside": {name: round(value, 2) for name, value in inside.items()},
    }


def run_import(given: dict[str, Any]) -> dict[str, Any]:
    """Import in a new process and say how busy others kept the machine."""
    spawn = multiprocessing.get_context("spawn")
    busy, total = machine_ticks()
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        found = pool.submit(imported, **given).result()
    busy_after, total_after = machine_ticks()
    ticks = os.sysconf("SC_CLK_TCK")
    others = (busy_after - busy) / ticks - found["cpu_seconds"]
    found["others_busy"] = round(max(0.0, others) * ticks / max(1, total_after - total), 3)
    return found


class Ways:
    """Ways to embed the same texts; only the first two give a text the same vector always."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.lengths = [len(ids) for ids in self._ids(texts)]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        embedder = Embedder(workers=1)
        model = embedder._model()
        self.session_file = embedder._folder / "model.onnx"
        self._tokenizer = model._tokenizer
        return [self._tokenizer.encode(text).ids for text in texts]

    def one_a_run(self, workers: int) -> np.ndarray:
        """As the product does."""
        embedder = Embedder(workers=workers)
        embedder.embed(self.texts[:2])
        began = time.perf_counter()
        rows = embedder.embed(self.texts)
        self.took = time.perf_counter() - began
        embedder.close()
        return rows

    def one_session(self, threads: int, *, batch: int) -> np.ndarray:
        """One run at a time with `threads` threads inside; texts of one length share a run."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(self.session_file), options)
        encoded = [self._tokenizer.encode(text).ids for text in self.texts]
        groups: dict[int, list[int]] = defaultdict(list)
        for place, ids in enumerate(encoded):
            groups[len(ids)].append(place)
        rows = np.zeros((len(self.texts), 384), dtype=np.float32)
        began = time.perf_counter()
        for places in groups.values():
            for first in range(0, len(places), batch):
                part = places[first : first + batch]
                ids = np.array([encoded[place] for place in part], dtype=np.int64)
                feed = {
                    "input_ids": ids,
                    "attention_mask": np.ones_like(ids),
                    "token_type_ids": np.zeros_like(ids),
                }
                rows[part] = session.run(["embedding"], feed)[0]
        self.took = time.perf_counter() - began
        return rows


def alone(texts: Sequence[str]) -> dict[str, Any]:
    """Return how fast the embedder is by itself, in several ways."""
    ways = Ways(texts)
    reference: np.ndarray | None = None
    result: dict[str, Any] = {
        "texts": len(texts),
        "tokens_a_text": round(float(np.mean(ways.lengths)), 1),
    }
    for name, work in (
        ("one text a run, 1 thread", lambda: ways.one_a_run(1)),
        ("one text a run, 2 threads (the product)", lambda: ways.one_a_run(2)),
        ("one text a run, 2 threads inside it", lambda: ways.one_session(2, batch=1)),
        ("texts of one length together, 1 thread", lambda: ways.one_session(1, batch=16)),
        ("texts of one length together, 2 threads inside", lambda: ways.one_session(2, batch=16)),
    ):
        cpu = time.process_time()
        rows = work()
        reference = rows if reference is None else reference
        result[name] = {
            "texts_per_s": round(len(texts) / ways.took, 1),
            "texts_per_cpu_s": round(len(texts) / (time.process_time() - cpu), 1),
            "largest_change_of_a_cosine": round(float(1 - np.min((rows * reference).sum(1))), 6),
        }
    return result


def pieces(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the texts that the embedder is given for some of these chunks."""
    step = max(1, len(rows) // ALONE)
    chosen = [ChunkText(*row) for row in rows[::step]]
    return [piece for chunk in chosen for piece in chunk_vectors._pieces(chunk)]


def main() -> None:
    """Measure and write the result file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=Path, help="files to import (default: DATA/documents)")
    parser.add_argument("--paragraphs", type=int, default=0, help="at most so many (default: all)")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    result: dict[str, Any] = {"circumstances": circumstances(), "imports": {}}
    command = "python -m benchmarks.speed.ingest --data DATA"
    command += " --documents FOLDER" if given.documents else ""
    command += f" --paragraphs {given.paragraphs}" if given.paragraphs else ""
    result["circumstances"]["command"] = command
    files = (given.documents or given.data / "documents").resolve()
    with tempfile.TemporaryDirectory(prefix="toulmin-ingest-") as name:
        folder = Path(name)
        texts = paragraphs(given.data).documents
        rest.write_documents(texts[: given.paragraphs or None], folder)
        sources = {
            "files": {"uris": [files.as_uri()], "schema": "content", "root": str(files)},
            "paragraphs": {
                "uris": [(folder / rest.FILE).as_uri()], "schema": "document", "root": name,
            },
        }  # fmt: skip
        sizes = {
            "files": sum(path.stat().st_size for path in files.rglob("*") if path.is_file()),
            "paragraphs": sum(len(text.encode()) for text in texts[: given.paragraphs or None]),
        }
        chunks: list[Any] = []
        for source, asked in sources.items():
            rows = []
            for parsers in (1, 2):
                row = run_import({**asked, "parsers": parsers})
                row["mb_per_s"] = round(sizes[source] / 1e6 / row["seconds"], 3)
                chunks = row.pop("texts")
                rows.append(row)
                print(source, json.dumps(row), flush=True)
            embedded = alone(pieces(chunks))
            print(source, json.dumps(embedded), flush=True)
            result["imports"][source] = {"bytes": sizes[source], "runs": rows, "alone": embedded}
    write_result("ingest", result, out=given.out)


if __name__ == "__main__":
    main()
