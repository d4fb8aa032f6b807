"""Apps: created, read, listed, changed and deleted.

Creating and deleting are operations that are done when they come back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toulmin.agents import App
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, to_json, to_kept, to_message
from toulmin.apis.ces.lists import fill_list, list_page
from toulmin.apis.ces.names import location_of, new_id, parse_app, parse_location
from toulmin.apis.ces.resources import check_etag, check_unlocked, checked, updated_resource
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class AppHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]

    def create(self, request: pb.CreateAppRequest, context: CallContext) -> shared_pb2.Operation:
        """Answer CreateApp."""
        parent = parse_location(request.parent, field="parent")
        id_ = new_id(request.app_id, field="app_id")
        kept = to_kept(request.app)
        with self.records().write() as transaction:
            new = App(parent=parent, id=id_)
            made = transaction.resources.create(checked(transaction, kept, new, field="app"))
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind="create-app",
                version=context.rpc.version,
                result=to_json(to_message(made)),
            )
        return to_operation_message(operation)

    def get(self, request: pb.GetAppRequest, context: CallContext) -> pb.App:
        """Answer GetApp."""
        name = parse_app(request.name, field="name")
        with self.records().read() as transaction:
            found = transaction.resources.get(App, name)
        response: pb.App = context.new_message()
        return fill_from_kept(response, to_message(found))

    def list(self, request: pb.ListAppsRequest, context: CallContext) -> pb.ListAppsResponse:
        """Answer ListApps."""
        parent = parse_location(request.parent, field="parent")
        with self.records().read() as transaction:
            page = list_page(transaction, App, parent, request)
        response: pb.ListAppsResponse = context.new_message()
        return fill_list(response, App, page)

    def update(self, request: pb.UpdateAppRequest, context: CallContext) -> pb.App:
        """Answer UpdateApp; a locked app takes nothing but to be unlocked."""
        name = parse_app(request.app.name, field="app.name")
        with self.records().write() as transaction:
            if list(request.update_mask.paths) != ["locked"]:
                check_unlocked(transaction.resources.get(App, name))
            updated = updated_resource(transaction, App, request.app, request, field="app")
        response: pb.App = context.new_message()
        return fill_from_kept(response, to_message(updated))

    def delete(self, request: pb.DeleteAppRequest, context: CallContext) -> shared_pb2.Operation:
        """Answer DeleteApp: the app goes with its agents, tools and conversations."""
        name = parse_app(request.name, field="name")
        with self.records().write() as transaction:
            old = transaction.resources.get(App, name)
            check_unlocked(old)
            check_etag(request.etag, old)
            transaction.resources.delete(App, name)
            operation = finish_at_once(
                transaction,
                parent=location_of(name),
                kind="delete-app",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)
