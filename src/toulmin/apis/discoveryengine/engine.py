"""EngineService: apps that search data stores together.

Creating and deleting are operations that are done when they come back.
https://cloud.google.com/generative-ai-app-builder/docs/create-engine-es
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import check_id, parse_collection, parse_engine
from toulmin.apis.discoveryengine.resource_lists import list_of_solution, solution_type_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.domain import Engine
from toulmin.errors import InvalidArgument
from toulmin.stores.records import RecordStore

MAX_DATA_STORES: Final = 50
"""Data stores of one engine; Google's limit for searching several together."""

_MAX_DISPLAY_NAME: Final = 1_024
_DEFAULT_PAGE: Final = 50
_MAX_PAGE: Final = 1_000
_FIXED: Final = ("solution_type", "app_type")


def register_engines(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version; pausing, tuning and access policies are not built.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the engines.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("CreateEngine", handlers.create),
        ("GetEngine", handlers.get),
        ("ListEngines", handlers.list),
        ("UpdateEngine", handlers.update),
        ("DeleteEngine", handlers.delete),
    ):
        registry.register("discoveryengine", "EngineService", method, handler)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def create(self, request: pb.CreateEngineRequest, context: CallContext) -> shared_pb2.Operation:
        parent = parse_collection(request.parent, field="parent")
        id_ = check_id(request.engine_id, field="engine_id")
        _check(request.engine)
        engine = convert.engine_from(request.engine, Engine(parent=parent, id=id_))
        with self.records().write() as transaction:
            created = transaction.resources.create(engine)
            message = convert.fill_engine(type(request.engine)(), created)
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind="create-engine",
                version=context.rpc.version,
                result=to_json_value(message, enums_as_ints=False),
            )
        return to_operation_message(operation)

    def get(self, request: pb.GetEngineRequest, context: CallContext) -> pb.Engine:
        name = parse_engine(request.name, field="name")
        with self.records().read() as transaction:
            engine = transaction.resources.get(Engine, name)
        return convert.fill_engine(context.new_message(), engine)

    def list(self, request: pb.ListEnginesRequest, context: CallContext) -> pb.ListEnginesResponse:
        parent = parse_collection(request.parent, field="parent")
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        solution_type = solution_type_of(request.filter)
        with self.records().read() as transaction:
            page = list_of_solution(
                transaction,
                Engine,
                parent,
                solution_type=solution_type,
                page_size=size,
                page_token=request.page_token,
            )
        response: pb.ListEnginesResponse = context.new_message()
        for engine in page.items:
            convert.fill_engine(response.engines.add(), engine)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateEngineRequest, context: CallContext) -> pb.Engine:
        sent = request.engine
        name = parse_engine(sent.name, field="engine.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR)
        with self.records().write() as transaction:
            old = transaction.resources.get(Engine, name, to_change=True)
            old_message = convert.fill_engine(type(sent)(), old)
            merged = merge(old_message, sent, paths)
            convert.keep_fixed(old_message, merged, _FIXED, field="engine")
            _check(merged)
            updated = transaction.resources.update(convert.engine_from(merged, old))
        return convert.fill_engine(context.new_message(), updated)

    def delete(self, request: pb.DeleteEngineRequest, context: CallContext) -> shared_pb2.Operation:
        name = parse_engine(request.name, field="name")
        with self.records().write() as transaction:
            engine = transaction.resources.get(Engine, name)
            transaction.resources.delete(Engine, name)
            operation = finish_at_once(
                transaction,
                parent=engine.parent,
                kind="delete-engine",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)


def _check(message: pb.Engine) -> None:
    convert.check_display_name(
        message.display_name, field="engine.display_name", maximum=_MAX_DISPLAY_NAME
    )
    convert.check_solution_type(message, field="engine")
    ids = list(message.data_store_ids)
    field = "engine.data_store_ids"
    if not 1 <= len(ids) <= MAX_DATA_STORES:
        raise InvalidArgument.of_field(
            field, f"has {len(ids):,} data stores; give 1 to {MAX_DATA_STORES}"
        )
    for id_ in ids:
        if ids.count(id_) > 1:
            raise InvalidArgument.of_field(field, f'names "{id_[:200]}" twice')
