"""ConversationalSearchService: conversations, the older form of sessions.

Clients such as LangChain's multi-turn retriever still use them. A conversation is kept as the API's
JSON; the question is put in its context, searched, and answered as a summary. `query.context` and
`safe_search` are ignored: nothing here depends on them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from google.protobuf.message import Message

from toulmin.answering.pipeline import Answerer
from toulmin.answering.question import Exchange
from toulmin.answering.understanding.rephrase import rephrase
from toulmin.apis.aip.deadline import work_of
from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import fill_from_json, set_time
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.boosts import boosts_of
from toulmin.apis.discoveryengine.convert.search_requests import (
    LONGEST_QUERY,
    LONGEST_USER_ID,
    ContentSpec,
)
from toulmin.apis.discoveryengine.convert.search_responses import Shown, fill_document_result
from toulmin.apis.discoveryengine.convert.summaries import (
    check_summary_spec,
    fill_summary,
    plain_text,
    summary_question,
)
from toulmin.apis.discoveryengine.convert.user_labels import check_user_labels
from toulmin.apis.discoveryengine.names import (
    ServingConfigName,
    parse_conversation,
    parse_owner,
    parse_serving_config,
)
from toulmin.apis.discoveryengine.search import Target, target_of
from toulmin.apis.discoveryengine.search_controls import with_controls
from toulmin.apis.discoveryengine.serving_config import owner_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Chunk, Conversation, JsonObject
from toulmin.errors import FailedPrecondition, InvalidArgument, Unimplemented
from toulmin.retrieval.extracts import ExtractiveAnswer, extractive_answers
from toulmin.retrieval.filters import parse_filter
from toulmin.retrieval.query import Scope, SearchQuery
from toulmin.retrieval.results import FoundChunk, SearchResults
from toulmin.retrieval.search import Searcher
from toulmin.stores.records import RecordStore

AUTO: Final = "-"
RESULTS: Final = 10
DEFAULT_PAGE, LARGEST_PAGE = 50, 1_000
MOST_MESSAGES: Final = 2_000
_SERVICE: Final = "ConversationalSearchService"
_IN_PROGRESS: Final = "IN_PROGRESS"
_SHOWN: Final = ContentSpec(snippets=True, answers=1, segments=1)


def register_conversations(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    searcher: Callable[[], Searcher],
    answerer: Callable[[], Answerer],
) -> None:
    """Bind the RPCs on conversations, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
        searcher: Returns what searches.
        answerer: Returns what answers.
    """
    handlers = _Handlers(records, searcher, answerer)
    for method, handler in (
        ("ConverseConversation", handlers.converse),
        ("CreateConversation", handlers.create),
        ("GetConversation", handlers.get),
        ("ListConversations", handlers.list),
        ("UpdateConversation", handlers.update),
        ("DeleteConversation", handlers.delete),
    ):
        registry.register("discoveryengine", _SERVICE, method, handler)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    searcher: Callable[[], Searcher]
    answerer: Callable[[], Answerer]

    def create(
        self, request: pb.CreateConversationRequest, context: CallContext
    ) -> pb.Conversation:
        parent = parse_owner(request.parent, field="parent")
        new = _conversation_of(request.conversation, parent, uuid.uuid4().hex, field="conversation")
        with self.records().write() as transaction:
            owner_of(transaction, parent)
            stored = transaction.resources.create(new)
        return _filled(context.new_message(), stored)

    def get(self, request: pb.GetConversationRequest, context: CallContext) -> pb.Conversation:
        found = _named(request.name)
        with self.records().read() as transaction:
            stored = transaction.resources.get(Conversation, found.name)
        return _filled(context.new_message(), stored)

    def list(
        self, request: pb.ListConversationsRequest, context: CallContext
    ) -> pb.ListConversationsResponse:
        parent = parse_owner(request.parent, field="parent")
        if request.filter.strip() or request.order_by.strip():
            raise Unimplemented(
                "filter and order_by of conversations are not implemented; sessions have both"
            )
        size = page_size(request, default=DEFAULT_PAGE, maximum=LARGEST_PAGE)
        with self.records().read() as transaction:
            owner_of(transaction, parent)
            page = transaction.resources.list_oldest_first(
                Conversation, parent, page_size=size, page_token=request.page_token
            )
        response: pb.ListConversationsResponse = context.new_message()
        for item in page.items:
            _filled(response.conversations.add(), item)
        response.next_page_token = page.next_page_token
        return response

    def update(
        self, request: pb.UpdateConversationRequest, context: CallContext
    ) -> pb.Conversation:
        named = _named(request.conversation.name, field="conversation.name")
        paths = masked_paths(request.update_mask, request.conversation.DESCRIPTOR)
        with self.records().write() as transaction:
            old = transaction.resources.get(Conversation, named.name, to_change=True)
            message = merge(_filled(type(request.conversation)(), old), request.conversation, paths)
            changed = _conversation_of(message, named.parent, named.id, field="conversation")
            stored = transaction.resources.update(changed)
        return _filled(context.new_message(), stored)

    def delete(self, request: pb.DeleteConversationRequest, context: CallContext) -> Message:
        with self.records().write() as transaction:
            transaction.resources.delete(Conversation, _named(request.name).name)
        return context.empty_message()

    def converse(
        self, request: pb.ConverseConversationRequest, context: CallContext
    ) -> pb.ConverseConversationResponse:
        """Answer ConverseConversation: search the question in its context, and sum up."""
        named = _named(request.name)
        text = _checked_text(request)
        name = _serving_config(request, named.parent)
        is_new = named.id == AUTO
        if is_new:
            named = _conversation_of(
                request.conversation, named.parent, uuid.uuid4().hex, field="conversation"
            )
        with self.records().read() as transaction:
            target = target_of(transaction, name)
            if not is_new:
                named = transaction.resources.get(Conversation, named.name)
        history = _history(named.fields)
        query = rephrase(text, history)
        results = self._search(request, query, target, context)
        query = results.corrected_text or query
        response: pb.ConverseConversationResponse = context.new_message()
        shown = Shown(query=query, content=_SHOWN, around=_nothing_around, answers=_answers)
        for place, document in enumerate(results.documents):
            result = response.search_results.add(id=document.document.id)
            fill_document_result(result, document, shown, place)
        spec = request.summary_spec
        if spec.summary_result_count:
            answer = self.answerer().answer(
                summary_question(spec, query, results, history=history),
                work=work_of(context, "the search"),
            )
            fill_summary(response.reply.summary, spec, answer, results)
        stored = self._keep(named, request, response.reply, is_new=is_new)
        _filled(response.conversation, stored)
        return response

    def _search(
        self,
        request: pb.ConverseConversationRequest,
        query: str,
        target: Target,
        context: CallContext,
    ) -> SearchResults:
        asked = SearchQuery(
            scopes=[Scope(data_store=store) for store in target.data_stores],
            text=query,
            filter=parse_filter(request.filter),
            boosts=boosts_of(request.boost_spec, field="boost_spec"),
            page_size=RESULTS,
        )
        return self.searcher().search(
            with_controls(asked, target.controls, now=target.now).query,
            work=work_of(context, "the search"),
            now=target.now,
        )

    def _keep(
        self,
        named: Conversation,
        request: pb.ConverseConversationRequest,
        reply: pb.Reply,
        *,
        is_new: bool,
    ) -> Conversation:
        """Add question and reply to the conversation, whoever else adds to it meanwhile."""
        with self.records().write() as transaction:
            if is_new:
                return transaction.resources.create(
                    _with_turn(named, request, reply, transaction.now)
                )
            old = transaction.resources.get(Conversation, named.name, to_change=True)
            return transaction.resources.update(_with_turn(old, request, reply, transaction.now))


def _nothing_around(
    _chunk: FoundChunk, _before: int, _after: int
) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    return (), ()


def _answers(
    query: str, chunks: Sequence[FoundChunk], count: int, _place: int
) -> Sequence[ExtractiveAnswer]:
    return extractive_answers(query, chunks, count=count)


def _named(name: str, *, field: str = "name") -> Conversation:
    parent, id_ = parse_conversation(name, field=field)
    return Conversation(parent=parent, id=id_)


def _checked_text(request: pb.ConverseConversationRequest) -> str:
    text: str = request.query.input
    if not text.strip():
        raise InvalidArgument.of_field("query.input", "is empty; send the question")
    if len(text) > LONGEST_QUERY:
        raise InvalidArgument.of_field(
            "query.input", f"has {len(text):,} characters; at most {LONGEST_QUERY:,} are allowed"
        )
    check_user_labels(request.user_labels)
    check_summary_spec(request.summary_spec, is_chunks=False, field="summary_spec")
    return text


def _serving_config(request: pb.ConverseConversationRequest, parent: str) -> ServingConfigName:
    """Return the serving config; by default the one that every owner has."""
    if not request.serving_config:
        return parse_serving_config(f"{parent}/servingConfigs/default_search", field="name")
    name = parse_serving_config(request.serving_config, field="serving_config")
    if name.parent != parent:
        raise InvalidArgument.of_field(
            "serving_config", f"{request.serving_config} is not one of {parent}"
        )
    return name


def _with_turn(
    old: Conversation, request: pb.ConverseConversationRequest, reply: pb.Reply, now: datetime
) -> Conversation:
    """Return a conversation with a question and its reply at the end; images are not kept.

    Raises:
        FailedPrecondition: It is too long.
    """
    messages: Sequence[JsonObject] = old.fields.get("messages", ())
    if len(messages) + 2 > MOST_MESSAGES:
        raise FailedPrecondition(
            f"{old.name} has {len(messages):,} messages; at most {MOST_MESSAGES:,} are kept. Start"
            " another conversation."
        )
    turn = type(request.conversation)()
    turn.messages.add().user_input.CopyFrom(request.query)
    kept = turn.messages.add().reply
    kept.CopyFrom(reply)
    with_metadata = kept.summary.summary_with_metadata
    if "blob_attachments" in with_metadata.DESCRIPTOR.fields_by_name:
        with_metadata.ClearField("blob_attachments")
        for reference in with_metadata.references:
            for content in reference.chunk_contents:
                content.ClearField("blob_attachment_indexes")
    for message in turn.messages:
        set_time(message.create_time, now)
    new = to_json_value(turn, enums_as_ints=False)["messages"]
    return replace(old, fields={**old.fields, "messages": [*messages, *new]})


def _history(fields: JsonObject) -> tuple[Exchange, ...]:
    found: list[Exchange] = []
    messages: Sequence[JsonObject] = fields.get("messages", ())
    for message in messages:
        if "userInput" in message:
            found.append(Exchange(str(message["userInput"].get("input", ""))))
        elif "reply" in message and found:
            summary = message["reply"].get("summary", {})
            found[-1] = Exchange(found[-1].question, plain_text(summary))
    return tuple(found)


def _conversation_of(
    message: pb.Conversation, parent: str, id_: str, *, field: str
) -> Conversation:
    """Return the conversation that a message states; name and times are the store's.

    Raises:
        InvalidArgument: A value is too long.
    """
    if len(message.user_pseudo_id) > LONGEST_USER_ID:
        raise InvalidArgument.of_field(
            f"{field}.user_pseudo_id",
            f"has {len(message.user_pseudo_id):,} characters; at most {LONGEST_USER_ID} are"
            " allowed",
        )
    if len(message.messages) > MOST_MESSAGES:
        raise InvalidArgument.of_field(
            f"{field}.messages",
            f"has {len(message.messages):,} messages; at most {MOST_MESSAGES:,} are allowed",
        )
    for number, item in enumerate(message.messages):
        if item.WhichOneof("message") is None:
            raise InvalidArgument.of_field(
                f"{field}.messages[{number}]", "is empty; send user_input or reply"
            )
    fields: dict[str, Any] = to_json_value(message, enums_as_ints=False)
    for name in ("name", "startTime", "endTime"):
        fields.pop(name, None)
    return Conversation(parent=parent, id=id_, fields=fields)


def _filled(message: pb.Conversation, stored: Conversation) -> pb.Conversation:
    fill_from_json(message, {"state": _IN_PROGRESS, **stored.fields})
    message.name = stored.name
    set_time(message.start_time, stored.create_time)
    set_time(message.end_time, stored.update_time)
    return message
