"""Is a word of a query misspelt? If putting it right finds more, in the query's language.

For a word that no chunk has, the index proposes the nearest that one has
(`stores/index/spelling.py`). The nearest is often another word: "wisi" for "wifi", "cresta" for
"cuesta". So a proposal is taken only if a passage with it, in the language of the query, holds
more of the query than any passage does without it.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence

from toulmin.retrieval.coverage import QueryWords
from toulmin.retrieval.frequencies import word_frequencies
from toulmin.retrieval.words import asked_terms, places_of
from toulmin.stores.index.analysis import word_analyzer
from toulmin.text.languages import find_language, language_cues
from toulmin.text.words import fold_text

_WORD = re.compile(r"[^\W_]+")
_SHORT = 4  # letters: a word so short is one letter away from many others


def put_right(
    text: str, propose: Callable[[str], str], passages: Callable[[str], Sequence[str]]
) -> str:
    """Return a query with its misspelt words put right; "" if none is misspelt.

    Args:
        text: The query.
        propose: Returns a text with the nearest words of the index in the place of those that it
            does not have; "" if it has them all.
        passages: Returns the passages that have most of a query's words, with their titles.
    """
    if not propose(text):
        return ""
    text = unicodedata.normalize("NFC", text)
    proposed = {
        word: put
        for word in dict.fromkeys(_WORD.findall(text))
        if (put := propose(word)) and _may_mean(word, put)
    }
    if not proposed:
        return ""
    corrected, language = _with(text, proposed), find_language(text, fallback="")
    found = passages(corrected)
    least = max(QueryWords(text).coverage(passages(text)), default=0.0)
    better = [
        passage
        for passage, share in zip(found, QueryWords(corrected).coverage(found), strict=True)
        if share > least and _fits(passage, language)
    ]
    right = {
        word: put
        for word, put in proposed.items()
        if any(places_of(asked_terms(put), passage) for passage in better)
    }
    return _with(text, right) if right else ""


def _with(text: str, right: dict[str, str]) -> str:
    return _WORD.sub(lambda word: right.get(word[0], word[0]), text)


def _may_mean(word: str, put: str) -> bool:
    """Return whether `put` may be meant by `word`, which then is no word that is known."""
    if len(word) <= _SHORT and sorted(word.lower()) != sorted(put.lower()):
        return False
    folded = fold_text(word)
    return not (
        folded in _function_words()
        or any(word_frequencies().count(stem) for stem in word_analyzer().analyze(word))
    )


def _fits(passage: str, language: str) -> bool:
    """Return whether a passage is in a language; that of a query too short to tell is any."""
    return not language or find_language(passage) == language


@functools.cache
def _function_words() -> frozenset[str]:
    """Return the words of every known language that only join others."""
    return frozenset().union(*(cues.function_words for cues in language_cues().values()))
