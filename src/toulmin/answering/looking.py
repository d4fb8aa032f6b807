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
from toulmin.answering.understanding.split import parts_of, without_topic
from toulmin.answering.understanding.typed import as_read


def understand(turn: Turn) -> str:
    """Return what is asked as a question that stands alone."""
    question = turn.question
    query = question.text
    if question.max_rephrase_steps:
        with turn.log.step("rephrase_ms"):
            query = rephrase(as_read(question.text), question.history)
        if query != question.text:
            told = "In its conversation it asks" if question.history else "It is read as"
            turn.log.note(Step("Rephrase the query.", f"{told}: {query}"))
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

    The passages of all of them become those of the answer; what is not answered is `turn.missing`.
    """
    asked = parts_of(query) if turn.question.max_rephrase_steps else (query,)
    if len(asked) > 1:
        turn.log.note(Step("Split the query.", f"It asks: {' '.join(asked)}"))
    parts: list[Part] = []
    why: tuple[SkippedReason, ...] = ()
    everything: list[Passage] = []
    turn.missing = []
    for one in asked:
        query, reading, reasons = _look(turn, one)
        if reasons and len(asked) > 1 and (own := without_topic(one)) != one:
            query, reading, reasons = _look(turn, own)
        why = why or reasons
        places = join(everything, turn.passages)
        if reasons:
            turn.missing.append(without_topic(one))
        else:
            parts.append(Part(query, reading, turn.passages, places))
    turn.passages = everything
    return parts, () if parts else why


def _look(turn: Turn, query: str) -> tuple[str, Reading, tuple[SkippedReason, ...]]:
    """Search and read; return the question as it was read, and why what was found is no answer."""
    asked = turn.question
    alone = asked.search is not None and not (asked.given or asked.history or asked.always)
    if alone and not telling_words(query):
        # "When was it?" with nothing asked before: whatever is found, it is about nothing.
        return query, Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
    query = _search(turn, query)
    if not turn.passages and not turn.question.always:
        return query, Reading((), 0.0), (SkippedReason.NO_RELEVANT_CONTENT,)
    reading = _read(turn, query)
    if turn.question.always or not turn.question.ignore_low_relevance:
        return query, reading, ()
    covers = deciding.covers(query, turn.passages)
    reasons = deciding.reasons_of_search(
        turn.passages,
        reading.answerable,
        covers=covers,
        judged=bool(reading.odds),
        across=deciding.crosses(query, turn.passages),
    )
    return query, reading, reasons


def _search(turn: Turn, query: str) -> str:
    """Search; return the question with the words that were put right for that."""
    question = turn.question
    found: list[Passage] = list(question.given)
    if question.search is not None and not question.given:
        asked = replace(question.search, text=query, correct_spelling=question.correct_spelling)
        with turn.log.step("search_ms"):
            results = search_passages(turn.rooms.searcher(), asked, work=turn.log.work)
        found, query = results.passages, results.query
        if wants_tables(query):
            found = with_whole_tables(found, turn.rooms.chunks)
    action = SearchAction(query, tuple(found))
    turn.log.note(Step("Search for passages.", f"Found {len(found)}.", actions=(action,)))
    turn.passages = with_context(query, found, question.user_context)
    return query


def _read(turn: Turn, query: str) -> Reading:
    with turn.log.step("read_ms"):
        reading = turn.rooms.read(query, turn.passages, turn.log.work)
    thought = f"They answer it with a probability of {reading.answerable:.2f}."
    turn.log.note(Step("Read the passages.", thought))
    turn.answer = replace(turn.answer, answerable=reading.answerable)
    return reading
