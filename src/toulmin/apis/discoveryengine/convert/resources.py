"""Data stores, engines, serving configs, controls and schemas <-> messages of any version.

A noun keeps in `fields` what it has no attribute for, as proto JSON. Fields that the version of a
request does not have (v1beta has more than v1) stay in there when it updates the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import orjson
from google.protobuf.message import Message

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import fill_from_json, set_time
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema.enum_names import value_name
from toulmin.domain import Control, DataStore, Engine, JsonObject, Resource, Schema, ServingConfig
from toulmin.errors import InvalidArgument

MessageT = TypeVar("MessageT", bound=Message)
ResourceT = TypeVar("ResourceT", bound=Resource)

MAX_DISPLAY_NAME: Final = 128
DEFAULT_SCHEMA_ID: Final = "default_schema"
IMPLICIT_SCHEMA: Final[JsonObject] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
}
"""The default schema of a data store for which none was given: any data are right."""

_MAX_SCHEMA_CHARS: Final = 1_000_000
_SHARED: Final = frozenset({"name", "displayName", "createTime", "updateTime"})
# Fields of each kind that are not kept in `fields`: the noun has them, or nobody may set them.
_NOT_KEPT: Final[Mapping[type[Resource], frozenset[str]]] = {
    DataStore: _SHARED
    | {
        "contentConfig",
        "defaultSchemaId",
        "startingSchema",
        "cmekConfig",
        "billingEstimation",
        "configurableBillingApproachUpdateTime",
    },
    Engine: _SHARED
    | {"dataStoreIds", "cmekConfig", "chatEngineMetadata"}
    | {"recommendationMetadata", "effectiveFeatures"},
    ServingConfig: _SHARED,
    Control: _SHARED | {"associatedServingConfigIds"},
}


def data_store_from(message: pb.DataStore, old: DataStore) -> DataStore:
    """Return the data store that a message describes, with parent and id of `old`."""
    value = to_json_value(message, enums_as_ints=False)
    fields = _fields_of(value, message, old)
    if "documentProcessingConfig" in fields:
        fields["documentProcessingConfig"].pop("name", None)
    return DataStore(
        parent=old.parent,
        id=old.id,
        display_name=message.display_name,
        content_config=value.get("contentConfig", old.content_config),
        default_schema_id=old.default_schema_id,
        fields=fields,
    )


def fill_data_store(message: pb.DataStore, store: DataStore) -> pb.DataStore:
    """Write a data store into an empty message, and return the message."""
    own = {"contentConfig": store.content_config, "defaultSchemaId": store.default_schema_id}
    _fill(message, store, own)
    if message.HasField("document_processing_config"):
        message.document_processing_config.name = processing_config_name(store)
    return message


def processing_config_name(store: DataStore) -> str:
    """Return the name of a data store's DocumentProcessingConfig."""
    return f"{store.name}/documentProcessingConfig"


def engine_from(message: pb.Engine, old: Engine) -> Engine:
    """Return the engine that a message describes, with parent and id of `old`."""
    value = to_json_value(message, enums_as_ints=False)
    return Engine(
        parent=old.parent,
        id=old.id,
        display_name=message.display_name,
        data_store_ids=tuple(message.data_store_ids),
        fields=_fields_of(value, message, old),
    )


def fill_engine(message: pb.Engine, engine: Engine) -> pb.Engine:
    """Write an engine into an empty message, and return the message."""
    return _fill(message, engine, {"dataStoreIds": list(engine.data_store_ids)})


def serving_config_from(message: pb.ServingConfig, old: ServingConfig) -> ServingConfig:
    """Return the serving config that a message describes, with parent and id of `old`."""
    return _plain_from(message, old)


def fill_serving_config(message: pb.ServingConfig, config: ServingConfig) -> pb.ServingConfig:
    """Write a serving config into an empty message, and return the message."""
    return _fill(message, config, {})


def control_from(message: pb.Control, old: Control) -> Control:
    """Return the control that a message describes, with parent and id of `old`."""
    return _plain_from(message, old)


def fill_control(
    message: pb.Control, control: Control, serving_config_ids: Iterable[str] = ()
) -> pb.Control:
    """Write a control and the serving configs that have it into an empty message; return that."""
    return _fill(message, control, {"associatedServingConfigIds": list(serving_config_ids)})


