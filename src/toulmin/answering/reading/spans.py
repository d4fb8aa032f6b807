"""From start and end logits to answer spans that never cut a word in half."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toulmin.answering.reading.windows import Window
from toulmin.text.scripts import FIRST_UNSPACED

MAX_ANSWER_TOKENS = 30
_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible answer in one window.

    Attributes:
        passage_index: Which passage.
        start: First character in the passage.
        end: One past its last character.
        margin: Start and end logit minus those of "no answer"; above 0 the encoder prefers it.
        log_share: Log of its share among the starts times its share among the ends of the window.
        null_log_share: The same for "no answer".
        window: Index of the window it was found in.
    """

    passage_index: int
    start: int
    end: int
    margin: float
    log_share: float
    null_log_share: float
    window: int


def candidates(
    window: Window,
    passage: str,
    logits: tuple[NDArray[np.float32], NDArray[np.float32]],
    *,
    number: int = 0,
) -> list[Candidate]:
    """Return the best spans of one window, best first; they may overlap.

    Args:
        window: What was read.
        passage: The passage that it is a part of.
        logits: Start and end logits, each of shape (tokens,); at position 0 for "no answer".
        number: Goes to `Candidate.window`.
    """
    count = len(window.offsets)
    null = float(logits[0][0]) + float(logits[1][0])
    start = np.asarray(logits[0][1 : count + 1], dtype=np.float64)
    end = np.asarray(logits[1][1 : count + 1], dtype=np.float64)
    total = _log_sum(logits[0][: count + 1]) + _log_sum(logits[1][: count + 1])
    return [
        Candidate(
            window.passage_index,
            window.offsets[first][0],
            window.offsets[last][1],
            score - null,
            score - total,
            null - total,
            number,
        )
        for first, last, score in best_pairs(start, end, word_edges(passage, window.offsets))
    ]


def best_pairs(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    edges: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> list[tuple[int, int, float]]:
    """Return (first token, last token, score) of the best spans, best first.

    Args:
        start: Logit of each token as the first, shape (tokens,).
        end: Logit of each token as the last.
        edges: What `word_edges` says of the tokens.
    """
    count = len(start)
    begins, ends = edges
    score = start[:, None] + end[None, :]
    distance = np.arange(count)[None, :] - np.arange(count)[:, None]
    allowed = (distance >= 0) & (distance < MAX_ANSWER_TOKENS) & begins[:, None] & ends[None, :]
    flat = np.where(allowed, score, -np.inf).ravel()
    # A stable sort of the few best: equal scores keep the order of the text.
    best = np.sort(np.argpartition(-flat, min(_CANDIDATES, len(flat) - 1))[:_CANDIDATES])
    best = best[np.argsort(-flat[best], kind="stable")]
    return [
        (place // count, place % count, float(flat[place]))
        for place in best.tolist()
        if np.isfinite(flat[place])
    ]


def without_overlaps(found: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, best first, without those that overlap a better one."""
    kept: list[Candidate] = []
    for item in sorted(found, key=lambda c: (-c.margin, c.passage_index, c.start, c.end)):
        if not any(
            k.passage_index == item.passage_index and item.start < k.end and k.start < item.end
            for k in kept
        ):
            kept.append(item)
    return kept


def word_edges(
    text: str, offsets: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which tokens may begin and which may end an answer, each of shape (tokens,).

    A token that stands for no character may do neither.
    """
    begins = [end > start and not _inside_word(text, start) for start, end in offsets]
    ends = [end > start and not _inside_word(text, end) for start, end in offsets]
    return np.array(begins, dtype=np.bool_), np.array(ends, dtype=np.bool_)


def _inside_word(text: str, at: int) -> bool:
    """Return whether a cut before `text[at]` would split a word, a number or a character."""
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if unicodedata.category(after).startswith("M") or after == "\u200d" or before == "\u200d":
        return True
    if before.isalnum() and after.isalnum():
        return before < FIRST_UNSPACED and after < FIRST_UNSPACED
    if before in ".," and after.isdigit():
        return at >= 2 and text[at - 2].isdigit()
    return before.isdigit() and after in ".," and text[at + 1 : at + 2].isdigit()


def _log_sum(values: NDArray[np.float32]) -> float:
    """Return the log of the sum of exponentials."""
    wide = np.asarray(values, dtype=np.float64)
    most = wide.max()
    return float(most + np.log(np.exp(wide - most).sum()))
