"""ExportApp: an app or a version of it as an archive of files, which ImportApp takes back."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from toulmin.agents import AppVersion
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.registry import CallContext
from toulmin.apis.ces.names import location_of, parse_app, parse_in_app
from toulmin.apis.ces.snapshots import INSIDE, snapshot_of, snapshot_of_version
from toulmin.apis.schema import ces_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.conversation.app_writing import app_files
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.stores.records import RecordStore

_WRITTEN: Final = (1980, 1, 1, 0, 0, 0)
"""Time of every file of an archive: the same app is the same bytes."""


@dataclass(frozen=True, slots=True)
class ExportHandler:
    """The handler."""

    records: Callable[[], RecordStore]

    def __call__(self, request: pb.ExportAppRequest, context: CallContext) -> shared_pb2.Operation:
        """Answer ExportApp; the operation is done when it comes back."""
        name = parse_app(request.name, field="name")
        if request.gcs_uri:
            raise Unimplemented("gcs_uri is not implemented in this version of Toulmin")
        if request.export_format == pb.ExportAppRequest.ExportFormat.YAML:
            raise Unimplemented("export_format YAML is not implemented in this version of Toulmin")
        with self.records().write() as transaction:
            snapshot = snapshot_of(transaction, name)
            if request.app_version:
                version = parse_in_app(
                    request.app_version, AppVersion.collection, field="app_version"
                )
                if version.app != name:
                    raise InvalidArgument.of_field(
                        "app_version", f'"{request.app_version[:200]}" is not of {name}'
                    )
                snapshot = snapshot_of_version(transaction.resources.get(AppVersion, version.name))
            inside = [item for kind in INSIDE for item in snapshot.inside[kind]]
            content = zipped(app_files(snapshot.app, inside), folder=snapshot.app.id)
            operation = finish_at_once(
                transaction,
                parent=location_of(name),
                kind="export-app",
                version=context.rpc.version,
                result={"appContent": base64.b64encode(content).decode()},
            )
        return to_operation_message(operation)


def zipped(files: Mapping[str, bytes], *, folder: str) -> bytes:
    """Return files as a zip archive, all of them in one folder; the same files, the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{folder}/{path}", date_time=_WRITTEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return content.getvalue()