def schema_from(message: pb.Schema, *, parent: str, id_: str, field: str) -> Schema:
    """Return the schema that a message describes; that it is a usable one is not checked.

    Args:
        message: Has `struct_schema` or `json_schema`.
        parent: Canonical name of its data store.
        id_: Its id.
        field: Path of the message in the request, for the error.

    Raises:
        InvalidArgument: It has neither, or `json_schema` is no JSON object.
    """
    kind = message.WhichOneof("schema")
    if kind is None:
        raise InvalidArgument.of_field(
            f"{field}.struct_schema", "is not set; give struct_schema or json_schema"
        )
    if kind == "struct_schema":
        struct = to_json_value(message.struct_schema, enums_as_ints=False)
        fields = _without(to_json_value(message, enums_as_ints=False), "name", "structSchema")
        return Schema(parent=parent, id=id_, json_schema=struct, fields=fields)
    fields = _without(to_json_value(message, enums_as_ints=False), "name")
    value = _read_schema(message.json_schema, f"{field}.json_schema")
    return Schema(parent=parent, id=id_, json_schema=value, fields=fields)


def fill_schema(message: pb.Schema, schema: Schema) -> pb.Schema:
    """Write a schema into an empty message in the form it was given in, and return the message."""
    fields = dict(schema.fields)
    if "jsonSchema" not in fields:
        fields["structSchema"] = schema.json_schema
    fill_from_json(message, fields | {"name": schema.name})
    return message


def check_display_name(text: str, *, field: str, maximum: int = MAX_DISPLAY_NAME) -> None:
    """Raise unless a display name is there and not too long.

    Raises:
        InvalidArgument: It is empty or has more than `maximum` characters.
    """
    if not text:
        raise InvalidArgument.of_field(field, "is empty; it is required")
    if len(text) > maximum:
        raise InvalidArgument.of_field(
            field, f"has {len(text):,} characters; at most {maximum:,} are allowed"
        )


def check_solution_type(message: pb.Engine | pb.Control | pb.ServingConfig, *, field: str) -> None:
    """Raise unless a message says its solution type.

    Raises:
        InvalidArgument: `solution_type` is not set, or is a number without a name.
    """
    if not message.solution_type or not value_name(message, "solution_type"):
        raise InvalidArgument.of_field(
            f"{field}.solution_type", "is required; SOLUTION_TYPE_SEARCH is what is served"
        )


def keep_fixed(old: MessageT, new: MessageT, names: Iterable[str], *, field: str) -> None:
    """Give a message the fields of the old one that never change, where it does not set them.

    Args:
        old: As stored.
        new: What an update would make of it.
        names: The fields; those that the version lacks do not matter.
        field: Path of the message in the request, for the error.

    Raises:
        InvalidArgument: One of them would change.
    """
    for name in names:
        known = new.DESCRIPTOR.fields_by_name.get(name)
        if known is None:
            continue
        before, after = getattr(old, name), getattr(new, name)
        if after == known.default_value and before != after:
            setattr(new, name, before)
        elif after != before:
            shown = _shown(old, name) or "unset"
            raise InvalidArgument.of_field(
                f"{field}.{name}",
                f"cannot be changed from {shown} to {_shown(new, name)}; create another one",
            )


def _plain_from(message: pb.Control | pb.ServingConfig, old: ResourceT) -> ResourceT:
    value = to_json_value(message, enums_as_ints=False)
    return type(old)(
        parent=old.parent,
        id=old.id,
        display_name=message.display_name,
        fields=_fields_of(value, message, old),
    )


def _fields_of(value: dict[str, Any], message: Message, old: Resource) -> dict[str, Any]:
    known = {field.json_name for field in message.DESCRIPTOR.fields}
    kept = {name: item for name, item in old.fields.items() if name not in known}
    return kept | _without(value, *_NOT_KEPT[type(old)])


def _fill(message: MessageT, resource: Resource, own: JsonObject) -> MessageT:
    values = {"name": resource.name, "displayName": resource.display_name}
    fill_from_json(message, {**resource.fields, **own, **values})
    known = message.DESCRIPTOR.fields_by_name
    for name in ("create_time", "update_time"):
        if name in known:
            set_time(getattr(message, name), getattr(resource, name))
    return message


def _read_schema(text: str, field: str) -> dict[str, Any]:
    if len(text) > _MAX_SCHEMA_CHARS:
        raise InvalidArgument.of_field(
            field, f"has {len(text):,} characters; at most {_MAX_SCHEMA_CHARS:,} are allowed"
        )
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument.of_field(field, f"is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidArgument.of_field(field, "must be a JSON object")
    return value


def _shown(message: Message, name: str) -> str:
    if message.DESCRIPTOR.fields_by_name[name].enum_type is None:
        return str(getattr(message, name))[:200]
    return value_name(message, name) or str(getattr(message, name))


def _without(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in names}
