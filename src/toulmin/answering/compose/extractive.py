"""Answers composed of the passages' own sentences, without a language model.

The reader and the question's words say which sentence answers; it is said first, made to stand
alone, and then what it needs. Nothing is said that is not in a passage but "Yes." and "No.", and
those only where the grounding check says so. Measured in docs/decisions/0016-composition.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toulmin.answering.compose.answer_lines import ComposedAnswer, told_in_place
from toulmin.answering.compose.asked_about import only_about
from toulmin.answering.compose.certainty import Certainty, Examined, without_names
from toulmin.answering.compose.choosing import (
    READ_CLOSELY,
    READ_PASSAGES,
    heading_of,
    readable,
)
from toulmin.answering.compose.computing import Computed, computed
from toulmin.answering.compose.conflicts import conflict
from toulmin.answering.compose.fit import steps_instead, that_answer
from toulmin.answering.compose.instructions import Instructions, Nearness, instructions
from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.question_kind import AskedFor, asked_for
from toulmin.answering.compose.row_asked_for import row_asked_for
from toulmin.answering.compose.scoring import score_pieces
from toulmin.answering.compose.sentences import pieces_of
from toulmin.answering.compose.versions import Replaced, newest
from toulmin.answering.compose.yes_no import Verdict, judge, on_asked_side
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.reading.by_language import is_english
from toulmin.answering.reading.reader import QuestionReader, Reading
from toulmin.grounding.check import GroundingChecker
from toulmin.work import UNLIMITED, Work

READ_SPANS = 12
"""Spans that are asked of the reader; their sum over a sentence is what it is chosen by."""
COMPUTED = 0.9
"""Probability that the passages answer, where there is one way to compute what is asked."""
TOLD_BY_PLACE = 0.6
"""The same where a section has steps or code for what is to be done, or a row of a table says of
itself what is asked. Set, not fitted."""
LEAST_TOLD_ODDS = -2.2
"""Log odds, by the English reader, that a passage answers, below which its steps, code or row do
not, whatever words they share: it is one in ten. Of 56 that were said for two sets of manuals one
was below, and it was wrong (0073)."""
_ROW_LANGUAGES = frozenset({"en"})


@dataclass(frozen=True, slots=True)
class JudgedReading(Reading):
    """A reading of a yes/no question, with what the passages say to it.

    Attributes:
        verdict: Whether it is so; None: they do not say.
    """

    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class PlacedReading(Reading):
    """A reading with what answers by where it stands: steps or code under a heading, a row."""

    told: Instructions | None = None


class ExtractiveComposer:
    """Composes answers of the passages' own words; safe to share between threads.

    Args:
        reader: Finds the spans.
        checker: Says whether a passage bears a yes/no question out.
        certainty: Says whether what would be said answers; None leaves that to `reader`.
        nearness: How near sections are to a question how something is done, in meaning; None:
            words alone tell.
        read_passages: Read at most so many of the passages (see `choosing`).
    """

    def __init__(
        self,
        reader: QuestionReader,
        checker: GroundingChecker,
        *,
        certainty: Certainty | None = None,
        nearness: Nearness | None = None,
        read_passages: int = READ_PASSAGES,
    ) -> None:
        self._reader = reader
        self._checker = checker
        self._certainty = certainty
        self._nearness = nearness
        self._read_passages = read_passages

    def read(
        self,
        query: str,
        passages: Sequence[Passage],
        *,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return what the reader finds in those passages that are read; `compose` takes it.

        A reader of spans does not know whether yes or no answers, so passages that bear such a
        question out, or contradict it, raise `answerable`.

        Args:
            query: The question as it was understood.
            passages: Best first if their relevance is known, else in any order.
            work: Asked before every run of the model.

        Raises:
            Cancelled: Nobody waits any more.
        """
        used = self._used(query, passages)
        reading = self._read_below_headings(query, used, work)
        if _computed(query, passages) is not None:
            return replace(reading, answerable=max(reading.answerable, COMPUTED))
        asked = asked_for(query)
        if self._certainty is not None:
            reading = self._certainty.weigh(query, asked, used, reading)
        told = self._told_by_its_place(query, asked, passages, work)
        if told is not None and reading.odds.get(told.passage, 0.0) >= LEAST_TOLD_ODDS:
            answerable = max(reading.answerable, TOLD_BY_PLACE)
            return PlacedReading(reading.answers, answerable, odds=reading.odds, told=told)
        if not asked.yes_no:
            return reading
        verdict = judge(query, asked.language, used, self._checker, work=work)
        said = verdict.probability if verdict is not None else 0.0
        return JudgedReading(
            reading.answers, max(reading.answerable, said), verdict, odds=reading.odds
        )

    def _told_by_its_place(
        self, query: str, asked: AskedFor, passages: Sequence[Passage], work: Work
    ) -> Instructions | None:
        """Return steps or code for what is to be done, else the row that is asked for."""
        about = newest(query, only_about(query, passages))[0]
        if how := instructions(query, asked, about, self._nearness, work=work):
            return how
        if asked.language not in _ROW_LANGUAGES:
            return None
        pieces = pieces_of(about)
        row = row_asked_for(query, pieces)
        return None if row is None else Instructions((pieces[row],), {})

    def skim(
        self,
        query: str,
        passages: Sequence[Passage],
        *,
        work: Work = UNLIMITED,
    ) -> Reading:
        """Return what the reader alone finds, without checking anything; arguments as for `read`.

        Raises:
            Cancelled: Nobody waits any more.
        """
        return self._read_below_headings(query, self._used(query, passages), work)

    def examine(self, query: str, passages: Sequence[Passage]) -> Examined | None:
        """Return what `answerable` is fitted on, for passages as `read` takes them; None: nothing.

        It is `training/grounding_model/calibrate_answers.py` that asks.
        """
        if self._certainty is None:
            return None
        used = self._used(query, passages)
        reading = self._read_below_headings(query, used, UNLIMITED)
        return self._certainty.examine(query, asked_for(query), used, reading)

    def _used(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        """Return the passages with what is to be read of them."""
        about, _ = newest(query, only_about(query, passages))
        return readable(query, on_asked_side(query, about), most=self._read_passages)

    def _read_below_headings(self, query: str, passages: Sequence[Passage], work: Work) -> Reading:
        """Read passages below their titles and headings; answers are stretches of the passages."""
        texts = [passage.text for passage in passages]
        closely = self._certainty is not None and is_english(query, texts)
        if closely:
            passages = readable(query, passages, most=READ_CLOSELY)
        heads = [heading_of(passage) for passage in passages]
        reading = self._reader.read(
            query,
            [head + passage.text for head, passage in zip(heads, passages, strict=True)],
            most_answers=READ_SPANS,
            work=work,
        )
        found = []
        for answer in reading.answers:
            shift = len(heads[answer.passage_index])
            if answer.start >= shift:
                found.append(replace(answer, start=answer.start - shift, end=answer.end - shift))
        answerable = without_names(reading.answerable, query, passages)
        # Elsewhere the thresholds are of the reader's own probability (0017).
        return Reading(tuple(found), answerable, odds=reading.odds if closely else {})

    def compose(
        self,
        question: Question,
        query: str,
        passages: Sequence[Passage],
        *,
        reading: Reading | None = None,
        work: Work = UNLIMITED,
    ) -> Iterator[ComposedSentence]:
        """Yield the sentences of an answer; none: the passages have no word to say.

        Only the passages that are read are said, and what is improbable is said, too: whether an
        answer is good enough, `Reading.answerable` and the check of its sentences tell.

        Args:
            question: Its style is followed.
            query: The question as it was understood in its conversation.
            passages: As for `read`.
            reading: What `read` returned for them; None: read here.
            work: Asked before every run of a model.

        Raises:
            Cancelled: Nobody waits any more.
        """
        if found := _computed(query, passages):
            for place, said in enumerate(found.sentences):
                lead = " " if place else ""
                yield ComposedSentence(said.text, lead, said.passages, is_note=True)
            notes = newest(query, passages)[1]
            yield from _notes(asked_for(query).language, set(found.passages), notes)
            return
        asked = asked_for(query)
        if reading is None:
            reading = self.read(query, passages, work=work)
        if isinstance(reading, PlacedReading) and (told := reading.told):
            yield from told_in_place(told, brief=question.style is AnswerStyle.EXTRACTIVE)
            yield from _notes(asked.language, {told.passage}, newest(query, passages)[1])
        else:
            yield from self._compose_of_pieces(question, query, asked, passages, reading, work)

    def _compose_of_pieces(
        self,
        question: Question,
        query: str,
        asked: AskedFor,
        passages: Sequence[Passage],
        reading: Reading,
        work: Work,
    ) -> Iterator[ComposedSentence]:
        """Yield yes or no, and the pieces that answer; arguments as for `compose`."""
        used = self._used(query, passages)
        pieces = pieces_of(used)
        scored = score_pieces(query, used, pieces, reading, span_weight=asked.span_weight)
        long = question.style is AnswerStyle.VERBOSE
        verdict = self._verdict(query, asked, used, reading, work) if asked.yes_no else None
        if verdict is None and not question.always:
            scored = that_answer(query, asked, used, pieces, scored, with_details=long)
            scored = steps_instead(asked, used, pieces, scored)
        if not scored.order and not (scored.spans and question.style is AnswerStyle.EXTRACTIVE):
            return
        answer = ComposedAnswer(query, asked, used, pieces, scored)
        first = None
        words = words_of(asked.language)
        if verdict is not None and words is not None:
            word = words.yes if verdict.yes else words.no
            first = answer.piece_of(verdict.passage, *verdict.sentence)
            if first is None:
                first = answer.piece_of(verdict.passage, verdict.start, verdict.end)
            yield ComposedSentence(word, "", (verdict.passage,))
            if question.style is AnswerStyle.EXTRACTIVE or first is None:
                return
        if question.style is AnswerStyle.EXTRACTIVE:
            yield from answer.brief()
        else:
            cited: set[int] = set()
            for sentence in answer.sentences(first, long=long):
                cited.update(sentence.sources)
                yield sentence
            yield from _differing(query, asked.language, passages, cited)
            yield from _notes(asked.language, cited, newest(query, passages)[1])

    def _verdict(
        self,
        query: str,
        asked: AskedFor,
        used: Sequence[Passage],
        reading: Reading,
        work: Work,
    ) -> Verdict | None:
        """Return what the passages say to a yes/no question; asked again if `read` was not."""
        if isinstance(reading, JudgedReading):
            return reading.verdict
        return judge(query, asked.language, used, self._checker, work=work)


def _computed(query: str, passages: Sequence[Passage]) -> Computed | None:
    """Return what is computed of the passages that are about it and still hold."""
    return computed(query, newest(query, only_about(query, passages))[0])


def _differing(
    query: str, language: str, passages: Sequence[Passage], cited: set[int]
) -> Iterator[ComposedSentence]:
    """Yield that documents differ on what was said, where none of them replaces the other."""
    found = conflict(query, language, newest(query, only_about(query, passages))[0], cited)
    if found is not None:
        lead = "" if language in {"ja", "zh"} else " "
        yield ComposedSentence(found.text, lead, found.passages, is_note=True)


def _notes(
    language: str, cited: set[int], replaced: Mapping[int, Replaced]
) -> Iterator[ComposedSentence]:
    """Yield that what was said replaces something older, once."""
    words = words_of(language)
    place = next((place for place in sorted(replaced) if place in cited), None)
    if place is not None and words is not None and words.replaced:
        found = replaced[place]
        said = words.replaced if found.holds else words.replaced_dated
        text = said.format(newer=found.newer, older=found.older)
        yield ComposedSentence(text, " ", (place,), is_note=True)
