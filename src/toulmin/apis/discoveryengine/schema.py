"""SchemaService: what the data of a data store's documents look like.

Every data store has the schema `default_schema` without its being created, one that takes any data.
Creating, updating and deleting are operations that are done when they come back. A new schema holds
for documents written from then on; those that are there stay as they are.
https://cloud.google.com/generative-ai-app-builder/docs/provide-schema
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import finish_at_once, to_operation_message
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import check_id, parse_data_store, parse_schema
from toulmin.apis.discoveryengine.resource_lists import list_with_implicit
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.domain import DataStore, Schema
from toulmin.errors import AlreadyExists, FailedPrecondition, NotFound
from toulmin.ingestion.struct_schema import check_schema
from toulmin.stores.records import RecordStore, Transaction

_DEFAULT_PAGE: Final = 100
_MAX_PAGE: Final = 1_000


def register_schemas(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the schemas.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("GetSchema", handlers.get),
        ("ListSchemas", handlers.list),
        ("CreateSchema", handlers.create),
        ("UpdateSchema", handlers.update),
        ("DeleteSchema", handlers.delete),
    ):
        registry.register("discoveryengine", "SchemaService", method, handler)


def schema_of(transaction: Transaction, data_store: DataStore, schema_id: str) -> Schema:
    """Return a schema of a data store, the implicit one included.

    Raises:
        NotFound: It has none of that id.
    """
    name = Schema(parent=data_store.name, id=schema_id).name
    try:
        return transaction.resources.get(Schema, name)
    except NotFound:
        if schema_id in _implicit_ids(data_store):
            return _implicit(data_store)
        raise


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def get(self, request: pb.GetSchemaRequest, context: CallContext) -> pb.Schema:
        parent, id_ = parse_schema(request.name, field="name")
        with self.records().read() as transaction:
            store = transaction.resources.get(DataStore, parent)
            schema = schema_of(transaction, store, id_)
        return convert.fill_schema(context.new_message(), schema)

    def list(self, request: pb.ListSchemasRequest, context: CallContext) -> pb.ListSchemasResponse:
        parent = parse_data_store(request.parent, field="parent")
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        with self.records().read() as transaction:
            store = transaction.resources.get(DataStore, parent)
            implicit = [_implicit(store)] if _implicit_ids(store) else []
            page = list_with_implicit(
                transaction,
                Schema,
                parent,
                implicit=implicit,
                page_size=size,
                page_token=request.page_token,
            )
        response: pb.ListSchemasResponse = context.new_message()
        for schema in page.items:
            convert.fill_schema(response.schemas.add(), schema)
        response.next_page_token = page.next_page_token
        return response

    def create(self, request: pb.CreateSchemaRequest, context: CallContext) -> shared_pb2.Operation:
        parent = parse_data_store(request.parent, field="parent")
        id_ = check_id(request.schema_id, field="schema_id")
        schema = _read(request.schema, parent, id_)
        with self.records().write() as transaction:
            store = transaction.resources.get(DataStore, parent)
            if id_ in _implicit_ids(store):
                raise AlreadyExists(f"{schema.name} exists already; update it instead.")
            return _created(transaction, store, schema, request.schema, context)

    def update(self, request: pb.UpdateSchemaRequest, context: CallContext) -> shared_pb2.Operation:
        parent, id_ = parse_schema(request.schema.name, field="schema.name")
        schema = _read(request.schema, parent, id_)
        with self.records().write() as transaction:
            store = transaction.resources.get(DataStore, parent)
            try:
                transaction.resources.get(Schema, schema.name)
            except NotFound:
                if id_ not in _implicit_ids(store):
                    if not request.allow_missing:
                        raise
                    check_id(id_, field="schema.name")
                    return _created(transaction, store, schema, request.schema, context)
                stored = transaction.resources.create(schema)
            else:
                stored = transaction.resources.update(schema)
            return _done(transaction, stored, request.schema, context, kind="update-schema")

    def delete(self, request: pb.DeleteSchemaRequest, context: CallContext) -> shared_pb2.Operation:
        parent, id_ = parse_schema(request.name, field="name")
        with self.records().write() as transaction:
            store = transaction.resources.get(DataStore, parent)
            if id_ == store.default_schema_id:
                raise FailedPrecondition(
                    f"{Schema(parent=parent, id=id_).name} is the default schema of its data store"
                    " and cannot be deleted; update it instead."
                )
            transaction.resources.delete(Schema, Schema(parent=parent, id=id_).name)
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind="delete-schema",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)


def _implicit_ids(store: DataStore) -> tuple[str, ...]:
    """Return the id of the schema that is there without having been created, if one is."""
    has_it = store.default_schema_id == convert.DEFAULT_SCHEMA_ID
    return (convert.DEFAULT_SCHEMA_ID,) if has_it else ()


def _implicit(store: DataStore) -> Schema:
    return Schema(
        parent=store.name, id=convert.DEFAULT_SCHEMA_ID, json_schema=convert.IMPLICIT_SCHEMA
    )


def _read(message: pb.Schema, parent: str, id_: str) -> Schema:
    schema = convert.schema_from(message, parent=parent, id_=id_, field="schema")
    check_schema(schema.json_schema, field=f"schema.{message.WhichOneof('schema')}")
    return schema


def _created(
    transaction: Transaction,
    store: DataStore,
    schema: Schema,
    sent: pb.Schema,
    context: CallContext,
) -> shared_pb2.Operation:
    """Store a new schema; the first one of a data store that was to have none is its default."""
    created = transaction.resources.create(schema)
    if not store.default_schema_id:
        transaction.resources.update(dataclasses.replace(store, default_schema_id=schema.id))
    return _done(transaction, created, sent, context, kind="create-schema")


def _done(
    transaction: Transaction, schema: Schema, sent: pb.Schema, context: CallContext, *, kind: str
) -> shared_pb2.Operation:
    message = convert.fill_schema(type(sent)(), schema)
    operation = finish_at_once(
        transaction,
        parent=schema.parent,
        kind=kind,
        version=context.rpc.version,
        result=to_json_value(message, enums_as_ints=False),
    )
    return to_operation_message(operation)
