"""Sessions: conversations with a data store or an engine.

ConversationalSearchService and SessionService have the same RPCs on them; one handler serves both.
https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.operations import fill_from_json, set_time
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.answers_later import LONGEST_S
from toulmin.apis.discoveryengine.convert.fields import has_field
from toulmin.apis.discoveryengine.convert.questions import query_text
from toulmin.apis.discoveryengine.names import check_id, parse_answer, parse_owner, parse_session
from toulmin.apis.discoveryengine.serving_config import owner_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import JsonObject, Session, Turn
from toulmin.errors import InvalidArgument
from toulmin.retrieval.ordering import parse_order_by
from toulmin.stores.index.predicate import And, AnyOf, Fields, FieldValue, Predicate, matches
from toulmin.stores.records import RecordStore
from toulmin.stores.records.sessions import ORDERS

DEFAULT_PAGE, LARGEST_PAGE = 50, 1_000
LONGEST_DISPLAY_NAME: Final = 1_000
MOST_TURNS: Final = 1_000
AUTO: Final = "-"
ASSIST: Final = "assist-"
"""What ids of answers of an assistant begin with."""
ASSIST_ANSWER: Final = "assistAnswer"
"""Key, in the answer that is kept of an assist, of the `AssistAnswer` as JSON."""
_SERVICES: Final = ("ConversationalSearchService", "SessionService")
_IN_PROGRESS: Final = "IN_PROGRESS"
_FAILED: Final = "FAILED"
FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "user_pseudo_id": str,
    "state": str,
    "display_name": str,
    "starred": bool,
    "is_pinned": bool,
    "labels": str,
    "create_time": datetime,
    "update_time": datetime,
    "collaborative_project": str,
}


def register_sessions(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the RPCs on sessions of both services, and GetAnswer, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("CreateSession", handlers.create),
        ("GetSession", handlers.get),
        ("ListSessions", handlers.list),
        ("UpdateSession", handlers.update),
        ("DeleteSession", handlers.delete),
    ):
        for service in _SERVICES:
            registry.register("discoveryengine", service, method, handler)
    registry.register("discoveryengine", _SERVICES[0], "GetAnswer", handlers.get_answer)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def create(self, request: pb.CreateSessionRequest, context: CallContext) -> pb.Session:
        parent = parse_owner(request.parent, field="parent")
        id_ = uuid.uuid4().hex
        if getattr(request, "session_id", ""):
            id_ = check_id(request.session_id, field="session_id")
        session = session_of(request.session, parent, id_, field="session")
        with self.records().write() as transaction:
            owner_of(transaction, parent)
            stored = transaction.sessions.create(session)
        return fill_session(context.new_message(), stored)

    def get(self, request: pb.GetSessionRequest, context: CallContext) -> pb.Session:
        parent, id_ = parse_session(request.name, field="name")
        answers: Mapping[str, JsonObject] = {}
        with self.records().read() as transaction:
            session = transaction.sessions.get(parent, id_)
            if getattr(request, "include_answer_details", False):
                found = transaction.sessions.answers(parent, id_)
                now = transaction.now
                answers = {name: _settled(body, now) for name, body in found.items()}
        return fill_session(context.new_message(), session, answers)

    def list(
        self, request: pb.ListSessionsRequest, context: CallContext
    ) -> pb.ListSessionsResponse:
        parent = parse_owner(request.parent, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=LARGEST_PAGE)
        predicate = parse_list_filter(request.filter, FILTERED)
        order = _order(request.order_by)
        response: pb.ListSessionsResponse = context.new_message()
        token = request.page_token
        with self.records().read() as transaction:
            while len(response.sessions) < size:
                left = size - len(response.sessions)
                page = transaction.sessions.list(
                    parent,
                    user_pseudo_id=_user(predicate),
                    order_by=order,
                    page_size=left,
                    page_token=token,
                )
                for session in page.items:
                    if matches(predicate, _fields(session)):
                        fill_session(response.sessions.add(), session)
                token = page.next_page_token
                if not token:
                    break
        response.next_page_token = token
        return response

    def update(self, request: pb.UpdateSessionRequest, context: CallContext) -> pb.Session:
        parent, id_ = parse_session(request.session.name, field="session.name")
        paths = masked_paths(request.update_mask, request.session.DESCRIPTOR, field="update_mask")
        with self.records().write() as transaction:
            old = transaction.sessions.get(parent, id_)
            message = merge(fill_session(type(request.session)(), old), request.session, paths)
            changed = session_of(message, parent, id_, field="session", old=old)
            stored = transaction.sessions.update(changed, expected_generation=old.generation)
        return fill_session(context.new_message(), stored)

    def delete(self, request: pb.DeleteSessionRequest, context: CallContext) -> Message:
        parent, id_ = parse_session(request.name, field="name")
        with self.records().write() as transaction:
            transaction.sessions.delete(parent, id_)
        return context.empty_message()

    def get_answer(self, request: pb.GetAnswerRequest, context: CallContext) -> pb.Answer:
        parent, session_id, answer_id = parse_answer(request.name, field="name")
        with self.records().read() as transaction:
            body = transaction.sessions.answer(parent, session_id, answer_id)
            body = _settled(body, transaction.now)
        response: pb.Answer = context.new_message()
        fill_from_json(response, body)
        return response


def session_of(
    message: pb.Session, parent: str, id_: str, *, field: str, old: Session | None = None
) -> Session:
    """Return the session that a message states; times are the store's.

    Args:
        message: The message, of any version.
        parent: Canonical name of its data store or engine.
        id_: Its id.
        field: Name of the message, for errors.
        old: The session as it is; what the version has no field for stays so.

    Raises:
        InvalidArgument: A value is wrong.
    """
    if len(message.display_name) > LONGEST_DISPLAY_NAME:
        raise InvalidArgument.of_field(
            f"{field}.display_name",
            f"has {len(message.display_name):,} characters; at most {LONGEST_DISPLAY_NAME:,} are"
            " allowed",
        )
    if len(message.turns) > MOST_TURNS:
        raise InvalidArgument.of_field(
            f"{field}.turns",
            f"has {len(message.turns):,} turns; at most {MOST_TURNS:,} are allowed",
        )
    session = Session(
        parent=parent,
        id=id_,
        display_name=message.display_name,
        state=_IN_PROGRESS,
        user_pseudo_id=message.user_pseudo_id,
        labels=tuple(message.labels),
        is_pinned=message.is_pinned
        if has_field(message, "is_pinned")
        else bool(old and old.is_pinned),
        turns=_turns(message.turns, old.turns if old else ()),
    )
    if not session.display_name and session.turns:
        session = replace(session, display_name=session.turns[0].query[:100])
    return session


def _settled(body: JsonObject, now: datetime) -> JsonObject:
    """Return an answer; one that nobody can be working on any more has failed."""
    if body.get("state") != _IN_PROGRESS or "createTime" not in body:
        return body
    begun = datetime.fromisoformat(body["createTime"])
    late = now - begun > timedelta(seconds=2 * LONGEST_S)
    return {**body, "state": _FAILED} if late else body


def _turns(messages: Sequence[pb.Session.Turn], old: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns as the caller wrote them, with what is kept with those of the same ids."""
    kept = {turn.query_id: turn for turn in old if turn.query_id}
    turns = [_turn(message, index) for index, message in enumerate(messages)]
    return tuple(_with_kept(turn, kept.get(turn.query_id)) for turn in turns)


