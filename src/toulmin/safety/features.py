"""What the safety models read of a text: its pieces, their embeddings, concepts and hashed n-grams.

A text is cleaned and cut into pieces of a few sentences: a harmful sentence in a long harmless text
must be seen, and in one vector of the whole it would not show. For each piece: its embedding
(`models.embedder`), four numbers, and its words, word pairs and letter groups, each hashed to one
of 2^14 places (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009).
Query classes read other languages in English words (`glossing.py`) and the concepts of a piece as
well (`concepts.py`). Training imports this file, so that both sides read the same.
"""

from __future__ import annotations

import html
import re
import unicodedata
import zlib
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toulmin.safety.concepts import concepts_of
from toulmin.safety.glossing import glossed

PLACES = 1 << 14
NUMBERS = 4
PIECE_CHARS = 320
MOST_PIECES = 16

_FIRST_PICTOGRAPH = "\u200b"
_FLAG_A, _FLAG_Z = "\U0001f1e6", "\U0001f1ff"
_MODIFIERS = frozenset(("Sk", "Cf"))  # skin tones, joiners

_REPOST = re.compile(r"\bRT @\w+:?")
_MENTION = re.compile(r"(?<!\w)@\w+:?")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_SPACES = re.compile(r"\s+")
_SENTENCE_ENDS = (". ", "! ", "? ")
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")


def pieces_of(text: str) -> list[str]:
    """Return the cleaned text in 1 to `MOST_PIECES` pieces, in reading order.

    Of a longer text the first pieces and the last one are kept. Links, addressees ("@name") and
    HTML entities say where a text was posted, not what it says, so they are removed.
    """
    plain = "".join(map(_spelled, html.unescape(text)))
    for pattern in (_REPOST, _MENTION, _LINK):
        plain = pattern.sub(" ", plain)
    plain = _SPACES.sub(" ", plain).strip(' "')
    pieces = list(_cut(plain))
    if len(pieces) > MOST_PIECES:
        pieces = [*pieces[: MOST_PIECES - 1], plain[-PIECE_CHARS:]]
    return pieces or [""]


def readings_of(text: str) -> list[str]:
    """Return the pieces of `text` in English words, as far as the table has them."""
    return [glossed(piece) for piece in pieces_of(text)]


def _spelled(character: str) -> str:
    """Return the name of a pictograph, the letter of a flag, or the character itself.

    Neither the embedder nor the n-grams know pictographs; names of characters never change.
    """
    if character < _FIRST_PICTOGRAPH:
        return character
    if _FLAG_A <= character <= _FLAG_Z:
        return chr(ord(character) - ord(_FLAG_A) + ord("a"))
    kind = unicodedata.category(character)
    if kind == "So":
        return f" {unicodedata.name(character, '').lower()} "
    return "" if kind in _MODIFIERS or "\ufe00" <= character <= "\ufe0f" else character


def _cut(plain: str) -> Iterator[str]:
    start = 0
    while start < len(plain):
        end = start + PIECE_CHARS
        if end < len(plain):
            half = start + PIECE_CHARS // 2
            stop = max(plain.rfind(mark, half, end) for mark in _SENTENCE_ENDS) + 1
            space = plain.rfind(" ", half, end)
            end = stop or (space if space > start else end)
        yield plain[start:end].strip()
        start = end


def hashed_ngrams(piece: str) -> NDArray[np.int64]:
    """Return the places of a piece's n-grams, each once, ascending: words, pairs, letter groups."""
    words = _WORD.findall(piece.lower().replace("\u2019", "'"))
    marked = ["^", *words, "$"]
    grams = set(words)
    grams.update(f"{a} {b}" for a, b in pairwise(marked))
    for word in words:
        if len(word) > 3:
            spelled = f"<{word}>"
            grams.update(f"#{spelled[i : i + 4]}" for i in range(len(spelled) - 3))
    places = {zlib.crc32(gram.encode("utf-8", "replace")) % PLACES for gram in grams}
    return np.array(sorted(places), dtype=np.int64)


def dense_of(reading: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the embedding, the four numbers and the concepts of a piece, one after the other."""
    return np.concatenate((vector, numbers_of(reading), concepts_of(reading)))


def numbers_of(piece: str) -> NDArray[np.float32]:
    """Return four features in [0, 1]: length, ends as a question, "you", "I"."""
    words = _WORD.findall(piece.lower())
    count = max(len(words), 1)
    return np.array(
        (
            min(np.log1p(len(words)) / 6.0, 1.0),
            float(piece.endswith("?")),
            min(4.0 * sum(w in _YOU for w in words) / count, 1.0),
            min(4.0 * sum(w in _ME for w in words) / count, 1.0),
        ),
        dtype=np.float32,
    )


_YOU = frozenset(("you", "your", "yours", "yourself", "you're", "you'll", "you've"))
_ME = frozenset(("i", "my", "me", "mine", "i'm", "i've", "i'll", "myself"))
