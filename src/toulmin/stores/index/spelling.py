"""Misspelt words of a query, put right by the words that chunks have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from toulmin.stores.index.vocabulary import LONGEST, Vocabulary, near
from toulmin.text.scripts import ALPHABETIC

_RUN = re.compile(r"[^\W_]+")
_SPELT = re.compile(rf"[{ALPHABETIC}]{{4,{LONGEST}}}")
_LONG = 7  # letters; beyond, two changes are put right
_MOST_WORDS = 32  # of a query
_MOST_WRONG = 8


def correct(text: str, vocabularies: Sequence[Vocabulary], occurs: Callable[[str], bool]) -> str:
    """Return `text` with misspelt words put right (see `SearchIndex.correct`).

    Args:
        text: The query.
        vocabularies: Words of all chunks there ever were.
        occurs: Whether a search for a word finds a chunk.
    """
    text = unicodedata.normalize("NFC", text)
    written = [run for run in _RUN.findall(text) if _SPELT.fullmatch(_lower(run))]
    if len(written) > _MOST_WORDS:
        return ""
    wrong = [word for word in dict.fromkeys(map(_lower, written)) if not occurs(word)]
    if len(wrong) > _MOST_WRONG:
        return ""
    right = {word: _nearest(word, vocabularies, occurs) for word in wrong}
    if not any(right.values()):
        return ""
    return _RUN.sub(lambda run: right.get(_lower(run[0])) or run[0], text)


def _nearest(word: str, vocabularies: Sequence[Vocabulary], occurs: Callable[[str], bool]) -> str:
    """Return the word to put in the place of `word`; "" if there is none."""
    most = 2 if len(word) > _LONG else 1
    found = [
        (distance, -chunks, other) for distance, chunks, other in near(word, most, vocabularies)
    ]
    return next((other for _, _, other in sorted(found) if occurs(other)), "")


def _lower(word: str) -> str:
    return unicodedata.normalize("NFKC", word).lower()
