"""ConversationalSearchService: answers, at once, as a stream, or later.

https://cloud.google.com/generative-ai-app-builder/docs/answer
"""

from __future__ import annotations

import hashlib
import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

import orjson

from toulmin.answering.answer import Answer, AnswerState
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Exchange, Question, UnderstoodClass
from toulmin.answering.user_class import UserClass, UserClassifier
from toulmin.apis.aip.deadline import stop_of
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.answers_later import LONGEST_S, AnswersLater
from toulmin.apis.discoveryengine.convert_answers import delta_of, fill_answer
from toulmin.apis.discoveryengine.convert_question import question_of
from toulmin.apis.discoveryengine.names import (
    ServingConfigName,
    parse_serving_config,
    parse_session,
)
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.discoveryengine.search_controls import with_controls
from toulmin.apis.discoveryengine.serving_config import serving_config_of
from toulmin.apis.discoveryengine.session import AUTO, fill_session
from toulmin.apis.schema import load_schema
from toulmin.domain import JsonObject, Session, Turn
from toulmin.errors import Cancelled, InvalidArgument, NotFound, ToulminError
from toulmin.stores.records import RecordStore, Transaction

_KEPT_TYPE: Final = "google.cloud.discoveryengine.v1beta.Answer"
"""Answers are kept as this type's JSON: it has every field that any version has."""
_MOST_HISTORY: Final = 10

logger = logging.getLogger(__name__)


