"""One turn: a question in, an answer out, every sentence checked and cited, or the reason why not.

`_Turn.run` reads as its steps. What it yields is the answer as it grows; the last one is the whole.
Where a check of the whole may withdraw the answer (grounding, safety), nothing leaves before that
check; and nothing leaves before what is said so far helps. Text that has left is never taken back,
but where the operator wants sentences of a language model sent at once and corrected
(`Release.CORRECT`): then the last answer has the corrected text, which is that of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from toulmin import metrics
from toulmin.answering import deciding
from toulmin.answering.answer import (
    Answer,
    AnswerState,
    BlockedRating,
    Citation,
    GroundingSupport,
    SearchAction,
    SkippedReason,
    Step,
)
from toulmin.answering.citing import CheckedClaim, Citer
from toulmin.answering.compose.computing import wants_tables
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.composing import ComposedSentence, Composer
from toulmin.answering.fallback import fallback_text
from toulmin.answering.parts import Part, join
from toulmin.answering.passages import Passage
from toulmin.answering.pictures.attachments import attach
from toulmin.answering.question import FilteringLevel, ImageSource, Question, UnderstoodClass
from toulmin.answering.reading.reader import Reading
from toulmin.answering.rooms import Release, Rooms
from toulmin.answering.searching import (
    only_extends,
    search_passages,
    with_context,
    with_whole_tables,
)
from toulmin.answering.steps import StepLog
from toulmin.answering.understanding.related import related_questions
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.answering.understanding.split import parts_of
from toulmin.answering.understanding.typed import as_read
from toulmin.errors import Cancelled, ToulminError
from toulmin.safety.query_classes import QueryClass

_QUERY_CLASSES = {
    UnderstoodClass.ADVERSARIAL: QueryClass.ADVERSARIAL,
    UnderstoodClass.CHIT_CHAT: QueryClass.CHIT_CHAT,
    UnderstoodClass.NO_CLEAR_INTENT: QueryClass.NO_CLEAR_INTENT,
    UnderstoodClass.JAILBREAK: QueryClass.JAILBREAK,
}

_WORTH_ASKING = 0.5
"""Probability that a passage answers a related question, from which on it is suggested."""


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
        should_stop: Callable[[], bool] = lambda: False,
        timings: MutableMapping[str, float] | None = None,
    ) -> Answer:
        """Return the answer, or the reasons why there is none. Arguments as for `stream`."""
        log = StepLog({} if timings is None else timings, should_stop)
        *_, last = _Turn(self._rooms, question, is_user_defined, log, whole=True).run()
        return last

    def stream(
        self,
        question: Question,
        *,
        is_user_defined: Callable[[str], bool] | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        timings: MutableMapping[str, float] | None = None,
    ) -> Iterator[Answer]:
        """Yield the answer as it grows; each begins with the text of the one before.

        The last one does not, where `takes_back` and something was corrected.

        Args:
            question: The question.
            is_user_defined: Says whether a question is of the class that the user has defined.
            should_stop: Asked between and within the steps.
            timings: Milliseconds by step are added to it.

        Raises:
            Cancelled: `should_stop()` became true.
            NotFound: A data store is not there.
            Unavailable: Something that it stands on is not there now.
        """
        log = StepLog({} if timings is None else timings, should_stop)
        return _Turn(self._rooms, question, is_user_defined, log).run()


class _Turn:
    """One question on its way to its answer."""

    def __init__(
        self,
        rooms: Rooms,
        question: Question,
        is_user_defined: Callable[[str], bool] | None,
        log: StepLog,
        *,
        whole: bool = False,
    ) -> None:
        self._whole = whole
        self._rooms = rooms
        self._question = question
        self._is_user_defined = is_user_defined
        self._log = log
        self._answer = Answer(state=AnswerState.IN_PROGRESS, query=question.text)
        self._passages: list[Passage] = []
        self._claims: list[CheckedClaim] = []
        self._written = ""
        self._references: dict[int, int] = {}
        self._citer: Citer | None = None
        self._by_model = False
        self._helps = False

    def run(self) -> Iterator[Answer]:
        """Yield the answer as it grows."""
        if reasons := self._classify() or self._screen(*self._input):
            yield self._skip(reasons)
            return
        query = self._rephrase()
        parts, reasons = self._look_at_parts(query)
        if reasons and only_extends(query, self._question.text):
            query = self._as_asked()
            parts, reasons = self._look_at_parts(query)
        if reasons:
            yield self._skip(reasons)
            return
        yield self._now(state=AnswerState.IN_PROGRESS)
        for part, sentence in self._compose(query, parts):
            if not self._is_borne_out(part, sentence):
                part.failed = True
                continue
            yield from self._tell(part.placed(sentence, behind=self._answer.text))
        self._note_answer()
        if reasons := self._unfit():
            yield self._skip(reasons)
            return
        self._rate_sources()
        self._suggest()
        self._attach()
        metrics.ANSWERS.add()
        metrics.note_support("answer", self._grounding_score)
        yield self._now(state=AnswerState.SUCCEEDED)

    def _tell(self, sentence: ComposedSentence) -> Iterator[Answer]:
        """Say a sentence; yield what may leave now, as it is written or when it is checked."""
        at_once = self._by_model and self._rooms.release is not Release.HOLD
        if at_once:  # whatever leaves, so that an answer and the stream of it come to the same
            self._written += sentence.lead + sentence.text
            self._note_help(self._written)
            if self._helps and not self._held_back:
                yield self._as_written()
        self._say(sentence)
        if self._helps and not self._held_back:
            yield self._as_written() if at_once else self._now(state=AnswerState.STREAMING)

    def _as_written(self) -> Answer:
        """Return the answer as it has left; its places in the text, while they are those there."""
        now = replace(self._now(state=AnswerState.STREAMING), text=self._written)
        if self._written.startswith(self._answer.text):
            return now
        return replace(now, citations=(), supports=(), grounding_score=None)

    @property
    def _held_back(self) -> bool:
        """Whether the answer leaves only as a whole."""
        return (
            self._whole
            or self._question.filtering is not FilteringLevel.NONE
            or self._question.safety is not None
            or bool(self._rooms.blocked_phrases)
        )

    @property
    def _input(self) -> tuple[str, ...]:
        """What must be harmless: the question; with `always` the caller's conversation, too."""
        question = self._question
        if not question.always:  # a session goes on after a question of it was blocked
            return (question.text,)
        said = [text for item in question.history for text in (item.question, item.answer)]
        return (*(text for text in said if text), question.text)

    def _classify(self) -> tuple[SkippedReason, ...]:
        question = self._question
        wanted = question.classify | question.ignore
        if not wanted:
            return ()
        with self._log.step("classify_ms"):
            positive: set[UnderstoodClass] = set()
            if wanted - {UnderstoodClass.USER_DEFINED}:
                seen = self._rooms.classifier().classify(
                    question.text, should_stop=self._log.should_stop
                )
                positive = {ours for ours, name in _QUERY_CLASSES.items() if name in seen.positive}
            is_own = self._is_user_defined
            if UnderstoodClass.USER_DEFINED in wanted and is_own and is_own(question.text):
                positive.add(UnderstoodClass.USER_DEFINED)
        classes = tuple((name, name in positive) for name in UnderstoodClass if name in wanted)
        found = ", ".join(name for name in UnderstoodClass if name in positive)
        self._log.note(Step("Classify the query.", f"It is of these classes: {found or 'none'}."))
        reported = tuple(item for item in classes if item[0] in question.classify)
        self._answer = replace(self._answer, classes=reported)
        return deciding.reasons_of_classes(classes, question.ignore)

    def _screen(self, *texts: str) -> tuple[SkippedReason, ...]:
        """Return why texts may not be dealt with: the customer's phrases, or harm."""
        if any(deciding.holds_phrase(text, self._rooms.blocked_phrases) for text in texts):
            return (SkippedReason.CUSTOMER_POLICY_VIOLATION,)
        if self._question.safety is None:
            return ()
        found: tuple[BlockedRating, ...] = ()
        with self._log.step("safety_ms"):
            for text in texts:
                ratings = self._rooms.rater().rate(text, should_stop=self._log.should_stop)
                rated = deciding.rated(ratings, self._question.safety)
                found = deciding.worst(rated, found) if found else rated
        known = self._answer.question_ratings
        self._answer = replace(
            self._answer,
            safety_ratings=deciding.worst(found, known) if known else found,
            question_ratings=known or found,
        )
        blocked = any(item.blocked for item in found)
        return (SkippedReason.POTENTIAL_POLICY_VIOLATION,) if blocked else ()

    def _rate_sources(self) -> None:
        """Rate the passages that the answer rests on, as a part of what was put in.

        For those who set thresholds only: it takes about 25 ms of a core for 1,000 characters. No
        passage is blocked: the API's thresholds are for the conversation and for the answer.
        """
        if not self._question.always or not self._question.safety:
            return
        found = self._answer.question_ratings
        with self._log.step("safety_ms"):
            for place in self._references:
                text = self._passages[place].text
                ratings = self._rooms.rater().rate(text, should_stop=self._log.should_stop)
                found = deciding.worst(found, [BlockedRating(rating) for rating in ratings])
        self._answer = replace(self._answer, question_ratings=found)

    def _rephrase(self) -> str:
        question = self._question
        query = question.text
        if question.max_rephrase_steps:
            with self._log.step("rephrase_ms"):
                query = rephrase(as_read(question.text), question.history)
            if query != question.text:
                self._log.note(Step("Rephrase the query.", f"In its conversation it asks: {query}"))
        self._answer = replace(self._answer, query=query)
        return query

    def _as_asked(self) -> str:
        query = self._question.text
        self._log.note(Step("Search for the query as it was asked.", "That found no answer."))
        self._answer = replace(self._answer, query=query)
        return query

    def _look_at_parts(self, query: str) -> tuple[list[Part], tuple[SkippedReason, ...]]:
        """Search and read for each thing that is asked; return what is answered, or why nothing is.

        The passages of all of them become those of the answer.
        """
        asked = parts_of(query) if self._question.max_rephrase_steps else (query,)
        if len(asked) > 1:
            self._log.note(Step("Split the query.", f"It asks: {' '.join(asked)}"))
        parts: list[Part] = []
        why: tuple[SkippedReason, ...] = ()
        everything: list[Passage] = []
        for one in asked:
            reading, reasons = self._look(one)
            why = why or reasons
            places = join(everything, self._passages)
            if not reasons:
                parts.append(Part(one, reading, self._passages, places))
        self._passages = everything
        return parts, () if parts else why

    def _look(self, query: str) -> tuple[Reading, tuple[SkippedReason, ...]]:
        """Search and read; return with it why what was found does not answer."""
        asked = self._question
        alone = asked.search is not None and not (asked.given or asked.history or asked.always)
        if alone and not telling_words(query):
            # "When was it?" with nothing asked before: whatever is found, it is about nothing.
            return Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
        self._search(query)
        if not self._passages and not self._question.always:
            return Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
        reading = self._read(query)
        if self._question.always or not self._question.ignore_low_relevance:
            return reading, ()
        covers = deciding.covers(query, self._passages)
        return reading, deciding.reasons_of_search(
            self._passages,
            reading.answerable,
            covers=covers,
            judged=bool(reading.odds),
            across=deciding.crosses(query, self._passages),
        )

    def _search(self, query: str) -> None:
        question = self._question
        found: list[Passage] = list(question.given)
        if question.search is not None and not question.given:
            asked = replace(question.search, text=query, correct_spelling=question.correct_spelling)
            with self._log.step("search_ms"):
                found = search_passages(
                    self._rooms.searcher(),
                    asked,
                    should_stop=self._log.should_stop,
                    timings=self._log.timings,
                )
            if wants_tables(query):
                found = with_whole_tables(found, self._rooms.chunks)
        action = SearchAction(query, tuple(found))
        self._log.note(Step("Search for passages.", f"Found {len(found)}.", actions=(action,)))
        self._passages = with_context(query, found, question.user_context)

    def _read(self, query: str) -> Reading:
        with self._log.step("read_ms"):
            reading = self._rooms.read(query, self._passages, self._log.should_stop)
        thought = f"They answer it with a probability of {reading.answerable:.2f}."
        self._log.note(Step("Read the passages.", thought))
        self._answer = replace(self._answer, answerable=reading.answerable)
        return reading

    def _compose(
        self, query: str, parts: Sequence[Part]
    ) -> Iterator[tuple[Part, ComposedSentence]]:
        """Yield sentences of the language model, or of the built-in composer when that fails."""
        model = self._rooms.language_model()
        said, failed = False, model is None
        if model is not None:
            whole = Part(query, parts[0].reading, self._passages, range(len(self._passages)))
            try:
                self._by_model = True
                for sentence in self._sentences(model, whole):
                    said = True
                    yield whole, sentence
            except Cancelled:
                raise
            except ToulminError as error:
                failed = True
                what = "ends here" if said else "is composed of the passages' own sentences"
                thought = f"The language model failed ({error.message}); the answer {what}."
                self._log.note(Step("Compose the answer.", thought, AnswerState.FAILED))
        # A model that finds no answer in the passages is believed, unless one must come.
        if not said and (failed or self._question.always):
            self._by_model = False
            for part in parts:
                for sentence in self._sentences(self._rooms.composer(), part):
                    if part.failed:
                        break
                    if self._answer.text and sentence.text in self._answer.text:
                        continue  # another part has said it
                    yield part, sentence

    def _sentences(self, composer: Composer, part: Part) -> Iterator[ComposedSentence]:
        return composer.compose(
            self._question,
            part.query,
            part.passages,
            reading=part.reading,
            should_stop=self._log.should_stop,
        )

    def _checking(self) -> Citer:
        if self._citer is None:
            checker = self._rooms.checker()
            self._citer = Citer(checker, self._passages, should_stop=self._log.should_stop)
        return self._citer

    def _is_borne_out(self, part: Part, sentence: ComposedSentence) -> bool:
        """Return whether its sources bear out what the first sentence of a part states as such.

        That it stands in a passage does not make a sentence the answer to the question.
        """
        if part.said or not sentence.states or self._question.always:
            return True
        places = [part.places[place] for place in sentence.sources]
        with self._log.step("check_ms"):
            support = self._checking().support(sentence.states, places)
        thought = f'"{sentence.states}" has a support of {support:.2f}.'
        self._log.note(Step("Check the answer as a statement.", thought))
        return support >= deciding.LEAST_STATED

    def _say(self, sentence: ComposedSentence) -> None:
        """Add a checked sentence with its citations to the answer.

        The built-in composer knows which passage it quotes; what a language model says of its
        sources is not asked.
        """
        text = self._corrected(sentence.lead + sentence.text)
        with self._log.step("check_ms"):
            quoted = () if self._by_model else sentence.sources
            citer = self._checking()
            claims = (
                citer.note(text, quoted) if sentence.is_note else citer.check(text, quoted=quoted)
            )
        self._claims += claims
        for claim in claims:
            for place, position in zip_longest(claim.passages, claim.positions, fillvalue=0):
                if place not in self._references:
                    self._references[place] = len(self._references)
                    passage = self._passages[place]
                    self._passages[place] = replace(passage, page=passage.page_at(position))
        self._answer = replace(self._answer, text=self._answer.text + text)
        self._note_help(self._answer.text)

    def _note_help(self, text: str) -> None:
        """Note whether what is said so far helps; once it does, it goes on to."""
        if not self._helps:
            helpful = self._rooms.helpfulness(self._answer.query, text)
            self._helps = helpful >= deciding.LEAST_HELPFUL

    def _corrected(self, text: str) -> str:
        """Return what is about to be said, a language model's wrong details corrected.

        Only where the caller wants nothing that is not borne out, or the operator wants it.
        """
        wanted = (
            self._question.filtering is FilteringLevel.HIGH
            or self._rooms.release is Release.CORRECT
        )
        if not self._by_model or not wanted:
            return text
        with self._log.step("correct_ms"):
            corrected = self._checking().corrected(text)
        if corrected != text:
            thought = f'"{text.strip()}" is not borne out; "{corrected.strip()}" is.'
            self._log.note(Step("Correct the language model.", thought))
        return corrected

    def _note_answer(self) -> None:
        """Note what was composed, and what the check said to it."""
        if not self._answer.text.strip():
            return
        by = "by the language model" if self._by_model else "of the passages' own sentences"
        self._log.note(Step("Compose the answer.", f"It is composed {by}."))
        checked = [claim for claim in self._claims if claim.score is not None]
        cited = sum(bool(claim.passages) for claim in checked)
        thought = (
            f"Of {len(checked)} claims {cited} are borne out; score {self._grounding_score:.2f}."
        )
        self._log.note(Step("Check the answer against the passages.", thought))

    @property
    def _grounding_score(self) -> float:
        scores = [claim.score for claim in self._claims if claim.score is not None]
        return round(sum(scores) / len(scores), 4) if scores else 1.0

    def _unfit(self) -> tuple[SkippedReason, ...]:
        """Return why an answer that is whole is not given."""
        question, text = self._question, self._answer.text
        if not text.strip():
            return (SkippedReason.NO_RELEVANT_CONTENT,)
        if reasons := self._screen(text):
            return reasons
        if question.always:
            return ()
        reasons = ()
        if deciding.is_badly_grounded(self._grounding_score, question.filtering):
            reasons = (SkippedReason.LOW_GROUNDED_ANSWER,)
        if not self._helps:
            reasons = (*reasons, SkippedReason.UNHELPFUL_ANSWER)
        return reasons

    def _suggest(self) -> None:
        if self._question.with_related:
            with self._log.step("related_ms"):
                near = [
                    passage
                    for place, passage in enumerate(self._passages)
                    if place in self._references or deciding.is_relevant(passage)
                ]
                related = related_questions(
                    self._answer.query, self._answer.text, near, can_answer=self._can_answer
                )
            self._answer = replace(self._answer, related_questions=related)

    def _can_answer(self, question: str, passage: Passage) -> bool:
        read = self._rooms.skim or self._rooms.read
        reading = read(question, [passage], self._log.should_stop)
        return reading.answerable >= _WORTH_ASKING

    def _attach(self) -> None:
        if self._question.images is ImageSource.NONE:
            return
        with self._log.step("attach_ms"):
            cited = [self._passages[place] for place in self._references]
            attached = attach(
                self._answer.query, cited, self._question.images, blobs=self._rooms.blobs
            )
        self._answer = replace(
            self._answer, attachments=attached.attachments, reference_blobs=attached.of_passages
        )

    def _now(self, *, state: AnswerState) -> Answer:
        """Return the answer as it stands."""
        question = self._question
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
            self._answer,
            state=state,
            citations=citations if question.with_citations else (),
            supports=supports if question.with_supports else (),
            grounding_score=(
                self._grounding_score if question.with_supports and self._claims else None
            ),
            references=tuple(self._passages[place] for place in self._references),
            steps=self._log.steps,
        )

    def _skip(self, reasons: tuple[SkippedReason, ...]) -> Answer:
        """Return the answer that there is none; what was composed is not shown."""
        metrics.ANSWERS.add()
        for reason in reasons:
            metrics.DECLINED.add(reason.value)
        self._log.note(Step("Do not answer.", ", ".join(reasons)))
        self._claims, self._references = [], {}
        text = fallback_text(self._question.language, self._rooms.fallback)
        self._answer = replace(self._answer, text=text, skipped=reasons)
        answer = self._now(state=AnswerState.SUCCEEDED)
        return replace(answer, supports=(), grounding_score=None)
