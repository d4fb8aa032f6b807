"""How Alembic runs our steps: on the connection, and in the transaction, that it is given."""

from __future__ import annotations

from alembic import context

from toulmin.stores.records.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,  # SQLite's is, once the driver does not commit by itself
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
