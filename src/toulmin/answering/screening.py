"""What may not be dealt with: questions of ignored classes, the customer's phrases, harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from toulmin.answering import deciding
from toulmin.answering.answer import BlockedRating, SkippedReason, Step
from toulmin.answering.question import UnderstoodClass
from toulmin.answering.turn import Turn
from toulmin.safety.query_classes import QueryClass

_QUERY_CLASSES = {
    UnderstoodClass.ADVERSARIAL: QueryClass.ADVERSARIAL,
    UnderstoodClass.CHIT_CHAT: QueryClass.CHIT_CHAT,
    UnderstoodClass.NO_CLEAR_INTENT: QueryClass.NO_CLEAR_INTENT,
    UnderstoodClass.JAILBREAK: QueryClass.JAILBREAK,
}


def classify(
    turn: Turn, is_user_defined: Callable[[str], bool] | None
) -> tuple[SkippedReason, ...]:
    """Say of what classes the question is; return why it is not answered, if one is ignored.

    Args:
        turn: The question; the classes that are to be reported become part of its answer.
        is_user_defined: Says whether a question is of the class that the user has defined.
    """
    question = turn.question
    wanted = question.classify | question.ignore
    if not wanted:
        return ()
    with turn.log.step("classify_ms"):
        positive: set[UnderstoodClass] = set()
        if wanted - {UnderstoodClass.USER_DEFINED}:
            seen = turn.rooms.classifier().classify(question.text, work=turn.log.work)
            positive = {ours for ours, name in _QUERY_CLASSES.items() if name in seen.positive}
        if (
            UnderstoodClass.USER_DEFINED in wanted
            and is_user_defined
            and is_user_defined(question.text)
        ):
            positive.add(UnderstoodClass.USER_DEFINED)
    classes = tuple((name, name in positive) for name in UnderstoodClass if name in wanted)
    found = ", ".join(name for name in UnderstoodClass if name in positive)
    turn.log.note(Step("Classify the query.", f"It is of these classes: {found or 'none'}."))
    reported = tuple(item for item in classes if item[0] in question.classify)
    turn.answer = replace(turn.answer, classes=reported)
    return deciding.reasons_of_classes(classes, question.ignore)


def screen_input(turn: Turn) -> tuple[SkippedReason, ...]:
    """Return why what was put in may not be dealt with."""
    return screen(turn, *_input(turn))


def _input(turn: Turn) -> tuple[str, ...]:
    """What must be harmless: the question; with `always` the caller's conversation, too."""
    question = turn.question
    if not question.always:  # a session goes on after a question of it was blocked
        return (question.text,)
    said = [text for item in question.history for text in (item.question, item.answer)]
    return (*(text for text in said if text), question.text)


def screen(turn: Turn, *texts: str) -> tuple[SkippedReason, ...]:
    """Return why texts may not be dealt with: the customer's phrases, or harm."""
    if any(deciding.holds_phrase(text, turn.rooms.blocked_phrases) for text in texts):
        return (SkippedReason.CUSTOMER_POLICY_VIOLATION,)
    if turn.question.safety is None:
        return ()
    found: tuple[BlockedRating, ...] = ()
    with turn.log.step("safety_ms"):
        for text in texts:
            ratings = turn.rooms.rater().rate(text, work=turn.log.work)
            rated = deciding.rated(ratings, turn.question.safety)
            found = deciding.worst(rated, found) if found else rated
    known = turn.answer.question_ratings
    turn.answer = replace(
        turn.answer,
        safety_ratings=deciding.worst(found, known) if known else found,
        question_ratings=known or found,
    )
    blocked = any(item.blocked for item in found)
    return (SkippedReason.POTENTIAL_POLICY_VIOLATION,) if blocked else ()


def rate_sources(turn: Turn, places: Iterable[int]) -> None:
    """Rate the passages that the answer rests on, as a part of what was put in.

    For those who set thresholds only: it takes about 25 ms of a core for 1,000 characters. No
    passage is blocked: the API's thresholds are for the conversation and for the answer.
    """
    if not turn.question.always or not turn.question.safety:
        return
    found = turn.answer.question_ratings
    with turn.log.step("safety_ms"):
        for place in places:
            text = turn.passages[place].text
            ratings = turn.rooms.rater().rate(text, work=turn.log.work)
            found = deciding.worst(found, [BlockedRating(rating) for rating in ratings])
    turn.answer = replace(turn.answer, question_ratings=found)
