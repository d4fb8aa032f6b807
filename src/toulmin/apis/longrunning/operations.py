"""The Operations service: get, list, cancel, delete. The contract has no WaitOperation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.list_filter import parse_list_filter
from toulmin.apis.aip.operations import to_operation_message
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.names import canonical_name
from toulmin.apis.schema import shared_pb2
from toulmin.errors import InvalidArgument, NotFound
from toulmin.stores.index.predicate import Fields, FieldValue, matches
from toulmin.stores.records import Operation, OperationRunner, RecordStore

_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 1_000
FILTERED: Final[Mapping[str, type[FieldValue]]] = {
    "name": str,
    "done": bool,
    "error.code": int,
    "metadata.create_time": datetime,
    "metadata.update_time": datetime,
    "metadata.success_count": int,
    "metadata.failure_count": int,
    "metadata.total_count": int,
}


def register_operations(
    registry: Registry,
    *,
    records: Callable[[], RecordStore],
    runner: Callable[[], OperationRunner],
) -> None:
    """Bind the service.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the operations.
        runner: Returns what does them; it is woken by a cancellation.
    """
    handlers = _Handlers(records, runner)
    for method, handler in (
        ("GetOperation", handlers.get),
        ("ListOperations", handlers.list),
        ("CancelOperation", handlers.cancel),
        ("DeleteOperation", handlers.delete),
    ):
        registry.register("longrunning", "Operations", method, handler)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]
    runner: Callable[[], OperationRunner]

    def get(
        self, request: shared_pb2.GetOperationRequest, _context: CallContext
    ) -> shared_pb2.Operation:
        name = _name_of(request)
        with self.records().read() as transaction:
            return to_operation_message(transaction.operations.get(name))

    def list(
        self, request: shared_pb2.ListOperationsRequest, context: CallContext
    ) -> shared_pb2.ListOperationsResponse:
        """Answer ListOperations: those of the resource named and of all beneath it."""
        if not request.name:
            raise InvalidArgument.of_field(
                "name", "is empty; name the data store, branch or collection of the operations"
            )
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        predicate = parse_list_filter(request.filter, FILTERED)
        parent, token = _canonical(request.name), request.page_token
        found: list[Operation] = []
        with self.records().read() as transaction:
            while len(found) < size:
                page = transaction.operations.list(
                    parent, page_size=size - len(found), page_token=token, under=True
                )
                found += [item for item in page.items if matches(predicate, _fields(item))]
                token = page.next_page_token
                if not token:
                    break
        response: shared_pb2.ListOperationsResponse = context.new_message()
        response.operations.extend(to_operation_message(item) for item in found)
        response.next_page_token = token
        return response

    def cancel(self, request: shared_pb2.CancelOperationRequest, context: CallContext) -> Message:
        with self.records().write() as transaction:
            transaction.operations.cancel(_name_of(request))
        self.runner().wake()
        return context.empty_message()

    def delete(self, request: shared_pb2.DeleteOperationRequest, context: CallContext) -> Message:
        with self.records().write() as transaction:
            transaction.operations.delete(_name_of(request))
        return context.empty_message()


def _fields(operation: Operation) -> Fields:
    """Return what an operation is filtered by."""
    error = operation.error
    return {
        "name": (operation.name,),
        "done": (operation.done,),
        "error.code": () if error is None else (error.code,),
        "metadata.create_time": (operation.create_time,),
        "metadata.update_time": (operation.update_time,),
        "metadata.success_count": (operation.success_count,),
        "metadata.failure_count": (operation.failure_count,),
        "metadata.total_count": (operation.total_count,),
    }


def _canonical(name: str) -> str:
    """Return a name as operations are kept by.

    A location has the operations of its apps, and beneath it those of every collection; so nothing
    is put into the name of a location or of an operation right under it.
    """
    parts = name.split("/")
    return name if len(parts) == 4 or parts[4:5] == ["operations"] else canonical_name(name)


def _name_of(
    request: shared_pb2.GetOperationRequest
    | shared_pb2.CancelOperationRequest
    | shared_pb2.DeleteOperationRequest,
) -> str:
    name = _canonical(request.name)
    if "/operations/" not in name:
        raise NotFound(f'"{request.name[:200]}" does not exist; it is no name of an operation.')
    return name
