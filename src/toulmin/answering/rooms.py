"""What answering stands on: search, reader, composers, check, classifiers. Others make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from toulmin.answering.composing import Composer
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading
from toulmin.domain import BlobAttachment, Chunk
from toulmin.grounding.check import GroundingChecker
from toulmin.retrieval.search import Searcher
from toulmin.safety.query_classes import QueryClassifier
from toulmin.safety.ratings import SafetyRater
from toulmin.work import Work


class Release(StrEnum):
    """When a sentence of a language model leaves in a stream.

    With `HOLD` when it is checked. With `MARK` as soon as it is written; what bears it out follows.
    With `CORRECT` the same, and its wrong details are corrected where the check proves it, so that
    the whole answer, at the end, may not be what has left.
    """

    HOLD = "hold"
    MARK = "mark"
    CORRECT = "correct"


ReadPassages: TypeAlias = Callable[[str, Sequence[Passage], Work], Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What answering stands on; each is returned loaded.

    Attributes:
        searcher: Finds passages.
        read: Says where passages answer a query, and how probably they do; asks while it reads
            whether it is to stop.
        skim: The same, faster and less surely, for questions that are only suggested; None: `read`.
        composer: The built-in composer.
        language_model: A composer that asks a language model first; None: there is none.
        checker: Checks what is said against the passages.
        statement_checker: Checks what an answer would state as one, which is not told; None:
            `checker`.
        classifier: Says of what class a question is.
        rater: Rates harm.
        helpfulness: How helpful an answer is to a question, in [0, 1].
        blobs: Images of a passage.
        chunks: The chunks of a passage's document, in its order, `searching.MOST_CHUNKS` at most;
            none of a passage that is in no data store.
        blocked_phrases: Phrases of the customer's policy, in questions and answers.
        fallback: The operator's sentence for questions that are not answered; empty: the usual.
        release: When a sentence of the language model leaves.
    """

    searcher: Callable[[], Searcher]
    read: ReadPassages
    composer: Callable[[], Composer]
    language_model: Callable[[], Composer | None]
    checker: Callable[[], GroundingChecker]
    classifier: Callable[[], QueryClassifier]
    rater: Callable[[], SafetyRater]
    helpfulness: Callable[[str, str], float]
    blobs: Callable[[Passage], Sequence[BlobAttachment]]
    statement_checker: Callable[[], GroundingChecker] | None = None
    skim: ReadPassages | None = None
    chunks: Callable[[Passage], Sequence[Chunk]] = lambda _passage: ()
    blocked_phrases: tuple[str, ...] = ()
    fallback: str = ""
    release: Release = Release.HOLD
