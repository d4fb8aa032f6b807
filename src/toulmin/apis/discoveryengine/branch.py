"""BranchService, which Google publishes in v1alpha: the one branch that a data store has.

https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1alpha/projects.locations.collections.dataStores.branches
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.operations import set_time
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.names import parse_branch, parse_data_store
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema.enum_names import value_name
from toulmin.domain import Branch, DataStore
from toulmin.stores.records import Operation, RecordStore, Transaction

_FULL: Final = "BRANCH_VIEW_FULL"
_ALL: Final = "all"
_IMPORT: Final = "import-documents"
_OPERATIONS_READ: Final = 100


def register_branches(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service.

    Args:
        registry: Takes the handlers.
        records: Returns the record store.
    """
    handlers = _Handlers(records)
    registry.register("discoveryengine", "BranchService", "GetBranch", handlers.get)
    registry.register("discoveryengine", "BranchService", "ListBranches", handlers.list)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def get(self, request: pb.GetBranchRequest, context: CallContext) -> pb.Branch:
        branch = parse_branch(request.name, field="name")
        response: pb.Branch = context.new_message()
        with self.records().read() as transaction:
            _fill(response, branch, transaction, is_full=_is_full(request))
        return response

    def list(
        self, request: pb.ListBranchesRequest, context: CallContext
    ) -> pb.ListBranchesResponse:
        branch = Branch(parse_data_store(request.parent, field="parent"))
        response: pb.ListBranchesResponse = context.new_message()
        with self.records().read() as transaction:
            _fill(response.branches.add(), branch, transaction, is_full=_is_full(request))
        return response


def _is_full(request: pb.GetBranchRequest | pb.ListBranchesRequest) -> bool:
    return value_name(request, "view") == _FULL


def _fill(message: pb.Branch, branch: Branch, transaction: Transaction, *, is_full: bool) -> None:
    store = transaction.resources.get(DataStore, branch.data_store)
    message.name, message.display_name = branch.name, store.display_name
    message.is_default = True
    last = _last_import(transaction, branch)
    set_time(message.last_document_import_time, last.update_time if last else None)
    if is_full:
        message.branch_stats.document_counts[_ALL] = transaction.documents.count(branch)


def _last_import(transaction: Transaction, branch: Branch) -> Operation | None:
    """Return the last import that came to its end, of the newest operations of the branch."""
    page = transaction.operations.list(branch.name, page_size=_OPERATIONS_READ)
    return next((item for item in page.items if item.kind == _IMPORT and item.done), None)
