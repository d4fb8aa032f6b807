"""An answer with all that shows where it comes from. Offsets are characters of its text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toulmin.answering.passages import Passage
from toulmin.answering.question import UnderstoodClass
from toulmin.safety.ratings import SafetyRating


class AnswerState(StrEnum):
    """How far an answer is. A skipped answer has SUCCEEDED."""

    IN_PROGRESS = "IN_PROGRESS"
    STREAMING = "STREAMING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


class SkippedReason(StrEnum):
    """Why a question was not answered; the API's names."""

    ADVERSARIAL_QUERY_IGNORED = "ADVERSARIAL_QUERY_IGNORED"
    NON_ANSWER_SEEKING_QUERY_IGNORED = "NON_ANSWER_SEEKING_QUERY_IGNORED"
    OUT_OF_DOMAIN_QUERY_IGNORED = "OUT_OF_DOMAIN_QUERY_IGNORED"
    POTENTIAL_POLICY_VIOLATION = "POTENTIAL_POLICY_VIOLATION"
    NO_RELEVANT_CONTENT = "NO_RELEVANT_CONTENT"
    JAIL_BREAKING_QUERY_IGNORED = "JAIL_BREAKING_QUERY_IGNORED"
    CUSTOMER_POLICY_VIOLATION = "CUSTOMER_POLICY_VIOLATION"
    NON_ANSWER_SEEKING_QUERY_IGNORED_V2 = "NON_ANSWER_SEEKING_QUERY_IGNORED_V2"
    LOW_GROUNDED_ANSWER = "LOW_GROUNDED_ANSWER"
    USER_DEFINED_CLASSIFICATION_QUERY_IGNORED = "USER_DEFINED_CLASSIFICATION_QUERY_IGNORED"
    UNHELPFUL_ANSWER = "UNHELPFUL_ANSWER"


@dataclass(frozen=True, slots=True)
class Citation:
    """`text[start:end]` rests on these references, by their places in `Answer.references`."""

    start: int
    end: int
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GroundingSupport:
    """How well one claim is borne out.

    Attributes:
        start: First character in the answer's text.
        end: One past the last.
        score: Support in [0, 1]; None: nothing to check.
        needs_check: Whether it states something.
        sources: Places in `Answer.references` of what bears it out.
    """

    start: int
    end: int
    score: float | None
    needs_check: bool
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAction:
    """A search that was made, and the passages that it gave."""

    query: str
    found: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done on the way to the answer.

    Attributes:
        description: What was done, for people.
        thought: Why.
        state: Whether it came to its end.
        actions: Searches made in it.
    """

    description: str
    thought: str = ""
    state: AnswerState = AnswerState.SUCCEEDED
    actions: tuple[SearchAction, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image that belongs to the answer: of the corpus, or made for the answer."""

    mime_type: str
    data: bytes
    generated: bool = False


@dataclass(frozen=True, slots=True)
class BlockedRating:
    """A safety rating, and whether it blocked the text."""

    rating: SafetyRating
    blocked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a question.

    Attributes:
        text: The answer, or why there is none.
        state: How far it is.
        citations: Stretches of the text with what they rest on, in order.
        supports: Each claim with how well it is borne out; empty: not asked for.
        grounding_score: Share of claims that are borne out, in [0, 1]; None: not asked for.
        references: Passages that are cited, in the order in which they first are.
        reference_blobs: For each reference the places in `attachments` of its images.
        attachments: Images.
        related_questions: What might be asked next.
        steps: What was done.
        classes: Classes that were looked for, and whether the question is of them.
        skipped: Why there is no answer; empty: there is one.
        safety_ratings: How harmful question and answer are, the worse of the two.
        question_ratings: How harmful the question is; of an answer that is to come in any case with
            thresholds set, the worse of it and the passages that the answer rests on.
        answerable: Probability in [0, 1] that the passages answer the question; None: not asked.
        query: The question as it was searched.
    """

    text: str = ""
    state: AnswerState = AnswerState.SUCCEEDED
    citations: tuple[Citation, ...] = ()
    supports: tuple[GroundingSupport, ...] = ()
    grounding_score: float | None = None
    references: tuple[Passage, ...] = ()
    reference_blobs: tuple[tuple[int, ...], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    related_questions: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    classes: tuple[tuple[UnderstoodClass, bool], ...] = ()
    skipped: tuple[SkippedReason, ...] = ()
    safety_ratings: tuple[BlockedRating, ...] = ()
    question_ratings: tuple[BlockedRating, ...] = ()
    answerable: float | None = None
    query: str = ""
