import os
import uuid
from pathlib import Path

import pytest

from tests.stores.records.postgresql import NoPostgresqlError, run_statement, running_server
from toulmin.stores.records import RecordStore


@pytest.fixture(scope="session")
def postgresql():
    try:
        with running_server() as url:
            run_statement(url, "CREATE DATABASE migrated")
            RecordStore(Path(), database(url, "migrated")).close()
            yield url
    except NoPostgresqlError as error:
        if os.environ.get("CI"):  # where half of the tests must not go away in silence
            raise
        pytest.skip(str(error))


@pytest.fixture
def database_url(postgresql):
    """A fresh database with empty tables: a copy of one that the migrations made."""
    name = f"t{uuid.uuid4().hex}"
    run_statement(postgresql, f"CREATE DATABASE {name} TEMPLATE migrated")
    yield database(postgresql, name)
    run_statement(postgresql, f"DROP DATABASE {name} WITH (FORCE)")


def database(url, name):
    return url.replace("/postgres?", f"/{name}?")


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
