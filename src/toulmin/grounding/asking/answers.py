"""What the grounding model reads as the answer to a question about a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toulmin.grounding.packs import PackLimits, encode_questions
from toulmin.models.grounding_encoder import GroundingEncoder, PackLogits
from toulmin.work import UNLIMITED, Work

_LIMITS = PackLimits()
_NONE = 3
_AFTER = 20
_LONGEST_ANSWER = 16
"""Tokens of an answer with one value in it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the text says there.

    Attributes:
        text: The likeliest words.
        answered: The probability, in [0, 1], that the text answers at all.
        after: What follows the words in the text, up to 20 characters.
    """

    text: str
    answered: float
    after: str = ""


def read_answers(
    encoder: GroundingEncoder,
    asked: Sequence[tuple[str, str]],
    *,
    work: Work = UNLIMITED,
) -> list[Answer]:
    """Return the answer to each (question, text), in order; a text's first tokens are read.

    Question and text see each other, as in `answering/reading/open_reader.py`; the probability is
    the answer head's own.

    Raises:
        Cancelled: Nobody waits any more.
    """
    packs = encode_questions(encoder.tokenizer, asked, _LIMITS)
    return [
        _answer(text, pack.offsets, logits)
        for (_, text), pack, logits in zip(asked, packs, encoder.run(packs, work=work), strict=True)
    ]


def _answer(text: str, offsets: Sequence[tuple[int, int]], logits: PackLogits) -> Answer:
    if logits.ends is None or not offsets:
        return Answer("", 0.0)
    head = logits.answer[0].astype(np.float64)
    answered = 1 - float(np.exp(head[_NONE] - np.logaddexp.reduce(head)))
    ends = logits.ends[1 : len(offsets) + 1].astype(np.float64)
    score = ends[:, None, 0] + ends[None, :, 1]
    distance = np.arange(len(offsets))[None, :] - np.arange(len(offsets))[:, None]
    score[(distance < 0) | (distance >= _LONGEST_ANSWER)] = -np.inf
    first, last = divmod(int(np.argmax(score)), len(offsets))
    end = offsets[last][1]
    return Answer(text[offsets[first][0] : end].strip(), answered, text[end : end + _AFTER])
