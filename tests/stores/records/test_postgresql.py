"""What is PostgreSQL's own: URLs, TLS, connections that die."""

import socket
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.patience import PATIENCE_S
from tests.stores.records.nouns import BRANCH, ids, make_branch, make_document, upsert
from tests.stores.records.postgresql import run_statement
from toulmin.errors import Aborted, FailedPrecondition, InvalidArgument, Unavailable
from toulmin.stores.records import RecordStore

NOWHERE = Path()
"""The data folder, which is not used."""


@pytest.fixture
def server_store(database_url):
    store = RecordStore(NOWHERE, f"{database_url}&application_name=under-test")
    make_branch(store)
    yield store
    store.close()


def end_connections(url):
    """End our connections from the server's side, as a restart does; wait until they are gone."""
    run_statement(
        url,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'under-test'",
    )


def test_idle_connections_that_died_are_replaced(server_store, postgresql):
    upsert(server_store, make_document("d1"))
    end_connections(postgresql)
    assert ids(server_store) == ["d1"]
    end_connections(postgresql)
    upsert(server_store, make_document("d2"))
    assert ids(server_store) == ["d1", "d2"]


def test_a_connection_that_dies_in_a_transaction(server_store, postgresql):
    def lose_it():
        with server_store.write() as transaction:
            transaction.documents.upsert(BRANCH, [make_document("d1", "x")])
            end_connections(postgresql)
            transaction.documents.upsert(BRANCH, [make_document("d2", "x")])

    with pytest.raises(Unavailable, match="try again"):
        lose_it()
    assert ids(server_store) == []
    upsert(server_store, make_document("d3"))
    assert ids(server_store) == ["d3"]


def test_a_lock_that_is_not_had_in_time(server_store, database_url):
    """As after `ALTER ROLE ... SET lock_timeout`."""

    def write_impatiently():
        with other.write() as transaction:
            transaction.documents._connection.execute(text("SET LOCAL lock_timeout = 100"))
            transaction.documents.upsert(BRANCH, [make_document("d1", "theirs")])

    other = RecordStore(NOWHERE, database_url)
    try:
        with server_store.write() as transaction:
            transaction.documents.upsert(BRANCH, [make_document("d1")])
            with pytest.raises(Aborted):
                write_impatiently()
    finally:
        other.close()
    assert ids(server_store) == ["d1"]


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(Unavailable, match="cannot be reached"):
        RecordStore(NOWHERE, f"postgresql://u@/d?host={tmp_path}")


def test_a_database_that_is_not_there(postgresql):
    with pytest.raises(FailedPrecondition, match="refuses the user or the database"):
        RecordStore(NOWHERE, postgresql.replace("/postgres?", "/none?"))


def test_tls_that_the_server_refuses():
    """With `sslmode=require` nothing but the question for TLS goes out."""
    received = []

    def refuse():
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(30)
            received.append(connection.recv(8))
            connection.sendall(b"N")
            received.append(connection.recv(100))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=refuse)
        thread.start()
        port = listener.getsockname()[1]
        with pytest.raises(Unavailable):
            RecordStore(NOWHERE, f"postgresql://u:secret@127.0.0.1:{port}/d?sslmode=require")
        thread.join(timeout=PATIENCE_S)
    assert received == [(8).to_bytes(4, "big") + (80877103).to_bytes(4, "big"), b""]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://h/d?sslmode=maybe", "sslmode=maybe; known are disable, prefer"),
        ("postgresql://h/d?sslmode=verify-full&sslrootcert=/none", "cannot be read"),
        ("postgresql://h/d?pool=3", "the parameter 'pool'; known are application_name"),
    ],
)
def test_urls_that_cannot_be_followed(url, message):
    with pytest.raises(InvalidArgument) as caught:
        RecordStore(NOWHERE, url)
    assert message in caught.value.message


def test_without_the_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "pg8000", None)
    with pytest.raises(FailedPrecondition, match="install the package pg8000"):
        RecordStore(NOWHERE, "postgresql://h/d")
