"""Lists of what is in an app: pages, filters and orders, one way for all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from toulmin.agents import (
    AppVersion,
    EvaluationDataset,
    EvaluationExpectation,
    EvaluationResult,
    ScheduledEvaluationRun,
)
from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.paging import page_size
from toulmin.apis.ces.convert import MessageT, fill_from_kept, to_message
from toulmin.domain import Resource
from toulmin.errors import InvalidArgument
from toulmin.retrieval.ordering import parse_order_by
from toulmin.stores.index.predicate import Fields, FieldValue, matches
from toulmin.stores.records import Page, Transaction
from toulmin.stores.records.paging import make_token, read_token

if TYPE_CHECKING:
    from toulmin.apis.ces.requests import ListRequest

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 1_000
FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "name": str,
    "display_name": str,
    "description": str,
    "create_time": datetime,
    "update_time": datetime,
}
_NEXT: Final = "next_page_token"
_LISTED: Final[dict[type[Resource], str]] = {
    AppVersion: "app_versions",
    EvaluationDataset: "evaluation_datasets",
    EvaluationExpectation: "evaluation_expectations",
    EvaluationResult: "evaluation_results",
    ScheduledEvaluationRun: "scheduled_evaluation_runs",
}
"""Fields of list responses that are not called as the collection."""
Order = Callable[[Resource], datetime | str | None]
ORDERS: Final[Mapping[str, Order]] = {
    "name": lambda item: item.id,
    "create_time": lambda item: item.create_time,
    "update_time": lambda item: item.update_time,
}
"""What lists can be ordered by: field -> its value, a time where it is not the name."""


def list_page(
    transaction: Transaction,
    kind: type[Resource],
    parent: str,
    request: ListRequest,
    *,
    default_order: str = "",
) -> Page[Resource]:
    """Return the page that a list request asks for, by name or by `order_by`.

    All resources of the kind are read: an app has few.

    Raises:
        InvalidArgument: Page size, token, filter or order is wrong.
    """
    return page_of(
        transaction.resources.under(kind, parent),
        request,
        scope=(kind.collection, parent),
        filtered=FILTERED,
        fields=_fields,
        default_order=default_order,
    )


def page_of(  # noqa: PLR0913 - what a list is of and how it is read, by name
    items: Iterable[Resource],
    request: ListRequest,
    *,
    scope: tuple[str, ...],
    filtered: Mapping[str, type[FieldValue]],
    fields: Callable[[Resource], Fields],
    default_order: str = "",
    orders: Mapping[str, Order] | None = None,
) -> Page[Resource]:
    """Return the page of some resources that a list request asks for.

    Args:
        items: All of them.
        request: The request.
        scope: What they are; a token is for that alone.
        filtered: What they can be filtered by, and what its values are.
        fields: Returns what of one is filtered by.
        default_order: The order of a request that does not say any; empty: by name.
        orders: What they can be ordered by; None: name and times.

    Raises:
        InvalidArgument: Page size, token, filter or order is wrong.
    """
    size = page_size(request, default=DEFAULT_PAGE, maximum=LARGEST_PAGE)
    # ListDeployments has neither a filter nor an order.
    asked_filter = str(getattr(request, "filter", ""))
    asked_order = str(getattr(request, "order_by", ""))
    predicate = parse_list_filter(asked_filter, filtered)
    key, descending = _order(asked_order or default_order, orders or ORDERS)
    whole = (*scope, asked_filter, asked_order)
    found = {_place(item, key): item for item in items if matches(predicate, fields(item))}
    places = sorted(found, reverse=descending)
    if request.page_token:
        types = (str if key is ORDERS["name"] else int, str)
        last = tuple(read_token(request.page_token, scope=whole, types=types))
        places = [place for place in places if (place < last if descending else place > last)]
    shown = places[:size]
    token = make_token(shown[-1], scope=whole) if len(places) > size else ""
    return Page(tuple(found[place] for place in shown), token)


def _place(item: Resource, key: Order) -> tuple[str | int, ...]:
    """Return where a resource stands in a list of that order, by what the caller sees of it."""
    value = key(item)
    if isinstance(value, str):
        return (value, item.name)
    return ((value or _NEVER) - _EPOCH) // _MICROSECOND, item.name


def fill_list(response: MessageT, kind: type[Resource], page: Page[Resource]) -> MessageT:
    """Write a page into an empty list response, and return it."""
    items = getattr(response, _LISTED.get(kind, kind.collection))
    for item in page.items:
        fill_from_kept(items.add(), to_message(item))
    setattr(response, _NEXT, page.next_page_token)
    return response


def _order(text: str, orders: Mapping[str, Order]) -> tuple[Order, bool]:
    wanted = parse_order_by(text)
    if not wanted:
        return orders["name"], False
    if len(wanted) > 1 or wanted[0].field not in orders:
        *others, last = (f'"{name}"' for name in orders)
        raise InvalidArgument.of_field(
            "order_by",
            f'"{text[:200]}" must be {", ".join(others)} or {last}, with or without "desc"',
        )
    return orders[wanted[0].field], wanted[0].descending


def _fields(resource: Resource) -> Fields:
    times: dict[str, Sequence[datetime]] = {
        "create_time": () if resource.create_time is None else (resource.create_time,),
        "update_time": () if resource.update_time is None else (resource.update_time,),
    }
    return {
        "name": (resource.name,),
        "display_name": (resource.display_name,),
        "description": (str(resource.fields.get("description", "")),),
        **times,
    }
