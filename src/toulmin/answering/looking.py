"""What a question asks in its conversation, and what is found for each thing that it asks."""

from __future__ import annotations

from dataclasses import replace

from toulmin.answering import deciding
from toulmin.answering.answer import SearchAction, SkippedReason, Step
from toulmin.answering.compose.computing import wants_tables
from toulmin.answering.compose.fit import telling_words
from toulmin.answering.parts import Part, join
from toulmin.answering.passages import Passage
from toulmin.answering.reading.reader import Reading
from toulmin.answering.searching import search_passages, with_context, with_whole_tables
from toulmin.answering.turn import Turn
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.answering.understanding.split import parts_of
from toulmin.answering.understanding.typed import as_read


def understand(turn: Turn) -> str:
    """Return what is asked as a question that stands alone."""
    question = turn.question
    query = question.text
    if question.max_rephrase_steps:
        with turn.log.step("rephrase_ms"):
            query = rephrase(as_read(question.text), question.history)
        if query != question.text:
            turn.log.note(Step("Rephrase the query.", f"In its conversation it asks: {query}"))
    turn.answer = replace(turn.answer, query=query)
    return query


def as_asked(turn: Turn) -> str:
    """Return the question in its own words, after its rephrased form has found no answer."""
    query = turn.question.text
    turn.log.note(Step("Search for the query as it was asked.", "That found no answer."))
    turn.answer = replace(turn.answer, query=query)
    return query


def look_at_parts(turn: Turn, query: str) -> tuple[list[Part], tuple[SkippedReason, ...]]:
    """Search and read for each thing that is asked; return what is answered, or why nothing is.

    The passages of all of them become those of the answer.
    """
    asked = parts_of(query) if turn.question.max_rephrase_steps else (query,)
    if len(asked) > 1:
        turn.log.note(Step("Split the query.", f"It asks: {' '.join(asked)}"))
    parts: list[Part] = []
    why: tuple[SkippedReason, ...] = ()
    everything: list[Passage] = []
    for one in asked:
        reading, reasons = _look(turn, one)
        why = why or reasons
        places = join(everything, turn.passages)
        if not reasons:
            parts.append(Part(one, reading, turn.passages, places))
    turn.passages = everything
    return parts, () if parts else why


def _look(turn: Turn, query: str) -> tuple[Reading, tuple[SkippedReason, ...]]:
    """Search and read; return with it why what was found does not answer."""
    asked = turn.question
    alone = asked.search is not None and not (asked.given or asked.history or asked.always)
    if alone and not telling_words(query):
        # "When was it?" with nothing asked before: whatever is found, it is about nothing.
        return Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
    _search(turn, query)
    if not turn.passages and not turn.question.always:
        return Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
    reading = _read(turn, query)
    if turn.question.always or not turn.question.ignore_low_relevance:
        return reading, ()
    covers = deciding.covers(query, turn.passages)
    return reading, deciding.reasons_of_search(
        turn.passages,
        reading.answerable,
        covers=covers,
        judged=bool(reading.odds),
        across=deciding.crosses(query, turn.passages),
    )


def _search(turn: Turn, query: str) -> None:
    question = turn.question
    found: list[Passage] = list(question.given)
    if question.search is not None and not question.given:
        asked = replace(question.search, text=query, correct_spelling=question.correct_spelling)
        with turn.log.step("search_ms"):
            found = search_passages(turn.rooms.searcher(), asked, work=turn.log.work)
        if wants_tables(query):
            found = with_whole_tables(found, turn.rooms.chunks)
    action = SearchAction(query, tuple(found))
    turn.log.note(Step("Search for passages.", f"Found {len(found)}.", actions=(action,)))
    turn.passages = with_context(query, found, question.user_context)


def _read(turn: Turn, query: str) -> Reading:
    with turn.log.step("read_ms"):
        reading = turn.rooms.read(query, turn.passages, turn.log.work)
    thought = f"They answer it with a probability of {reading.answerable:.2f}."
    turn.log.note(Step("Read the passages.", thought))
    turn.answer = replace(turn.answer, answerable=reading.answerable)
    return reading
