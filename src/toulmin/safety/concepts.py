"""Of what does a text speak? Concepts ("kill", "rules", "greeting") by a table of English words.

"murder my neighbour" and "stab my brother" have no word in common, but the same two concepts. The
table (`data/concepts.toml`) says nothing about what a concept weighs, alone or beside another one;
the heads learn that.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toulmin.safety.glossing import folded

_TABLE: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "data" / "concepts.toml").read_text(encoding="utf-8")
)
_WORD = re.compile(r"[^\W_]+")

CONCEPTS = tuple(_TABLE)


class _Words:
    """The table's entries by how they are found: whole words, beginnings of words, phrases."""

    def __init__(self) -> None:
        self.whole: defaultdict[str, list[int]] = defaultdict(list)
        self.beginnings: defaultdict[str, list[int]] = defaultdict(list)
        self.phrases: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for concept, entries in enumerate(_TABLE.values()):
            for entry in entries.split():
                self._add(entry, concept)

    def _add(self, entry: str, concept: int) -> None:
        words = _WORD.findall(folded(entry.replace("_", " ")))
        if len(words) > 1:
            self.phrases[words[0]].append((" ".join(words) + " ", concept))
        else:
            (self.beginnings if entry.endswith("-") else self.whole)[words[0]].append(concept)


_WORDS = _Words()


def concepts_of(text: str) -> NDArray[np.float32]:
    """Return for each of `CONCEPTS` 1 if `text` speaks of it, else 0; shape (concepts,)."""
    found: set[int] = set()
    words = _WORD.findall(folded(text))
    for at, word in enumerate(words):
        found.update(_WORDS.whole.get(word, ()))
        for size in range(1, len(word) + 1):
            found.update(_WORDS.beginnings.get(word[:size], ()))
        if word in _WORDS.phrases:
            rest = " ".join(words[at : at + 8]) + " "
            found.update(c for phrase, c in _WORDS.phrases[word] if rest.startswith(phrase))
    flags = np.zeros(len(CONCEPTS), np.float32)
    flags[sorted(found)] = 1.0
    return flags
