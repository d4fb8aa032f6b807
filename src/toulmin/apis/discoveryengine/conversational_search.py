"""ConversationalSearchService: answers, at once, as a stream, or later.

https://cloud.google.com/generative-ai-app-builder/docs/answer
"""

from __future__ import annotations

import hashlib
import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

import orjson

from toulmin.answering.answer import Answer, AnswerState
from toulmin.answering.passages import Passage
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Question, UnderstoodClass
from toulmin.answering.understanding.user_class import UserClass, UserClassifier
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.answers_later import LONGEST_S, AnswersLater
from toulmin.apis.discoveryengine.convert.answers import delta_of, fill_answer
from toulmin.apis.discoveryengine.convert.questions import query_text, question_of
from toulmin.apis.discoveryengine.names import parse_serving_config
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.discoveryengine.search_controls import with_controls
from toulmin.apis.discoveryengine.serving_config import serving_config_of
from toulmin.apis.discoveryengine.session import fill_session
from toulmin.apis.discoveryengine.session_turns import (
    Place,
    history_of,
    keep_question,
    passages_of,
    place_of,
)
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import load_schema
from toulmin.domain import Session
from toulmin.errors import Cancelled, InvalidArgument, NotFound, ToulminError
from toulmin.stores.records import RecordStore, Transaction
from toulmin.work import UNLIMITED, Work

