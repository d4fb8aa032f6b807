"""UserEventService: what users did, written one by one, from a page, or imported; and purged.

https://cloud.google.com/generative-ai-app-builder/docs/user-events
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, cast
from urllib.parse import unquote

from toulmin.apis.aip.access import check_access, names_in
from toulmin.apis.aip.json_parse import json_parser
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert.user_events import (
    check_user_event,
    event_documents,
    mark_joined,
    to_user_event,
)
from toulmin.apis.discoveryengine.event_filter import parse_event_filter
from toulmin.apis.discoveryengine.names import (
    parse_data_store,
    parse_document,
    parse_engine,
    parse_event_parent,
)
from toulmin.apis.schema import Schema, shared_pb2
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch, DataStore, Engine
from toulmin.errors import FieldViolation, InvalidArgument, Unimplemented
from toulmin.stores.records import RecordStore, Transaction, UserEvent

IMPORT_KIND: Final = "import-user-events"
PURGE_KIND: Final = "purge-user-events"
MOST_INLINE: Final = 10_000
"""Events of one import; the API recommends no more."""
LONGEST_COLLECTED: Final = 2_000_000
LONGEST_URI: Final = 5_000
PIXEL: Final = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
"""What a page that collects events gets: an image of one transparent pixel."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def register_user_events(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
    """
    handlers = _Handlers(records, registry.schema)
    for method, handler in (
        ("WriteUserEvent", handlers.write),
        ("CollectUserEvent", handlers.collect),
        ("ImportUserEvents", handlers.import_),
        ("PurgeUserEvents", handlers.purge),
    ):
        registry.register("discoveryengine", "UserEventService", method, handler)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    schema: Schema

    def write(self, request: pb.WriteUserEventRequest, context: CallContext) -> pb.UserEvent:
        """Answer WriteUserEvent; with `write_async`, too, once the event is stored."""
        parent = parse_event_parent(request.parent, field="parent")
        if not request.HasField("user_event"):
            raise InvalidArgument.of_field("user_event", "is missing; it is required")
        return self._stored(parent, request.user_event, context.new_message())

    def collect(
        self, request: pb.CollectUserEventRequest, context: CallContext
    ) -> shared_pb2.HttpBody:
        """Answer CollectUserEvent, whose event is JSON in a query parameter of a page's image."""
        parent = parse_event_parent(request.parent, field="parent")
        event = self._collected(request, context)
        # The access check before this handler saw a text, not the names that are in it.
        names = list(names_in(event))
        context.names.extend(names)
        check_access(context.caller, context.rpc, [request.parent, *names])
        self._stored(parent, event, type(event)())
        response: shared_pb2.HttpBody = context.new_message()
        response.content_type, response.data = "image/gif", PIXEL
        return response

    def import_(
        self, request: pb.ImportUserEventsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer ImportUserEvents with an operation that is done: all events, or none, stored."""
        parent = parse_event_parent(request.parent, field="parent")
        events = _inline_events(request)
        with self.records().write() as transaction:
            stored: dict[str, list[UserEvent]] = {}
            joined = 0
            for index, event in enumerate(events):
                field = f"inline_source.user_events[{index}]"
                store = _data_store_of(transaction, event, parent, field=field)
                found, is_joined = _ready(transaction, event, store, field=field, now=None)
                stored.setdefault(store, []).append(found)
                joined += is_joined
            for store in sorted(stored):
                transaction.user_events.add(store, stored[store])
            operation = finish_at_once(
                transaction,
                parent=parent or next(iter(sorted(stored))),
                kind=IMPORT_KIND,
                version=context.rpc.version,
                result={"joinedEventsCount": joined, "unjoinedEventsCount": len(events) - joined},
                success=len(events),
            )
        return to_operation_message(operation)

    def purge(
        self, request: pb.PurgeUserEventsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer PurgeUserEvents with an operation that is done. `force` means nothing yet."""
        parent = parse_data_store(request.parent, field="parent")
        which = parse_event_filter(request.filter)
        with self.records().write() as transaction:
            count = transaction.user_events.purge(parent, which)
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind=PURGE_KIND,
                version=context.rpc.version,
                result={"purgeCount": count},
                success=count,
            )
        return to_operation_message(operation)

    def _stored(self, parent: str, event: pb.UserEvent, response: pb.UserEvent) -> pb.UserEvent:
        """Store an event, and return it in `response` as it was stored."""
        with self.records().write() as transaction:
            store = _data_store_of(transaction, event, parent, field="user_event")
            found, _ = _ready(transaction, event, store, field="user_event", now=transaction.now)
            transaction.user_events.add(store, [found])
        response.CopyFrom(event)
        return response

    def _collected(self, request: pb.CollectUserEventRequest, context: CallContext) -> pb.UserEvent:
        """Return the event that the query parameters of a page's request make."""
        text = request.user_event
        for field, value, most in (
            ("user_event", text, LONGEST_COLLECTED),
            ("uri", request.uri, LONGEST_URI),
        ):
            if len(value) > most:
                raise InvalidArgument.of_field(
                    field, f"has {len(value):,} characters; at most {most:,} are allowed"
                )
        if not text.strip():
            raise InvalidArgument.of_field("user_event", "is empty; it is required")
        if text.startswith("%"):  # over gRPC nobody has decoded it yet
            text = unquote(text)
        event_class = self.schema.message_class(
            f"google.cloud.discoveryengine.{context.rpc.version}.UserEvent"
        )
        try:
            event = cast("pb.UserEvent", json_parser(self.schema).parse(text.encode(), event_class))
        except InvalidArgument as error:
            places = [f"user_event.{found.field}" for found in error.violations if found.field]
            raise InvalidArgument(
                f"user_event: {error.message}",
                violations=[FieldViolation(place, error.message) for place in places]
                or [FieldViolation("user_event", error.message)],
            ) from error
        if request.uri and not event.page_info.uri:
            event.page_info.uri = request.uri
        if request.HasField("ets") and not event.HasField("event_time"):
            event.event_time.FromDatetime(_moment(request.ets))
        return event


