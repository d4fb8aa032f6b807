"""The Locations service: where the data stores of a project are.

A location is a part of names and nothing else here, so that any is as good as another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.names import parse_name
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.schema import shared_pb2
from toulmin.errors import NotFound
from toulmin.stores.index.predicate import FieldValue, matches
from toulmin.stores.records import RecordStore
from toulmin.stores.records.paging import make_token, read_token

ALWAYS: Final = "global"
"""The location that is listed before there is any data store."""
_DEFAULT_PAGE, _MAX_PAGE = 50, 1_000
_PROJECT: Final = "projects/{project}"
_LOCATION: Final = "projects/{project}/locations/{location}"
_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,62}")
_FILTERED: Final[Mapping[str, type[FieldValue]]] = {"name": str, "location_id": str}


def register_locations(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
    """
    handlers = _Handlers(records)
    registry.register("location", "Locations", "GetLocation", handlers.get)
    registry.register("location", "Locations", "ListLocations", handlers.list)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def get(
        self, request: shared_pb2.GetLocationRequest, context: CallContext
    ) -> shared_pb2.Location:
        found = parse_name(request.name, _LOCATION, field="name")
        if not _ID.fullmatch(found["location"]):
            raise NotFound(f'"{request.name[:200]}" does not exist; it is no name of a location.')
        return _fill(context.new_message(), found["project"], found["location"])

    def list(
        self, request: shared_pb2.ListLocationsRequest, context: CallContext
    ) -> shared_pb2.ListLocationsResponse:
        """Answer ListLocations: "global", and where the project has data stores, by name."""
        project = parse_name(request.name, _PROJECT, field="name")["project"]
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        predicate = parse_list_filter(request.filter, _FILTERED)
        scope, after = ("locations", project, request.filter), ""
        if request.page_token:
            after = str(read_token(request.page_token, scope=scope, types=(str,))[0])
        beginning = f"projects/{project}/locations/"
        with self.records().read() as transaction:
            parents = transaction.resources.parents_beneath(beginning.removesuffix("/"))
        of_stores = {parent.split("/")[3] for parent in parents}
        known = [
            location
            for location in sorted({ALWAYS, *of_stores})
            if location > after
            and matches(predicate, {"name": (beginning + location,), "location_id": (location,)})
        ]
        response: shared_pb2.ListLocationsResponse = context.new_message()
        for location in known[:size]:
            _fill(response.locations.add(), project, location)
        if len(known) > size:
            response.next_page_token = make_token([known[size - 1]], scope=scope)
        return response


def _fill(message: shared_pb2.Location, project: str, location: str) -> shared_pb2.Location:
    message.name = f"projects/{project}/locations/{location}"
    message.location_id = location
    return message
