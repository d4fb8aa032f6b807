"""What a search of a session found, kept with its question."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("turns", sa.Column("results", sa.Text(), nullable=True))
