"""The token sequences that the reader's encoder reads: one or several windows of each passage.

A window is laid out as the support model's pairs are (`grounding.inputs`), with the question in the
place of the claim:

    [CLS] part of a passage [SEP] question [SEP]

Windows of one passage overlap, so that an answer at the edge of one lies inside the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

Span = tuple[int, int]

MAX_QUESTION_TOKENS = 64
OVERLAP = 64
_LONGEST_WORD = OVERLAP // 2
_FIXED_TOKENS = 3  # [CLS] and twice [SEP]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of one passage with the question.

    Attributes:
        passage_index: Which passage.
        ids: Token ids, special tokens included; the first passage token is `ids[1]`.
        types: 0 for [CLS], passage and the first [SEP]; 1 for the rest. As long as `ids`.
        offsets: For each passage token, its character range in the passage, end exclusive.
    """

    passage_index: int
    ids: list[int]
    types: list[int]
    offsets: list[Span]

    @property
    def span(self) -> Span:
        """The characters of the passage from the first token to the last."""
        return self.offsets[0][0], self.offsets[-1][1]


def make_windows(
    tokenizer: Tokenizer, question: str, passages: Sequence[str], max_tokens: int
) -> list[Window]:
    """Return the windows of all passages, in order; a passage without tokens has none.

    Args:
        tokenizer: The model's own, without truncation and padding.
        question: Its tokens after the 64th are not read.
        passages: What to read.
        max_tokens: Length limit of a window, special tokens included; at least 160.

    Raises:
        ValueError: `max_tokens` is too small for a question and an overlap.
    """
    room = max_tokens - _FIXED_TOKENS - MAX_QUESTION_TOKENS
    if room <= OVERLAP:
        raise ValueError(f"max_tokens is {max_tokens}; it must be at least 160")
    asked, *read = tokenizer.encode_batch([question, *passages], add_special_tokens=False)
    question_ids = asked.ids[:MAX_QUESTION_TOKENS]
    room = max_tokens - _FIXED_TOKENS - len(question_ids)
    cls, sep = _special(tokenizer, "[CLS]"), _special(tokenizer, "[SEP]")
    tail = [sep, *question_ids, sep]
    return [
        Window(
            index,
            [cls, *encoding.ids[first:last], *tail],
            [0] * (last - first + 2) + [1] * (len(tail) - 1),
            encoding.offsets[first:last],
        )
        for index, encoding in enumerate(read)
        for first, last in stretches(encoding, room)
    ]


def _special(tokenizer: Tokenizer, token: str) -> int:
    token_id = tokenizer.token_to_id(token)
    if token_id is None:
        raise ValueError(f"the tokenizer has no {token} token")
    return int(token_id)


def stretches(encoding: Encoding, room: int) -> list[Span]:
    """Return overlapping stretches of a passage's tokens, as first and one past the last.

    Each is `room` tokens long at most and starts at the start of a word, unless no word starts
    within a few tokens, as in Japanese.
    """
    total = len(encoding.ids)
    parts: list[Span] = []
    first = 0
    while first < total:
        last = min(first + room, total)
        parts.append((first, last))
        if last == total:
            break
        first = _word_start(encoding.word_ids, last - OVERLAP)
    return parts


def _word_start(words: Sequence[int | None], at: int) -> int:
    """Return the first token from `at` on that starts a word; `at` if none of a few does."""
    starts = (i for i in range(at, at + _LONGEST_WORD) if words[i] != words[i - 1])
    return next(starts, at)
