"""What a data store takes: content or none, and data that follow its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toulmin.domain import DataStore, Document, Schema
from toulmin.errors import InvalidArgument, NotFound, Unimplemented
from toulmin.ingestion.sources.document_json import data_of
from toulmin.ingestion.struct_schema import check_struct
from toulmin.stores.records import Transaction

MOST_LEVELS: Final = 30
"""Objects and lists within each other. A message has at most 100 levels, and each of these takes
three; deeper data could be stored, but no client could read the answers that hold them."""

_IMPLICIT_SCHEMA: Final = "default_schema"
"""What a document names that names none."""


def schema_for(transaction: Transaction, store: DataStore, schema_id: str) -> Schema | None:
    """Return the schema that a document names; None: the default one, which nobody has written.

    Raises:
        InvalidArgument: There is no such schema; the field is `schema_id`.
    """
    name = Schema(parent=store.name, id=schema_id).name
    try:
        return transaction.resources.get(Schema, name)
    except NotFound:
        if schema_id in (store.default_schema_id, _IMPLICIT_SCHEMA):
            return None
        raise InvalidArgument.of_field(
            "schema_id", f"{name} does not exist; create it, or name none"
        ) from None


def check_by_records(transaction: Transaction, document: Document, store: DataStore) -> None:
    """Raise, as `check_accepted`, unless a data store takes a document; looks its schema up."""
    check_accepted(document, store, schema_for(transaction, store, document.schema_id))


def check_accepted(document: Document, store: DataStore, schema: Schema | None) -> None:
    """Raise unless a data store takes a document.

    Args:
        document: The document as given.
        store: Where it goes.
        schema: From `schema_for`; None: any data will do.

    Raises:
        InvalidArgument: It has content in a `NO_CONTENT` data store, none in a `CONTENT_REQUIRED`
            one, or data that are nested too deeply or of other types than its schema says; paths
            begin at the document.
        Unimplemented: The data store takes something else, such as websites.
    """
    _check_content(document, store)
    data = data_of(document)
    field = "struct_data" if document.json_data is None else "json_data"
    if _is_deeper(data, MOST_LEVELS):
        raise InvalidArgument.of_field(
            field, f"is nested deeper than {MOST_LEVELS} levels of objects and lists"
        )
    if schema is not None:
        check_struct(schema, data, field=field)


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, Mapping):
        return not levels or any(_is_deeper(item, levels - 1) for item in value.values())
    if isinstance(value, list):
        return not levels or any(_is_deeper(item, levels - 1) for item in value)
    return False


def _check_content(document: Document, store: DataStore) -> None:
    if store.content_config == "NO_CONTENT":
        if document.content is not None:
            raise InvalidArgument.of_field(
                "content",
                f"is set, but {store.name} has content_config: NO_CONTENT; documents with content"
                " need a data store created with content_config: CONTENT_REQUIRED",
            )
    elif store.content_config == "CONTENT_REQUIRED":
        if document.content is None:
            raise InvalidArgument.of_field(
                "content",
                f"is missing, but {store.name} has content_config: CONTENT_REQUIRED; give raw_bytes"
                " or a uri",
            )
    else:
        raise Unimplemented(
            f"{store.name} has content_config: {store.content_config}, whose documents are not"
            " implemented in this version of Toulmin"
        )
