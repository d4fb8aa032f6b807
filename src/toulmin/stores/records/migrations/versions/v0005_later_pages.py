"""Where in a chunk each page after its first begins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("chunks", sa.Column("later_pages", sa.Text(), nullable=True))
