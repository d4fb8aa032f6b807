"""What users did: events of data stores."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0007"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ID = sa.String().with_variant(postgresql.VARCHAR(collation="C"), "postgresql")
_INDEXES = (
    ("data_store", "event_time"),
    ("data_store", "user_pseudo_id", "event_time"),
    ("create_time",),
)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "user_events",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("data_store", _KEY, nullable=False),
        sa.Column("event_type", _ID, nullable=False),
        sa.Column("event_time", sa.BigInteger(), nullable=False),
        sa.Column("user_pseudo_id", _ID, nullable=False),
        sa.Column("user_id", _ID, nullable=False),
        sa.Column("search_query", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["data_store"], ["resources.key"], name="fk_user_events_data_store", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_user_events"),
        sqlite_autoincrement=True,
    )
    for columns in _INDEXES:
        name = f"ix_user_events_{'_'.join(columns[:2])}"
        op.create_index(name, "user_events", list(columns), unique=False)


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")
