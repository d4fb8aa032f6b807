"""Apps: created, read, listed, changed and deleted.

Creating and deleting are operations that are done when they come back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toulmin.agents import App
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.convert import fill_from_kept, to_json, to_kept, to_message
from toulmin.apis.ces.names import location_of, new_id, parse_app, parse_location
from toulmin.apis.ces.resources import (
    check_etag,
    check_unlocked,
    checked,
    fill_list,
    list_page,
    updated_resource,
)
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class AppHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]

    def create(self, request: Any, context: CallContext) -> Any:
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

    def get(self, request: Any, context: CallContext) -> Any:
        """Answer GetApp."""
        name = parse_app(request.name, field="name")
        with self.records().read() as transaction:
            found = transaction.resources.get(App, name)
        return fill_from_kept(context.new_message(), to_message(found))

    def list(self, request: Any, context: CallContext) -> Any:
        """Answer ListApps."""
        parent = parse_location(request.parent, field="parent")
        with self.records().read() as transaction:
            page = list_page(transaction, App, parent, request)
        return fill_list(context.new_message(), App, page)

    def update(self, request: Any, context: CallContext) -> Any:
        """Answer UpdateApp; a locked app takes nothing but to be unlocked."""
        name = parse_app(request.app.name, field="app.name")
        with self.records().write() as transaction:
            if list(request.update_mask.paths) != ["locked"]:
                check_unlocked(transaction.resources.get(App, name))
            updated = updated_resource(transaction, App, request.app, request, field="app")
        return fill_from_kept(context.new_message(), to_message(updated))

    def delete(self, request: Any, context: CallContext) -> Any:
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
