import os
from pathlib import Path

import pytest

from tests.stores.records.postgresql import (
    NoPostgresqlError,
    remember_rows,
    restore_rows,
    run_statement,
    running_server,
)
from toulmin.stores.records import RecordStore


@pytest.fixture(scope="session")
def postgresql():
    try:
        with running_server() as url:
            yield url
    except NoPostgresqlError as error:
        if os.environ.get("CI"):  # where half of the tests must not go away in silence
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def migrated_url(postgresql):
    run_statement(postgresql, "CREATE DATABASE migrated")
    url = postgresql.replace("/postgres?", "/migrated?")
    RecordStore(Path(), url).close()
    remember_rows(url)
    return url


@pytest.fixture
def database_url(migrated_url):
    """A database as the migrations made it, whatever tests before this one wrote."""
    restore_rows(migrated_url)
    return migrated_url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Arguments that open a store, on each engine."""
    if request.param == "sqlite":
        return (tmp_path / "data", "")
    return (tmp_path / "data", request.getfixturevalue("database_url"))


@pytest.fixture
def store(place):
    opened = RecordStore(*place, busy_timeout_s=5.0)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(tmp_path):
    opened = RecordStore(tmp_path / "data", busy_timeout_s=5.0)
    yield opened
    opened.close()
