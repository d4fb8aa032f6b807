"""How rare is a word in English texts? A table of stems (training/relevance/CARD.md).

Stems are those of the index (`stores/index/analysis.py`); rare ones are not listed.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from pathlib import Path

FREQUENCIES_FILE = Path(__file__).parent / "data" / "word_frequencies.json"


class Frequencies:
    """In how many of so many texts a word stands.

    Args:
        texts: How many texts there are.
        counts: In how many of them each listed word stands.
        unlisted: What is taken for a word that is not listed.
    """

    def __init__(self, texts: int, counts: Mapping[str, int], unlisted: int) -> None:
        self._texts = texts
        self._counts = counts
        self._unlisted = unlisted
        self.rarest = self._weight_of(unlisted)

    def count(self, word: str) -> int:
        """Return in how many of the texts a word stands; 0 for one that is not listed."""
        return self._counts.get(word, 0)

    def weight(self, word: str) -> float:
        """Return how much a word tells, above 0: the logarithm of how rare it is."""
        return self._weight_of(self._counts.get(word, self._unlisted))

    def _weight_of(self, count: int) -> float:
        return math.log(1.0 + self._texts / (count + 0.5))


@functools.cache
def word_frequencies() -> Frequencies:
    """Return the table of this package, read once."""
    raw = json.loads(FREQUENCIES_FILE.read_text(encoding="utf-8"))
    return Frequencies(raw["texts"], raw["counts"], raw["unlisted"])
