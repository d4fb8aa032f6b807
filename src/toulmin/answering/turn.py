"""One question on its way to its answer: what all steps read, and what they write."""

from __future__ import annotations

from dataclasses import dataclass, field

from toulmin.answering.answer import Answer
from toulmin.answering.passages import Passage
from toulmin.answering.question import Question
from toulmin.answering.rooms import Rooms
from toulmin.answering.steps import StepLog


@dataclass(slots=True, kw_only=True)
class Turn:
    """One question on its way to its answer.

    Attributes:
        question: What is asked, and how it is to be answered.
        rooms: What the steps stand on.
        log: What was done so far; knows whether the caller is gone.
        answer: What is known of the answer so far.
        passages: What was found so far, for all that the question asks.
        missing: The parts of the question, each as a question, that what was found does not answer.
    """

    question: Question
    rooms: Rooms
    log: StepLog
    answer: Answer
    passages: list[Passage] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
