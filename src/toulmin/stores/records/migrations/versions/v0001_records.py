"""The first schema: resources, documents, outbox, operations."""

from __future__ import annotations

import uuid

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ID = sa.String().with_variant(postgresql.VARCHAR(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the tables of an empty database."""
    _create_resources()
    _create_documents()
    _create_outbox()
    _create_operations()


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")


def _create_resources() -> None:
    op.create_table(
        "resources",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("collection", _ID, nullable=False),
        sa.Column("parent", _ID, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("owner", _KEY, nullable=True),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("own", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("update_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"], ["resources.key"], name="fk_resources_owner", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_resources"),
        sa.UniqueConstraint("parent", "collection", "id", name="uq_resources_parent_collection_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_resources_owner", "resources", ["owner"], unique=False)
    op.create_table(
        "engine_data_stores",
        sa.Column("engine", _KEY, nullable=False),
        sa.Column("data_store", _KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["data_store"],
            ["resources.key"],
            name="fk_engine_data_stores_data_store",
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["engine"], ["resources.key"], name="fk_engine_data_stores_engine", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("engine", "data_store", name="pk_engine_data_stores"),
    )
    op.create_index(
        "ix_engine_data_stores_data_store", "engine_data_stores", ["data_store"], unique=False
    )


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("data_store", _KEY, nullable=False),
        sa.Column("branch", _ID, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("schema_id", _ID, nullable=False),
        sa.Column("struct_data", sa.Text(), nullable=True),
        sa.Column("json_data", sa.Text(), nullable=True),
        sa.Column("mime_type", sa.Text(), nullable=True),
        sa.Column("uri", sa.Text(), nullable=True),
        sa.Column("parent_document_id", _ID, nullable=False),
        sa.Column("derived", sa.Text(), nullable=False),
        sa.Column("fingerprint", _ID, nullable=False),
        sa.Column("text_characters", sa.BigInteger(), nullable=False),
        sa.Column("chunk_count", sa.BigInteger(), nullable=False),
        sa.Column("import_id", _ID, nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("index_time", sa.BigInteger(), nullable=True),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("update_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["data_store"], ["resources.key"], name="fk_documents_data_store", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_documents"),
        sa.UniqueConstraint("data_store", "branch", "id", name="uq_documents_data_store_branch_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_documents_data_store_key", "documents", ["data_store", "key"], unique=False)
    op.create_table(
        "document_bodies",
        sa.Column("document", _KEY, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("raw_bytes", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document"], ["documents.key"], name="fk_document_bodies_document", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document", name="pk_document_bodies"),
    )
    op.create_table(
        "chunks",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("document", _KEY, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("page_start", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.Column("headings", sa.Text(), nullable=False),
        sa.Column("blob_ids", sa.Text(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("embedding", sa.LargeBinary(), nullable=False),
        sa.Column("embedding_model", _ID, nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=True),
        sa.Column("update_time", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document"], ["documents.key"], name="fk_chunks_document", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_chunks"),
        sa.UniqueConstraint("document", "position", name="uq_chunks_document_position"),
        sa.UniqueConstraint("document", "id", name="uq_chunks_document_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "blobs",
        sa.Column("document", _KEY, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("caption", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"], ["documents.key"], name="fk_blobs_document", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document", "id", name="pk_blobs"),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("data_store", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.BigInteger(), nullable=True),
        sa.Column("removed_chunks", sa.Text(), nullable=False),
        sa.Column("written_chunks", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("sequence", name="pk_outbox"),
    )
    op.create_table(
        "outbox_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("trimmed", sa.BigInteger(), nullable=False),
        sa.Column("incarnation", _ID, nullable=False),
        sa.CheckConstraint("id = 1", name="ck_outbox_head_one_row"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox_head"),
    )
    op.create_table(
        "outbox_readers",
        sa.Column("reader", _ID, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("update_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("reader", name="pk_outbox_readers"),
    )
    head = sa.table(
        "outbox_head",
        sa.column("id", sa.Integer),
        sa.column("sequence", sa.BigInteger),
        sa.column("trimmed", sa.BigInteger),
        sa.column("incarnation", sa.String),
    )
    op.bulk_insert(head, [{"id": 1, "sequence": 0, "trimmed": 0, "incarnation": uuid.uuid4().hex}])


def _create_operations() -> None:
    op.create_table(
        "operations",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("parent", _ID, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("kind", _ID, nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("state", _ID, nullable=False),
        sa.Column("cursor", sa.Text(), nullable=False),
        sa.Column("success_count", sa.BigInteger(), nullable=False),
        sa.Column("failure_count", sa.BigInteger(), nullable=False),
        sa.Column("total_count", sa.BigInteger(), nullable=False),
        sa.Column("error_samples", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("cancel_requested", sa.Integer(), nullable=False),
        sa.Column("lease_owner", _ID, nullable=False),
        sa.Column("lease_expires", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.Column("update_time", sa.BigInteger(), nullable=False),
        sa.Column("done_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("key", name="pk_operations"),
        sa.UniqueConstraint("parent", "id", name="uq_operations_parent_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_operations_state_lease_expires", "operations", ["state", "lease_expires"], unique=False
    )
