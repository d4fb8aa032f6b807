"""Resources of an app <-> messages of v1 and v1beta.

The messages of both versions have the same field numbers, and v1beta has every field of v1: what is
kept is the JSON of the v1beta message, so that an update through v1 loses nothing.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import fill_from_json, set_time
from toulmin.apis.schema import load_schema
from toulmin.domain import JsonObject, Resource

MessageT = TypeVar("MessageT", bound=Message)
ResourceT = TypeVar("ResourceT", bound=Resource)

_PACKAGE: Final = "google.cloud.ces."
_KEPT_VERSION: Final = "v1beta"
_NOT_KEPT: Final = frozenset(
    {
        "name",
        "displayName",
        "createTime",
        "updateTime",
        "etag",
        "validationErrors",
        "predefinedVariableDeclarations",
        "deploymentCount",
        "creator",
        "generatedSummary",
        "invalid",
        "createdBy",
        "lastUpdatedBy",
        "evaluationDatasets",
        "evaluationRuns",
        "aggregatedMetrics",
        "lastCompletedResult",
        "lastTenResults",
    }
)
"""Fields that the noun has, or that nobody may set."""


def kept_message(kind: str) -> Any:
    """Return a new message of the version that is kept: "App", "Agent", "Conversation", ..."""
    return load_schema().message_class(f"{_PACKAGE}{_KEPT_VERSION}.{kind}")()


def to_kept(message: MessageT) -> MessageT:
    """Return a message of any version as one of the version that is kept."""
    kept: MessageT = kept_message(message.DESCRIPTOR.full_name.split(".", 4)[4])
    kept.ParseFromString(message.SerializeToString())
    return kept


def fill_from_kept(message: MessageT, kept: Message) -> MessageT:
    """Write a message of the kept version into an empty one of any version, and return that."""
    message.ParseFromString(kept.SerializeToString())
    message.DiscardUnknownFields()
    return message


def resource_from(kept: Any, old: ResourceT) -> ResourceT:
    """Return the resource that a message of the kept version states, with the name of `old`."""
    value = to_json_value(kept, enums_as_ints=False)
    return type(old)(
        parent=old.parent,
        id=old.id,
        display_name=kept.display_name,
        fields={name: item for name, item in value.items() if name not in _NOT_KEPT},
    )


def to_message(resource: Resource, validation_errors: tuple[str, ...] = ()) -> Any:
    """Return a resource as a message of the kept version."""
    message = kept_message(type(resource).__name__)
    fill_from_json(message, resource.fields)
    message.name, message.display_name = resource.name, resource.display_name
    if "etag" in message.DESCRIPTOR.fields_by_name:
        message.etag = etag_of(resource)
    set_time(message.create_time, resource.create_time)
    if "update_time" in message.DESCRIPTOR.fields_by_name:  # a version has none: it never changes
        set_time(message.update_time, resource.update_time)
    if validation_errors:
        message.validation_errors.extend(validation_errors)
    return message


def etag_of(resource: Resource) -> str:
    """Return the etag of a resource: another one after each write."""
    made = resource.create_time
    return f'"{resource.generation}-{int(made.timestamp() * 1e6) if made else 0:x}"'


def to_json(message: Message) -> JsonObject:
    """Return a message as proto JSON with names of enum values."""
    value: JsonObject = to_json_value(message, enums_as_ints=False)
    return value
