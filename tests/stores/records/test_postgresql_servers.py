"""Which server a URL means: one of several, the one that takes writes."""

import gc
import socket
import threading
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.patience import PATIENCE_S
from tests.stores.records.nouns import ids, make_branch, make_document, upsert
from tests.stores.records.postgresql import run_statement
from toulmin.errors import InvalidArgument, Unavailable
from toulmin.stores.records import RecordStore
from toulmin.stores.records.postgresql_servers import (
    DATABASE_UNAVAILABLE,
    Server,
    read_servers,
    split_url,
)

NOWHERE = Path()
READ_ONLY = "ALTER DATABASE migrated SET default_transaction_read_only = "


def servers_of(url):
    rest, written = split_url(url, "database_url")
    query = {name: values[0] for name, values in parse_qs(urlsplit(rest).query).items()}
    return [(server.host, server.port) for server in read_servers(written, query, "database_url")]


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("postgresql://u:p@a/d", [("a", 5432)]),
        ("postgresql://a", [("a", 5432)]),
        ("postgresql:///d", [("", 5432)]),
        ("postgresql://:5433/d", [("", 5433)]),
        ("postgresql://u:p%40/ss@a:5433/d", [("a", 5433)]),
        ("postgresql://u@[::1]:5433/d", [("::1", 5433)]),
        ("postgresql://u@a:1,b:2,c/d", [("a", 1), ("b", 2), ("c", 5432)]),
        ("postgresql://u@[::1]:1,[::2]/d", [("::1", 1), ("::2", 5432)]),
        ("postgresql:///d?host=a,b", [("a", 5432), ("b", 5432)]),
        ("postgresql:///d?host=a,b&port=1", [("a", 1), ("b", 1)]),
        ("postgresql:///d?host=a,/run/pg&port=1,", [("a", 1), ("/run/pg", 5432)]),
        ("postgresql://:5433/d?host=/run/pg", [("/run/pg", 5433)]),
        ("postgresql://x:9/d?host=a,b", [("a", 9), ("b", 9)]),
    ],
)
def test_the_servers_of_a_url(url, servers):
    assert servers_of(url) == servers


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://a:port/d", "'a:port'"),
        ("postgresql://a:0/d", "the port '0'"),
        ("postgresql://a,b/d?port=1,2,3", "2 hosts and 3 ports"),
        ("no url", "is not a URL"),
        ("postgresql://a/d?target_session_attrs=standby", "known are any, primary, read-write"),
        ("postgresql://a/d?connect_timeout=soon", "connect_timeout=soon"),
    ],
)
def test_what_cannot_be_understood(url, message):
    with pytest.raises(InvalidArgument) as caught:
        RecordStore(NOWHERE, url)
    assert message in caught.value.message


def with_servers(url, *others, **more):
    """Return a URL that names other servers, with host and port, before the one it has."""
    folder = parse_qs(urlsplit(url).query)["host"][0]
    hosts = ",".join([*(server.host for server in others), folder])
    ports = ",".join([*(str(server.port) for server in others), "5432"])
    query = "&".join(f"{name}={value}" for name, value in more.items())
    return f"{url.partition('?')[0]}?host={quote(hosts)}&port={ports}&{query}"


def test_a_server_that_is_not_there_is_passed_over(database_url):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = Server("127.0.0.1", taken.getsockname()[1])
    store = RecordStore(NOWHERE, with_servers(database_url, closed, Server("/nowhere", 5432)))
    make_branch(store)
    upsert(store, make_document("d1"))
    assert ids(store) == ["d1"]
    store.close()


@pytest.fixture
def no_collection():
    """What nothing holds any more goes at once; what only holds itself stays."""
    gc.disable()
    yield
    gc.enable()


# The driver leaves the socket of a connection that failed to Python, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_collection")
def test_a_server_that_says_nothing_is_passed_over_and_left(database_url):
    left = threading.Event()

    def listen():
        connection, _ = listener.accept()
        with connection:
            while connection.recv(4096):
                pass
        left.set()

    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        thread = threading.Thread(target=listen)
        thread.start()
        silent = Server("127.0.0.1", listener.getsockname()[1])
        store = RecordStore(NOWHERE, with_servers(database_url, silent, connect_timeout=1))
        assert left.wait(PATIENCE_S)
        make_branch(store)  # by the server that was good last: the other would be silent again
        store.close()
        thread.join(PATIENCE_S)


@pytest.fixture
def read_only(postgresql):
    """Sets whether a new connection may write, as on a standby or after its promotion."""
    yield lambda is_so: run_statement(postgresql, READ_ONLY + ("on" if is_so else "off"))
    run_statement(postgresql, READ_ONLY + "off")


@pytest.mark.parametrize("wanted", ["read-write", ""])
def test_only_servers_that_take_writes(database_url, read_only, wanted):
    """By name, or because there are several."""
    more = {"target_session_attrs": wanted} if wanted else {}
    others = [] if wanted else [Server("/nowhere", 5432)]
    url = with_servers(database_url, *others, **more)
    read_only(True)
    with pytest.raises(Unavailable, match="takes no writes") as caught:
        RecordStore(NOWHERE, url)
    assert caught.value.reason == DATABASE_UNAVAILABLE
    read_only(False)
    RecordStore(NOWHERE, url).close()


def test_a_server_that_no_longer_takes_writes(database_url, postgresql, read_only):
    """The connections to it are given up, so that the next one may go elsewhere."""
    store = RecordStore(NOWHERE, f"{database_url}&application_name=under-test")
    make_branch(store)
    read_only(True)
    run_statement(
        postgresql,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'under-test'",
    )
    with pytest.raises(Unavailable, match="takes no writes"):
        upsert(store, make_document("d1"))
    read_only(False)
    upsert(store, make_document("d1"))
    assert ids(store) == ["d1"]
    store.close()
