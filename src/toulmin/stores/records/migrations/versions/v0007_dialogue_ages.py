"""Conversations with agents are found by when they ended: they are kept for a time."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_dialogues_owner_end_time", "dialogues", ["owner", "end_time"], unique=False)


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")
