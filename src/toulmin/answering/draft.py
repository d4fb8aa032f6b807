"""The answer as it grows: a sentence is checked and cited before it counts, and told when it may.

Where a check of the whole may withdraw the answer (grounding, safety), nothing leaves before that
check; and nothing leaves before what is said so far helps.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from dataclasses import replace
from itertools import zip_longest

from toulmin.answering import deciding
from toulmin.answering.answer import Answer, AnswerState, Citation, GroundingSupport, Step
from toulmin.answering.citing import CheckedClaim, Citer
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.parts import Part
from toulmin.answering.question import FilteringLevel
from toulmin.answering.rooms import Release
from toulmin.answering.turn import Turn
from toulmin.text.languages import is_elsewhere


class Draft:
    """What is said so far, with what bears it out.

    Args:
        turn: The question; the text becomes that of its answer.
        whole: Whether the answer leaves only as a whole.

    Attributes:
        by_model: Whether a language model words it.
        helps: Whether what is said so far helps.
    """

    def __init__(self, turn: Turn, *, whole: bool) -> None:
        self._turn = turn
        self._whole = whole
        self._claims: list[CheckedClaim] = []
        self._written = ""
        self._references: dict[int, int] = {}
        self._citer: Citer | None = None
        self.by_model = False
        self.helps = False

    @property
    def cited(self) -> KeysView[int]:
        """Which of the passages are cited, in the order in which they were first."""
        return self._references.keys()

    def withdraw(self) -> None:
        """Forget what was said; its text stays until another takes its place."""
        self._claims, self._references = [], {}

    def tell(self, sentence: ComposedSentence) -> Iterator[Answer]:
        """Say a sentence; yield what may leave now, as it is written or when it is checked."""
        at_once = self.by_model and self._turn.rooms.release is not Release.HOLD
        if at_once:  # whatever leaves, so that an answer and the stream of it come to the same
            self._written += sentence.lead + sentence.text
            self._note_help(self._written)
            if self.helps and not self._held_back:
                yield self._as_written()
        self._say(sentence)
        if self.helps and not self._held_back:
            yield self._as_written() if at_once else self.now(state=AnswerState.STREAMING)

    def _as_written(self) -> Answer:
        """Return the answer as it has left; its places in the text, while they are those there."""
        now = replace(self.now(state=AnswerState.STREAMING), text=self._written)
        if self._written.startswith(self._turn.answer.text):
            return now
        return replace(now, citations=(), supports=(), grounding_score=None)

    @property
    def _held_back(self) -> bool:
        """Whether the answer leaves only as a whole."""
        return (
            self._whole
            or self._turn.question.filtering is not FilteringLevel.NONE
            or self._turn.question.safety is not None
            or bool(self._turn.rooms.blocked_phrases)
        )

    def _checking(self) -> Citer:
        if self._citer is None:
            rooms = self._turn.rooms
            self._citer = Citer(
                rooms.checker(),
                self._turn.passages,
                statement_checker=(rooms.statement_checker or rooms.checker)(),
                work=self._turn.log.work,
            )
        return self._citer

    def is_borne_out(self, part: Part, sentence: ComposedSentence) -> bool:
        """Return whether its sources bear out what the first sentence of a part states as such.

        That it stands in a passage does not make a sentence the answer to the question.
        """
        if part.said or not sentence.states or self._turn.question.always:
            return True
        places = [part.places[place] for place in sentence.sources]
        with self._turn.log.step("check_ms"):
            support = self._checking().support(sentence.states, places)
        thought = f'"{sentence.states}" has a support of {support:.2f}.'
        self._turn.log.note(Step("Check the answer as a statement.", thought))
        return support >= deciding.LEAST_STATED

    def _say(self, sentence: ComposedSentence) -> None:
        """Add a checked sentence with its citations to the answer.

        The built-in composer knows which passage it quotes; what a language model says of its
        sources is not asked.
        """
        text = self._corrected(sentence.lead + sentence.text)
        with self._turn.log.step("check_ms"):
            quoted = () if self.by_model else sentence.sources
            citer = self._checking()
            claims = (
                citer.note(text, quoted) if sentence.is_note else citer.check(text, quoted=quoted)
            )
        self._claims += claims
        for claim in claims:
            for place, position in zip_longest(claim.passages, claim.positions, fillvalue=0):
                if place not in self._references:
                    self._references[place] = len(self._references)
                    passage = self._turn.passages[place]
                    self._turn.passages[place] = replace(passage, page=passage.page_at(position))
        self._turn.answer = replace(self._turn.answer, text=self._turn.answer.text + text)
        self._note_help(self._turn.answer.text)

    def _note_help(self, text: str) -> None:
        """Note whether what is said so far helps; once it does, it goes on to.

        What helps is told by words, of which a text in another language has none in common.
        """
        query = self._turn.answer.query
        if not self.helps:
            helpful = self._turn.rooms.helpfulness(query, text)
            self.helps = helpful >= deciding.LEAST_HELPFUL or is_elsewhere(query, text)

    def _corrected(self, text: str) -> str:
        """Return what is about to be said, a language model's wrong details corrected.

        Only where the caller wants nothing that is not borne out, or the operator wants it.
        """
        wanted = (
            self._turn.question.filtering is FilteringLevel.HIGH
            or self._turn.rooms.release is Release.CORRECT
        )
        if not self.by_model or not wanted:
            return text
        with self._turn.log.step("correct_ms"):
            corrected = self._checking().corrected(text)
        if corrected != text:
            thought = f'"{text.strip()}" is not borne out; "{corrected.strip()}" is.'
            self._turn.log.note(Step("Correct the language model.", thought))
        return corrected

    def note_whole(self) -> None:
        """Note what was composed, and what the check said to it."""
        if not self._turn.answer.text.strip():
            return
        by = "by the language model" if self.by_model else "of the passages' own sentences"
        self._turn.log.note(Step("Compose the answer.", f"It is composed {by}."))
        checked = [claim for claim in self._claims if claim.score is not None]
        cited = sum(bool(claim.passages) for claim in checked)
        thought = f"Claims borne out: {cited} of {len(checked)}; score {self.score:.2f}."
        self._turn.log.note(Step("Check the answer against the passages.", thought))

    @property
    def score(self) -> float:
        """Mean support of the claims that were checked, in [0, 1]; 1 if none was."""
        scores = [claim.score for claim in self._claims if claim.score is not None]
        return round(sum(scores) / len(scores), 4) if scores else 1.0

    def now(self, *, state: AnswerState) -> Answer:
        """Return the answer as it stands."""
        question = self._turn.question
        numbered = [
            (claim, tuple(self._references[place] for place in claim.passages))
            for claim in self._claims
        ]
        citations = tuple(
            Citation(claim.start, claim.end, sources) for claim, sources in numbered if sources
        )
        supports = tuple(
            GroundingSupport(claim.start, claim.end, claim.score, claim.score is not None, sources)
            for claim, sources in numbered
        )
        return replace(
            self._turn.answer,
            state=state,
            citations=citations if question.with_citations else (),
            supports=supports if question.with_supports else (),
            grounding_score=(self.score if question.with_supports and self._claims else None),
            references=tuple(self._turn.passages[place] for place in self._references),
            steps=self._turn.log.steps,
        )
