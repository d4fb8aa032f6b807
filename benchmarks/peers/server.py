"""`toulmin serve` over REST: the same phases as worker.py has, the server measured from outside."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.live_server import LiveServer
from benchmarks.peers import rest
from benchmarks.peers.worker import LIMIT, answers, reversed_words, tree_cpu_s, tree_peak_mib
from benchmarks.retrieval_collections import Collection


def imported(collection: Collection, folder: Path, first: int | None) -> dict[str, Any]:
    """Start a server on a new folder and import all documents, or the first, through it."""
    documents = collection.documents[:first]
    with _server(folder) as server:
        call = rest.Client(server.port).call
        rest.create_store(call)
        cpu, began = tree_cpu_s(server.pid), time.perf_counter()
        rest.write_documents(documents, folder)
        rest.import_files(call, [(folder / rest.FILE).as_uri()])
        return {
            "load_s": server.ready_s,
            "documents": len(documents),
            "import_s": time.perf_counter() - began,
            "import_cpu_s": tree_cpu_s(server.pid) - cpu,
            "keep_s": 0.0,
            "peak_mib": tree_peak_mib(server.pid),
        }


def asked(collection: Collection, folder: Path, mode: str) -> dict[str, Any]:
    """Start a server on the folder and ask it."""
    began = time.perf_counter()
    with _server(folder) as server:
        call = rest.Client(server.port).call
        rest.search(call, reversed_words(collection.queries[0]), LIMIT, mode=mode)
        cold = time.perf_counter() - began
        result = answers(
            lambda query, limit: rest.search(call, query, limit, mode=mode),
            collection.queries,
            cpu_s=lambda: tree_cpu_s(server.pid),
        )
        return {**result, "cold_start_s": cold, "peak_mib": tree_peak_mib(server.pid)}


def _server(folder: Path) -> LiveServer:
    return LiveServer("--data-dir", str(folder / "data"), "--import-roots", str(folder))
