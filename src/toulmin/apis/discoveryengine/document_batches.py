"""DocumentService: imports and purges, as long-running operations.

What is wrong with the request itself is refused at once; what is wrong with a document that the
operation meets (its file, its data against the schema) is counted and sampled by the operation.

https://cloud.google.com/generative-ai-app-builder/docs/reference/rpc
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from toulmin.apis.aip.operations import API_VERSION, to_operation_message
from toulmin.apis.aip.registry import CallContext, Handler
from toulmin.apis.discoveryengine.convert.documents import refuse_access_control, to_document
from toulmin.apis.discoveryengine.names import parse_branch, parse_document
from toulmin.apis.schema import discoveryengine_pb2 as pb
from toulmin.apis.schema import shared_pb2
from toulmin.domain import Branch, DataStore, JsonObject
from toulmin.errors import InvalidArgument, Unimplemented
from toulmin.ingestion.document_ids import check_document_id
from toulmin.ingestion.imports.update_masks import read_update_mask
from toulmin.ingestion.sources.document_json import document_to_json
from toulmin.ingestion.sources.uri import scheme_of
from toulmin.retrieval.filters import parse_filter
from toulmin.stores.records import Operation, OperationRunner, RecordStore

IMPORT_KIND: Final = "import-documents"
PURGE_KIND: Final = "purge-documents"
MOST_INLINE: Final = 1_000
MOST_URIS: Final = 100
"""As the API allows in `GcsSource.input_uris`."""
_SCHEMES: Final = ("gs", "s3", "https", "file")
_SCHEMAS: Final = ("document", "content", "csv", "custom")
_ROWS: Final = ("csv", "custom")
"""Schemas of rows whose ids are in any field, or nowhere."""
_AT_ONCE_S: Final = 0.3
"""Longest wait, in seconds, for a small operation, so that it is done in the first answer."""
_Mode: Final = pb.ImportDocumentsRequest.ReconciliationMode


def import_handler(
    records: Callable[[], RecordStore],
    operations: Callable[[], OperationRunner],
    check_request: Callable[[JsonObject], None],
) -> Handler:
    """Return the handler of ImportDocuments in v1, v1beta and v1alpha.

    Args:
        records: Returns the record store.
        operations: Returns what does imports.
        check_request: Raises when the settings do not allow an import, asked with the request of
            its operation.
    """

    def import_documents(
        request: pb.ImportDocumentsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        branch = parse_branch(request.parent, field="parent")
        with records().read() as transaction:
            store = transaction.resources.get(DataStore, branch.data_store)
        asked = _import_request(request, store)
        check_request(asked)
        operation = _create(records(), branch, IMPORT_KIND, asked, context)
        operations().wake()
        if request.WhichOneof("source") == "inline_source":
            return _when_soon_done(records(), operation)
        return to_operation_message(operation)

    return import_documents


def purge_handler(
    records: Callable[[], RecordStore], operations: Callable[[], OperationRunner]
) -> Handler:
    """Return the handler of PurgeDocuments in v1, v1beta and v1alpha.

    Args:
        records: Returns the record store.
        operations: Returns what does purges.
    """

    def purge_documents(
        request: pb.PurgeDocumentsRequest, context: CallContext
    ) -> shared_pb2.Operation:
        branch = parse_branch(request.parent, field="parent")
        operation = _create(records(), branch, PURGE_KIND, _purge_request(request, branch), context)
        operations().wake()
        return _when_soon_done(records(), operation)

    return purge_documents


def _create(
    store: RecordStore, branch: Branch, kind: str, asked: JsonObject, context: CallContext
) -> Operation:
    """Store an operation for the runner to find, if the data store is there still."""
    request = {**asked, API_VERSION: context.rpc.version}
    with store.write() as transaction:
        transaction.resources.get(DataStore, branch.data_store)
        return transaction.operations.create(parent=branch.name, kind=kind, request=request)


def _when_soon_done(store: RecordStore, operation: Operation) -> shared_pb2.Operation:
    """Return the message of an operation, after a moment in which a small one ends."""
    store.wait_for_operation(operation.name, timeout_s=_AT_ONCE_S)
    with store.read() as transaction:
        return to_operation_message(transaction.operations.get(operation.name))


def _import_request(request: pb.ImportDocumentsRequest, store: DataStore) -> JsonObject:
    """Return an import as the operation's JSON."""
    kind = request.WhichOneof("source")
    if kind is None:
        raise InvalidArgument.of_field("source", "is missing; give inline_source or gcs_source")
    if kind not in ("inline_source", "gcs_source"):
        raise Unimplemented(
            f"{kind} is not implemented in this version of Toulmin; export to files and give them"
            " in gcs_source, or the documents in inline_source"
        )
    _refuse_error_config(request)
    source, schema = (
        _inline(request.inline_source, store)
        if kind == "inline_source"
        else _files(request.gcs_source)
    )
    _check_id_options(request, schema)
    return {
        "source": source,
        "reconciliation_mode": _reconciliation_mode(request.reconciliation_mode),
        "auto_generate_ids": request.auto_generate_ids,
        "id_field": request.id_field,
        "update_mask": sorted(read_update_mask(request.update_mask.paths)),
        "force_refresh": request.force_refresh_content,
    }


def _reconciliation_mode(number: pb.ImportDocumentsRequest.ReconciliationMode.ValueType) -> str:
    if number not in (_Mode.RECONCILIATION_MODE_UNSPECIFIED, _Mode.INCREMENTAL, _Mode.FULL):
        raise InvalidArgument.of_field(
            "reconciliation_mode", f"{number} is none; give INCREMENTAL (1) or FULL (2)"
        )
    return "FULL" if number == _Mode.FULL else "INCREMENTAL"


