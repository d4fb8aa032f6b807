"""Which share of a query's words does a text hold, each word counting by how rare it is?

How rare a word is comes from a table of English texts (`frequencies.py`), not from the documents
searched: so the share means the same in every data store, and where there is no index.
Terms are those of the index (`stores/index/analysis.py`): stems, and pairs of letters of scripts
without spaces.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toulmin.retrieval.frequencies import word_frequencies
from toulmin.stores.index.analysis import parted, query_terms, word_analyzer

_WORD = re.compile(r"[^\W_]+")
_PREFIX = 2  # letters that stemming leaves alone


class QueryWords:
    """The words of one query, ready to be looked for.

    Args:
        query: Words in any language.
    """

    def __init__(self, query: str) -> None:
        words, grams = query_terms(query, word_analyzer())
        table = word_frequencies()
        self._weights = {word: table.weight(word) for word in words}
        self._grams = dict.fromkeys(grams, table.rarest)
        self._prefixes = frozenset(word[:_PREFIX] for word in words)
        self._total = sum(self._weights.values()) + sum(self._grams.values())

    def coverage(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the share of the query's words that each text holds, by weight, in [0, 1].

        Shape (texts,); zeros for a query without words.
        """
        return np.array([self._share(text) for text in texts], dtype=np.float64)

    def _share(self, text: str) -> float:
        if not self._total:
            return 0.0
        rest, runs = parted(text)
        # Most words of a text are none of the query's; only those that may be are stemmed.
        held = {
            term
            for word in set(_WORD.findall(rest.lower()))
            if word[:_PREFIX] in self._prefixes or not word.isascii()
            for term in _terms(word)
        }
        found = math.fsum(weight for word, weight in self._weights.items() if word in held)
        if runs:
            joined = "\n".join(runs)
            found += math.fsum(weight for gram, weight in self._grams.items() if gram in joined)
        return min(1.0, found / self._total)


@functools.lru_cache(65_536)
def _terms(word: str) -> tuple[str, ...]:
    return tuple(_analyzer().analyze(word))


_analyzer = functools.cache(word_analyzer)
