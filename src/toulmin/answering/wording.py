"""Who words the answer: the language model, or the built-in composer when that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toulmin.answering.answer import AnswerState, Step
from toulmin.answering.composing import ComposedSentence, Composer
from toulmin.answering.draft import Draft
from toulmin.answering.parts import Part
from toulmin.answering.turn import Turn
from toulmin.errors import Cancelled, ToulminError


def wordings(
    turn: Turn, draft: Draft, query: str, parts: Sequence[Part]
) -> Iterator[tuple[Part, ComposedSentence]]:
    """Yield sentences of the language model, or of the built-in composer when that fails."""
    model = turn.rooms.language_model()
    said, failed = False, model is None
    if model is not None:
        whole = Part(query, parts[0].reading, turn.passages, range(len(turn.passages)))
        try:
            draft.by_model = True
            for sentence in _sentences(turn, model, whole):
                said = True
                yield whole, sentence
        except Cancelled:
            raise
        except ToulminError as error:
            failed = True
            what = "ends here" if said else "is composed of the passages' own sentences"
            thought = f"The language model failed ({error.message}); the answer {what}."
            turn.log.note(Step("Compose the answer.", thought, AnswerState.FAILED))
    # A model that finds no answer in the passages is believed, unless one must come.
    if not said and (failed or turn.question.always):
        draft.by_model = False
        for part in parts:
            for sentence in _sentences(turn, turn.rooms.composer(), part):
                if part.failed:
                    break
                if turn.answer.text and sentence.text in turn.answer.text:
                    continue  # another part has said it
                yield part, sentence


def _sentences(turn: Turn, composer: Composer, part: Part) -> Iterator[ComposedSentence]:
    return composer.compose(
        turn.question, part.query, part.passages, reading=part.reading, work=turn.log.work
    )
