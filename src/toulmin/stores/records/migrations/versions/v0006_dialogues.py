"""Conversations with agents and their turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ID = sa.String().with_variant(postgresql.VARCHAR(collation="C"), "postgresql")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "dialogues",
        sa.Column("key", _KEY, nullable=False),
        sa.Column("owner", _KEY, nullable=False),
        sa.Column("id", _ID, nullable=False),
        sa.Column("source", _ID, nullable=False),
        sa.Column("own", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("turn_count", sa.Integer(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("start_time", sa.BigInteger(), nullable=False),
        sa.Column("end_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"], ["resources.key"], name="fk_dialogues_owner", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_dialogues"),
        sa.UniqueConstraint("owner", "id", name="uq_dialogues_owner_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_dialogues_owner_start_time", "dialogues", ["owner", "start_time"], unique=False
    )
    op.create_table(
        "dialogue_turns",
        sa.Column("dialogue", _KEY, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("create_time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dialogue"], ["dialogues.key"], name="fk_dialogue_turns_dialogue", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dialogue", "position", name="pk_dialogue_turns"),
    )


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")
