"""Sessions with their turns and answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ID = sa.String().with_variant(postgresql.VARCHAR(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "sessions",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("owner", _KEY, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("state", _ID, nullable=False),
        sa.Column("user_pseudo_id", _ID, nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("is_pinned", sa.Integer(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("start_time", sa.BigInteger(), nullable=False),
        sa.Column("end_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"], ["resources.key"], name="fk_sessions_owner", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_sessions"),
        sa.UniqueConstraint("owner", "id", name="uq_sessions_owner_id"),
        sqlite_autoincrement=True,
    )
    for columns in (["owner", "user_pseudo_id"], ["owner", "end_time"]):
        op.create_index(f"ix_sessions_{'_'.join(columns)}", "sessions", columns, unique=False)
    _create_parts()


def _create_parts() -> None:
    op.create_table(
        "turns",
        sa.Column("session", _KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("query_id", _ID, nullable=False),
        sa.Column("answer_id", _ID, nullable=False),
        sa.Column("query_config", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session"], ["sessions.key"], name="fk_turns_session", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session", "position", name="pk_turns"),
    )
    op.create_table(
        "answers",
        sa.Column("session", _KEY, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session"], ["sessions.key"], name="fk_answers_session", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("session", "id", name="pk_answers"),
    )


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")