_KEPT_TYPE: Final = "google.cloud.discoveryengine.v1beta.Answer"
"""Answers are kept as this type's JSON: it has every field that any version has."""

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
        place: Its place in a session; None: it is asked in none.
        answer_id: Id of the answer to come.
        started: When it came, in UTC.
        user_class: The class that the serving config describes; None: none.
    """

    question: Question
    place: Place | None
    answer_id: str
    started: datetime
    user_class: UserClass | None

    @property
    def session(self) -> Session | None:
        """Its session; None: none."""
        return self.place.session if self.place else None

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

    def answer(
        self, request: pb.AnswerQueryRequest, context: CallContext
    ) -> pb.AnswerQueryResponse:
        asked = self._understood(request)
        if request.asynchronous_mode:
            return self._begun(asked, context)
        work = work_of(context, "the answer")
        answer = self.answerer().answer(
            asked.question, is_user_defined=self._belongs(asked, work), work=work
        )
        completed = self._keep(asked, answer, work)
        return self._response(asked, answer, context, completed=completed)

    def stream(
        self, request: pb.AnswerQueryRequest, context: CallContext
    ) -> Iterator[pb.AnswerQueryResponse]:
        asked = self._understood(request)
        return self._streamed(asked, context)

    def _streamed(self, asked: _Asked, context: CallContext) -> Iterator[pb.AnswerQueryResponse]:
        """Yield what is new each time, and at last the whole answer, as it is kept.

        When it fails halfway, the last one says FAILED, before the error: over REST the official
        clients do not see an error in the middle of a stream. Nothing of it is kept.
        """
        before: Answer | None = None
        work = work_of(context, "the answer")
        answers = self.answerer().stream(
            asked.question, is_user_defined=self._belongs(asked, work), work=work
        )
        try:
            for answer in answers:
                last = answer.state is AnswerState.SUCCEEDED
                completed = self._keep(asked, answer, work) if last else None
                yield self._response(
                    asked,
                    answer if last else delta_of(answer, before or Answer()),
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

    def _belongs(self, asked: _Asked, work: Work) -> Callable[[str], bool] | None:
        """Return what says whether a question is of the class that its serving config describes."""
        described = asked.user_class
        if described is None:
            return None
        classifier = self.user_classifier()
        return lambda text: classifier.belongs(text, described, work=work)

    def _understood(self, request: pb.AnswerQueryRequest) -> _Asked:
        name = parse_serving_config(request.serving_config, field="serving_config")
        with self.records().read() as transaction:
            target = target_of(transaction, name)
            place = place_of(
                transaction,
                request.session,
                owner=name.parent,
                query_id=request.query.query_id,
                user_pseudo_id=request.user_pseudo_id,
            )
            history = history_of(transaction, place) if place else ()
            found = _found_before(transaction, request, place)
            started = transaction.now
            described = _user_class(serving_config_of(transaction, name).fields)
        text = _text(request, place)
        question = question_of(
            request, text, target.data_stores, owner=target.owner, history=history
        )
        if request.asynchronous_mode and place is None:
            raise InvalidArgument.of_field(
                "session", "is missing; an answer that comes later is kept in a session, such as -"
            )
        if found and question.search is not None:
            question = replace(question, given=found, search=None)
        if question.search is not None:
            search = replace(question.search, text=text)
            controlled = with_controls(search, target.controls, now=target.now)
            question = replace(question, search=controlled.query)
        if described is not None:
            ignore = question.ignore | {UnderstoodClass.USER_DEFINED}
            question = replace(question, ignore=ignore)
        return _Asked(
            question=question,
            place=place,
            answer_id=uuid.uuid4().hex,
            started=started,
            user_class=described,
        )

    def _keep(self, asked: _Asked, answer: Answer, work: Work = UNLIMITED) -> datetime:
        """Store question and answer in the session, both or neither; return the time of it.

        Raises:
            Cancelled: Nobody waits for the answer any more.
        """
        work.check()
        with self.records().write() as transaction:
            now = transaction.now
            if asked.place is None:
                return now
            index = keep_question(transaction, asked.place, asked.question.text)
            body, session = _body(asked, answer, completed=now), asked.place.session
            transaction.sessions.put_answer(
                session.parent, session.id, asked.answer_id, body, place=index
            )
        return now

    def _begun(self, asked: _Asked, context: CallContext) -> pb.AnswerQueryResponse:
        """Return at once; the answer is found under its name when it is there."""
        self.later.check_room()
        begun = Answer(state=AnswerState.IN_PROGRESS)
        self._keep(asked, begun)
        self.later.submit(lambda: self._finish(asked))
        return self._response(asked, begun, context)

    def _finish(self, asked: _Asked) -> None:
        """Make an answer that is kept as begun; raise nothing, for nobody would hear it."""
        end = time.monotonic() + LONGEST_S
        work = Work("the answer", is_gone=lambda: time.monotonic() > end)
        try:
            answer = self.answerer().answer(
                asked.question, is_user_defined=self._belongs(asked, work), work=work
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
    ) -> pb.AnswerQueryResponse:
        response: pb.AnswerQueryResponse = context.new_message()
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

    def _fill_session(
        self, response: pb.AnswerQueryResponse, asked: _Asked, *, stored: bool
    ) -> None:
        if asked.session is None:
            return
        session = asked.session
        if stored:
            with self.records().read() as transaction:
                session = transaction.sessions.get(session.parent, session.id)
        fill_session(response.session, session)


def _found_before(
    transaction: Transaction, request: pb.AnswerQueryRequest, place: Place | None
) -> tuple[Passage, ...]:
    """Return what a search for the question found, unless the request says where to search."""
    turn = place.turn if place else None
    if turn is None or turn.results is None or request.HasField("search_spec"):
        return ()
    if query_text(request.query, field="query") not in ("", turn.query):
        return ()
    return passages_of(transaction, turn.results)


def _text(request: pb.AnswerQueryRequest, place: Place | None) -> str:
    """Return the words of the question, which `query_id` may name."""
    query = request.query
    text = query_text(query, field="query")
    if text or not query.query_id:
        return text
    if place is not None and place.turn is not None:
        return place.turn.query
    raise InvalidArgument.of_field(
        "query.query_id", f'"{query.query_id}" is no question of the session; send query.text'
    )


def _user_class(fields: Mapping[str, Any]) -> UserClass | None:
    """Return the class of questions that a serving config describes; None: none."""
    spec = fields.get("answerGenerationSpec", {}).get("userDefinedClassifierSpec", {})
    if not spec.get("enableUserDefinedClassifier") or not spec.get("preamble", "").strip():
        return None
    return UserClass(spec["preamble"], spec.get("taskMarker", ""))


def _body(asked: _Asked, answer: Answer, *, completed: datetime) -> dict[str, Any]:
    """Return an answer as it is kept."""
    message = cast("pb.Answer", load_schema().message_class(_KEPT_TYPE)())
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
