"""A process to be killed: opens a data folder, does the operations in it, says how far it is.

    python -m benchmarks.reliability.child FOLDER IMPORT_ROOT [--stay]

One line of JSON at a time on standard output: {"ready": true}, then what is committed: states and
counts of the operations, whether the index is being built or made compact; {"done": true} once all
operations have ended, all is searchable, and no index holds much that is dead. With --stay it goes
on until its standard input ends.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.reliability.documents import BRANCH, HashEmbedder
from toulmin.retrieval.rerank import Reranker
from toulmin.services.documents import DocumentServices
from toulmin.settings import Settings
from toulmin.stores.indexer import _is_wasteful

_POLL_S = 0.02


def open_services(folder: Path, root: Path) -> DocumentServices:
    """Open a data folder as the server does, with vectors that cost nothing."""
    settings = Settings(data_dir=folder, import_roots=(str(root),), parser_processes=2)
    return DocumentServices(settings, embedder=HashEmbedder(), reranker=_no_reranker)  # type: ignore[arg-type]


def _no_reranker() -> Reranker:
    raise NotImplementedError("no trial asks for reranking")


def main() -> None:
    """Run until all is done, or killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--stay", action="store_true")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    services = open_services(arguments.folder, arguments.root)
    _say({"ready": True})
    told: dict[str, Any] = {}
    while not (state := _state(services, arguments.folder))["done"]:
        if state != told:
            _say(state)
            told = state
        time.sleep(_POLL_S)
    _say(state)
    if arguments.stay:
        sys.stdin.read()
    services.close()


def _state(services: DocumentServices, folder: Path) -> dict[str, Any]:
    with services.records.read() as transaction:
        operations = transaction.operations.list(BRANCH, page_size=100).items
        head = transaction.outbox.head().sequence
        stores = transaction.resources.all_data_stores()
    builds = len(list((folder / "index").glob("store-*/build-*")))
    indexes = [services.indexer._entry(key).peek() for key, _ in stores]
    is_open = all(index is not None for index in indexes)
    is_tidy = not any(index is not None and _is_wasteful(index) for index in indexes)
    followed = services.indexer.position >= head
    return {
        "success": sum(operation.success_count for operation in operations),
        "states": [operation.state for operation in operations],
        "errors": [operation.error.code for operation in operations if operation.error],
        "phase": operations[0].cursor.get("phase", "") if operations else "",
        "builds": builds,
        "done": is_open
        and followed
        and is_tidy
        and builds == len(stores)
        and all(operation.done for operation in operations),
    }


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
