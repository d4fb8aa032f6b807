"""Reads answers with a grounding model: question and passage see each other.

As a claim's evidence is read, a passage knows nothing of the question (`grounding.packs`); here
both are one segment, so that the states of the passage say where the answer is, and the answer head
whether there is one. The models were trained on questions in this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from toulmin.answering.reading.answerability import LEXICAL_PLACES, LEXICAL_USED, Answerability
from toulmin.answering.reading.reader import Reading, distinct_answers
from toulmin.answering.reading.spans import Candidate, best_pairs, without_overlaps, word_edges
from toulmin.answering.reading.windows import stretches
from toulmin.errors import FailedPrecondition
from toulmin.grounding.lexical import lexical_features
from toulmin.grounding.packs import EncodedPack, PackLimits, encode_questions
from toulmin.models.grounding_encoder import GroundingEncoder, PackLogits
from toulmin.text.languages import is_elsewhere
from toulmin.text.sentences import split_sentences
from toulmin.work import UNLIMITED, Work

ANSWERABILITY = "answerability.json"
"""The file of the reader's folder that its calibration is in."""
OPEN_FEATURES = (
    "odds",  # highest log odds that a window answers, by the answer head
    "share",  # log share of the best span among the spans of its window
    "lead",  # best span's margin minus the second best, capped at 10; 10 if there is no other
    "log_windows",  # log of the number of windows read
    *LEXICAL_USED,  # question against the best window; across languages only the numbers
    "across",  # 1 if the best window is in another language than the question
)
_SHARED = np.array([name == "numbers_missing" for name in LEXICAL_USED])
"""What a text in another language has all the same: names are written otherwise in many."""
_MOST_LEAD = 10.0
_ACROSS = 2.0
"""What is taken from the log share of a span that goes on into another sentence: of two dates, the
first token of one and the last of the other are often the likeliest ends, each by itself."""
_NONE = 3
_LIMITS = PackLimits()


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a passage that is read at once: `passages[passage][start:end]`."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Examination:
    """What the model says of a question's passages.

    Attributes:
        ranked: All candidates, best first; empty: there is nothing to read.
        features: Values of `OPEN_FEATURES`; empty like `ranked`.
        odds: Log odds that a passage holds an answer of any kind, by its place; a long passage has
            those of its best window, one without a word none.
    """

    ranked: list[Candidate]
    features: NDArray[np.float64]
    odds: dict[int, float]


class OpenReader:
    """Finds answers in passages; safe to share between threads.

    Args:
        encoder: A grounding model that was trained to read so.
        answerability: Turns what it says into a probability that there is an answer; for
            `OPEN_FEATURES`.
    """

    def __init__(self, encoder: GroundingEncoder, answerability: Answerability) -> None:
        self._encoder = encoder
        self._answerability = answerability

    def read(
        self,
        question: str,
        passages: Sequence[str],
        *,
        most_answers: int = 3,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return the best answers in the passages, and whether they hold one.

        Args:
            question: Its first 72 tokens are read.
            passages: In any order; long ones are read in overlapping windows.
            most_answers: At least 1.
            work: Asked before every window.

        Raises:
            Cancelled: Nobody waits any more.
            FailedPrecondition: The model does not read so.
        """
        found = self.examine(question, passages, work=work)
        if not found.ranked:
            return Reading((), 0.0)
        answerable = self._answerability.probability(found.features)
        answers = distinct_answers(found.ranked, passages, answerable)
        return Reading(tuple(answers[:most_answers]), answerable, odds=found.odds)

    def examine(
        self,
        question: str,
        passages: Sequence[str],
        *,
        work: Work = UNLIMITED,
    ) -> Examination:
        """Return all that the model says; arguments as for `read`.

        Raises:
            Cancelled: Nobody waits any more.
            FailedPrecondition: The model does not read so.
        """
        tokenizer = self._encoder.tokenizer
        parts = list(parts_of(tokenizer, passages))
        texts = [passages[part.passage][part.start : part.end] for part in parts]
        packs = encode_questions(tokenizer, [(question, text) for text in texts], _LIMITS)
        logits = self._encoder.run(packs, work=work)
        found = [
            candidate
            for number, part in enumerate(parts)
            for candidate in _candidates(part, texts[number], packs[number], logits[number], number)
        ]
        ranked = without_overlaps(found)
        odds = [answer_odds(head) for head in logits]
        best: dict[int, float] = {}
        for part, known in zip(parts, odds, strict=True):
            best[part.passage] = max(best.get(part.passage, -np.inf), known)
        if not ranked:
            return Examination([], np.zeros(0), best)
        lead = ranked[0].margin - ranked[1].margin if len(ranked) > 1 else _MOST_LEAD
        told = (
            max(odds),
            ranked[0].log_share,
            min(lead, _MOST_LEAD),
            float(np.log(len(parts))),
        )
        words = _words(question, texts[ranked[0].window])
        return Examination(ranked, np.concatenate((told, words)), best)


def _words(question: str, text: str) -> NDArray[np.float64]:
    """Return `LEXICAL_USED` of a question and the text that answers it best, and `across`."""
    found = lexical_features(question, text)[LEXICAL_PLACES]
    across = is_elsewhere(question, text)
    if across:
        found = np.where(_SHARED, found, 0.0)
    return np.append(found, float(across))


def _candidates(
    part: Part, text: str, pack: EncodedPack, logits: PackLogits, number: int
) -> Iterator[Candidate]:
    """Yield the best spans of one window; a margin is its share's log plus the window's odds."""
    if logits.ends is None:
        raise FailedPrecondition("this grounding model does not read questions")
    if not pack.offsets:
        return
    odds = answer_odds(logits)
    inside = logits.ends[1 : len(pack.offsets) + 1].astype(np.float64)
    shares = inside - np.logaddexp.reduce(inside, axis=0)
    edges = word_edges(text, pack.offsets)
    stops = [stop for _, stop in split_sentences(text)]
    for first, last, share in best_pairs(shares[:, 0], shares[:, 1], edges):
        start, end = pack.offsets[first][0], pack.offsets[last][1]
        start += len(text[start:end]) - len(text[start:end].lstrip())  # a token has its space
        if start == end:
            continue
        if any(start < stop < end for stop in stops):
            share -= _ACROSS
        yield Candidate(
            part.passage,
            part.start + start,
            part.start + end,
            share + odds,
            share,
            -odds,
            number,
        )


def answer_odds(logits: PackLogits) -> float:
    """Return the log odds that a window holds an answer of any kind."""
    scores = logits.answer[0].astype(np.float64)
    return float(np.logaddexp.reduce(scores[:_NONE]) - scores[_NONE])


def parts_of(tokenizer: Tokenizer, passages: Sequence[str]) -> Iterator[Part]:
    """Yield the windows of all passages, in order; a passage without tokens has none."""
    encodings = tokenizer.encode_batch(list(passages), add_special_tokens=False)
    for index, encoding in enumerate(encodings):
        if not passages[index].strip():  # to some tokenizers, white space is a token
            continue
        for first, last in stretches(encoding, _LIMITS.evidence):
            yield Part(index, encoding.offsets[first][0], encoding.offsets[last - 1][1])
