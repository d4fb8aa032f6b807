"""Lists of resources: by solution type, and with those that nobody created."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from toulmin.domain import Resource
from toulmin.errors import InvalidArgument
from toulmin.stores.records import Page, Transaction
from toulmin.stores.records.paging import make_token, read_token

ResourceT = TypeVar("ResourceT", bound=Resource)

_BY_SOLUTION: Final = re.compile(
    r'\s*(?:solution_types?|solutionTypes?)\s*[:=]\s*"?(SOLUTION_TYPE_[A-Z_]+)"?\s*\Z'
)


def solution_type_of(filter_text: str) -> str:
    """Return the solution type that a list's filter asks for; empty: it asks for none.

    Raises:
        InvalidArgument: It is anything else than `solution_type:SOLUTION_TYPE_...`.
    """
    if not filter_text.strip():
        return ""
    found = _BY_SOLUTION.match(filter_text)
    if found is None:
        raise InvalidArgument.of_field(
            "filter",
            f'"{filter_text[:200]}" is not understood; the only filter is by solution type, such'
            " as solution_type:SOLUTION_TYPE_SEARCH",
        )
    return found[1]


def list_of_solution(
    transaction: Transaction,
    kind: type[ResourceT],
    parent: str,
    *,
    solution_type: str,
    page_size: int,
    page_token: str,
) -> Page[ResourceT]:
    """Return resources of one kind under `parent`, by id.

    Args:
        transaction: Where to read.
        kind: Data stores or engines.
        parent: Canonical name of their collection.
        solution_type: Only those of this type; empty: all.
        page_size: How many at most.
        page_token: Where to go on; empty: at the beginning.

    Raises:
        InvalidArgument: The token is not of this list.
    """
    found: list[ResourceT] = []
    while True:
        page = transaction.resources.list(
            kind, parent, page_size=page_size - len(found), page_token=page_token
        )
        found += [
            item
            for item in page.items
            if not solution_type or solution_type in _solution_types(item)
        ]
        page_token = page.next_page_token
        if len(found) == page_size or not page_token:
            return Page(tuple(found), page_token)


def _solution_types(resource: Resource) -> Iterable[str]:
    single = resource.fields.get("solutionType")
    return [single] if single else resource.fields.get("solutionTypes", ())


def list_with_implicit(
    transaction: Transaction,
    kind: type[ResourceT],
    parent: str,
    *,
    implicit: Iterable[ResourceT],
    page_size: int,
    page_token: str,
) -> Page[ResourceT]:
    """Return resources of one kind under `parent`, by id, with those that nobody created.

    For kinds of which a parent has few: all of them are read.

    Args:
        transaction: Where to read.
        kind: Serving configs or schemas.
        parent: Canonical name of the data store or engine.
        implicit: They are there until one of the same id is stored.
        page_size: How many at most.
        page_token: Where to go on; empty: at the beginning.

    Raises:
        InvalidArgument: The token is not of this list.
    """
    scope = ("resources with implicit ones", kind.collection, parent)
    after = read_token(page_token, scope=scope, types=(str,))[0] if page_token else ""
    found = {item.id: item for item in implicit}
    found |= {item.id: item for item in transaction.resources.under(kind, parent)}
    left = [found[id_] for id_ in sorted(found) if id_ > str(after)]
    items = tuple(left[:page_size])
    more = len(left) > page_size
    return Page(items, make_token([items[-1].id], scope=scope) if more else "")
