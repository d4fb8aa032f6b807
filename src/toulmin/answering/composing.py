"""What a composer is: passages and a question in, sentences with what they come from out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from toulmin.answering.passages import Passage
from toulmin.answering.question import Question
from toulmin.answering.reading.reader import Reading
from toulmin.work import UNLIMITED, Work


@dataclass(frozen=True, slots=True)
class ComposedSentence:
    """A sentence of an answer, with what stands before it: nothing, a space, a line and list mark.

    Attributes:
        text: The sentence.
        lead: White space or list mark between it and what is before it; part of the answer's text.
        sources: Places of the passages that it was made from; a composer's claim, checked later.
        states: What it states as an answer to the question; empty: what it says itself. An answer
            whose first sentence states what its sources do not bear out is not given.
        is_note: Whether it says something of the sources, and nothing that they say: cited and
            not checked.
    """

    text: str
    lead: str = ""
    sources: tuple[int, ...] = ()
    states: str = ""
    is_note: bool = False


class Composer(Protocol):
    """Writes answers."""

    def compose(
        self,
        question: Question,
        query: str,
        passages: Sequence[Passage],
        *,
        reading: Reading,
        work: Work = UNLIMITED,
    ) -> Iterator[ComposedSentence]:
        """Yield the sentences of an answer, each as soon as it is there; none: no answer.

        Args:
            question: The question with its style and options.
            query: The question as it was understood in its conversation.
            passages: What may be used, best first.
            reading: What the reader found in them for the query.
            work: Asked now and then.

        Raises:
            Cancelled: Nobody waits any more.
            ToulminError: It cannot be done now (a language model is away): another may try.
        """
        ...
