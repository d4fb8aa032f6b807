"""DataStoreService: data stores, and how their documents are parsed and chunked.

Creating and deleting are operations that are done when they come back.
https://cloud.google.com/generative-ai-app-builder/docs/create-datastore-ingest
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toulmin.apis.aip.field_mask import masked_paths, merge
from toulmin.apis.aip.json_dump import to_json_value
from toulmin.apis.aip.operations import fill_from_json, finish_at_once, to_operation_message
from toulmin.apis.aip.paging import page_size
from toulmin.apis.aip.registry import CallContext, Registry
from toulmin.apis.discoveryengine.convert import resources as convert
from toulmin.apis.discoveryengine.names import check_id, parse_collection, parse_data_store
from toulmin.apis.discoveryengine.resource_lists import list_of_solution, solution_type_of
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.apis.schema.enum_names import value_name
from toulmin.domain import DataStore, Schema
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.ingestion.struct_schema import check_schema
from toulmin.stores.records import RecordStore

MIN_CHUNK_SIZE: Final = 100
MAX_CHUNK_SIZE: Final = 500
"""Tokens in a chunk."""

_DEFAULT_PAGE: Final = 10
_MAX_PAGE: Final = 50
_CONFIG_SUFFIX: Final = "/documentProcessingConfig"
_FIXED: Final = ("content_config", "industry_vertical")
_PARSED_TYPES: Final = ("pdf", "html", "docx", "pptx", "xlsm", "xlsx")
# What would not do what it says: documents open to all, keys unused, sites and sources unread.
_NOT_BUILT: Final = (
    "acl_enabled",
    "identity_mapping_store",
    "idp_config",
    "kms_key_name",
    "workspace_config",
    "federated_search_config",
)
_CONTENT_NOT_BUILT: Final = ("PUBLIC_WEBSITE", "GOOGLE_WORKSPACE")


def register_data_stores(registry: Registry, *, records: Callable[[], RecordStore]) -> None:
    """Bind the service, in every version.

    Args:
        registry: Takes the handlers.
        records: Returns the store that has the data stores.
    """
    handlers = _Handlers(records)
    for method, handler in (
        ("CreateDataStore", handlers.create),
        ("GetDataStore", handlers.get),
        ("ListDataStores", handlers.list),
        ("UpdateDataStore", handlers.update),
        ("DeleteDataStore", handlers.delete),
        ("GetDocumentProcessingConfig", handlers.get_processing_config),
        ("UpdateDocumentProcessingConfig", handlers.update_processing_config),
    ):
        registry.register("discoveryengine", "DataStoreService", method, handler)


@dataclass(frozen=True, slots=True)
class _Handlers:
    records: Callable[[], RecordStore]

    def create(
        self, request: pb.CreateDataStoreRequest, context: CallContext
    ) -> shared_pb2.Operation:
        parent = parse_collection(request.parent, field="parent")
        id_ = check_id(request.data_store_id, field="data_store_id")
        _refuse_not_built(request)
        _check(request.data_store, "data_store")
        starting = _starting_schema(request, f"{parent}/{DataStore.collection}/{id_}")
        store = convert.data_store_from(request.data_store, DataStore(parent=parent, id=id_))
        if request.skip_default_schema_creation:
            store = dataclasses.replace(store, default_schema_id="")
        with self.records().write() as transaction:
            created = transaction.resources.create(store)
            if starting is not None:
                transaction.resources.create(starting)
            message = convert.fill_data_store(type(request.data_store)(), created)
            operation = finish_at_once(
                transaction,
                parent=parent,
                kind="create-data-store",
                version=context.rpc.version,
                result=to_json_value(message, enums_as_ints=False),
            )
        return to_operation_message(operation)

    def get(self, request: pb.GetDataStoreRequest, context: CallContext) -> pb.DataStore:
        name = parse_data_store(request.name, field="name")
        with self.records().read() as transaction:
            store = transaction.resources.get(DataStore, name)
        return convert.fill_data_store(context.new_message(), store)

    def list(
        self, request: pb.ListDataStoresRequest, context: CallContext
    ) -> pb.ListDataStoresResponse:
        parent = parse_collection(request.parent, field="parent")
        size = page_size(request, default=_DEFAULT_PAGE, maximum=_MAX_PAGE)
        solution_type = solution_type_of(request.filter)
        with self.records().read() as transaction:
            page = list_of_solution(
                transaction,
                DataStore,
                parent,
                solution_type=solution_type,
                page_size=size,
                page_token=request.page_token,
            )
        response: pb.ListDataStoresResponse = context.new_message()
        for store in page.items:
            convert.fill_data_store(response.data_stores.add(), store)
        response.next_page_token = page.next_page_token
        return response

    def update(self, request: pb.UpdateDataStoreRequest, context: CallContext) -> pb.DataStore:
        sent = request.data_store
        name = parse_data_store(sent.name, field="data_store.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR)
        with self.records().write() as transaction:
            old = transaction.resources.get(DataStore, name, to_change=True)
            old_message = convert.fill_data_store(type(sent)(), old)
            merged = merge(old_message, sent, paths)
            convert.keep_fixed(old_message, merged, _FIXED, field="data_store")
            _check(merged, "data_store")
            updated = transaction.resources.update(convert.data_store_from(merged, old))
        return convert.fill_data_store(context.new_message(), updated)

    def delete(
        self, request: pb.DeleteDataStoreRequest, context: CallContext
    ) -> shared_pb2.Operation:
        name = parse_data_store(request.name, field="name")
        with self.records().write() as transaction:
            store = transaction.resources.get(DataStore, name)
            transaction.resources.delete(DataStore, name)
            operation = finish_at_once(
                transaction,
                parent=store.parent,
                kind="delete-data-store",
                version=context.rpc.version,
                result={},
            )
        return to_operation_message(operation)

    def get_processing_config(
        self, request: pb.GetDocumentProcessingConfigRequest, context: CallContext
    ) -> pb.DocumentProcessingConfig:
        name = _store_of_config(request.name, "name")
        with self.records().read() as transaction:
            store = transaction.resources.get(DataStore, name)
        return _fill_processing_config(context.new_message(), store)

    def update_processing_config(
        self, request: pb.UpdateDocumentProcessingConfigRequest, context: CallContext
    ) -> pb.DocumentProcessingConfig:
        sent = request.document_processing_config
        name = _store_of_config(sent.name, "document_processing_config.name")
        paths = masked_paths(request.update_mask, sent.DESCRIPTOR)
        with self.records().write() as transaction:
            old = transaction.resources.get(DataStore, name, to_change=True)
            merged = merge(_fill_processing_config(type(sent)(), old), sent, paths)
            _check_processing(merged, "document_processing_config")
            value = to_json_value(merged, enums_as_ints=False)
            value.pop("name", None)
            fields = {**old.fields, "documentProcessingConfig": value}
            updated = transaction.resources.update(dataclasses.replace(old, fields=fields))
        return _fill_processing_config(context.new_message(), updated)


def _refuse_not_built(request: pb.CreateDataStoreRequest) -> None:
    if getattr(request, "cmek_config_name", ""):
        raise Unimplemented(
            "cmek_config_name: customer-managed keys are not implemented in this version of"
            " Toulmin; encrypt the disk of its data folder instead"
        )


def _starting_schema(request: pb.CreateDataStoreRequest, parent: str) -> Schema | None:
    """Return the schema that a new data store begins with; None: the implicit one, or none."""
    sent = request.data_store.starting_schema
    if sent.WhichOneof("schema") is None:
        return None
    field = "data_store.starting_schema"
    if request.skip_default_schema_creation:
        raise InvalidArgument.of_field(
            "skip_default_schema_creation", f"cannot be true together with {field}"
        )
    schema = convert.schema_from(sent, parent=parent, id_=convert.DEFAULT_SCHEMA_ID, field=field)
    check_schema(schema.json_schema, field=field)
    return schema


def _check(message: pb.DataStore, field: str) -> None:
    """Refuse a data store that is wrong or that this version would not serve as it says."""
    convert.check_display_name(message.display_name, field=f"{field}.display_name")
    set_fields = {descriptor.name for descriptor, _ in message.ListFields()}
    for name in _NOT_BUILT:
        if name in set_fields:
            raise Unimplemented(
                f"{field}.{name} is not implemented in this version of Toulmin; leave it out"
            )
    known = value_name(message, "content_config")
    if not known:
        raise InvalidArgument.of_field(
            f"{field}.content_config", f"{message.content_config} is no content config"
        )
    if known in _CONTENT_NOT_BUILT:
        raise Unimplemented(
            f"{field}.content_config {known} is not implemented in this version of Toulmin:"
            " it reads no sites; use NO_CONTENT or CONTENT_REQUIRED and import documents"
        )
    _check_processing(message.document_processing_config, f"{field}.document_processing_config")


def _check_processing(config: pb.DocumentProcessingConfig, field: str) -> None:
    chunking = config.chunking_config
    if chunking.HasField("layout_based_chunking_config"):
        size = chunking.layout_based_chunking_config.chunk_size
        if size and not MIN_CHUNK_SIZE <= size <= MAX_CHUNK_SIZE:
            raise InvalidArgument.of_field(
                f"{field}.chunking_config.layout_based_chunking_config.chunk_size",
                f"{size} must be from {MIN_CHUNK_SIZE} to {MAX_CHUNK_SIZE} tokens, or 0 for"
                f" {MAX_CHUNK_SIZE}",
            )
    for file_type in sorted(config.parsing_config_overrides):
        place = f'{field}.parsing_config_overrides["{file_type[:100]}"]'
        if file_type not in _PARSED_TYPES:
            raise InvalidArgument.of_field(place, f"must be one of {', '.join(_PARSED_TYPES)}")
        parsing = config.parsing_config_overrides[file_type]
        if file_type != "pdf" and parsing.HasField("ocr_parsing_config"):
            raise InvalidArgument.of_field(place, "only pdf can have ocr_parsing_config")


def _store_of_config(name: str, field: str) -> str:
    if not name.endswith(_CONFIG_SUFFIX):
        form = "projects/*/locations/*/dataStores/*" + _CONFIG_SUFFIX
        raise InvalidArgument.of_field(field, f'"{name[:200]}" must have the form {form}')
    return parse_data_store(name.removesuffix(_CONFIG_SUFFIX), field=field)


def _fill_processing_config(
    message: pb.DocumentProcessingConfig, store: DataStore
) -> pb.DocumentProcessingConfig:
    fill_from_json(message, store.fields.get("documentProcessingConfig", {}))
    message.name = convert.processing_config_name(store)
    return message
