"""Does every file parse, how fast, and into what?

    python -m benchmarks.quality.parsing --data DATA

Reads every file under DATA/documents through one child process with the server's limits, as an
import does, and chunks it at 500 tokens. Writes benchmarks/results/parsing.json: a row per file
with seconds (in the child, with transport, best of the runs), processor seconds (parsing again in
this process, and chunking: what counts on a busy machine), characters, blocks by kind, pages,
images, chunks, or the exact error.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.measurement import circumstances, write_result
from toulmin.errors import ToulminError
from toulmin.ingestion.parsing.chunking import chunk_document
from toulmin.ingestion.parsing.parse import parse
from toulmin.ingestion.parsing.sandbox import ParserPool


def measure(pool: ParserPool, path: Path, name: str, runs: int) -> dict[str, Any]:
    content = path.read_bytes()
    row: dict[str, Any] = {"file": name, "bytes": len(content)}
    best = float("inf")
    document = None
    for _ in range(runs):
        started = time.perf_counter()
        try:
            document = pool.parse(content, name=path.name)
        except ToulminError as error:
            row["error"] = {
                "kind": type(error).__name__,
                "reason": error.reason,
                "message": error.message,
            }
        best = min(best, time.perf_counter() - started)
    row["seconds"] = round(best, 4)
    if document is None:
        return row
    started = time.process_time()
    parse(content, name=path.name)
    row["cpu_seconds"] = round(time.process_time() - started, 4)
    started = time.process_time()
    chunks = chunk_document(document)
    row["chunking_cpu_seconds"] = round(time.process_time() - started, 4)
    row["format"] = document.format.value
    row["characters"] = len(document.text)
    row["pages"] = len(document.pages)
    row["blocks"] = dict(sorted(Counter(block.kind.value for block in document.blocks).items()))
    row["images"] = len(document.blobs)
    row["chunks"] = len(chunks)
    row["longest_chunk_tokens"] = max((chunk.tokens for chunk in chunks), default=0)
    row["title"] = document.metadata.title
    row["notes"] = list(document.notes)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    root = options.data / "documents"
    result: dict[str, Any] = circumstances()
    rows = []
    started = time.perf_counter()
    with ParserPool() as pool:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            rows.append(measure(pool, path, path.relative_to(root).as_posix(), options.runs))
            print(rows[-1]["file"], rows[-1].get("error") or rows[-1]["characters"], flush=True)
    parsed = [row for row in rows if "error" not in row]
    result["runs"] = options.runs
    result["summary"] = {
        "files": len(rows),
        "parsed": len(parsed),
        "refused": len(rows) - len(parsed),
        "bytes": sum(row["bytes"] for row in rows),
        "characters": sum(row["characters"] for row in parsed),
        "chunks": sum(row["chunks"] for row in parsed),
        "seconds_parsing": round(sum(row["seconds"] for row in rows), 2),
        "cpu_seconds_parsing": round(sum(row["cpu_seconds"] for row in parsed), 2),
        "cpu_seconds_chunking": round(sum(row["chunking_cpu_seconds"] for row in parsed), 2),
        "seconds_all": round(time.perf_counter() - started, 2),
    }
    result["files"] = rows
    write_result("parsing", result)


if __name__ == "__main__":
    main()
