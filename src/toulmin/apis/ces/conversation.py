"""Conversations: what was said in sessions, listed, read and deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from toulmin.agents import App, Dialogue, DialogueTurn
from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.operations import (
    fill_from_json,
    finish_at_once,
    set_time,
    to_operation_message,
)
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, kept_message
from toulmin.apis.ces.names import NameInApp, location_of, parse_app, parse_in_app
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.apis.schema.enum_names import enum_of
from toulmin.errors import InvalidArgument, NotFound
from toulmin.stores.index.predicate import Fields, FieldValue, matches
from toulmin.stores.records import RecordStore

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 1_000
MOST_DELETED: Final = 1_000
FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "name": str,
    "entry_agent": str,
    "source": str,
    "turn_count": int,
    "input_types": str,
    "start_time": datetime,
    "end_time": datetime,
}
_COLLECTION: Final = "conversations"


@dataclass(frozen=True, slots=True)
class ConversationHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]

    def get(self, request: pb.GetConversationRequest, context: CallContext) -> pb.Conversation:
        """Answer GetConversation: with all turns."""
        name = _name_of(request.name)
        with self.records().read() as transaction:
            dialogue = transaction.dialogues.get(name.app, name.id)
            turns = transaction.dialogues.turns(name.app, name.id)
        response: pb.Conversation = context.new_message()
        return fill_from_kept(response, _message(dialogue, turns))

    def list(
        self, request: pb.ListConversationsRequest, context: CallContext
    ) -> pb.ListConversationsResponse:
        """Answer ListConversations: newest first, without their turns."""
        app = parse_app(request.parent, field="parent")
        size = page_size(request, default=DEFAULT_PAGE, maximum=LARGEST_PAGE)
        predicate = parse_list_filter(request.filter, FILTERED)
        sources = _sources(request)
        response: pb.ListConversationsResponse = context.new_message()
        token = request.page_token
        with self.records().read() as transaction:
            while len(response.conversations) < size:
                page = transaction.dialogues.list(
                    app,
                    sources=sources,
                    asked=request.filter,
                    page_size=size - len(response.conversations),
                    page_token=token,
                )
                for dialogue in page.items:
                    if matches(predicate, _fields(dialogue)):
                        fill_from_kept(response.conversations.add(), _message(dialogue))
                token = page.next_page_token
                if not token:
                    break
        response.next_page_token = token
        return response

    def delete(self, request: pb.DeleteConversationRequest, context: CallContext) -> Message:
        """Answer DeleteConversation; the session of that name can begin anew."""
        name = _name_of(request.name)
        with self.records().write() as transaction:
            transaction.dialogues.delete(name.app, name.id)
        return context.empty_message()

    def batch_delete(
        self, request: pb.BatchDeleteConversationsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer BatchDeleteConversations; what is not there is said, and the others go.

        Raises:
            NotFound: The app is not there.
        """
        app = parse_app(request.parent, field="parent")
        names = _names_in(request.conversations, app)
        deleted, failed, reasons = [], [], []
        with self.records().write() as transaction:
            transaction.resources.get(App, app)
            for name in names:
                try:
                    transaction.dialogues.delete(app, name.id)
                    deleted.append(name.name)
                except NotFound as error:
                    failed.append(name.name)
                    reasons.append(error.message)
            operation = finish_at_once(
                transaction,
                parent=location_of(app),
                kind="batch-delete-conversations",
                version=context.rpc.version,
                result={
                    "deletedConversations": deleted,
                    "failedConversations": failed,
                    "errorMessages": reasons,
                },
            )
        return to_operation_message(operation)


def _names_in(names: Sequence[str], app: str) -> list[NameInApp]:
    if not 1 <= len(names) <= MOST_DELETED:
        raise InvalidArgument.of_field(
            "conversations", f"has {len(names):,} names; give 1 to {MOST_DELETED:,}"
        )
    found = []
    for number, name in enumerate(names):
        field = f"conversations[{number}]"
        parsed = parse_in_app(name, _COLLECTION, field=field)
        if parsed.app != app:
            raise InvalidArgument.of_field(field, f'"{name[:200]}" is not of {app}')
        found.append(parsed)
    return found


def _name_of(name: str) -> NameInApp:
    return parse_in_app(name, _COLLECTION, field="name")


def _sources(request: pb.ListConversationsRequest) -> tuple[str, ...]:
    known = enum_of(request, "sources").values_by_number
    asked = list(request.sources) or ([request.source] if request.source else [])
    for number in asked:
        if number not in known:
            raise InvalidArgument.of_field("sources", f"{number} is no source")
    return tuple(known[number].name for number in asked)


def _message(dialogue: Dialogue, turns: Sequence[DialogueTurn] = ()) -> pb.Conversation:
    message: pb.Conversation = kept_message("Conversation")
    value = {
        "name": dialogue.name,
        "turnCount": dialogue.turn_count,
        "channelType": "TEXT",
        "source": dialogue.source,
        "inputTypes": list(dialogue.input_types),
        "entryAgent": dialogue.entry_agent,
        "deployment": dialogue.deployment,
        "appVersion": dialogue.app_version,
        "languageCode": dialogue.language_code,
        "turns": [{"messages": list(turn.messages), "rootSpan": turn.span} for turn in turns],
    }
    fill_from_json(message, value)
    set_time(message.start_time, dialogue.start_time)
    set_time(message.end_time, dialogue.end_time)
    return message


def _fields(dialogue: Dialogue) -> Fields:
    return {
        "name": (dialogue.name,),
        "entry_agent": (dialogue.entry_agent,),
        "source": (dialogue.source,),
        "turn_count": (dialogue.turn_count,),
        "input_types": dialogue.input_types,
        "start_time": () if dialogue.start_time is None else (dialogue.start_time,),
        "end_time": () if dialogue.end_time is None else (dialogue.end_time,),
    }
