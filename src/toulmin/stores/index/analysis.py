"""Text -> terms: words for scripts that part them, n-grams for those that do not.

Words are lower-cased, stripped of accents and stemmed as English. Stop words stay: BM25 weighs
them down by itself, and "to be or not to be" must be findable. Runs of Chinese, Japanese, Thai,
Lao, Khmer and Burmese letters, which have no spaces, are cut into single letters and pairs, as
Korean words are too; a query asks for the pairs, and for a single letter where it stands alone.
"""

from __future__ import annotations

import re
import unicodedata

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from toulmin.text.scripts import (
    HAN_COMPATIBILITY,
    HAN_LETTERS,
    HAN_MARKS,
    HAN_SUPPLEMENT,
    HANGUL,
    KANA,
    KANA_EXTENSION,
    SOUTH_EAST_ASIAN,
)

_LONGEST_WORD = 100  # bytes; what is longer is no word
_LONGEST_QUERY = 4096  # characters
MOST_TERMS = 256  # of a query

_UNPARTED = re.compile(
    f"[{SOUTH_EAST_ASIAN}{KANA}{KANA_EXTENSION}{HANGUL}"
    f"{HAN_LETTERS}{HAN_MARKS}{HAN_COMPATIBILITY}{HAN_SUPPLEMENT}]+"
)


def word_analyzer() -> TextAnalyzer:
    """Return the analyzer of words."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(_LONGEST_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


def gram_analyzer() -> TextAnalyzer:
    """Return the analyzer of runs of letters without spaces."""
    return TextAnalyzerBuilder(Tokenizer.ngram(1, 2)).build()


def parted(text: str) -> tuple[str, list[str]]:
    """Return `text` without its runs of unparted letters, and those runs."""
    if text.isascii():
        return text, []
    text = unicodedata.normalize("NFKC", text)
    runs = _UNPARTED.findall(text)
    return (_UNPARTED.sub(" ", text), runs) if runs else (text, runs)


def query_terms(text: str, words: TextAnalyzer) -> tuple[list[str], list[str]]:
    """Return the words and the n-grams that a query asks for, each once, in order."""
    rest, runs = parted(text[:_LONGEST_QUERY])
    grams = [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))]
    asked = list(dict.fromkeys(words.analyze(rest)))[:MOST_TERMS]
    return asked, list(dict.fromkeys(grams))[: MOST_TERMS - len(asked)]