def _refuse_error_config(request: pb.ImportDocumentsRequest | pb.PurgeDocumentsRequest) -> None:
    if request.HasField("error_config"):
        raise Unimplemented(
            "error_config is not implemented in this version of Toulmin; the operation's result"
            " has a sample of the errors"
        )


def _check_id_options(request: pb.ImportDocumentsRequest, schema: str) -> None:
    """Refuse ways to find ids that the source does not have."""
    for name in ("auto_generate_ids", "id_field"):
        if getattr(request, name) and schema not in _ROWS:
            raise InvalidArgument.of_field(
                name,
                f"is only for gcs_source with data_schema {' or '.join(_ROWS)}; leave it out",
            )
    if request.auto_generate_ids and request.id_field:
        raise InvalidArgument.of_field(
            "id_field", "is given with auto_generate_ids; choose one of the two"
        )


def _inline(
    source: pb.ImportDocumentsRequest.InlineSource, store: DataStore
) -> tuple[JsonObject, str]:
    """Return the documents of a request as JSON."""
    field = "inline_source.documents"
    _check_count(source.documents, MOST_INLINE, field, "documents")
    seen: dict[str, int] = {}
    documents = []
    for index, message in enumerate(source.documents):
        place = f"{field}[{index}]"
        id_ = _inline_id(message, store, place)
        if seen.setdefault(id_, index) != index:
            raise InvalidArgument.of_field(
                f"{place}.id", f'"{id_}" is the id of {field}[{seen[id_]}], too; each comes once'
            )
        refuse_access_control(message, store, field=place)
        document = to_document(message, id_, default_schema_id=store.default_schema_id, field=place)
        documents.append(document_to_json(document))
    return {"inline": documents}, ""


def _inline_id(message: pb.Document, store: DataStore, place: str) -> str:
    """Return the id of a document, or the one in its name if it has a name only."""
    id_: str = message.id
    if message.name:
        branch, named = parse_document(message.name, field=f"{place}.name")
        if branch.data_store != store.name or id_ not in ("", named):
            raise InvalidArgument.of_field(
                f"{place}.name",
                f'"{message.name[:200]}" is not the document that `parent` and `id` name; leave'
                " it out or make it the same",
            )
        id_ = named
    check_document_id(id_, field=f"{place}.id")
    return id_


def _files(source: pb.GcsSource) -> tuple[JsonObject, str]:
    """Return which files are to be read and as what; whether they may be is seen when they are."""
    schema = source.data_schema or "document"
    if schema not in _SCHEMAS:
        raise InvalidArgument.of_field(
            "gcs_source.data_schema",
            f'"{schema[:200]}" is not supported; give {", ".join(_SCHEMAS[:-1])} or {_SCHEMAS[-1]}',
        )
    return {"files": {"uris": _uris(source), "schema": schema}}, schema


def _uris(source: pb.GcsSource) -> list[str]:
    field = "gcs_source.input_uris"
    _check_count(source.input_uris, MOST_URIS, field, "URIs")
    for index, uri in enumerate(source.input_uris):
        try:
            scheme = scheme_of(uri)
        except InvalidArgument as error:
            raise InvalidArgument.of_field(f"{field}[{index}]", error.message) from error
        if scheme not in _SCHEMES or uri.startswith("/"):
            raise InvalidArgument.of_field(
                f"{field}[{index}]",
                f'"{uri[:200]}" must begin with gs://, s3://, https:// or file://',
            )
    return list(source.input_uris)


def _check_count(items: Sequence[object], most: int, field: str, noun: str) -> None:
    if not items:
        raise InvalidArgument.of_field(field, f"is empty; give 1 to {most:,} {noun}")
    if len(items) > most:
        raise InvalidArgument.of_field(
            field, f"has {len(items):,} {noun}; at most {most:,} are allowed in one request"
        )


def _purge_request(request: pb.PurgeDocumentsRequest, branch: Branch) -> JsonObject:
    """Return a purge as the operation's JSON."""
    _refuse_error_config(request)
    kind = request.WhichOneof("source")
    if kind == "gcs_source":
        raise Unimplemented(
            "gcs_source of a purge is not implemented in this version of Toulmin; give the names in"
            " inline_source or a filter"
        )
    if kind == "inline_source":
        if request.filter:
            raise InvalidArgument.of_field(
                "filter", "is given with inline_source; choose one of the two"
            )
        return {"ids": _purged_ids(request.inline_source, branch), "force": request.force}
    if not request.filter.strip():
        raise InvalidArgument.of_field(
            "filter", 'is empty; give "*" for all documents, or a filter expression'
        )
    if request.filter.strip() != "*":
        parse_filter(request.filter, field="filter")
    return {"filter": request.filter.strip(), "force": request.force}


def _purged_ids(source: pb.PurgeDocumentsRequest.InlineSource, branch: Branch) -> list[str]:
    """Return the ids in the names of documents to purge, each once."""
    field = "inline_source.documents"
    _check_count(source.documents, MOST_INLINE, field, "names")
    ids = []
    for index, name in enumerate(source.documents):
        own_branch, id_ = parse_document(name, field=f"{field}[{index}]")
        if own_branch != branch:
            raise InvalidArgument.of_field(
                f"{field}[{index}]", f'"{name[:200]}" is not a document of {branch.name}'
            )
        ids.append(id_)
    return list(dict.fromkeys(ids))
