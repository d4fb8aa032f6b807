"""Long-running operations (AIP-151): rows of the record store <-> google.longrunning.Operation.

An operation keeps the version of the API that asked for it in its request, as `api_version`: over
gRPC the Operations service has none of its own, and clients take `metadata` and `response` apart
only when these are of their own version's types.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from google.protobuf import json_format
from google.protobuf.message import Message

from toulmin.apis.schema import Schema, load_schema, shared_pb2
from toulmin.domain import NO_FIELDS, JsonObject
from toulmin.stores.records import Operation, OperationError, Transaction

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

API_VERSION: Final = "api_version"
"""Key of an operation's request JSON: "v1", "v1beta" or "v1alpha"."""
METADATA: Final = "metadata"
"""Key of what else its metadata say, as proto JSON."""

_DEFAULT_VERSION: Final = "v1"
_EMPTY: Final = "google.protobuf.Empty"
_CES_METADATA: Final = "OperationMetadata"


class _Types(NamedTuple):
    metadata: str
    response: str
    api: str = "discoveryengine"


# Kind -> types within the API's package; a name with a dot is a full one.
_TYPES: Final = {
    "import-documents": _Types("ImportDocumentsMetadata", "ImportDocumentsResponse"),
    "purge-documents": _Types("PurgeDocumentsMetadata", "PurgeDocumentsResponse"),
    "import-user-events": _Types("ImportUserEventsMetadata", "ImportUserEventsResponse"),
    "purge-user-events": _Types("PurgeUserEventsMetadata", "PurgeUserEventsResponse"),
    "create-data-store": _Types("CreateDataStoreMetadata", "DataStore"),
    "delete-data-store": _Types("DeleteDataStoreMetadata", _EMPTY),
    "create-engine": _Types("CreateEngineMetadata", "Engine"),
    "delete-engine": _Types("DeleteEngineMetadata", _EMPTY),
    "create-schema": _Types("CreateSchemaMetadata", "Schema"),
    "update-schema": _Types("UpdateSchemaMetadata", "Schema"),
    "delete-schema": _Types("DeleteSchemaMetadata", _EMPTY),
    "create-app": _Types(_CES_METADATA, "App", "ces"),
    "export-app": _Types(_CES_METADATA, "ExportAppResponse", "ces"),
    "restore-app-version": _Types(_CES_METADATA, "RestoreAppVersionResponse", "ces"),
    "import-app": _Types(_CES_METADATA, "ImportAppResponse", "ces"),
    "delete-app": _Types(_CES_METADATA, _EMPTY, "ces"),
    "run-evaluation": _Types("RunEvaluationOperationMetadata", "RunEvaluationResponse", "ces"),
    "delete-evaluation-run": _Types("DeleteEvaluationRunOperationMetadata", _EMPTY, "ces"),
    "import-evaluations": _Types(
        "ImportEvaluationsOperationMetadata", "ImportEvaluationsResponse", "ces"
    ),
    "export-evaluations": _Types(_CES_METADATA, "ExportEvaluationsResponse", "ces"),
    "export-evaluation-results": _Types(
        "ExportEvaluationResultsOperationMetadata", "ExportEvaluationResultsResponse", "ces"
    ),
    "export-evaluation-runs": _Types(
        "ExportEvaluationRunsOperationMetadata", "ExportEvaluationRunsResponse", "ces"
    ),
    "batch-delete-conversations": _Types(_CES_METADATA, "BatchDeleteConversationsResponse", "ces"),
}


def finish_at_once(
    transaction: Transaction,
    *,
    parent: str,
    kind: str,
    version: str,
    result: JsonObject,
    success: int = 0,
) -> Operation:
    """Store an operation that is done, for work that the same transaction does.

    Args:
        transaction: The one that does the work: both are kept or neither is.
        parent: Canonical name of what the operation belongs to.
        kind: What was done.
        version: Of the API that asked.
        result: Its response as proto JSON; empty where the response is.
        success: How many items it dealt with.
    """
    return transaction.operations.create_done(
        parent=parent,
        kind=kind,
        request={API_VERSION: version},
        result=result,
        success=success,
    )


def to_operation_message(
    operation: Operation, schema: Schema | None = None
) -> shared_pb2.Operation:
    """Return an operation as a `google.longrunning.Operation`.

    `metadata`, and `response` once it succeeded, are of the version that asked. The errors of
    single items are in the response; their `google.rpc.ResourceInfo` says which items.

    Args:
        operation: As stored.
        schema: The contract to take message classes from; the shipped one when None.
    """
    contract = schema or load_schema()
    version = str(operation.request.get(API_VERSION) or _DEFAULT_VERSION)
    message = cast("shared_pb2.Operation", contract.message_class("google.longrunning.Operation")())
    message.name, message.done = operation.name, operation.done
    types = _TYPES.get(operation.kind)
    if types is not None:
        message.metadata.Pack(
            _metadata(operation, _new(contract, types.api, version, types.metadata), contract)
        )
    if operation.error is not None:
        _fill_status(message.error, operation.error, contract)
    elif operation.done:
        api, name = ("", _EMPTY) if types is None else (types.api, types.response)
        response = _new(contract, api, version, name)
        _fill_response(response, operation, contract)
        message.response.Pack(response)
    return message


def fill_from_json(message: Message, value: JsonObject, schema: Schema | None = None) -> None:
    """Write proto JSON of our own into a message; what its version does not have is left out.

    For stored JSON. What callers send is read by `json_parse`, which leaves nothing out.
    """
    pool = (schema or load_schema()).pool
    json_format.ParseDict(dict(value), message, ignore_unknown_fields=True, descriptor_pool=pool)


def set_time(message: Timestamp, time: datetime | None) -> None:
    """Write a time into a `Timestamp`; None leaves it unset."""
    if time is not None:
        message.FromDatetime(time)


def _new(contract: Schema, api: str, version: str, name: str) -> Message:
    full_name = name if "." in name else f"google.cloud.{api}.{version}.{name}"
    return contract.message_class(full_name)()


def _metadata(operation: Operation, message: Message, contract: Schema) -> Message:
    fill_from_json(message, operation.request.get(METADATA, NO_FIELDS), contract)
    known = message.DESCRIPTOR.fields_by_name
    times = {
        "create_time": operation.create_time,
        "update_time": operation.update_time,
        "end_time": operation.done_time,
    }
    for name, time in times.items():
        if name in known:
            set_time(getattr(message, name), time)
    for name in ("success_count", "failure_count", "total_count"):
        if name in known:
            setattr(message, name, getattr(operation, name))
    return message


def _fill_response(response: Any, operation: Operation, contract: Schema) -> None:
    if operation.kind == "import-documents":  # its result is the errors, kept with its progress
        for error in operation.error_samples:
            _fill_status(response.error_samples.add(), error, contract)
        return
    fill_from_json(response, operation.result or NO_FIELDS, contract)


def _fill_status(status: shared_pb2.Status, error: OperationError, contract: Schema) -> None:
    status.code, status.message = error.code, error.message
    if error.item:
        info = cast("shared_pb2.ResourceInfo", contract.message_class("google.rpc.ResourceInfo")())
        info.resource_name = error.item
        status.details.add().Pack(info)
