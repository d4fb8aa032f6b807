"""AssistantService: the engine's default assistant answers from its data stores, as a stream.

Every engine has `default_assistant` without its being created; no other can be made.
https://cloud.google.com/agentspace/docs/reference/rpc
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, cast

from toulmin.answering.answer import Answer, AnswerState
from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Question
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import set_time
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.answers import fill_answer
from toulmin.apis.discoveryengine.convert.assists import (
    State,
    assist_question,
    fill_end,
    fill_reply,
    nothing_of,
)
from toulmin.apis.discoveryengine.names import ServingConfigName, parse_assistant, parse_engine
from toulmin.apis.discoveryengine.search import target_of
from toulmin.apis.discoveryengine.session import ASSIST, ASSIST_ANSWER
from toulmin.apis.discoveryengine.session_turns import (
    Place,
    history_of,
    keep_question,
    place_of,
)
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import load_schema
from toulmin.domain import Engine
from toulmin.errors import Cancelled, InvalidArgument, NotFound
from toulmin.stores.records import RecordStore, Transaction
from toulmin.work import Work

DEFAULT_ASSISTANT: Final = "default_assistant"
_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 1_000
_ANSWER: Final = "google.cloud.discoveryengine.v1beta.Answer"
_KEPT: Final = "google.cloud.discoveryengine.v1beta.AssistAnswer"
"""What is kept of an assist: an answer, for what is asked next, and this type's JSON."""


def register_assistants(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    answerer: Callable[[], Answerer],
) -> None:
    """Bind GetAssistant, ListAssistants and StreamAssist, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        answerer: Returns what answers.
    """
    handlers = _Handlers(records, answerer)
    for method, handler in (
        ("GetAssistant", handlers.get),
        ("ListAssistants", handlers.list),
        ("StreamAssist", handlers.assist),
    ):
        registry.register("discoveryengine", "AssistantService", method, handler)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that was understood: its question, its place in a session, its answer's id."""

    question: Question
    place: Place
    answer_id: str

    @property
    def name(self) -> str:
        """Name of the answer."""
        return f"{self.place.session.name}/assistAnswers/{self.answer_id}"


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    answerer: Callable[[], Answerer]

    def get(self, request: pb.GetAssistantRequest, context: CallContext) -> pb.Assistant:
        parent, id_ = parse_assistant(request.name, field="name")
        with self.records().read() as transaction:
            engine = _engine_of(transaction, parent, id_)
        return _fill_assistant(context.new_message(), engine)

    def list(
        self, request: pb.ListAssistantsRequest, context: CallContext
    ) -> pb.ListAssistantsResponse:
        parent = parse_engine(request.parent, field="parent")
        page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        if request.page_token:
            raise InvalidArgument.of_field("page_token", "is not of this list, which has one page")
        with self.records().read() as transaction:
            engine = transaction.resources.get(Engine, parent)
        response: pb.ListAssistantsResponse = context.new_message()
        _fill_assistant(response.assistants.add(), engine)
        return response

    def assist(
        self, request: pb.StreamAssistRequest, context: CallContext
    ) -> Iterator[pb.StreamAssistResponse]:
        """Answer StreamAssist; what is wrong with the request is refused at once."""
        asked = self._understood(request)
        return self._streamed(asked, context)

    def _understood(self, request: pb.StreamAssistRequest) -> _Asked:
        parent, id_ = parse_assistant(request.name, field="name")
        with self.records().read() as transaction:
            _engine_of(transaction, parent, id_)
            target = target_of(
                transaction, ServingConfigName(parent, Engine.collection, "default_search")
            )
            place = place_of(
                transaction,
                request.session or f"{parent}/sessions/-",
                owner=parent,
                query_id=request.query.query_id,
                user_pseudo_id="",
            )
            assert place is not None  # noqa: S101 - a session is named
            history = history_of(transaction, place)
        question = assist_question(request, target.data_stores, owner=target.owner, history=history)
        return _Asked(question, place, f"{ASSIST}{uuid.uuid4().hex}")

    def _streamed(self, asked: _Asked, context: CallContext) -> Iterator[pb.StreamAssistResponse]:
        """Yield each new part of the answer, and at last its state, its name and the session.

        When it fails halfway, the last one says FAILED, before the error: over REST the official
        clients do not see an error in the middle of a stream. Nothing of it is kept.
        """
        work = work_of(context, "the answer")
        kept = cast("pb.AssistAnswer", load_schema().message_class(_KEPT)())
        before: Answer | None = None
        try:
            for answer in self.answerer().stream(asked.question, work=work):
                last = answer.state is AnswerState.SUCCEEDED
                response = self._response(asked, context)
                response.answer.state = State.IN_PROGRESS
                with self.records().read() as transaction:
                    now = transaction.now
                said = before or nothing_of(answer)
                is_new = fill_reply(response.answer, answer, said, at=now)
                fill_reply(kept, answer, said, at=now)
                before = answer
                if last:
                    fill_end(response.answer, answer, name=asked.name)
                    fill_end(kept, answer, name=asked.name)
                    self._keep(asked, answer, kept, work)
                    response.session_info.session = asked.place.session.name
                if is_new or last:
                    yield response
        except (GeneratorExit, Cancelled):
            raise
        except Exception:
            if before is not None:
                response = self._response(asked, context)
                response.answer.name, response.answer.state = asked.name, State.FAILED
                yield response
            raise

    def _response(self, asked: _Asked, context: CallContext) -> pb.StreamAssistResponse:
        response: pb.StreamAssistResponse = context.new_message()
        response.assist_token = asked.answer_id
        return response

    def _keep(
        self,
        asked: _Asked,
        answer: Answer,
        assist: pb.AssistAnswer,
        work: Work,
    ) -> None:
        """Store question and answer in the session, both or neither.

        Raises:
            Cancelled: Nobody waits for the answer any more.
        """
        work.check()
        session = asked.place.session
        with self.records().write() as transaction:
            message = cast("pb.Answer", load_schema().message_class(_ANSWER)())
            fill_answer(
                message,
                answer,
                name=f"{session.name}/answers/{asked.answer_id}",
                created=transaction.now,
                completed=transaction.now,
            )
            body = {
                **to_json_value(message, enums_as_ints=False),
                ASSIST_ANSWER: to_json_value(assist, enums_as_ints=False),
            }
            index = keep_question(transaction, asked.place, asked.question.text)
            transaction.sessions.put_answer(
                session.parent, session.id, asked.answer_id, body, place=index
            )


def _engine_of(transaction: Transaction, parent: str, id_: str) -> Engine:
    """Return the engine of an assistant.

    Raises:
        NotFound: There is no such engine, or it has no such assistant.
    """
    engine = transaction.resources.get(Engine, parent)
    if id_ != DEFAULT_ASSISTANT:
        raise NotFound(
            f"{parent}/assistants/{id_} does not exist; an engine has one, {DEFAULT_ASSISTANT}."
        )
    return engine


def _fill_assistant(message: pb.Assistant, engine: Engine) -> pb.Assistant:
    message.name = f"{engine.name}/assistants/{DEFAULT_ASSISTANT}"
    message.display_name = engine.display_name
    message.web_grounding_type = pb.Assistant.WebGroundingType.WEB_GROUNDING_TYPE_DISABLED
    set_time(message.create_time, engine.create_time)
    set_time(message.update_time, engine.create_time)
    return message
