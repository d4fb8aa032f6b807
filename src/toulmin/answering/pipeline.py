"""One turn: a question in, an answer out, every sentence checked and cited, or the reason why not.

`_run` reads as its steps. What it yields is the answer as it grows; the last one is the whole.
Where a check of the whole may withdraw the answer (grounding, safety), nothing leaves before that
check; and nothing leaves before what is said so far helps. Text that has left is never taken back,
but where the operator wants sentences of a language model sent at once and corrected
(`Release.CORRECT`): then the last answer has the corrected text, which is that of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from toulmin import metrics
from toulmin.answering import deciding
from toulmin.answering.answer import Answer, AnswerState, SkippedReason, Step
from toulmin.answering.beside import attach_pictures, suggest
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.draft import Draft
from toulmin.answering.fallback import fallback_text, missing_text
from toulmin.answering.looking import as_asked, look_at_parts, understand
from toulmin.answering.parts import Part, apart
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.rooms import Release, Rooms
from toulmin.answering.screening import classify, rate_sources, screen, screen_input
from toulmin.answering.searching import only_extends
from toulmin.answering.steps import StepLog
from toulmin.answering.turn import Turn
from toulmin.answering.wording import wordings
from toulmin.text.languages import find_language
from toulmin.work import UNLIMITED, Work


class Answerer:
    """Answers questions; threads may share it.

    Args:
        rooms: What it stands on.
    """

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    @property
    def takes_back(self) -> bool:
        """Whether the last answer of a stream may have another text than the ones before it."""
        rooms = self._rooms
        return rooms.release is Release.CORRECT and rooms.language_model() is not None

    def answer(
        self,
        question: Question,
        *,
        is_user_defined: Callable[[str], bool] | None = None,
        work: Work = UNLIMITED,
    ) -> Answer:
        """Return the answer, or the reasons why there is none. Arguments as for `stream`."""
        log = StepLog(work)
        *_, last = _run(_turn(self._rooms, question, log), is_user_defined, whole=True)
        return last

    def stream(
        self,
        question: Question,
        *,
        is_user_defined: Callable[[str], bool] | None = None,
        work: Work = UNLIMITED,
    ) -> Iterator[Answer]:
        """Yield the answer as it grows; each begins with the text of the one before.

        The last one does not, where `takes_back` and something was corrected.

        Args:
            question: The question.
            is_user_defined: Says whether a question is of the class that the user has defined.
            work: Asked between and within the steps, which are timed into it.

        Raises:
            Cancelled: Nobody waits any more.
            NotFound: A data store is not there.
            Unavailable: Something that it stands on is not there now.
        """
        log = StepLog(work)
        return _run(_turn(self._rooms, question, log), is_user_defined, whole=False)


def _turn(rooms: Rooms, question: Question, log: StepLog) -> Turn:
    answer = Answer(state=AnswerState.IN_PROGRESS, query=question.text)
    return Turn(question=question, rooms=rooms, log=log, answer=answer)


def _run(
    turn: Turn, is_user_defined: Callable[[str], bool] | None, *, whole: bool
) -> Iterator[Answer]:
    """Yield the answer as it grows."""
    draft = Draft(turn, whole=whole)
    if reasons := classify(turn, is_user_defined) or screen_input(turn):
        yield _skip(turn, draft, reasons)
        return
    query = understand(turn)
    parts, reasons = look_at_parts(turn, query)
    if reasons and only_extends(query, turn.question.text):
        query = as_asked(turn)
        parts, reasons = look_at_parts(turn, query)
    if reasons:
        yield _skip(turn, draft, reasons)
        return
    yield draft.now(state=AnswerState.IN_PROGRESS)
    for part, sentence in wordings(turn, draft, query, parts):
        if not draft.is_borne_out(part, sentence):
            part.failed = True
            continue
        yield from draft.tell(part.placed(sentence, behind=turn.answer.text))
    yield from _say_what_is_missing(turn, draft, parts)
    draft.note_whole()
    if reasons := _unfit(turn, draft):
        yield _skip(turn, draft, reasons)
        return
    rate_sources(turn, draft.cited)
    suggest(turn, draft.cited)
    attach_pictures(turn, draft.cited)
    metrics.ANSWERS.add()
    metrics.note_support("answer", draft.score)
    yield draft.now(state=AnswerState.SUCCEEDED)


def _say_what_is_missing(turn: Turn, draft: Draft, parts: Sequence[Part]) -> Iterator[Answer]:
    """Say to which part of a question no answer was found, so that half of one is not a whole one.

    A language model has the question as a whole, and a brief answer is of the sources' words alone.
    """
    missing = [*turn.missing, *(part.query for part in parts if part.failed)]
    brief = turn.question.style is AnswerStyle.EXTRACTIVE
    if not turn.answer.text.strip() or draft.by_model or brief:
        return
    for asked in missing:
        said = missing_text(asked, find_language(asked, fallback="en"))
        yield from draft.tell(ComposedSentence(said, apart(turn.answer.text), is_note=True))


def _unfit(turn: Turn, draft: Draft) -> tuple[SkippedReason, ...]:
    """Return why an answer that is whole is not given."""
    question, text = turn.question, turn.answer.text
    if not text.strip():
        return (SkippedReason.NO_RELEVANT_CONTENT,)
    if reasons := screen(turn, text):
        return reasons
    if question.always:
        return ()
    reasons = ()
    if deciding.is_badly_grounded(draft.score, question.filtering):
        reasons = (SkippedReason.LOW_GROUNDED_ANSWER,)
    if not draft.helps:
        reasons = (*reasons, SkippedReason.UNHELPFUL_ANSWER)
    return reasons


def _skip(turn: Turn, draft: Draft, reasons: tuple[SkippedReason, ...]) -> Answer:
    """Return the answer that there is none; what was composed is not shown."""
    metrics.ANSWERS.add()
    for reason in reasons:
        metrics.DECLINED.add(reason.value)
    turn.log.note(Step("Do not answer.", ", ".join(reasons)))
    draft.withdraw()
    text = fallback_text(turn.question.language, turn.rooms.fallback)
    turn.answer = replace(turn.answer, text=text, skipped=reasons)
    answer = draft.now(state=AnswerState.SUCCEEDED)
    return replace(answer, supports=(), grounding_score=None)
