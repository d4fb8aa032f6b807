"""Bring a database to the schema of this version, in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from toulmin.errors import FailedPrecondition
from toulmin.stores.records.database import Database

_FOLDER = Path(__file__).parent / "migrations"


def migrate(database: Database) -> None:
    """Make the tables, or change them to what this version expects.

    Raises:
        FailedPrecondition: The database was written by a newer version.
    """
    with database.read() as connection:
        if current_revision(connection) == newest_revision():
            return
    with database.write() as connection:
        database.lock_for_migration(connection)
        check_revision(connection)
        database.mark_file(connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None: it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str | None:
    """Return the revision of this version."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def check_revision(connection: Connection) -> None:
    """Raise unless this version can read the database, after migrating it.

    Raises:
        FailedPrecondition: The database was written by a newer version.
    """
    revision = current_revision(connection)
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if revision is not None and revision not in known:
        raise FailedPrecondition(
            f"The database has the schema {revision!r} of a newer version of Toulmin; update this"
            " one, or restore a backup made by it."
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config
