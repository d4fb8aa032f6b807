"""The question of a session that a search or an answer is for: its place, context and results.

A search gives its question an id and keeps what it found with it; an answer to that id is made of
what was kept. https://cloud.google.com/generative-ai-app-builder/docs/answer
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Final

from toulmin.answering.passages import Passage
from toulmin.answering.question import Exchange
from toulmin.answering.searching import CHUNKS_OF_DOCUMENT, passage_of
from toulmin.apis.discoveryengine.names import parse_chunk, parse_session
from toulmin.apis.discoveryengine.session import AUTO
from toulmin.domain import JsonObject, Session, Turn, TurnResults
from toulmin.errors import InvalidArgument, NotFound
from toulmin.retrieval.query import ResultMode
from toulmin.retrieval.results import FoundChunk, SearchResults
from toulmin.stores.records import Transaction

_MOST_HISTORY: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a session a question is asked.

    Attributes:
        session: The session.
        is_new: Whether it is yet to be made.
        query_id: Id of the question.
        turn: The turn of that id; None: the question is a new one.
        before: The turns before it, oldest first.
    """

    session: Session
    is_new: bool
    query_id: str
    turn: Turn | None = None
    before: tuple[Turn, ...] = ()


def place_of(
    transaction: Transaction, name: str, *, owner: str, query_id: str, user_pseudo_id: str
) -> Place | None:
    """Return where a question is asked; None: in no session.

    Args:
        transaction: To read in.
        name: Name of the session; its last part "-": a new one. Empty: none.
        owner: Canonical name of the data store or engine of the serving config.
        query_id: Id of the question; empty: it gets one.
        user_pseudo_id: Whose a new session is.

    Raises:
        InvalidArgument: It is no session of that data store or engine.
        NotFound: There is no such session.
    """
    if not name:
        return None
    parent, id_ = parse_session(name, field="session")
    if parent != owner:
        raise InvalidArgument.of_field("session", f"{name} is not a session of {owner}")
    given = query_id or uuid.uuid4().hex
    if id_ == AUTO:
        made = Session(parent=parent, id=uuid.uuid4().hex, user_pseudo_id=user_pseudo_id)
        return Place(session=made, is_new=True, query_id=given)
    session = transaction.sessions.get(parent, id_)
    index = _index_of(session, query_id) if query_id else None
    return Place(
        session=session,
        is_new=False,
        query_id=given,
        turn=None if index is None else session.turns[index],
        before=session.turns[:index],
    )


def at_question(place: Place, query: str) -> Place:
    """Return the place of the last question of these words in the session, where it is there."""
    turns = place.session.turns
    index = next((i for i in reversed(range(len(turns))) if turns[i].query == query), None)
    if index is None:
        return place
    return replace(place, query_id=turns[index].query_id, turn=turns[index], before=turns[:index])


def history_of(transaction: Transaction, place: Place) -> tuple[Exchange, ...]:
    """Return the last questions before a place with their answers; skipped ones have no answer."""
    found = []
    for turn in place.before[-_MOST_HISTORY:]:
        body = _answer_of(transaction, place.session, turn)
        text = "" if body.get("answerSkippedReasons") else str(body.get("answerText", ""))
        found.append(Exchange(turn.query, text))
    return tuple(found)


def keep_question(transaction: Transaction, place: Place, query: str) -> int:
    """Store the question unless its turn is there without an answer; return its turn's index.

    A session that is new is stored with it.

    Raises:
        NotFound: The session was deleted meanwhile.
    """
    session, turn = place.session, Turn(query=query, query_id=place.query_id)
    if place.is_new:
        transaction.sessions.create(session)
    else:
        stored = transaction.sessions.get(session.parent, session.id)
        index = _index_of(stored, place.query_id)
        if index is not None and not stored.turns[index].answer_id:
            return index
    return transaction.sessions.add_turn(session.parent, session.id, turn)


def results_of(results: SearchResults, mode: ResultMode, count: int) -> TurnResults:
    """Return what is kept of a search: the chunks of its first `count` results."""
    chunks = list(results.chunks[:count])
    for document in results.documents[:count]:
        chunks += document.chunks[:CHUNKS_OF_DOCUMENT]
    chunks.sort(key=lambda chunk: -chunk.score)
    names = [passage_of(chunk, mode=mode).chunk for chunk in chunks]
    relevances = [round(chunk.relevance, 6) for chunk in chunks]
    return TurnResults(mode.name, tuple(zip(names, relevances, strict=True)))


def passages_of(transaction: Transaction, results: TurnResults) -> tuple[Passage, ...]:
    """Return what was kept of a search as passages, as far as it is still there."""
    found: list[Passage] = []
    for name, relevance in results.chunks:
        branch, document_id, chunk_id = parse_chunk(name, field="session")
        stored = transaction.documents.stored_chunk(branch, document_id, chunk_id)
        if stored is not None:
            chunk = FoundChunk(
                data_store=stored.data_store,
                branch=stored.branch,
                document=stored.document,
                document_key=stored.document_key,
                chunk=stored.chunk,
                score=relevance,
                relevance=relevance,
            )
            found.append(passage_of(chunk, mode=ResultMode[results.mode]))
    return tuple(found)


def _index_of(session: Session, query_id: str) -> int | None:
    """Return the index of the last turn of an id, of one without an answer if there is any."""
    found = [index for index, turn in enumerate(session.turns) if turn.query_id == query_id]
    unanswered = [index for index in found if not session.turns[index].answer_id]
    return next(reversed(unanswered or found), None)


def _answer_of(transaction: Transaction, session: Session, turn: Turn) -> JsonObject:
    if not turn.answer_id:
        return {}
    try:
        return transaction.sessions.answer(session.parent, session.id, turn.answer_id)
    except NotFound:  # the caller wrote the turn, with an answer that is not there
        return {}
