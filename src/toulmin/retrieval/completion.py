"""The rest of a query that is being typed: titles and headings that begin so, or a word of theirs.

In: the titles and headings of documents. Out: phrases. A phrase is a title or heading without the
number before it and the punctuation at its ends, at most ten words of it, kept once, whatever its
capitals and accents; the spelling that most documents have stands for all. All is built at once,
into sorted arrays: when the documents change, make a new `Completer`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from toulmin.text.scripts import ACCENTS, HAN, HIRAGANA, KANA, KATAKANA

MOST_WORDS = 10
LONGEST = 100
"""Characters of a phrase, and of what is typed."""

_HIGHEST = "\U0010ffff"
_NUMBERING = re.compile(r"(?=\d+[.)])\d+(?:\.\d+)*[.)]?\s+")
_BEFORE, _AFTER = " #*•·|/_.,;:–—-", " |/_.,;:–—-…"  # noqa: RUF001 - dashes of titles
_ACCENTS = re.compile(f"[{ACCENTS}]")
# Japanese words mostly begin where the script changes; Chinese ones cannot be told so.
_WORD = re.compile(rf"[{HIRAGANA}]+|[{KATAKANA}]+|[{HAN}]+|[^\W{KANA}{HAN}]+")


class Completer:
    """Suggests phrases; never changes, so it is safe to share between threads.

    Args:
        documents: Id, title and headings of each document; a phrase counts once for a document.
            The order does not matter.
    """

    def __init__(self, documents: Iterable[tuple[str, str, Sequence[str]]]) -> None:
        spellings: dict[str, Counter[str]] = {}
        for _, title, headings in documents:
            own = {clean_phrase(title), *(clean_phrase(_without_number(h)) for h in headings)}
            for key, phrase in {
                fold(phrase): phrase for phrase in sorted(own, reverse=True) if phrase
            }.items():
                spellings.setdefault(key, Counter())[phrase] += 1
        self._keys = sorted(spellings)
        self._phrases = [_most_common(spellings[key]) for key in self._keys]
        counts = np.array([spellings[key].total() for key in self._keys], dtype=np.int64)
        # Equal counts stay in the order of the keys.
        self._by_rank = np.argsort(-counts, kind="stable").astype(np.int32)
        self._rank = np.empty_like(self._by_rank)
        self._rank[self._by_rank] = np.arange(len(counts), dtype=np.int32)
        self._phrase_of, self._offset = _later_words(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def suggest(self, prefix: str, *, limit: int = 10) -> tuple[str, ...]:
        """Return phrases that begin with `prefix`, then those that have a word that does.

        Both by falling number of documents, then alphabetically. Capitals, accents and the number
        of spaces do not matter, but a space at the end does: the last word is complete.

        Args:
            prefix: What was typed; its first 100 characters count. Empty: nothing is suggested.
            limit: At most so many.
        """
        key = fold(prefix[:LONGEST]).lstrip()
        if not key.strip() or limit <= 0:
            return ()
        start = bisect_left(self._keys, key)
        end = bisect_left(self._keys, key + _HIGHEST)
        best = _least(self._rank[start:end], limit)
        if len(best) < limit:
            found = self._with_later_word(key)
            others = self._rank[found[(found < start) | (found >= end)]]
            best = np.concatenate((best, np.unique(others)[: limit - len(best)]))
        return tuple(self._phrases[at] for at in self._by_rank[best].tolist())

    def _with_later_word(self, key: str) -> NDArray[np.int32]:
        """Return the phrases that go on with `key` at a word other than the first, some twice."""

        def rest(entry: int) -> str:
            key: str = self._keys[self._phrase_of[entry]]
            return key[self._offset[entry] :]

        entries = range(len(self._offset))
        start = bisect_left(entries, key, key=rest)
        end = bisect_left(entries, key + _HIGHEST, key=rest)
        return self._phrase_of[start:end]


def clean_phrase(text: str) -> str:
    """Return a title as a phrase to suggest: at most 10 words and 100 characters; empty if none."""
    words = text[: 10 * LONGEST].split()[:MOST_WORDS]
    while len(words) > 1 and len(" ".join(words)) > LONGEST:
        words.pop()
    phrase = " ".join(words)[:LONGEST].lstrip(_BEFORE).rstrip(_AFTER)
    return phrase if any(char.isalpha() for char in phrase) else ""


def fold(text: str) -> str:
    """Return `text` in the form in which phrases are compared."""
    if not text.isascii():
        bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFC", bare)
    folded = " ".join(text.casefold().split())
    return f"{folded} " if text[-1:].isspace() else folded


def _without_number(heading: str) -> str:
    heading = heading.lstrip()
    numbering = _NUMBERING.match(heading)
    return heading[numbering.end() :] if numbering else heading


def _most_common(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))


def _later_words(keys: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return phrase and offset of every word but the first, in the order of what they begin."""
    places = [
        (number, word.start())
        for number, key in enumerate(keys)
        for word in _WORD.finditer(key)
        if 0 < word.start() < 256  # folding can lengthen: the ligature of a whole sentence
    ]
    order = sorted(range(len(places)), key=lambda i: keys[places[i][0]][places[i][1] :])
    return (
        np.array([places[i][0] for i in order], dtype=np.int32),
        np.array([places[i][1] for i in order], dtype=np.uint8),
    )


def _least(values: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the `count` least values, or all, in order."""
    if len(values) > count:
        values = np.partition(values, count - 1)[:count]
    return np.sort(values)
