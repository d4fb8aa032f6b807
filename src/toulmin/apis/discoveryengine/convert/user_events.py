"""User events: what one must be, and the message <-> what is stored.

Types, requirements and limits: the comments of `google.cloud.discoveryengine.v1.UserEvent`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Sized
from datetime import UTC, datetime
from typing import Any, Final

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.discoveryengine.names import parse_document, parse_engine
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Branch
from toulmin.errors import InvalidArgument
from toulmin.stores.records import UserEvent

VIEWS: Final = ("view-item", "add-to-cart", "purchase", "media-play", "media-complete")
"""Types of events that are about documents."""
SEARCH: Final = "search"
CONVERSION: Final = "conversion"
EVENT_TYPES: Final = (
    SEARCH,
    *VIEWS,
    "view-item-list",
    "view-home-page",
    "view-category-page",
    "add-feedback",
    CONVERSION,
)
MOST_ATTRIBUTE_VALUES: Final = 400

_CATEGORY: Final = "view-category-page"
_CONVERSION_TYPE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_CURRENCY: Final = re.compile(r"[A-Z]{3}\Z")
_LONGEST: Final = {
    "user_pseudo_id": 128,
    "filter": 1_000,
    "conversion_type": 128,
    "user_info.user_id": 128,
    "user_info.user_agent": 1_000,
    "page_info.uri": 5_000,
    "page_info.referrer_uri": 5_000,
    "search_info.search_query": 5_000,
    "search_info.order_by": 1_000,
    "transaction_info.transaction_id": 128,
}
"""Characters of texts in an event."""
_LONGEST_SESSION_ID: Final = 128
_LONGEST_KEY: Final = 5_000
_LONGEST_VALUE: Final = 256


def check_user_event(event: pb.UserEvent, *, field: str) -> None:
    """Return if an event is as the API wants it, whichever data store it is of.

    Args:
        event: The message, of whatever version.
        field: Where it stands in the request.

    Raises:
        InvalidArgument: It is not; says the field, the limit and the value.
    """
    _check_type(event, field)
    if not event.user_pseudo_id:
        raise InvalidArgument.of_field(f"{field}.user_pseudo_id", "is empty; it is required")
    _check_lengths(event, field)
    _check_documents(event.documents, event.event_type, f"{field}.documents")
    _check_page_and_search(event, field)
    _check_transaction(event, f"{field}.transaction_info")
    _check_panels(event, field)
    _check_attributes(event.attributes, f"{field}.attributes")
    if event.engine:
        parse_engine(event.engine, field=f"{field}.engine")
    if len(event.promotion_ids) > 1:
        raise _too_many(f"{field}.promotion_ids", event.promotion_ids, "ids", 1)
    progress = event.media_info.media_progress_percentage
    if not 0.0 <= progress <= 1.0:
        raise InvalidArgument.of_field(
            f"{field}.media_info.media_progress_percentage", f"{progress:g} must be from 0 to 1"
        )


def event_documents(event: pb.UserEvent, data_store: str, *, field: str) -> list[str]:
    """Return the ids of the documents that an event is about, in order, those of panels last.

    Raises:
        InvalidArgument: One is named that is not of the data store, or by its URI.
    """
    found = _ids(event.documents, data_store, f"{field}.documents")
    panels = [("panel", event.panel)] if event.HasField("panel") else []
    panels += [(f"panels[{index}]", panel) for index, panel in enumerate(event.panels)]
    for name, panel in panels:
        found += _ids(panel.documents, data_store, f"{field}.{name}.documents")
    return found


def to_user_event(event: pb.UserEvent, *, field: str, default_time: datetime | None) -> UserEvent:
    """Return a checked event as it is stored.

    Args:
        event: The message; its time is set where it has none.
        field: Where it stands in the request.
        default_time: When it happened, where it does not say so; None: it must.

    Raises:
        InvalidArgument: It has no time, or one before the year 1 or after 9999.
    """
    if not event.HasField("event_time"):
        if default_time is None:
            raise InvalidArgument.of_field(f"{field}.event_time", "is missing; imports need it")
        event.event_time.FromDatetime(default_time)
    try:
        event_time = event.event_time.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidArgument.of_field(f"{field}.event_time", f"is no time: {error}") from error
    return UserEvent(
        event_type=event.event_type,
        event_time=event_time,
        user_pseudo_id=event.user_pseudo_id,
        user_id=event.user_info.user_id,
        search_query=event.search_info.search_query,
        body=to_json_value(event, enums_as_ints=False),
    )


def mark_joined(
    event: pb.UserEvent, there: Sequence[str] | frozenset[str], data_store: str
) -> bool:
    """Set on each document of an event whether it is there; return whether all are."""
    all_there = True
    for document in event.documents:
        (id_,) = _ids([document], data_store, "")
        document.joined = id_ in there
        all_there = all_there and document.joined
    return all_there


def _check_type(event: pb.UserEvent, field: str) -> None:
    kind = event.event_type
    if kind not in EVENT_TYPES:
        raise InvalidArgument.of_field(
            f"{field}.event_type", f'"{kind[:200]}" must be one of {", ".join(EVENT_TYPES)}'
        )
    given = event.conversion_type
    if kind == CONVERSION and not _CONVERSION_TYPE.match(given):
        raise InvalidArgument.of_field(
            f"{field}.conversion_type",
            f'"{given[:200]}" must be lowercase letters and digits, with "-" between them',
        )
    if kind != CONVERSION and given:
        raise InvalidArgument.of_field(
            f"{field}.conversion_type", f'"{given[:200]}" may only be set with {CONVERSION}'
        )


def _check_lengths(event: pb.UserEvent, field: str) -> None:
    for path, most in _LONGEST.items():
        value: Any = event
        for name in path.split("."):
            value = getattr(value, name)
        if len(value) > most:
            raise _too_many(f"{field}.{path}", value, "characters", most)
    size = len(event.session_id.encode())
    if size > _LONGEST_SESSION_ID:
        raise InvalidArgument.of_field(
            f"{field}.session_id",
            f"has {size:,} bytes; at most {_LONGEST_SESSION_ID} are allowed",
        )


def _check_documents(documents: Sequence[pb.DocumentInfo], kind: str, field: str) -> None:
    if not documents and kind in VIEWS:
        raise InvalidArgument.of_field(field, f"is empty; {kind} needs at least one document")
    for index, document in enumerate(documents):
        place = f"{field}[{index}]"
        if document.HasField("quantity") and document.quantity < 1:
            raise InvalidArgument.of_field(
                f"{place}.quantity", f"{document.quantity} must be at least 1"
            )
        if len(document.promotion_ids) > 1:
            raise _too_many(f"{place}.promotion_ids", document.promotion_ids, "ids", 1)
        if kind == CONVERSION and not document.HasField("conversion_value"):
            raise InvalidArgument.of_field(
                f"{place}.conversion_value", f"is missing; {CONVERSION} needs it"
            )


def _check_page_and_search(event: pb.UserEvent, field: str) -> None:
    kind, category = event.event_type, event.page_info.page_category
    if kind == _CATEGORY and not category:
        raise InvalidArgument.of_field(
            f"{field}.page_info.page_category", f"is empty; {_CATEGORY} needs it"
        )
    if category and kind not in (_CATEGORY, SEARCH):
        raise InvalidArgument.of_field(
            f"{field}.page_info.page_category", f"may only be set with {_CATEGORY} and {SEARCH}"
        )
    if event.HasField("search_info") and kind != SEARCH:
        raise InvalidArgument.of_field(f"{field}.search_info", f"may only be set with {SEARCH}")
    if kind == SEARCH and not (event.search_info.search_query.strip() or category):
        raise InvalidArgument.of_field(
            f"{field}.search_info.search_query",
            f"is empty; {SEARCH} needs it, or page_info.page_category",
        )
    for name, place, value in (
        ("offset", "search_info", event.search_info.offset),
        ("selected_position", "completion_info", event.completion_info.selected_position),
    ):
        if value < 0:
            raise InvalidArgument.of_field(f"{field}.{place}.{name}", f"{value} must be 0 or more")


def _check_transaction(event: pb.UserEvent, field: str) -> None:
    if not event.HasField("transaction_info"):
        return
    transaction = event.transaction_info
    if not transaction.value:
        raise InvalidArgument.of_field(f"{field}.value", "is missing or 0; it is required")
    if not _CURRENCY.match(transaction.currency):
        raise InvalidArgument.of_field(
            f"{field}.currency",
            f'"{transaction.currency[:200]}" must be a code of three capitals, such as EUR',
        )


def _check_panels(event: pb.UserEvent, field: str) -> None:
    panels = [("panel", event.panel)] if event.HasField("panel") else []
    panels += [(f"panels[{index}]", panel) for index, panel in enumerate(event.panels)]
    for name, panel in panels:
        place = f"{field}.{name}"
        if not panel.panel_id:
            raise InvalidArgument.of_field(f"{place}.panel_id", "is empty; it is required")
        if panel.HasField("panel_position") and not panel.HasField("total_panels"):
            raise InvalidArgument.of_field(
                f"{place}.total_panels", "is missing; panel_position needs it"
            )


def _check_attributes(attributes: Mapping[str, pb.CustomAttribute], field: str) -> None:
    for key in sorted(attributes):
        place, values = f'{field}["{key[:100]}"]', attributes[key]
        if len(key) > _LONGEST_KEY:
            raise _too_many(place, key, "characters", _LONGEST_KEY)
        for name in ("text", "numbers"):
            given = getattr(values, name)
            if len(given) > MOST_ATTRIBUTE_VALUES:
                raise _too_many(f"{place}.{name}", given, "values", MOST_ATTRIBUTE_VALUES)
        for index, text in enumerate(values.text):
            if not text:
                raise InvalidArgument.of_field(f"{place}.text[{index}]", "is empty")
            if len(text) > _LONGEST_VALUE:
                raise _too_many(f"{place}.text[{index}]", text, "characters", _LONGEST_VALUE)


def _ids(documents: Sequence[pb.DocumentInfo], data_store: str, field: str) -> list[str]:
    found = []
    for index, document in enumerate(documents):
        place = f"{field}[{index}]"
        kind = document.WhichOneof("document_descriptor")
        if kind == "uri":
            raise InvalidArgument.of_field(
                f"{place}.uri", f"names documents of websites; {data_store} is none; give the id"
            )
        value = getattr(document, kind) if kind else ""
        if not value:
            raise InvalidArgument.of_field(f"{place}.id", "is missing; give id or name")
        if kind == "name":
            branch, value = parse_document(value, field=f"{place}.name")
            if branch != Branch(data_store):
                raise InvalidArgument.of_field(
                    f"{place}.name", f'"{document.name[:200]}" is no document of {data_store}'
                )
        found.append(value)
    return found


def _too_many(field: str, value: Sized, noun: str, most: int) -> InvalidArgument:
    return InvalidArgument.of_field(
        field, f"has {len(value):,} {noun}; at most {most:,} are allowed"
    )
