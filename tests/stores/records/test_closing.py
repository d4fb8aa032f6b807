"""A database that is closed leaves no connection open."""

from collections import Counter

import pytest
from sqlalchemy import event, text

from toulmin.stores.records.database import Database


def watched(database):
    """Return a count of the connections that are opened and closed from now on."""
    counts = Counter()
    event.listen(database._engine, "connect", lambda *_: counts.update(["opened"]))
    event.listen(database._engine, "close", lambda *_: counts.update(["closed"]))
    return counts


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return Database(tmp_path / "records.db")
    return Database(request.getfixturevalue("database_url"))


def test_a_connection_in_use_is_closed_when_it_is_given_back(database):
    counts = watched(database)
    with database.read() as connection:
        database.close()
        assert connection.execute(text("SELECT 1")).scalar_one() == 1
    assert counts == {"opened": 1, "closed": 1}


def test_one_that_is_opened_after_it_is_closed_too(database):
    counts = watched(database)
    database.close()
    with database.read() as connection:
        connection.execute(text("SELECT 1"))
    assert counts == {"opened": 1, "closed": 1}
