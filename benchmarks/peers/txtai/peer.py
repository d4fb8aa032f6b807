"""txtai: an `Embeddings` database with `hybrid=True` (its BM25 and dense vectors) and content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from txtai import Embeddings

from benchmarks.peers.model import model_folder


class Hybrid:
    """One `Embeddings`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._embeddings: Any = None

    def prepare(self) -> None:
        """Load the model."""
        self._embeddings = Embeddings(path=model_folder(), hybrid=True, content=True)

    def add(self, documents: list[str]) -> None:
        """Embed and index."""
        self._embeddings.index(enumerate(documents))

    def keep(self) -> None:
        """Write the index to a folder."""
        self._embeddings.save(str(self._folder / "index"))

    def open(self) -> None:
        """Read the folder."""
        self._embeddings = Embeddings()
        self._embeddings.load(str(self._folder / "index"))

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        return [int(found["id"]) for found in self._embeddings.search(query, limit)]

    def close(self) -> None:
        """Close the database."""
        self._embeddings.close()


SYSTEMS = {"hybrid": Hybrid}
