"""What is asked, and how it is to be answered, whatever API it came in by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from toulmin.answering.passages import Passage
from toulmin.retrieval.query import SearchQuery
from toulmin.safety.ratings import HarmCategory


class AnswerStyle(StrEnum):
    """How much is said.

    EXTRACTIVE: very brief, words of the sources only. ABSTRACTIVE: a short answer in sentences.
    VERBOSE: with details, in several sentences or points.
    """

    EXTRACTIVE = "EXTRACTIVE"
    ABSTRACTIVE = "ABSTRACTIVE"
    VERBOSE = "VERBOSE"


class FilteringLevel(StrEnum):
    """How well grounded an answer must be to be given."""

    NONE = "NONE"
    LOW = "LOW"
    HIGH = "HIGH"


class BlockThreshold(StrEnum):
    """From which level of probability on a text is blocked."""

    LOW_AND_ABOVE = "LOW_AND_ABOVE"
    MEDIUM_AND_ABOVE = "MEDIUM_AND_ABOVE"
    ONLY_HIGH = "ONLY_HIGH"
    NONE = "NONE"
    OFF = "OFF"


class ImageSource(StrEnum):
    """Which images may come with an answer."""

    NONE = "NONE"
    ALL = "ALL"
    CORPUS = "CORPUS"
    GENERATED = "GENERATED"


class UnderstoodClass(StrEnum):
    """Classes of queries that an answer can be refused for."""

    ADVERSARIAL = "ADVERSARIAL"
    CHIT_CHAT = "CHIT_CHAT"
    NO_CLEAR_INTENT = "NO_CLEAR_INTENT"
    JAILBREAK = "JAILBREAK"
    USER_DEFINED = "USER_DEFINED"


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation and what was answered; empty: nothing yet."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with all that is to be known to answer it.

    Attributes:
        text: The question, as asked.
        history: What was asked and answered before, oldest first.
        search: Where and how passages are searched (its text is put in); None: `given` only.
        given: Passages that the caller brings; with them nothing is searched.
        user_context: What the caller knows of the user; read beside what was found.
        style: How much is said.
        preamble: The caller's instructions for a language model; the built-in composer has no use
            for them.
        language: BCP 47 code of the answer; empty: that of the question.
        temperature: Of a language model, in [0, 1]; None: its default.
        max_rephrase_steps: 0: the question is searched as asked; else how often it may be put
            differently.
        classify: Classes to look for and report.
        ignore: Classes whose questions are not answered.
        ignore_low_relevance: Whether a question that nothing found is relevant to is skipped.
        filtering: How well grounded an answer must be.
        with_citations: Whether citations are wanted.
        with_supports: Whether grounding supports and score are wanted.
        with_related: Whether related questions are wanted.
        images: Which images may come with it.
        safety: Thresholds by category; None: safety is neither rated nor enforced.
        correct_spelling: Whether the query may be put right before it is searched.
        always: Whether an answer is to come however improbable it is; blocked for safety only.
    """

    text: str
    history: tuple[Exchange, ...] = ()
    search: SearchQuery | None = None
    given: tuple[Passage, ...] = ()
    user_context: tuple[Passage, ...] = ()
    style: AnswerStyle = AnswerStyle.ABSTRACTIVE
    preamble: str = ""
    language: str = ""
    temperature: float | None = None
    max_rephrase_steps: int = 1
    classify: frozenset[UnderstoodClass] = frozenset()
    ignore: frozenset[UnderstoodClass] = frozenset()
    ignore_low_relevance: bool = True
    filtering: FilteringLevel = FilteringLevel.NONE
    with_citations: bool = False
    with_supports: bool = False
    with_related: bool = False
    images: ImageSource = ImageSource.NONE
    safety: Mapping[HarmCategory, BlockThreshold] | None = None
    correct_spelling: bool = True
    always: bool = False
