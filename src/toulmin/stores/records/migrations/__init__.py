"""Alembic's folder: `versions/` has the steps, each written once and never changed afterwards."""
