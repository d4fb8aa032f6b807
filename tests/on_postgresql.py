"""Tests with their records in PostgreSQL: `make test-postgresql`, or `pytest --records postgresql`.

Every `RecordStore` that a test opens on a folder opens a database of its own then, and the same one
when the folder is opened again. So the tests of the API run on either engine, unchanged. What a
test starts as a process of its own keeps its records in the folder.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from tests.stores.records.postgresql import run_statement, running_server
from toulmin.stores.records import RecordStore

_TEMPLATE = "migrated_once"


@contextmanager
def records_in_postgresql():
    """Let record stores be opened in PostgreSQL until the end of the block."""
    with running_server() as url:
        databases = _Databases(url)
        plain = RecordStore.__init__

        def opened(self, data_dir, database_url="", **more):
            plain(self, data_dir, database_url or databases.url_of(data_dir), **more)

        RecordStore(Path(), databases.make(_TEMPLATE)).close()
        RecordStore.__init__ = opened
        try:
            yield
        finally:
            RecordStore.__init__ = plain


class _Databases:
    """A database for each folder."""

    def __init__(self, url):
        self._url = url
        self._names = {}

    def url_of(self, folder):
        """Return the URL of the database of a folder; made, with its tables, if it is new."""
        folder = Path(folder).resolve()
        if folder not in self._names:
            self._names[folder] = f"folder{len(self._names)}"
            return self.make(self._names[folder], template=_TEMPLATE)
        return self._named(self._names[folder])

    def make(self, name, *, template="template1"):
        """Make a database and return its URL."""
        run_statement(self._url, f"CREATE DATABASE {name} TEMPLATE {template}")
        return self._named(name)

    def _named(self, name):
        return self._url.replace("/postgres?", f"/{name}?")