def register_conversational_search(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    answerer: Callable[[], Answerer],
    user_classifier: Callable[[], UserClassifier],
) -> None:
    """Bind AnswerQuery and StreamAnswerQuery, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        answerer: Returns what answers.
        user_classifier: Returns what says whether a question is of the class that a serving config
            describes.
    """
    handlers = _Handlers(records, answerer, user_classifier)
    service = "ConversationalSearchService"
    registry.register("discoveryengine", service, "AnswerQuery", handlers.answer)
    registry.register("discoveryengine", service, "StreamAnswerQuery", handlers.stream)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that was understood.

    Attributes:
        question: The question.
        session: Its session; None: none.
        is_new: Whether the session is yet to be made.
        answer_id: Id of the answer to come.
        query_id: Id of the question.
        started: When it came, in UTC.
        user_class: The class that the serving config describes; None: none.
    """

    question: Question
    session: Session | None
    is_new: bool
    answer_id: str
    query_id: str
    started: datetime
    user_class: UserClass | None

    @property
    def answer_name(self) -> str:
        """Name of the answer; empty: it is not kept."""
        return f"{self.session.name}/answers/{self.answer_id}" if self.session else ""


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    answerer: Callable[[], Answerer]
    user_classifier: Callable[[], UserClassifier]
    later: AnswersLater = field(default_factory=AnswersLater)

    def answer(self, request: Any, context: CallContext) -> Any:
        asked = self._understood(request)
        if request.asynchronous_mode:
            return self._begun(asked, context)
        should_stop = stop_of(context, "the answer")
        answer = self.answerer().answer(
            asked.question,
            is_user_defined=self._belongs(asked, should_stop),
            should_stop=should_stop,
            timings=context.timings,
        )
        completed = self._keep(asked, answer, should_stop)
        return self._response(asked, answer, context, completed=completed)

    def stream(self, request: Any, context: CallContext) -> Iterator[Any]:
        asked = self._understood(request)
        return self._streamed(asked, context)

    def _streamed(self, asked: _Asked, context: CallContext) -> Iterator[Any]:
        """Yield what is new each time; the last one has all that is not text.

        When it fails halfway, the last one says FAILED, before the error: over REST the official
        clients do not see an error in the middle of a stream. Nothing of it is kept.
        """
        before: Answer | None = None
        should_stop = stop_of(context, "the answer")
        answers = self.answerer().stream(
            asked.question,
            is_user_defined=self._belongs(asked, should_stop),
            should_stop=should_stop,
            timings=context.timings,
        )
        try:
            for answer in answers:
                last = answer.state is AnswerState.SUCCEEDED
                completed = self._keep(asked, answer, should_stop) if last else None
                yield self._response(
                    asked,
                    delta_of(answer, before or Answer()),
                    context,
                    whole=answer,
                    completed=completed,
                )
                before = answer
        except (GeneratorExit, Cancelled):
            raise
        except Exception:
            if before is not None:
                yield self._response(asked, Answer(state=AnswerState.FAILED), context)
            raise

    def _belongs(
        self, asked: _Asked, should_stop: Callable[[], bool]
    ) -> Callable[[str], bool] | None:
        """Return what says whether a question is of the class that its serving config describes."""
        described = asked.user_class
        if described is None:
            return None
        classifier = self.user_classifier()
        return lambda text: classifier.belongs(text, described, should_stop=should_stop)

    def _understood(self, request: Any) -> _Asked:
        name = parse_serving_config(request.serving_config, field="serving_config")
        with self.records().read() as transaction:
            target = target_of(transaction, name)
            session, is_new = None, False
            if request.session:
                session, is_new = _session_of(transaction, request, name)
            history = _history(transaction, session) if session and not is_new else ()
            started = transaction.now
            described = _user_class(serving_config_of(transaction, name).fields)
        text = _text(request, session)
        question = question_of(
            request, text, target.data_stores, owner=target.owner, history=history
        )
        if request.asynchronous_mode and session is None:
            raise InvalidArgument.of_field(
                "session", "is missing; an answer that comes later is kept in a session, such as -"
            )
        if question.search is not None:
            search = replace(question.search, text=text)
            controlled = with_controls(search, target.controls, now=target.now)
            question = replace(question, search=controlled.query)
        if described is not None:
            ignore = question.ignore | {UnderstoodClass.USER_DEFINED}
            question = replace(question, ignore=ignore)
        return _Asked(
            question=question,
            session=session,
            is_new=is_new,
            answer_id=uuid.uuid4().hex,
            query_id=request.query.query_id or uuid.uuid4().hex,
            started=started,
            user_class=described,
        )

    def _keep(
        self, asked: _Asked, answer: Answer, should_stop: Callable[[], bool] = lambda: False
    ) -> datetime:
        """Store question and answer in the session, both or neither; return the time of it.

        Raises:
            Cancelled: Nobody waits for the answer any more.
        """
        if should_stop():
            raise Cancelled("the caller is gone; the answer is not kept")
        with self.records().write() as transaction:
            now = transaction.now
            session = asked.session
            if session is None:
                return now
            if asked.is_new:
                transaction.sessions.create(session)
            place = transaction.sessions.add_turn(session.parent, session.id, _turn(asked))
            body = _body(asked, answer, completed=now)
            transaction.sessions.put_answer(
                session.parent, session.id, asked.answer_id, body, place=place
            )
        return now

    def _begun(self, asked: _Asked, context: CallContext) -> Any:
        """Return at once; the answer is found under its name when it is there."""
        self.later.check_room()
        begun = Answer(state=AnswerState.IN_PROGRESS)
        self._keep(asked, begun)
        self.later.submit(lambda: self._finish(asked))
        return self._response(asked, begun, context)

    def _finish(self, asked: _Asked) -> None:
        """Make an answer that is kept as begun; raise nothing, for nobody would hear it."""
        end = time.monotonic() + LONGEST_S

        def should_stop() -> bool:
            return time.monotonic() > end

        try:
            answer = self.answerer().answer(
                asked.question,
                is_user_defined=self._belongs(asked, should_stop),
                should_stop=should_stop,
            )
        except ToulminError as error:
            logger.warning("%s failed: %s", asked.answer_name, error.message)
            answer = Answer(state=AnswerState.FAILED)
        except Exception:  # a defect of ours: the one who waits must learn of it
            logger.exception("%s failed", asked.answer_name)
            answer = Answer(state=AnswerState.FAILED)
        session = asked.session
        assert session is not None  # noqa: S101 - checked when it was understood
        try:
            with self.records().write() as transaction:
                body = _body(asked, answer, completed=transaction.now)
                transaction.sessions.put_answer(session.parent, session.id, asked.answer_id, body)
        except NotFound:
            logger.info("%s: its session was deleted meanwhile", asked.answer_name)
        except Exception:  # such as a full disk, or the end of the process
            logger.exception("%s could not be kept", asked.answer_name)

    def _response(
        self,
        asked: _Asked,
        answer: Answer,
        context: CallContext,
        *,
        whole: Answer | None = None,
        completed: datetime | None = None,
    ) -> Any:
        response: Any = context.new_message()
        fill_answer(
            response.answer,
            answer,
            whole=whole or answer,
            name=asked.answer_name,
            created=asked.started,
            completed=completed,
        )
        if completed is not None or answer.state is AnswerState.IN_PROGRESS:
            self._fill_session(response, asked, stored=completed is not None)
        response.answer_query_token = _token(asked)
        return response

    def _fill_session(self, response: Any, asked: _Asked, *, stored: bool) -> None:
        if asked.session is None:
            return
        session = asked.session
        if stored:
            with self.records().read() as transaction:
                session = transaction.sessions.get(session.parent, session.id)
        fill_session(response.session, session)


def _session_of(
    transaction: Transaction, request: Any, config: ServingConfigName
) -> tuple[Session, bool]:
    """Return the session of a request, and whether it is yet to be made."""
    parent, id_ = parse_session(request.session, field="session")
    if parent != config.parent:
        raise InvalidArgument.of_field(
            "session", f"{request.session} is not a session of {config.parent}"
        )
    if id_ == AUTO:
        new = Session(parent=parent, id=uuid.uuid4().hex, user_pseudo_id=request.user_pseudo_id)
        return new, True
    return transaction.sessions.get(parent, id_), False


def _history(transaction: Transaction, session: Session) -> tuple[Exchange, ...]:
    """Return the last questions of a session with their answers; skipped ones have no answer."""
    found = []
    for turn in session.turns[-_MOST_HISTORY:]:
        body = _answer_of(transaction, session, turn)
        text = "" if body.get("answerSkippedReasons") else str(body.get("answerText", ""))
        found.append(Exchange(turn.query, text))
    return tuple(found)


def _answer_of(transaction: Transaction, session: Session, turn: Turn) -> JsonObject:
    if not turn.answer_id:
        return {}
    try:
        return transaction.sessions.answer(session.parent, session.id, turn.answer_id)
    except NotFound:  # the caller wrote the turn, with an answer that is not there
        return {}


def _text(request: Any, session: Session | None) -> str:
    """Return the words of the question, which `query_id` may name."""
    query = request.query
    if query.text or not query.query_id:
        return str(query.text)
    turns: Sequence[Turn] = session.turns if session else ()
    for turn in turns:
        if turn.query_id == query.query_id:
            return turn.query
    raise InvalidArgument.of_field(
        "query.query_id", f'"{query.query_id}" is no question of the session; send query.text'
    )


def _user_class(fields: Mapping[str, Any]) -> UserClass | None:
    """Return the class of questions that a serving config describes; None: none."""
    spec = fields.get("answerGenerationSpec", {}).get("userDefinedClassifierSpec", {})
    if not spec.get("enableUserDefinedClassifier") or not spec.get("preamble", "").strip():
        return None
    return UserClass(spec["preamble"], spec.get("taskMarker", ""))


def _turn(asked: _Asked) -> Turn:
    return Turn(query=asked.question.text, query_id=asked.query_id)


def _body(asked: _Asked, answer: Answer, *, completed: datetime) -> dict[str, Any]:
    """Return an answer as it is kept."""
    message = load_schema().message_class(_KEPT_TYPE)()
    done = answer.state in (AnswerState.SUCCEEDED, AnswerState.FAILED)
    fill_answer(
        message,
        answer,
        name=asked.answer_name,
        created=asked.started,
        completed=completed if done else None,
    )
    body: dict[str, Any] = to_json_value(message, enums_as_ints=False)
    return body


def _token(asked: _Asked) -> str:
    """Return a name of the question: the same for the same question in the same session."""
    parts = [asked.session.name if asked.session else "", asked.question.text]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]
