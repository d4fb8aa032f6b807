"""The Operations service: get, list, cancel, delete. The contract has no WaitOperation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toulmin.apis.aip.operations import to_operation_message
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.names import canonical_name
from toulmin.errors import InvalidArgument, NotFound, Unimplemented
from toulmin.stores.records import OperationRunner, RecordStore

_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 1_000


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

    def get(self, request: Any, _context: CallContext) -> Any:
        name = _name_of(request)
        with self.records().read() as transaction:
            return to_operation_message(transaction.operations.get(name))

    def list(self, request: Any, context: CallContext) -> Any:
        """Answer ListOperations: those of the resource named and of all beneath it."""
        if request.filter:
            raise Unimplemented(
                "filter is not implemented for operations in this version of Toulmin; list them"
                " without and look at `done`"
            )
        if not request.name:
            raise InvalidArgument.of_field(
                "name", "is empty; name the data store, branch or collection of the operations"
            )
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        parent = canonical_name(request.name)
        with self.records().read() as transaction:
            page = transaction.operations.list(
                parent, page_size=size, page_token=request.page_token, under=True
            )
        response: Any = context.new_message()
        response.operations.extend(to_operation_message(item) for item in page.items)
        response.next_page_token = page.next_page_token
        return response

    def cancel(self, request: Any, context: CallContext) -> Any:
        with self.records().write() as transaction:
            transaction.operations.cancel(_name_of(request))
        self.runner().wake()
        return context.new_message()

    def delete(self, request: Any, context: CallContext) -> Any:
        with self.records().write() as transaction:
            transaction.operations.delete(_name_of(request))
        return context.new_message()


def _name_of(request: Any) -> str:
    name = canonical_name(request.name)
    if "/operations/" not in name:
        raise NotFound(f'"{request.name[:200]}" does not exist; it is no name of an operation.')
    return name
