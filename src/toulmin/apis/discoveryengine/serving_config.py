"""ServingConfigService: how engines and data stores answer.

`default_config`, `default_search` and `default_serving_config` are there for every engine and data
store without being created; an update stores what it changes.
https://cloud.google.com/generative-ai-app-builder/docs/configure-serving-controls
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import (
    IMPLICIT_SERVING_CONFIGS,
    ServingConfigName,
    parse_owner,
    parse_serving_config,
)
from toulmin.apis.discoveryengine.resource_lists import list_with_implicit
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.domain import Control, DataStore, Engine, ServingConfig
from toulmin.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    Unimplemented,
)
from toulmin.stores.records import RecordStore, Transaction

CONTROL_FIELDS: Final = {
    "filter_control_ids": "filterAction",
    "boost_control_ids": "boostAction",
    "redirect_control_ids": "redirectAction",
    "synonyms_control_ids": "synonymsAction",
}
"""Lists of controls in a serving config, and what the controls of each must have."""

_MOST_CONTROLS: Final = {"filter_control_ids": 20, "boost_control_ids": 20}
_MOST_OTHER_CONTROLS: Final = 100
_NOT_BUILT: Final = (
    "oneway_synonyms_control_ids",
    "dissociate_control_ids",
    "replacement_control_ids",
    "ignore_control_ids",
    "promote_control_ids",
)
_ID: Final = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{3,62}\Z")
_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 100
_FIXED: Final = ("solution_type",)


def register_serving_configs(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version that has the RPC.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the serving configs.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("CreateServingConfig", handlers.create),
        ("GetServingConfig", handlers.get),
        ("ListServingConfigs", handlers.list),
        ("UpdateServingConfig", handlers.update),
        ("DeleteServingConfig", handlers.delete),
    ):
        registry.register("discoveryengine", "ServingConfigService", method, handler)


def serving_config_of(transaction: Transaction, name: ServingConfigName) -> ServingConfig:
    """Return a serving config, an implicit one included.

    Raises:
        NotFound: There is none of that name, or no such engine or data store.
    """
    owner = owner_of(transaction, name.parent)
    try:
        return transaction.resources.get(ServingConfig, name.name)
    except NotFound:
        if name.id in IMPLICIT_SERVING_CONFIGS:
            return _implicit(owner, name.id)
        raise


def owner_of(transaction: Transaction, name: str) -> DataStore | Engine:
    """Return the data store or engine of a canonical name.

    Raises:
        NotFound: There is none.
    """
    if f"/{Engine.collection}/" in name:
        return transaction.resources.get(Engine, name)
    return transaction.resources.get(DataStore, name)


def implicit_serving_configs(owner: DataStore | Engine) -> list[ServingConfig]:
    """Return the serving configs that are there without being created, by id."""
    return [_implicit(owner, id_) for id_ in IMPLICIT_SERVING_CONFIGS]


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def create(
        self, request: pb.CreateServingConfigRequest, context: CallContext
    ) -> pb.ServingConfig:
        parent = parse_owner(request.parent, field="parent")
        id_ = _check_id(request.serving_config_id)
        config = convert.serving_config_from(
            request.serving_config, ServingConfig(parent=parent, id=id_)
        )
        if id_ in IMPLICIT_SERVING_CONFIGS:
            raise AlreadyExists(f"{config.name} exists already; update it instead.")
        with self.records().write() as transaction:
            owner_of(transaction, parent)
            _check(request.serving_config, transaction, parent)
            created = transaction.resources.create(config)
        return convert.fill_serving_config(context.new_message(), created)

    def get(self, request: pb.GetServingConfigRequest, context: CallContext) -> pb.ServingConfig:
        name = parse_serving_config(request.name, field="name")
        with self.records().read() as transaction:
            config = serving_config_of(transaction, name)
        return convert.fill_serving_config(context.new_message(), config)

    def list(
        self, request: pb.ListServingConfigsRequest, context: CallContext
    ) -> pb.ListServingConfigsResponse:
        parent = parse_owner(request.parent, field="parent")
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        with self.records().read() as transaction:
            page = list_with_implicit(
                transaction,
                ServingConfig,
                parent,
                implicit=implicit_serving_configs(owner_of(transaction, parent)),
                page_size=size,
                page_token=request.page_token,
            )
        response: pb.ListServingConfigsResponse = context.new_message()
        for config in page.items:
            convert.fill_serving_config(response.serving_configs.add(), config)
        response.next_page_token = page.next_page_token
        return response

    def update(
        self, request: pb.UpdateServingConfigRequest, context: CallContext
    ) -> pb.ServingConfig:
        sent = request.serving_config
        name = parse_serving_config(sent.name, field="serving_config.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR)
        with self.records().write() as transaction:
            old = serving_config_of(transaction, name)
            old_message = convert.fill_serving_config(type(sent)(), old)
            merged = merge(old_message, sent, paths)
            convert.keep_fixed(old_message, merged, _FIXED, field="serving_config")
            _check(merged, transaction, name.parent)
            config = convert.serving_config_from(merged, old)
            resources = transaction.resources
            write = resources.update if old.generation else resources.create
            updated = write(config)
        return convert.fill_serving_config(context.new_message(), updated)

    def delete(self, request: pb.DeleteServingConfigRequest, context: CallContext) -> Message:
        name = parse_serving_config(request.name, field="name")
        if name.id in IMPLICIT_SERVING_CONFIGS:
            raise FailedPrecondition(
                f"{name.name} cannot be deleted: every engine and data store has it."
            )
        with self.records().write() as transaction:
            transaction.resources.delete(ServingConfig, name.name)
        return context.empty_message()


def _implicit(owner: DataStore | Engine, id_: str) -> ServingConfig:
    solution_type = owner.fields.get("solutionType", "SOLUTION_TYPE_SEARCH")
    return ServingConfig(
        parent=owner.name,
        id=id_,
        display_name=id_,
        fields={"solutionType": solution_type, "genericConfig": {}},
        create_time=owner.create_time,
        update_time=owner.create_time,
    )


def _check_id(value: str) -> str:
    if not _ID.match(value):
        raise InvalidArgument.of_field(
            "serving_config_id",
            f'"{value[:200]}" must have 4 to 63 characters of a-z, A-Z, 0-9, "-" and "_", the first'
            " a letter or a digit",
        )
    return value


def _check(message: pb.ServingConfig, transaction: Transaction, parent: str) -> None:
    convert.check_display_name(message.display_name, field="serving_config.display_name")
    convert.check_solution_type(message, field="serving_config")
    known = message.DESCRIPTOR.fields_by_name
    for name in _NOT_BUILT:
        if name in known and getattr(message, name):
            raise Unimplemented(
                f"serving_config.{name} is not implemented in this version of Toulmin; controls"
                " filter, boost, redirect or give synonyms"
            )
    for name, action in CONTROL_FIELDS.items():
        _check_controls(
            transaction,
            parent,
            getattr(message, name),
            action=action,
            field=f"serving_config.{name}",
        )


def _check_controls(
    transaction: Transaction, parent: str, ids: Sequence[str], *, action: str, field: str
) -> None:
    """Refuse ids of controls that do not exist, do something else, or are too many."""
    most = _MOST_CONTROLS.get(field.rpartition(".")[2], _MOST_OTHER_CONTROLS)
    if len(ids) > most:
        raise InvalidArgument.of_field(
            field, f"has {len(ids):,} controls; at most {most} are allowed"
        )
    seen: set[str] = set()
    for index, id_ in enumerate(ids):
        place = f"{field}[{index}]"
        try:
            control = transaction.resources.get(Control, Control(parent=parent, id=id_).name)
        except NotFound as error:
            raise InvalidArgument.of_field(
                place, f'"{id_[:200]}" is no control of {parent}; create it first'
            ) from error
        if action not in control.fields:
            raise InvalidArgument.of_field(place, f"{control.name} has no {action}")
        if id_ in seen:
            raise InvalidArgument.of_field(place, f'"{id_}" is there twice')
        seen.add(id_)
