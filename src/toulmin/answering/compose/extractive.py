# ruff: noqa: RUF001 - the marks of many scripts are the subject of this file.
"""Answers composed of the passages' own sentences, without a language model.

The reader and the question's words say which sentence answers; it is said first, made to stand
alone, and then what it needs. Nothing is said that is not in a passage but "Yes." and "No.", and
those only where the grounding check says so. Measured in docs/decisions/0016-composition.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from toulmin.answering.compose.choosing import READ_PASSAGES, readable
from toulmin.answering.compose.language import words_of
from toulmin.answering.compose.question_kind import AskedFor, asked_for
from toulmin.answering.compose.scoring import Scored, score_pieces
from toulmin.answering.compose.selecting import Line, Selection, trimmed
from toulmin.answering.compose.sentences import Piece, PieceKind, pieces_of
from toulmin.answering.compose.yes_no import Verdict, judge
from toulmin.answering.composing import ComposedSentence
from toulmin.answering.passages import Passage
from toulmin.answering.question import AnswerStyle, Question
from toulmin.answering.reader import Reader, Reading
from toulmin.grounding.check import GroundingChecker
from toulmin.grounding.prompt_intent import find_language

READ_SPANS = 12
"""Spans that are asked of the reader; their sum over a sentence is what it is chosen by."""
_LANGUAGE_CHARACTERS = 400
_SPAN_LANGUAGES = frozenset({"en"})
"""Elsewhere the reader finds the sentence more often than the span, so that is said (0016)."""


@dataclass(frozen=True, slots=True)
class JudgedReading(Reading):
    """A reading of a yes/no question, with what the passages say to it.

    Attributes:
        verdict: Whether it is so; None: they do not say.
    """

    verdict: Verdict | None = None


class ExtractiveComposer:
    """Composes answers of the passages' own words; safe to share between threads.

    Args:
        reader: Finds the spans.
        checker: Says whether a passage bears a yes/no question out.
        read_passages: Read at most so many of the passages (see `choosing`).
    """

    def __init__(
        self, reader: Reader, checker: GroundingChecker, *, read_passages: int = READ_PASSAGES
    ) -> None:
        self._reader = reader
        self._checker = checker
        self._read_passages = read_passages

    def read(
        self,
        query: str,
        passages: Sequence[Passage],
        *,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Reading:
        """Return what the reader finds in those passages that are read; `compose` takes it.

        A reader of spans does not know whether yes or no answers, so passages that bear such a
        question out, or contradict it, raise `answerable`.

        Args:
            query: The question as it was understood.
            passages: Best first if their relevance is known, else in any order.
            should_stop: Asked before every run of the model.

        Raises:
            Cancelled: `should_stop()` became true.
        """
        used = readable(query, passages, most=self._read_passages)
        reading = self._reader.read(
            query,
            [passage.text for passage in used],
            most_answers=READ_SPANS,
            should_stop=should_stop,
        )
        asked = asked_for(query)
        if not asked.yes_no:
            return reading
        verdict = judge(query, asked.language, used, self._checker, should_stop=should_stop)
        said = verdict.probability if verdict is not None else 0.0
        return JudgedReading(reading.answers, max(reading.answerable, said), verdict)

    def compose(
        self,
        question: Question,
        query: str,
        passages: Sequence[Passage],
        *,
        reading: Reading | None = None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[ComposedSentence]:
        """Yield the sentences of an answer; none: the passages have no word to say.

        Only the passages that are read are said, and what is improbable is said, too: whether an
        answer is good enough, `Reading.answerable` and the check of its sentences tell.

        Args:
            question: Its style is followed.
            query: The question as it was understood in its conversation.
            passages: As for `read`.
            reading: What `read` returned for them; None: read here.
            should_stop: Asked before every run of a model.

        Raises:
            Cancelled: `should_stop()` became true.
        """
        if reading is None:
            reading = self.read(query, passages, should_stop=should_stop)
        used = readable(query, passages, most=self._read_passages)
        pieces = pieces_of(used)
        asked = asked_for(query)
        scored = score_pieces(query, used, pieces, reading, by_span=asked.by_span)
        if not scored.order and not (scored.spans and question.style is AnswerStyle.EXTRACTIVE):
            return
        answer = _Answer(query, asked, used, pieces, scored)
        first = None
        if asked.yes_no:
            verdict = (
                reading.verdict
                if isinstance(reading, JudgedReading)
                else judge(query, asked.language, used, self._checker, should_stop=should_stop)
            )
            words = words_of(asked.language)
            if verdict is not None and words is not None:
                word = words.yes if verdict.yes else words.no
                first = answer.piece_of(verdict.passage, verdict.start, verdict.end)
                yield ComposedSentence(word, "", (verdict.passage,))
                if question.style is AnswerStyle.EXTRACTIVE or first is None:
                    return
        if question.style is AnswerStyle.EXTRACTIVE:
            yield from answer.brief()
        else:
            long = question.style is AnswerStyle.VERBOSE
            yield from answer.sentences(first, long=long)


class _Answer:
    """What is made of one question's passages."""

    def __init__(
        self,
        query: str,
        asked: AskedFor,
        passages: Sequence[Passage],
        pieces: Sequence[Piece],
        scored: Scored,
    ) -> None:
        self._asked = asked
        self._passages = passages
        self._pieces = pieces
        self._scored = scored
        self._languages: dict[int, str] = {}
        self._selection = Selection(query, asked, passages, pieces, scored, self._language_of)

    def piece_of(self, passage: int, start: int, end: int) -> int | None:
        """Return the piece within a stretch of a passage that answers best; None: none is said."""
        inside = [
            index
            for index in self._scored.order
            if (piece := self._pieces[index]).passage == passage
            and piece.start < end
            and start < piece.end
        ]
        return max(inside, key=lambda i: (self._scored.coverage[i], -i), default=None)

    def brief(self) -> Iterator[ComposedSentence]:
        """Yield the span alone, or the points of a list where several things are asked for."""
        best = next(iter(self._scored.order), None)
        listed = (
            self._asked.several and best is not None and self._pieces[best].kind is PieceKind.ITEM
        )
        if listed or not self._is_span_asked():
            lines = self._selection.short()
            points = [line for line in lines if line.point]
            yield from _bare(points if listed and points else lines[:1])
            return
        span, at = self._scored.spans[0]
        text = span.text[: self._pieces[at].end - span.start]
        yield ComposedSentence(trimmed(text), "", (span.passage_index,))

    def _is_span_asked(self) -> bool:
        """Return whether a few words answer, and the reader can be trusted to find them."""
        if not self._asked.by_span or not self._scored.spans:
            return False
        return self._asked.language in _SPAN_LANGUAGES or not self._scored.order

    def sentences(self, first: int | None, *, long: bool) -> Iterator[ComposedSentence]:
        """Yield sentences and points; with `first`, behind "Yes." or "No."."""
        lines = self._selection.long(first) if long else self._selection.short(first)
        before: Line | None = None
        for line in lines:
            if line.point:
                lead = "\n- " if before is not None else "- "
            elif before is None:
                lead = " " if first is not None else ""
                if first is not None and self._asked.language in {"ja", "zh"}:
                    lead = ""
            elif before.point or (long and self._selection.starts_group(before, line)):
                lead = "\n\n"
            else:
                lead = "" if _unspaced(before.text) else " "
            yield ComposedSentence(line.text, lead, tuple(line.sources))
            before = line

    def _language_of(self, passage: int) -> str:
        if passage not in self._languages:
            text = self._passages[passage].text[:_LANGUAGE_CHARACTERS]
            self._languages[passage] = find_language(text, fallback=self._asked.language)
        return self._languages[passage]


def _bare(lines: Sequence[Line]) -> Iterator[ComposedSentence]:
    """Yield points without what leads into them, or one sentence."""
    for place, line in enumerate(lines):
        lead = "" if not line.point else "\n- " if place else "- "
        yield ComposedSentence(line.text, lead, tuple(line.sources))


def _unspaced(text: str) -> bool:
    """Return whether the next sentence follows without a space: Chinese and Japanese."""
    return text[-1:] in "。！？」』"
