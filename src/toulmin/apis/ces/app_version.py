"""Versions of an app: made, read, listed, deleted and put back. A version does not change."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.message import Message

from toulmin.agents import App, AppVersion, Deployment
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.checks import check_optional_display_name
from toulmin.apis.ces.convert import fill_from_kept, resource_from, to_kept, to_message
from toulmin.apis.ces.lists import fill_list, list_page
from toulmin.apis.ces.names import location_of, new_id, parse_app, parse_in_app
from toulmin.apis.ces.resources import check_etag, check_unlocked
from toulmin.apis.ces.snapshots import put_back, snapshot_of, snapshot_of_version
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.errors import FailedPrecondition
from toulmin.stores.records import RecordStore


@dataclass(frozen=True, slots=True)
class VersionHandlers:
    """The handlers."""

    records: Callable[[], RecordStore]

    def create(self, request: pb.CreateAppVersionRequest, context: CallContext) -> pb.AppVersion:
        """Answer CreateAppVersion: the app as it is in this moment."""
        app = parse_app(request.parent, field="parent")
        new = AppVersion(parent=app, id=new_id(request.app_version_id, field="app_version_id"))
        check_optional_display_name(request.app_version, "app_version")
        kept = to_kept(request.app_version)
        with self.records().write() as transaction:
            kept.snapshot.CopyFrom(snapshot_of(transaction, app).message())
            made = transaction.resources.create(resource_from(kept, new))
        response: pb.AppVersion = context.new_message()
        return fill_from_kept(response, to_message(made))

    def get(self, request: pb.GetAppVersionRequest, context: CallContext) -> pb.AppVersion:
        """Answer GetAppVersion."""
        name = parse_in_app(request.name, AppVersion.collection, field="name").name
        with self.records().read() as transaction:
            found = transaction.resources.get(AppVersion, name)
        response: pb.AppVersion = context.new_message()
        return fill_from_kept(response, to_message(found))

    def list(
        self, request: pb.ListAppVersionsRequest, context: CallContext
    ) -> pb.ListAppVersionsResponse:
        """Answer ListAppVersions."""
        app = parse_app(request.parent, field="parent")
        with self.records().read() as transaction:
            transaction.resources.get(App, app)
            page = list_page(transaction, AppVersion, app, request)
        response: pb.ListAppVersionsResponse = context.new_message()
        return fill_list(response, AppVersion, page)

    def delete(self, request: pb.DeleteAppVersionRequest, context: CallContext) -> Message:
        """Answer DeleteAppVersion; one that a deployment runs stays."""
        found = parse_in_app(request.name, AppVersion.collection, field="name")
        with self.records().write() as transaction:
            check_etag(request.etag, transaction.resources.get(AppVersion, found.name))
            users = [
                item.name
                for item in transaction.resources.under(Deployment, found.app)
                if item.fields.get("appVersion") == found.name
            ]
            if users:
                raise FailedPrecondition(
                    f"{found.name} is deployed by {', '.join(users)}; change that first."
                )
            transaction.resources.delete(AppVersion, found.name)
        return context.empty_message()

    def restore(
        self, request: pb.RestoreAppVersionRequest, context: CallContext
    ) -> shared_pb2.Operation:
        """Answer RestoreAppVersion: the app is what it was; its other versions stay."""
        found = parse_in_app(request.name, AppVersion.collection, field="name")
        with self.records().write() as transaction:
            now = transaction.resources.get(App, found.app)
            check_unlocked(now)
            version = transaction.resources.get(AppVersion, found.name)
            snapshot = snapshot_of_version(version)
            unlocked = {key: item for key, item in snapshot.app.fields.items() if key != "locked"}
            app = dataclasses.replace(snapshot.app, fields=unlocked)
            put_back(transaction, dataclasses.replace(snapshot, app=app))
            operation = finish_at_once(
                transaction,
                parent=location_of(found.app),
                kind="restore-app-version",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)
