"""Do two sentences say the same? By their words: what one says adds nothing to the other."""

from __future__ import annotations

import re

from toulmin.answering.compose.language import shared_words
from toulmin.text.scripts import FIRST_EAST_ASIAN
from toulmin.text.words import fold_text

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SAME = 0.8
"""Share of a sentence's words, from which on the other one holds what it says."""


class Saying:
    """What a sentence says, for comparing.

    Args:
        text: The sentence.
    """

    __slots__ = ("_numbers", "_words")

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._numbers = frozenset(_NUMBER.findall(text))

    def holds(self, other: Saying) -> bool:
        """Return whether this says all that the other one says: its words, and every number."""
        shared = len(self._words & other._words)
        return (
            bool(other._words)
            and shared >= _SAME * len(other._words)
            and other._numbers <= self._numbers
        )

    def share(self, other: Saying) -> float:
        """Return the share of the longer one's words that both have, in [0, 1]."""
        most = max(len(self._words), len(other._words))
        return len(self._words & other._words) / most if most else 0.0

    def repeats(self, other: Saying) -> bool:
        """Return whether this adds nothing to the other one; a number that it lacks is new."""
        least = min(len(self._words), len(other._words))
        shared = len(self._words & other._words)
        return bool(least) and shared >= _SAME * least and self._numbers <= other._numbers


def _words(text: str) -> frozenset[str]:
    """Return the telling words; pairs of characters where there are no spaces."""
    grammar = shared_words("grammar")
    found: set[str] = set()
    for word in _WORD.findall(fold_text(text)):
        if len(word) > 1 and word[0] >= FIRST_EAST_ASIAN:
            found.update(word[i : i + 2] for i in range(len(word) - 1))
        elif word not in grammar:
            found.add(word)
    return frozenset(found)
