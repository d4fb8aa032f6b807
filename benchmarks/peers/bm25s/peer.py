"""bm25s alone: words only, English stop words and stemmer, as its guide does it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bm25s
import Stemmer


class Words:
    """One `bm25s.BM25` with the texts beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stemmer = Stemmer.Stemmer("english")
        self._retriever: Any = None
        self._documents: list[str] = []

    def prepare(self) -> None:
        """No model to load."""

    def add(self, documents: list[str]) -> None:
        """Cut into words and index."""
        self._documents = documents
        self._retriever = bm25s.BM25()
        self._retriever.index(self._tokens(documents), show_progress=False)

    def keep(self) -> None:
        """Write the index and the texts to a folder."""
        self._retriever.save(str(self._folder / "index"), corpus=self._documents)

    def open(self) -> None:
        """Read the folder."""
        self._retriever = bm25s.BM25.load(str(self._folder / "index"), load_corpus=True)

    def search(self, query: str, limit: int) -> list[int]:
        """Return places of documents, best first."""
        found, _ = self._retriever.retrieve(self._tokens([query]), k=limit, show_progress=False)
        return [int(item["id"]) for item in found[0]]

    def close(self) -> None:
        """Nothing to let go of."""

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


SYSTEMS = {"words": Words}