def _with_kept(turn: Turn, old: Turn | None) -> Turn:
    """Return a turn with what messages do not say: results of a search, answer of an assist."""
    if old is None:
        return turn
    is_assist = not turn.answer_id and old.answer_id.startswith(ASSIST)
    answer_id = old.answer_id if is_assist else turn.answer_id
    return replace(turn, results=old.results, answer_id=answer_id)


def _turn(message: pb.Session.Turn, index: int) -> Turn:
    return Turn(
        query=query_text(message.query, field=f"session.turns[{index}].query"),
        query_id=message.query.query_id,
        answer_id=message.answer.rpartition("/answers/")[2],
        query_config=dict(sorted(message.query_config.items()))
        if has_field(message, "query_config")
        else {},
    )


def fill_session(
    message: pb.Session, session: Session, answers: Mapping[str, JsonObject] | None = None
) -> pb.Session:
    """Write a session into an empty `Session` message of any version, and return it.

    Args:
        message: The message to fill.
        session: The session.
        answers: Answers by id, to be written into the turns as a whole.
    """
    message.name = session.name
    message.display_name = session.display_name
    message.state = pb.Session.State.IN_PROGRESS  # the API knows no other
    message.user_pseudo_id = session.user_pseudo_id
    message.labels.extend(session.labels)
    if has_field(message, "is_pinned"):
        message.is_pinned = session.is_pinned
    for turn in session.turns:
        item = message.turns.add()
        item.query.text, item.query.query_id = turn.query, turn.query_id
        if turn.answer_id and not turn.answer_id.startswith(ASSIST):
            item.answer = f"{session.name}/answers/{turn.answer_id}"
        if answers and turn.answer_id in answers:
            _fill_details(item, answers[turn.answer_id])
        if has_field(item, "query_config"):
            item.query_config.update(turn.query_config)
    set_time(message.start_time, session.start_time)
    set_time(message.end_time, session.end_time)
    return message


def _fill_details(turn: pb.Session.Turn, answer: JsonObject) -> None:
    """Write an answer into its turn as a whole, where the version has a field for it."""
    name = "detailed_assist_answer" if ASSIST_ANSWER in answer else "detailed_answer"
    if has_field(turn, name):
        fill_from_json(getattr(turn, name), answer.get(ASSIST_ANSWER, answer))


def _user(predicate: Predicate) -> str | None:
    """Return the only user whose sessions can fulfil a filter; None: it may be several."""
    if isinstance(predicate, And):
        return next((user for part in predicate.operands if (user := _user(part))), None)
    if isinstance(predicate, AnyOf) and predicate.field == "user_pseudo_id":
        return predicate.values[0] if len(predicate.values) == 1 else None
    return None


def _fields(session: Session) -> Fields:
    """Return what a session is filtered by."""
    return {
        "user_pseudo_id": (session.user_pseudo_id,),
        "state": (session.state,),
        "display_name": (session.display_name,),
        "is_pinned": (session.is_pinned,),
        "starred": (session.is_pinned,),
        "labels": session.labels,
        "create_time": () if session.start_time is None else (session.start_time,),
        "update_time": () if session.end_time is None else (session.end_time,),
        "collaborative_project": (),  # no session here belongs to one
    }


def _order(text: str) -> tuple[tuple[str, bool], ...]:
    keys = parse_order_by(text)
    for key in keys:
        if key.field not in ORDERS:
            raise InvalidArgument.of_field(
                "order_by", f'"{key.field}" must be one of {", ".join(sorted(ORDERS))}'
            )
    return tuple((key.field, key.descending) for key in keys)
