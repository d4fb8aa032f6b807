import uuid

import pytest
import sqlalchemy

from tests.stores.records.postgresql import NoPostgresqlError, running_server
from toulmin.stores.records import RecordStore


@pytest.fixture(scope="session")
def postgresql():
    # Neither is a development dependency yet: which driver to offer is not decided (0012).
    pytest.importorskip("psycopg")
    try:
        with running_server() as url:
            yield url
    except NoPostgresqlError as error:
        pytest.skip(str(error))


@pytest.fixture
def database_url(postgresql):
    """A fresh, empty database."""
    name = f"t{uuid.uuid4().hex}"
    server = sqlalchemy.make_url(postgresql).set(drivername="postgresql+psycopg")
    engine = sqlalchemy.create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    yield postgresql.replace("/postgres?", f"/{name}?")
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


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
