"""Documents by number, the files they are imported from, and vectors that cost nothing."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toulmin.work import UNLIMITED, Work

COLLECTION = "projects/p/locations/global/collections/default_collection"
STORE = f"{COLLECTION}/dataStores/s"
BRANCH = f"{STORE}/branches/0"

COLOURS = ("red", "green", "blue", "yellow")
_VOCABULARY = 2000
_WORDS = 12


def document_id(number: int) -> str:
    """Return the id of document `number`."""
    return f"d{number:06}"


def words(number: int, version: int = 1) -> list[str]:
    """Return the words of a document: the same for the same number and version."""
    chosen = random.Random(f"{number} {version}")
    return [f"k{chosen.randrange(_VOCABULARY):04}" for _ in range(_WORDS)]


def data(number: int, version: int = 1) -> dict[str, Any]:
    """Return the structured data of a document."""
    return {
        "_id": document_id(number),
        "title": f"Record {number}",
        "text": " ".join(words(number, version)),
        "colour": COLOURS[number % len(COLOURS)],
        "number": number,
    }


def write_lines(path: Path, numbers: Iterable[int], version: int = 1) -> str:
    """Write documents as JSON lines and return the file's path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number in numbers:
            file.write(json.dumps(data(number, version)) + "\n")
    return str(path)


def import_request(*paths: str, full: bool = False, schema: str = "custom") -> dict[str, Any]:
    """Return an import as the operation's JSON."""
    return {
        "source": {"files": {"uris": list(paths), "schema": schema}},
        "reconciliation_mode": "FULL" if full else "INCREMENTAL",
        "auto_generate_ids": False,
        "id_field": "_id" if schema == "custom" else "",
        "update_mask": [],
        "force_refresh": False,
    }


class HashEmbedder:
    """Unit vectors that depend on nothing but the text; stands in for `models.embedder.Embedder`.

    Embedding 100,000 documents with the real model takes an hour on 2 cores, and adds nothing to
    a trial of what survives a kill.
    """

    version = "hash-1"
    has_parts = False

    def embed(self, texts: Sequence[str], *, work: Work = UNLIMITED) -> NDArray[np.float32]:
        """Return one unit row for each text, shape (texts, 384)."""
        del work
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for at, text in enumerate(texts):
            rows[at] = vector(text)
        return rows

    embed_queries = embed


def vector(text: str) -> NDArray[np.float32]:
    """Return the unit vector of a text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    row = np.random.Generator(np.random.SFC64(seed)).standard_normal(384, dtype=np.float32)
    unit: NDArray[np.float32] = row / np.linalg.norm(row)
    return unit