def _inline_events(request: pb.ImportUserEventsRequest) -> Sequence[pb.UserEvent]:
    kind = request.WhichOneof("source")
    if kind is None:
        raise InvalidArgument.of_field("source", "is missing; give inline_source")
    if kind != "inline_source":
        raise Unimplemented(
            f"{kind} is not implemented in this version of Toulmin; give the events in"
            " inline_source"
        )
    if request.HasField("error_config"):
        raise InvalidArgument.of_field(
            "error_config", "may not be set with inline_source; errors are in the response"
        )
    events, field = request.inline_source.user_events, "inline_source.user_events"
    if not events:
        raise InvalidArgument.of_field(field, f"is empty; give 1 to {MOST_INLINE:,} events")
    if len(events) > MOST_INLINE:
        raise InvalidArgument.of_field(
            field,
            f"has {len(events):,} events; at most {MOST_INLINE:,} are allowed in one request",
        )
    return events


def _ready(
    transaction: Transaction, event: pb.UserEvent, store: str, *, field: str, now: datetime | None
) -> tuple[UserEvent, bool]:
    """Return an event as it is stored, and whether all its documents are there."""
    check_user_event(event, field=field)
    named = event_documents(event, store, field=field)
    there = (
        frozenset(transaction.documents.get_many(Branch(store), named)) if named else frozenset()
    )
    is_joined = mark_joined(event, there, store)
    return to_user_event(event, field=field, default_time=now), is_joined


def _data_store_of(
    transaction: Transaction, event: pb.UserEvent, parent: str, *, field: str
) -> str:
    """Return the data store of an event: the parent, or the one that the event names.

    Raises:
        InvalidArgument: It names none, or another than the parent.
        NotFound: There is no such data store or engine.
    """
    named = ""
    if event.data_store:
        named = parse_data_store(event.data_store, field=f"{field}.data_store")
    if parent and named not in ("", parent):
        raise InvalidArgument.of_field(
            f"{field}.data_store", f'"{event.data_store[:200]}" is not the parent, {parent}'
        )
    store = parent or named or _store_of_documents(event, field)
    if not store and event.engine:
        name = parse_engine(event.engine, field=f"{field}.engine")
        engine = transaction.resources.get(Engine, name)
        if len(engine.data_store_ids) == 1:
            store = DataStore(parent=engine.parent, id=engine.data_store_ids[0]).name
    if not store:
        raise InvalidArgument.of_field(
            f"{field}.data_store",
            "is missing; the parent is a location, so the event must name a data store, a document"
            " by its full name, or an engine with one data store",
        )
    transaction.resources.get(DataStore, store)
    return store


def _store_of_documents(event: pb.UserEvent, field: str) -> str:
    for index, document in enumerate(event.documents):
        if document.name:
            branch, _ = parse_document(document.name, field=f"{field}.documents[{index}].name")
            return branch.data_store
    return ""


def _moment(milliseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError as error:
        raise InvalidArgument.of_field(
            "ets", f"{milliseconds} is no time in milliseconds since 1970"
        ) from error
