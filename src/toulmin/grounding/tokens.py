"""Length of an answer in tokens, by the check-grounding guide's rule.

A token is a word in a sentence or the mark that ends the sentence: "They wore off-the-rack
clothes in 2024." has seven. A word is what stands between white space and holds a letter or a
digit. Scripts without spaces have no such words: two Han or kana characters count as one word,
which is their usual length, and five characters of Thai, Lao, Khmer or Burmese.

Source: check-grounding guide, "Answer candidate".
"""

from __future__ import annotations

import re

from toulmin.text.scripts import (
    HALF_WIDTH_KANA,
    HAN_COMPATIBILITY,
    HAN_LETTERS,
    HAN_SUPPLEMENT,
    KANA_LETTERS,
    SOUTH_EAST_ASIAN,
)
from toulmin.text.sentences import FULL_STOPS, WEAK_STOPS, split_sentences

MAX_ANSWER_TOKENS = 4096

_HAN_KANA = f"々〇{KANA_LETTERS}{HALF_WIDTH_KANA}{HAN_LETTERS}{HAN_COMPATIBILITY}"
_CHARS_PER_WORD_HAN_KANA = 2
_CHARS_PER_WORD_SOUTH_EAST_ASIAN = 5
_RUN = re.compile(
    rf"([{_HAN_KANA}{HAN_SUPPLEMENT}]++)|([{SOUTH_EAST_ASIAN}]++)"
    rf"|[^\s{_HAN_KANA}{SOUTH_EAST_ASIAN}{HAN_SUPPLEMENT}]*?[^\W_]"
    rf"[^\s{_HAN_KANA}{SOUTH_EAST_ASIAN}{HAN_SUPPLEMENT}]*+"
    # Marks without a letter or digit: taken whole, so that none is looked at twice.
    rf"|([^\s{_HAN_KANA}{SOUTH_EAST_ASIAN}]++)"
)
_END_MARK = re.compile(
    rf"[{WEAK_STOPS}{FULL_STOPS}][^\w\s.]{{0,8}}(?:\s?\[[^\]]{{0,16}}\]){{0,4}}[^\w.]{{0,8}}\Z"
)
_END_CHARS = 100


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text: its words and the marks that end its sentences."""
    return _count_words(text) + sum(
        1
        for start, end in split_sentences(text)
        if _END_MARK.search(text[max(start, end - _END_CHARS) : end])
    )


def _count_words(text: str) -> int:
    words = 0
    for match in _RUN.finditer(text):
        group = match.lastindex
        if group is None:
            words += 1
        elif group == 1:
            words += -(-len(match.group()) // _CHARS_PER_WORD_HAN_KANA)
        elif group == 2:
            words += -(-len(match.group()) // _CHARS_PER_WORD_SOUTH_EAST_ASIAN)
    return words
