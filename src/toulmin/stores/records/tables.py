"""The tables, one schema for SQLite and PostgreSQL. Migrations make them; a test compares the two.

Names of resources are canonical. Keys are numbers of the store, never used again. Ids sort by code
point on both engines, so that paging gives the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.dialects import postgresql

from toulmin.errors import FailedPrecondition, InvalidArgument

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Json(TypeDecorator[Any]):
    """JSON as text: the same bytes on both engines, and NUL characters survive as escapes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Return the JSON text of `value`; None stays None."""
        if value is None:
            return None
        try:
            return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS).decode()
        except (TypeError, ValueError) as error:
            raise InvalidArgument(f"The value cannot be kept as JSON: {error}.") from None

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """Return what the JSON text says."""
        try:
            return None if value is None else orjson.loads(value)
        except ValueError as error:
            raise FailedPrecondition(
                "The database is damaged (a value is not JSON); restore a backup with"
                " `toulmin restore`.",
                reason="DATABASE_DAMAGED",
            ) from error


def _plain(value: object) -> object:
    """Return a mapping that orjson does not know as one that it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


class Moment(TypeDecorator[datetime]):
    """A time in UTC, kept as whole microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Return microseconds since 1970."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return the time, aware and in UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=value)


# SQLite numbers rows itself only for INTEGER; ids compare by code point on both engines.
KEY = BigInteger().with_variant(Integer, "sqlite")
ID = String().with_variant(postgresql.VARCHAR(collation="C"), "postgresql")

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

RESOURCES = Table(
    "resources",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("collection", ID, nullable=False),
    Column("parent", ID, nullable=False),
    Column("id", ID, nullable=False),
    Column("owner", KEY, ForeignKey("resources.key", ondelete="CASCADE"), index=True),
    Column("display_name", Text, nullable=False),
    Column("own", Json, nullable=False),
    Column("fields", Json, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("create_time", Moment, nullable=False),
    Column("update_time", Moment, nullable=False),
    UniqueConstraint("parent", "collection", "id"),
    sqlite_autoincrement=True,
)
"""Data stores, engines, serving configs, controls, schemas. `owner` is the resource named by
`parent` where that is one of these; `own` has the fields that only its kind has."""

ENGINE_DATA_STORES = Table(
    "engine_data_stores",
    METADATA,
    Column("engine", KEY, ForeignKey("resources.key", ondelete="CASCADE"), primary_key=True),
    Column(
        "data_store",
        KEY,
        ForeignKey("resources.key", ondelete="RESTRICT"),
        primary_key=True,
        index=True,
    ),
)
"""Which engines search a data store: it cannot go while one does."""

DOCUMENTS = Table(
    "documents",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("data_store", KEY, ForeignKey("resources.key", ondelete="CASCADE"), nullable=False),
    Column("branch", ID, nullable=False),
    Column("id", ID, nullable=False),
    Column("schema_id", ID, nullable=False),
    Column("struct_data", Json),
    Column("json_data", Text),
    Column("mime_type", Text),
    Column("uri", Text),
    Column("parent_document_id", ID, nullable=False),
    Column("derived", Json, nullable=False),
    Column("fingerprint", ID, nullable=False),
    Column("text_characters", BigInteger, nullable=False),
    Column("chunk_count", BigInteger, nullable=False),
    Column("import_id", ID, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("index_time", Moment),
    Column("create_time", Moment, nullable=False),
    Column("update_time", Moment, nullable=False),
    UniqueConstraint("data_store", "branch", "id"),
    Index("ix_documents_data_store_key", "data_store", "key"),
    sqlite_autoincrement=True,
)
"""`import_id` is the import that last wrote or saw the document; empty: none did. The lengths are
here so that counting a data store does not read its texts."""

DOCUMENT_BODIES = Table(
    "document_bodies",
    METADATA,
    Column("document", KEY, ForeignKey("documents.key", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, nullable=False),
    Column("raw_bytes", LargeBinary),
)
"""The large parts, apart so that listing documents does not read them."""

CHUNKS = Table(
    "chunks",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("document", KEY, ForeignKey("documents.key", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("id", ID, nullable=False),
    Column("content", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page_start", Integer),
    Column("page_end", Integer),
    Column("later_pages", Json),
    Column("headings", Json, nullable=False),
    Column("blob_ids", Json, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("embedding", LargeBinary, nullable=False),
    Column("embedding_model", ID, nullable=False),
    Column("create_time", Moment),
    Column("update_time", Moment),
    Column("part_embeddings", LargeBinary),
    UniqueConstraint("document", "position"),
    UniqueConstraint("document", "id"),
    sqlite_autoincrement=True,
)
"""The times are null for chunks that were written with their document. `later_pages` is null where
a chunk lies on one page, and in those that an older version wrote;
so is `part_embeddings` in these."""

BLOBS = Table(
    "blobs",
    METADATA,
    Column("document", KEY, ForeignKey("documents.key", ondelete="CASCADE"), primary_key=True),
    Column("id", ID, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("mime_type", Text, nullable=False),
    Column("page", Integer),
    Column("caption", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

OUTBOX = Table(
    "outbox",
    METADATA,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("data_store", BigInteger, nullable=False),
    Column("document", BigInteger),
    Column("removed_chunks", Json, nullable=False),
    Column("written_chunks", Json),
)
"""What changed, in the order of commits. `document` is null when a whole data store went;
`written_chunks` is null when the document was written as a whole. No foreign keys: an entry
outlives what it speaks of."""

OUTBOX_HEAD = Table(
    "outbox_head",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
    Column("trimmed", BigInteger, nullable=False),
    Column("incarnation", ID, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)
"""Its one row gives out sequence numbers: a writer holds it until its commit, so numbers have no
gaps and become visible in order. `incarnation` names this history; a restored copy gets a new
one."""

OUTBOX_READERS = Table(
    "outbox_readers",
    METADATA,
    Column("reader", ID, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("update_time", Moment, nullable=False),
)

OPERATIONS = Table(
    "operations",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("parent", ID, nullable=False),
    Column("id", ID, nullable=False),
    Column("kind", ID, nullable=False),
    Column("request", Json, nullable=False),
    Column("state", ID, nullable=False),
    Column("cursor", Json, nullable=False),
    Column("success_count", BigInteger, nullable=False),
    Column("failure_count", BigInteger, nullable=False),
    Column("total_count", BigInteger, nullable=False),
    Column("error_samples", Json, nullable=False),
    Column("result", Json),
    Column("error", Json),
    Column("cancel_requested", Integer, nullable=False),
    Column("lease_owner", ID, nullable=False),
    Column("lease_expires", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("create_time", Moment, nullable=False),
    Column("update_time", Moment, nullable=False),
    Column("done_time", Moment),
    UniqueConstraint("parent", "id"),
    Index("ix_operations_state_lease_expires", "state", "lease_expires"),
    sqlite_autoincrement=True,
)
"""`attempts` counts claims since the cursor last moved."""

API_KEYS = Table(
    "api_keys",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("id", ID, nullable=False),
    Column("display_name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("role", ID, nullable=False),
    Column("projects", Json),
    Column("create_time", Moment, nullable=False),
    Column("expire_time", Moment),
    Column("revoke_time", Moment),
    UniqueConstraint("id"),
    UniqueConstraint("digest"),
    sqlite_autoincrement=True,
)
"""`projects` is null for a key that may use all."""
