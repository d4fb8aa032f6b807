"""What comes beside an answer: related questions, images and charts."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from functools import partial

from toulmin.answering import deciding
from toulmin.answering.passages import Passage
from toulmin.answering.pictures.attachments import attach
from toulmin.answering.question import ImageSource
from toulmin.answering.turn import Turn
from toulmin.answering.understanding.related import related_questions

_WORTH_ASKING = 0.5
"""Probability that a passage answers a related question, from which on it is suggested."""


def suggest(turn: Turn, cited: Container[int]) -> None:
    """Add related questions that the passages answer, if they are wanted.

    Args:
        turn: The question with its answer.
        cited: Which of the passages the answer rests on.
    """
    if turn.question.with_related:
        with turn.log.step("related_ms"):
            near = [
                passage
                for place, passage in enumerate(turn.passages)
                if place in cited or deciding.is_relevant(passage)
            ]
            related = related_questions(
                turn.answer.query, turn.answer.text, near, can_answer=partial(_can_answer, turn)
            )
        turn.answer = replace(turn.answer, related_questions=related)


def _can_answer(turn: Turn, question: str, passage: Passage) -> bool:
    read = turn.rooms.skim or turn.rooms.read
    reading = read(question, [passage], turn.log.work)
    return reading.answerable >= _WORTH_ASKING


def attach_pictures(turn: Turn, cited: Iterable[int]) -> None:
    """Add images and charts of the passages that the answer rests on, if they are wanted."""
    if turn.question.images is ImageSource.NONE:
        return
    with turn.log.step("attach_ms"):
        passages = [turn.passages[place] for place in cited]
        attached = attach(turn.answer.query, passages, turn.question.images, blobs=turn.rooms.blobs)
    turn.answer = replace(
        turn.answer, attachments=attached.attachments, reference_blobs=attached.of_passages
    )
