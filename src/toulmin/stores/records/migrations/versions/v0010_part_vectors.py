"""Vectors of parts of chunks; null where an older version stored the chunk."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("chunks", sa.Column("part_embeddings", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Refuse: going back is restoring a backup."""
    raise NotImplementedError("restore a backup made by the older version")
